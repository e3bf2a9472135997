/** The answer to a validation: the order's cost and its problems. */

import type {
  WireDeliverable,
  WirePartnerDelivery,
  WireRequestedDelivery,
  WireValidation,
  WireValidationRequest,
} from '../../../contract/partner-orders.ts';
import type { Coin } from '../../../domain/money/coin.ts';
import { formatDecimal } from '../../../domain/money/money.ts';
import type { OrderAmounts, OrderSummary } from '../../../domain/money/partner-amounts.ts';
import type { PartnerOrderDeps } from '../order-deps.ts';
import type { Assessment, ExaminedOrder } from '../rules/assessment.ts';
import type { OrderLine } from '../rules/order-context.ts';
import { deliverableView, linePart } from './deliverable.ts';

/** Ours: before an order exists, a delivery's id is its index, from 0. */
export function validationView(
  deps: PartnerOrderDeps,
  request: WireValidationRequest,
  order: ExaminedOrder,
  { coin, amounts, problems, coupon }: Assessment,
): WireValidation {
  const text = (amount: Parameters<typeof formatDecimal>[0]) =>
    formatDecimal(amount, coin?.decimals ?? 0);
  const asked = request.deliveries.flatMap(expand);
  return {
    coin: coin?.name ?? order.payment.coin,
    coin_amount: amounts ? text(amounts.coinAtomic) : '0',
    original_coin_amount: amounts ? text(amounts.originalCoinAtomic) : '0',
    deliveries: order.lines.map((line, index): WirePartnerDelivery => {
      const sums = amounts?.lines[index];
      const part = sums && coin && linePart(sums, coin.decimals);
      return {
        id: String(index),
        delivery_state: 'pending',
        kind: line.goods?.product.brand.kind ?? 'other',
        deliverable: lineView(deps, line, asked[index], part),
        sandbox_mode: deps.isSandbox,
      };
    }),
    payment_fee: feeView(amounts, coin),
    points: pointsView(amounts?.points ?? 0n),
    summary: amounts?.summary ?? noSummary(),
    is_payment_processor_external: deps.market.via(order.payment.via)?.isExternal ?? false,
    coupon_code: coupon?.code ?? null,
    problems: problems.map((problem) => ({ ...problem })),
  };
}

/** Repeats a line that is not in the catalog as requested, with the reason. */
function lineView(
  { baseUrl }: PartnerOrderDeps,
  line: OrderLine,
  asked: WireDeliverable | undefined,
  part: Parameters<typeof deliverableView>[2],
): WireDeliverable {
  const { goods, beneficiary, goodsFault, beneficiaryFault } = line;
  const fault = goodsFault ?? beneficiaryFault;
  const told = fault === undefined ? {} : { error_description: fault };
  if (goods) return { ...deliverableView(baseUrl, { ...goods, beneficiary }, part), ...told };
  return {
    denomination: asked?.denomination ?? '',
    brand_name: line.brandName,
    beneficiary_account: beneficiary,
    country_code: line.countryCode.toUpperCase(),
    ...told,
  };
}

function expand(delivery: WireRequestedDelivery): readonly WireDeliverable[] {
  if (!('deliverable' in delivery)) return [delivery];
  return Array.from({ length: delivery.quantity ?? 1 }, () => delivery.deliverable);
}

interface FeeView extends Readonly<Record<string, unknown>> {
  readonly coin: string;
  readonly coin_amount: string;
}

/** The fee is part of the amount to pay. */
function feeView(amounts: OrderAmounts | undefined, coin: Coin | undefined): FeeView {
  return {
    coin: coin?.name ?? '',
    coin_amount: amounts && coin ? formatDecimal(amounts.feeAtomic, coin.decimals) : '0',
  };
}

/** One point per whole US dollar of face value, earned when the order is done. */
function pointsView(points: bigint): { total: string } {
  return { total: points.toString() };
}

/** For an order in a coin that the market does not have. */
function noSummary(): OrderSummary {
  return {
    coin_amount_before_discount: '0',
    coin_amount_after_discount: '0',
    coin_amount_to_pay_in_crypto: '0',
    coin_amount_to_pay_via_nft: '0',
    coin_amount_to_pay_via_coupon: '0',
  };
}
