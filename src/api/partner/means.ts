/** Chooses how a partner API order is paid: via, coin and network, in the merchant's spelling. */

import { getPaymentVias } from '../../contract/partner-market.ts';
import type { WirePayment } from '../../contract/partner-orders.ts';
import { expected, unlessInterrupted } from '../../domain/attempt.ts';
import { commandText, ownText, wordList } from '../../domain/message/command-text.ts';
import { ScripError } from '../../domain/message/errors.ts';
import { type Message, t } from '../../domain/message/message.ts';
import {
  choosePaymentMeans,
  DEFAULT_COIN,
  findNetwork,
  isSameName,
  type ListedCoin,
  OWN_NETWORK,
} from '../../domain/payment/payment-means.ts';
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
 * @throws {ScripError} INPUT_INVALID for a coin that the merchant does not list, and what `asked` does
 */
export function askedInCoin<T>(host: PartnerHost, coin: string, asked: Promise<T>): Promise<T> {
  return asked.catch(
    expected(async (error) => {
      await checkListed(host, { coin }, error);
      throw error;
    }, 'MERCHANT_REFUSED'),
  );
}

/**
 * Checks a typed coin and network against the merchant's list, before anything else is asked. Accepts all if
 * the list cannot be read or is empty: the merchant decides.
 * @param cause the refusal that led here, if any
 * @throws {ScripError} INPUT_INVALID with what is listed
 */
export async function checkListed(
  host: PartnerHost,
  { coin: typed, network }: Pick<OrderInput, 'coin' | 'network'>,
  cause?: ScripError,
): Promise<void> {
  if (typed === undefined && network === undefined) return;
  const coin = typed ?? DEFAULT_COIN;
  const listed = await listedCoins(host);
  const ofCoin = listed.filter(({ name }) => isSameName(name, coin));
  const coins = namesOf(listed);
  if (ofCoin.length === 0 && coins.length > 0) {
    const what = t`${coin} is not a coin that this merchant accepts`;
    throw await unlisted(what, { coins }, coin, cause);
  }
  const networks = namesOf(ofCoin.flatMap((one) => one.networks));
  if (network === undefined || networks.length === 0) return;
  if (ofCoin.some((one) => findNetwork(one, network) !== undefined)) return;
  const what = t`${network} is not a network of ${coin} that this merchant accepts`;
  throw await unlisted(what, { networks }, network, cause);
}

async function unlisted(
  what: Message,
  listed: { readonly coins: readonly string[] } | { readonly networks: readonly string[] },
  typed: string,
  cause: ScripError | undefined,
): Promise<ScripError> {
  const { nearest } = await import('../../domain/product/catalog-query.ts');
  const [flag, names] =
    'coins' in listed ? ['--coin', listed.coins] : ['--network', listed.networks];
  const near = nearest(names, typed, 1);
  const guess = near.map((name) => t` Did you mean ${name}?`)[0] ?? t``;
  return new ScripError('INPUT_INVALID', what, {
    cause,
    hint: commandText`Name one of these with ${flag}: ${wordList(names)}.${ownText(guess)}`,
    details: { ...listed, nearest: near },
  });
}

function namesOf(listed: readonly { readonly name: string }[]): readonly string[] {
  return [...new Set(listed.map(({ name }) => name))].toSorted();
}

/** Returns the listed coins; empty when the list cannot be read. */
function listedCoins(host: PartnerHost): Promise<readonly ListedCoin[]> {
  return callPartner(host, getPaymentVias, {}).then(
    (vias) => vias.flatMap(({ currencies }) => currencies),
    unlessInterrupted(() => []),
  );
}
