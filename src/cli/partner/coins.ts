/** A coin that there is none of, told with those that there are. */

import { callPartner, type PartnerHost } from '../../api/partner/partner.ts';
import { getPaymentVias } from '../../contract/partner-market.ts';
import { commandText, wordList } from '../../domain/command-text.ts';
import { ScripError } from '../../domain/errors.ts';
import { t } from '../../domain/message.ts';
import { isSameName } from '../../domain/payment-means.ts';

/**
 * What is asked with a coin. Only once it was refused is the merchant's list looked at: whether it
 * takes a coin is the merchant's to say.
 * @throws {ScripError} INPUT_INVALID for a coin that the merchant does not list, and what `ask` throws
 */
export async function askedInCoin<T>(
  host: PartnerHost,
  coin: string,
  ask: () => Promise<T>,
): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof ScripError) || error.code !== 'MERCHANT_REFUSED') throw error;
    const coins = await listedCoins(host);
    if (coins.length === 0 || coins.some((name) => isSameName(name, coin))) throw error;
    throw new ScripError('INPUT_INVALID', t`${coin} is not a coin that this merchant takes`, {
      cause: error,
      hint: commandText`Name one of these with --coin: ${wordList(coins)}`,
      details: { coins },
    });
  }
}

/** Empty where the merchant does not say. */
async function listedCoins(host: PartnerHost): Promise<readonly string[]> {
  try {
    const vias = await callPartner(host, getPaymentVias, {});
    const names = vias.flatMap(({ currencies }) => currencies.map(({ name }) => name));
    return [...new Set(names)].toSorted();
  } catch (error) {
    if (error instanceof ScripError && error.code !== 'INTERRUPTED') return [];
    throw error;
  }
}
