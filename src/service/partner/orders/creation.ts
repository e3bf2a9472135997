/** POST /v5/orders: checks the request, allocates an address and stores the order in one write. */

import { ORDER_IS_OVER } from '../../../contract/order-key.ts';
import {
  createOrderRequest,
  type WireCreateOrder,
  type WirePartnerOrder,
} from '../../../contract/partner-orders.ts';
import { canonicalJson } from '../../../domain/canonical-json.ts';
import { ScripError } from '../../../domain/message/errors.ts';
import { verbatim } from '../../../domain/message/message.ts';
import { isPaid, isTerminal } from '../../../domain/order/order-states.ts';
import type { PartnerStanding } from '../../../domain/order/partner-limits.ts';
import type { Tables } from '../../../store/store.ts';
import type { DeliveryRow } from '../../../store/tables/deliveries.ts';
import type { NewOrder, PartnerOrderRow } from '../../../store/tables/partner-orders.ts';
import { type Invariant, SINGLE } from '../../../store/writes.ts';
import { encodeLine } from '../../checkout/line.ts';
import { jsonReply, PRIVATE_HEADERS } from '../../http/replies.ts';
import type { Answer } from '../../http/route.ts';
import { newDeliveryId, newPageId, newPartnerOrderId } from '../../identifiers.ts';
import { WEBHOOK_SECRET_HEADER } from '../../webhooks/webhook-signature.ts';
import { failure, refusedFor, topLevelError } from '../failure.ts';
import type { PartnerOrderDeps } from '../order-deps.ts';
import { type Assessment, assessNow, type ExaminedOrder, examine } from '../rules/assessment.ts';
import { totalUsd } from '../rules/order-context.ts';
import { heldBack, standingOf, warning } from '../rules/standing.ts';
import { linePart } from './deliverable.ts';
import { erasedKey } from './order-key.ts';
import { type OrderQuote, orderView } from './order-view.ts';
import { deadlineMs, firstStates, nextLookAtMs } from './progress.ts';
import { watchedOrder } from './reconcile.ts';
import { assertReachable, storeOrder, undelivered } from './transition.ts';

/** The caller, and the key under which it may repeat the creation. */
export interface Asker {
  readonly applicationId: string;
  readonly idempotencyKey: string | null;
  /** Whether the key makes only one order ever; otherwise it may make another once that one has ended. */
  readonly isOnce: boolean;
  /** Digest of the only address that may repeat the creation; null for a key that cannot be guessed. */
  readonly maker: string | null;
  /** The caller's network address range; empty inside a process. */
  readonly caller: string;
}

/** Creates an order, or returns the one that the same key created earlier. */
export async function createOrder(
  deps: PartnerOrderDeps,
  request: WireCreateOrder,
  asker: Asker,
): Promise<Answer> {
  const { tables } = deps.store;
  const known = await madeBefore(tables, asker);
  if (known && isKept(known, asker)) return answerAgain(deps, request, { asker, known });
  const standing = await standingOf(tables, asker.applicationId, deps.clock.now());
  const held = deps.isRatioEnforced ? heldBack(standing) : undefined;
  if (held) return held;
  const order = await examine(deps, request, asker.applicationId);
  const assessment = await assessNow(deps, tables, order);
  const refused = refusalOf(assessment);
  if (refused) return refused;
  const made = await makeOrder(deps, request, { asker, standing, order, assessment, ended: known });
  if (made instanceof Response) return made;
  if ('known' in made) return answerAgain(deps, request, { asker, known: made.known });
  const { row, deliveries } = made;
  return orderReply(deps, await orderView(deps, row, deliveries), { row, standing });
}

/** Returns the refusal for an order with problems; the checks are those of a validation. */
function refusalOf({ suspension, problems }: Assessment): Response | undefined {
  if (suspension) return topLevelError(suspension);
  if (problems.length === 0) return undefined;
  const names = problems.map(({ problem }) => problem).join(', ');
  return refusedFor(`No order was created: ${names}`, problems);
}

async function madeBefore(
  { partnerOrders }: Tables,
  { applicationId, idempotencyKey }: Pick<Asker, 'applicationId' | 'idempotencyKey'>,
): Promise<PartnerOrderRow | undefined> {
  if (idempotencyKey === null) return undefined;
  return partnerOrders.byIdempotencyKey(applicationId, idempotencyKey, erasedKey(idempotencyKey));
}

/** Whether the key still belongs to the order; if not, it makes another. */
function isKept(order: PartnerOrderRow, { isOnce }: Asker): boolean {
  return isOnce || !isOver(order);
}

/**
 * Ours: whether the order ended without delivery and without the buyer's money. A key always
 * returns what it bought, and what it paid for until the money was refunded.
 */
function isOver({
  orderState,
  paymentState,
  receivedAtomic,
  seenAtomic,
}: PartnerOrderRow): boolean {
  if (orderState === 'Refunded') return true;
  const isMoneyHere = isPaid({ paymentState }) || receivedAtomic !== '0' || seenAtomic !== '0';
  return isTerminal({ orderState }) && !isMoneyHere;
}

async function answerAgain(
  deps: PartnerOrderDeps,
  request: WireCreateOrder,
  { asker, known: row }: { readonly asker: Asker; readonly known: PartnerOrderRow },
): Promise<Answer> {
  // Without its person it is none, and equal to no other.
  const { data: made } = createOrderRequest().safeParse(JSON.parse(row.request));
  // One answer for both, so a guesser does not learn which of the two is wrong.
  if (made === undefined || contentOf(made) !== contentOf(request) || asker.maker !== row.maker) {
    const message = 'This key was used for an order with other content, or by another caller.';
    return failure('IDEMPOTENCY_KEY_REUSED', message);
  }
  if (isOver(row)) return over(row);
  const standing = await standingOf(deps.store.tables, row.applicationId, deps.clock.now());
  return orderReply(deps, await orderView(deps, row), { row, standing });
}

async function orderReply(
  deps: PartnerOrderDeps,
  view: WirePartnerOrder,
  { row, standing }: { readonly row: PartnerOrderRow; readonly standing: PartnerStanding },
): Promise<Response> {
  const headers = { ...PRIVATE_HEADERS, ...warning(standing), ...(await secretHeader(deps, row)) };
  return jsonReply(view, 200, headers);
}

function over({ orderId, orderState, paymentState }: PartnerOrderRow): Response {
  return failure(ORDER_IS_OVER, 'The order created with this key has ended. Use another key.', {
    order_id: orderId,
    order_state: orderState,
    payment_state: paymentState,
  });
}

/** The request without the language of messages and the buyer's marketing origin. */
function contentOf(request: WireCreateOrder): string {
  return canonicalJson({ ...request, lang: '', acquisition: null });
}

/** The secret that signs the order's webhooks, for its creator. */
async function secretHeader(
  { webhookKeys }: PartnerOrderDeps,
  { orderId, notificationUrl }: PartnerOrderRow,
): Promise<Readonly<Record<string, string>>> {
  if (notificationUrl === null || !webhookKeys) return {};
  return { [WEBHOOK_SECRET_HEADER]: await webhookKeys.ofOrder(orderId) };
}

interface Making {
  readonly asker: Asker;
  readonly standing: PartnerStanding;
  readonly order: ExaminedOrder;
  readonly assessment: Assessment;
  /** The order that had the key before, and has ended. */
  readonly ended: PartnerOrderRow | undefined;
}

/** The new order, or the one that another request with the same key created meanwhile. */
type Made = NewOrder | { readonly known: PartnerOrderRow };

/**
 * Stores the order. The address is allocated first, since its network may be slow. What the order
 * uses up at once (a coupon, a throttled partner's turn) is checked again inside the write, so two
 * parallel orders cannot both use the last of it.
 */
async function makeOrder(
  deps: PartnerOrderDeps,
  request: WireCreateOrder,
  making: Making,
): Promise<Made | Response> {
  const { asker, standing, order, assessment, ended } = making;
  const orderId = newPartnerOrderId(deps.random);
  const walletAddress = await allocate(deps, { orderId, caller: asker.caller }, assessment);
  const drawn = { ...making, orderId, walletAddress };
  const isThrottled = deps.isRatioEnforced && standing.state === 'throttled';
  const isUsingUp = assessment.coupon !== undefined || assessment.amounts?.coinAtomic === 0n;
  const hasWebhook = request.state_transition_notification_url != null;
  if (!isThrottled && !isUsingUp && !hasWebhook && ended === undefined) {
    return storeAlone(deps, newOrder(deps, request, drawn));
  }
  return deps.store.write(async (tables) => {
    await tables.holds.take(...whatCounts(making, { isThrottled, isUsingUp }));
    const known = await madeBefore(tables, asker);
    if (known && isKept(known, asker)) return { known };
    if (isThrottled) {
      const held = heldBack(await standingOf(tables, asker.applicationId, deps.clock.now()));
      if (held) return held;
    }
    const again = isUsingUp ? await assessNow(deps, tables, order) : assessment;
    const refused = refusalOf(again);
    if (refused) return refused;
    const made = newOrder(deps, request, { ...drawn, assessment: again });
    if (known) await freeKey(tables, known);
    await storeOrder(tables, made);
    return made;
  });
}

/** Stores an order with nothing to check again. Of two with one key the second is refused by the table. */
async function storeAlone({ store }: PartnerOrderDeps, made: NewOrder): Promise<Made> {
  const { applicationId, idempotencyKey } = made.row;
  try {
    await store.write((tables) => storeOrder(tables, made), SINGLE);
    return made;
  } catch (error) {
    const isTaken = error instanceof ScripError && error.code === 'RECORD_EXISTS';
    const known = isTaken && (await madeBefore(store.tables, { applicationId, idempotencyKey }));
    if (!known) throw error;
    return { known };
  }
}

/**
 * The names to lock: what limits count for this order must not change until it is stored, such as
 * uses of a coupon, or a throttled partner's orders of a minute. Spending counts once an order is
 * paid; an order with nothing left to pay is paid at once.
 */
function whatCounts(
  { asker: { applicationId, idempotencyKey: key }, assessment: { coupon }, order }: Making,
  { isThrottled, isUsingUp }: { readonly isThrottled: boolean; readonly isUsingUp: boolean },
): Invariant[] {
  const names: Invariant[] = [];
  if (isThrottled) names.push(`partner ${applicationId}`);
  if (key !== null) names.push(`key ${applicationId} ${key}`);
  if (isUsingUp && order.email !== undefined) names.push(`customer ${order.email}`);
  if (coupon !== undefined) names.push(`coupon ${coupon.code}`);
  return names;
}

/** Takes the key away from an ended order: two orders cannot have the same key. */
async function freeKey({ partnerOrders }: Tables, row: PartnerOrderRow): Promise<void> {
  const freed = { ...row, idempotencyKey: null, version: row.version + 1 };
  if (await partnerOrders.update(row, freed)) return;
  throw new ScripError('INTERNAL', verbatim('an order changed inside the write that read it'));
}

/** Returns null if nothing is left to pay, or a processor takes the payment. */
async function allocate(
  { wallets }: PartnerOrderDeps,
  asked: { readonly orderId: string; readonly caller: string },
  { coin, network, amounts }: Assessment,
): Promise<string | null> {
  if (!coin || !network || amounts?.coinAtomic === 0n) return null;
  return wallets.allocate({ ...asked, coin: coin.name, network });
}

// The rows of a new order of the partner API.

interface Drawn extends Making {
  readonly orderId: string;
  readonly walletAddress: string | null;
}

/** Draws up an order without problems. */
function newOrder(deps: PartnerOrderDeps, request: WireCreateOrder, drawn: Drawn): NewOrder {
  const row = orderRow(deps, request, drawn);
  return { row, deliveries: deliveriesOf(deps, row, drawn.order) };
}

function orderRow(
  { clock, random, paymentWindowMs, setup, watch }: PartnerOrderDeps,
  request: WireCreateOrder,
  { orderId, walletAddress, asker, order, assessment }: Drawn,
): PartnerOrderRow {
  const { coin, network, coupon, amounts } = assessment;
  if (!coin || !amounts)
    throw new ScripError('INTERNAL', verbatim('an order without problems has no price'));
  const createdAtMs = clock.now();
  const { email = '' } = order;
  const couponCode = coupon?.code ?? null;
  const coinAmountAtomic = amounts.coinAtomic.toString();
  const states = firstStates(setup, { email, couponCode, coinAmountAtomic });
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
    quote: JSON.stringify({ summary: amounts.summary } satisfies OrderQuote),
    valueUsd: totalUsd(order).toString(),
    couponCode,
    coin: coin.name,
    network: network?.name ?? null,
    decimals: coin.decimals,
    coinAmountAtomic,
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

function deliveriesOf(
  { random }: PartnerOrderDeps,
  row: PartnerOrderRow,
  order: ExaminedOrder,
): DeliveryRow[] {
  const { orderId, createdAtMs } = row;
  return order.lines.map(({ goods, beneficiary }, line) => {
    if (!goods)
      throw new ScripError('INTERNAL', verbatim('an order without problems has no goods'));
    const { product, faceValue, priceUsd: priceAtomic, rate } = goods;
    return {
      deliveryId: newDeliveryId(random),
      orderId,
      line,
      beneficiary,
      goods: encodeLine({ product, faceValue, priceAtomic, beneficiary, rate }),
      ...undelivered(row),
      attempts: 0,
      nextAttemptAtMs: createdAtMs,
      voucher: null,
      codeDigest: null,
      fault: null,
    };
  });
}
