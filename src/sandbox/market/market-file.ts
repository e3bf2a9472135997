/** Reads an operator's JSON file of rates and suspensions. */

import { z } from 'zod';
import { COINS } from '../../domain/coins.ts';
import { t } from '../../domain/message.ts';
import { NETWORKS } from '../../domain/networks.ts';
import { readOperatorFile } from '../../service/operator-file.ts';
import type { MarketSettings } from './market.ts';

const ticker = () => z.enum(COINS.map(({ name }) => name));
const networkName = () => z.enum([...new Set(Object.values(NETWORKS).map(({ name }) => name))]);

/** Schema of a market file. */
const settingsFile = () =>
  z.strictObject({
    usd_per_coin: z
      .partialRecord(
        ticker(),
        z.string().regex(/^(0|[1-9]\d{0,6})(\.\d{1,12})?$/, 'a plain decimal, such as "0.25"'),
      )
      .optional(),
    suspended_coins: z.array(ticker()).optional(),
    suspended_networks: z.array(networkName()).optional(),
  });

/**
 * Reads an operator's market file, already parsed as JSON.
 * @throws {ScripError} INPUT_INVALID naming the path of the first fault
 */
export function readMarketSettings(json: unknown): MarketSettings {
  const { usd_per_coin, suspended_coins, suspended_networks } = readOperatorFile(
    settingsFile(),
    json,
    {
      invalid: (path, problem) => t`The market is not valid at ${path}: ${problem}`,
      hint: t`Correct the market file at the path named and start again.`,
    },
  );
  return {
    usdPerCoin: usd_per_coin,
    suspendedCoins: suspended_coins,
    suspendedNetworks: suspended_networks,
  };
}
