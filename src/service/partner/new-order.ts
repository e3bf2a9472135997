/** The rows of a new order of the partner API. */

import type { WireCreateOrder } from '../../contract/partner-orders.ts';
import { canonicalJson } from '../../domain/canonical-json.ts';
import { ScripError } from '../../domain/errors.ts';
import { verbatim } from '../../domain/message.ts';
import { isPaid, isTerminal } from '../../domain/order-states.ts';
import type { OrderAmounts } from '../../domain/partner-amounts.ts';
import type { DeliveryRow } from '../../store/tables/deliveries.ts';
import type { NewOrder, PartnerOrderRow } from '../../store/tables/partner-orders.ts';
import { newDeliveryId, newPageId } from '../identifiers.ts';
import { encodeLine } from '../line.ts';
import type { Assessment } from './assessment.ts';
import { linePart } from './deliverable.ts';
import type { Examined } from './examination.ts';
import { totalUsd } from './order-context.ts';
import type { PartnerOrderDeps } from './order-deps.ts';
import type { OrderQuote } from './order-view.ts';
import { watchedOrder } from './reconcile.ts';
import { deadlineMs, nextLookAtMs } from './schedule.ts';
import { firstStates } from './setup.ts';
import { assertReachable, undelivered } from './transition.ts';

interface Drawn {
  readonly orderId: string;
  readonly walletAddress: string | null;
  readonly asker: Pick<PartnerOrderRow, 'applicationId' | 'idempotencyKey' | 'maker'>;
  readonly examined: Examined;
  readonly assessment: Assessment;
}

/** Draws up an order without problems. */
export function newOrder(deps: PartnerOrderDeps, request: WireCreateOrder, drawn: Drawn): NewOrder {
  const row = orderRow(deps, request, drawn);
  return { row, deliveries: deliveriesOf(deps, row, drawn.examined) };
}

function orderRow(
  { clock, random, paymentWindowMs, setup, watch }: PartnerOrderDeps,
  request: WireCreateOrder,
  { orderId, walletAddress, asker, examined, assessment }: Drawn,
): PartnerOrderRow {
  const { coin, network, coupon, amounts } = assessment;
  if (!coin || !amounts)
    throw new ScripError('INTERNAL', verbatim('an order without problems has no price'));
  const createdAtMs = clock.now();
  const { email = '' } = examined.order;
  const states = firstStates(setup, {
    email,
    hasCoupon: coupon !== undefined,
    isCovered: amounts.coinAtomic === 0n,
  });
  assertReachable(states);
  const row: PartnerOrderRow = {
    applicationId: asker.applicationId,
    idempotencyKey: asker.idempotencyKey,
    maker: asker.maker,
    ...states,
    orderId,
    pageId: newPageId(random),
    walletAddress,
    email,
    request: canonicalJson(request),
    lines: JSON.stringify(amounts.lines.map((line) => linePart(line, coin.decimals))),
    quote: JSON.stringify(quoteOf(amounts)),
    valueUsd: totalUsd(examined.order).toString(),
    couponCode: coupon?.code ?? null,
    coin: coin.name,
    network: network?.name ?? null,
    decimals: coin.decimals,
    coinAmountAtomic: amounts.coinAtomic.toString(),
    receivedAtomic: '0',
    seenAtomic: '0',
    transactions: '[]',
    notificationUrl: request.state_transition_notification_url ?? null,
    refundAddress: request.refund_wallet_address ?? null,
    createdAtMs,
    windowEndsAtMs: createdAtMs + paymentWindowMs,
    updatedAtMs: createdAtMs,
    closedAtMs: isPaid(states) || isTerminal(states) ? createdAtMs : null,
    nextLookAtMs: null,
    version: 0,
  };
  return { ...row, nextLookAtMs: firstLookAtMs(watch, row) };
}

/**
 * When to check a new order first. Its address is new, so if payments are reported, only its
 * deadline matters.
 */
function firstLookAtMs({ news }: PartnerOrderDeps['watch'], row: PartnerOrderRow): number | null {
  const { createdAtMs } = row;
  const isTold = news?.covers(watchedOrder(row)) === true;
  return (isTold ? deadlineMs(row, createdAtMs) : undefined) ?? nextLookAtMs(row, createdAtMs);
}

function quoteOf({ summary }: OrderAmounts): OrderQuote {
  return { summary };
}

function deliveriesOf(
  { random }: PartnerOrderDeps,
  row: PartnerOrderRow,
  { order }: Examined,
): DeliveryRow[] {
  const { orderId, createdAtMs } = row;
  return order.lines.map(({ goods, beneficiary }, line) => {
    if (!goods)
      throw new ScripError('INTERNAL', verbatim('an order without problems has no goods'));
    const { product, faceValue, priceUsd: priceAtomic } = goods;
    return {
      deliveryId: newDeliveryId(random),
      orderId,
      line,
      beneficiary,
      goods: encodeLine({ product, faceValue, priceAtomic, beneficiary }),
      ...undelivered(row),
      attempts: 0,
      nextAttemptAtMs: createdAtMs,
      voucher: null,
      codeDigest: null,
      fault: null,
    };
  });
}
