/** The supported networks; a rail's code loads on first use. */

import type { Fetch } from '../contract/fetch.ts';
import { SOLANA_MAINNET, USDC_MINT } from '../contract/x402.ts';
import type { Clock } from '../domain/clock.ts';
import { ScripError } from '../domain/message/errors.ts';
import { t } from '../domain/message/message.ts';
import type { PayerRail } from './rail.ts';

export interface RailParts {
  readonly rpcUrl: string;
  /** A second node, which must agree before a payment counts as dead. */
  readonly witnessRpcUrl?: string | undefined;
  /** Reaches the RPC over the network, or the embedded chain. */
  readonly fetch: Fetch;
  readonly clock: Clock;
}

type OpenRail = (network: string, parts: RailParts) => Promise<PayerRail>;

const PAYER_RAILS: Readonly<Record<string, OpenRail>> = {
  [SOLANA_MAINNET]: async (network, { rpcUrl, witnessRpcUrl: witnessUrl, fetch, clock }) => {
    const [{ createSolanaPayer }, { createSolanaRpc }] = await Promise.all([
      import('./solana/payer.ts'),
      import('./solana/rpc.ts'),
    ]);
    const rpc = createSolanaRpc({ url: rpcUrl, fetch, clock });
    const witness =
      witnessUrl === undefined ? undefined : createSolanaRpc({ url: witnessUrl, fetch, clock });
    return createSolanaPayer({ rpc, witness, network, mint: USDC_MINT });
  },
};

/**
 * Opens the payer rail of a network.
 * @throws {ScripError} REQUIREMENT_UNACCEPTABLE when there is no rail for it
 */
export async function openPayerRail(network: string, parts: RailParts): Promise<PayerRail> {
  const open = Object.hasOwn(PAYER_RAILS, network) ? PAYER_RAILS[network] : undefined;
  if (open === undefined) {
    throw new ScripError(
      'REQUIREMENT_UNACCEPTABLE',
      t`The network ${network} is not supported; supported: ${Object.keys(PAYER_RAILS).join(', ')}`,
    );
  }
  return open(network, parts);
}
