/** Chooses how a partner API order is paid: via, coin and network, in the merchant's spelling. */

import { getPaymentVias } from '../../contract/partner-market.ts';
import type { WirePayment } from '../../contract/partner-orders.ts';
import { commandText, ownText, wordList } from '../../domain/command-text.ts';
import { ScripError } from '../../domain/errors.ts';
import { t } from '../../domain/message.ts';
import {
  choosePaymentMeans,
  DEFAULT_COIN,
  isSameName,
  OWN_NETWORK,
} from '../../domain/payment-means.ts';
import type { OrderInput } from '../merchant.ts';
import { callPartner, type PartnerHost } from './partner.ts';

/** Ours: used when the merchant lists no via; the interface names only the kind, user wallet. */
const DEFAULT_VIA = 'user_wallet';
const BINANCE_PAY = 'binance_pay';

/** How an order is paid, in the wire's spelling. */
export interface ChosenMeans {
  readonly payment: WirePayment;
  readonly coin: string;
  readonly network: string;
}

/**
 * Finds the typed coin and network in the merchant's list, in any case. Sends unlisted ones as typed, for the
 * merchant to judge.
 * @throws {ScripError} the codes of a call
 */
export async function chooseMeans(
  host: PartnerHost,
  orderInput: Pick<OrderInput, 'coin' | 'network' | 'paymentVia'>,
): Promise<ChosenMeans> {
  const vias = await callPartner(host, getPaymentVias, {});
  const wanted = {
    via: orderInput.paymentVia,
    coin: orderInput.coin ?? DEFAULT_COIN,
    network: orderInput.network,
  };
  const { via = DEFAULT_VIA, coin, network } = choosePaymentMeans(vias, wanted);
  if (isSameName(via, BINANCE_PAY)) {
    return { payment: { type: BINANCE_PAY, coin }, coin, network: BINANCE_PAY };
  }
  const named = network ?? OWN_NETWORK;
  return {
    payment: { type: 'via', payment_via: via, coin, network: named },
    coin,
    network: named,
  };
}

/**
 * Runs a request that names a coin. Reads the merchant's list only after a refusal, since the merchant
 * decides which coins it accepts.
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
    const { nearest } = await import('../../domain/catalog-query.ts');
    const near = nearest(coins, coin, 1);
    const guess = near.map((name) => t` Did you mean ${name}?`)[0] ?? t``;
    throw new ScripError('INPUT_INVALID', t`${coin} is not a coin that this merchant accepts`, {
      cause: error,
      hint: commandText`Name one of these with --coin: ${wordList(coins)}.${ownText(guess)}`,
      details: { coins, nearest: near },
    });
  }
}

/** Returns the listed coins; empty when the list cannot be read. */
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
