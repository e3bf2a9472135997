/** Fee, points and summary of an order on the wire; the keys of the open objects are ours. */
import type { Coin } from '../../domain/coin.ts';
import { formatDecimal } from '../../domain/money.ts';
import type { OrderAmounts, OrderSummary } from '../../domain/partner-amounts.ts';

export interface FeeView extends Readonly<Record<string, unknown>> {
  readonly coin: string;
  readonly coin_amount: string;
}

/** The fee is part of the amount to pay. */
export function feeView(amounts: OrderAmounts | undefined, coin: Coin | undefined): FeeView {
  return {
    coin: coin?.name ?? '',
    coin_amount: amounts && coin ? formatDecimal(amounts.feeAtomic, coin.decimals) : '0',
  };
}

/** One point per whole US dollar of face value, earned when the order is done. */
export function pointsView(points: bigint): { total: string } {
  return { total: points.toString() };
}

/** For an order in a coin that the market does not have. */
export function noSummary(): OrderSummary {
  return {
    coin_amount_before_discount: '0',
    coin_amount_after_discount: '0',
    coin_amount_to_pay_in_crypto: '0',
    coin_amount_to_pay_via_nft: '0',
    coin_amount_to_pay_via_coupon: '0',
  };
}
