/** Chooses the coin and network that a list is priced in. */
import type { Coin, CoinNetwork } from '../../domain/coin.ts';
import { findPaymentMethod, paymentMethodLabel } from '../../domain/payment-method.ts';
import { DEFAULT_COIN, type Market } from '../market.ts';
import { failure } from './failure.ts';

export interface PaymentChoice {
  readonly coin: Coin;
  readonly paymentMethod: string;
  /** Whether the caller named one; prices are shown only then. */
  readonly isChosen: boolean;
}

/**
 * Ours, where the interface is silent: a payment method alone implies its coin, a coin alone uses
 * its recommended network, and neither means USDC on Solana without prices.
 */
export function choosePayment(
  market: Market,
  {
    coin,
    payment_method,
  }: { readonly coin?: string | undefined; readonly payment_method?: string | undefined },
): PaymentChoice | Response {
  if (payment_method !== undefined) return chooseMethod(market, payment_method, coin);
  const name = coin ?? DEFAULT_COIN;
  const found = market.coin(name);
  if (found === undefined) return unknownCoin(market, name);
  const network = recommendedNetwork(market, found);
  return {
    coin: found,
    paymentMethod: network ? paymentMethodLabel(found, network) : found.name,
    isChosen: coin !== undefined,
  };
}

function chooseMethod(
  market: Market,
  label: string,
  coin: string | undefined,
): PaymentChoice | Response {
  const method = findPaymentMethod(market.currencies, label);
  if (method === undefined) {
    return failure('UNKNOWN_PAYMENT_METHOD', `${label} is not a payment method.`, {
      payment_methods: listMethods(market),
    });
  }
  if (coin !== undefined && market.coin(coin)?.name !== method.coin.name) {
    return failure('COIN_MISMATCH', `${label} is not paid in ${coin}.`);
  }
  const paymentMethod = paymentMethodLabel(method.coin, method.network);
  return { coin: method.coin, paymentMethod, isChosen: true };
}

/** The first network that is not suspended. */
function recommendedNetwork(market: Market, { networks }: Coin): CoinNetwork | undefined {
  return networks.find(({ name }) => !market.isSuspendedNetwork(name)) ?? networks[0];
}

function unknownCoin(market: Market, coin: string): Response {
  const coins = market.currencies.map(({ name }) => name);
  return failure('UNKNOWN_COIN', `${coin} is not a coin of this service.`, { coins });
}

function listMethods({ currencies }: Market): readonly string[] {
  return currencies.flatMap((coin) =>
    coin.networks.map((network) => paymentMethodLabel(coin, network)),
  );
}
