/** `scrip orders show`: a past purchase as the journal has it, or as its merchant tells where that knows more. */

import type { Bundle } from '../../api/payment/outcome.ts';
import { attentionError, partnerOrderError } from '../../api/payment/outcome-error.ts';
import { receiptFrom, statusOf } from '../../api/receipt.ts';
import type { WireDelivery } from '../../contract/checkout.ts';
import type { WirePartnerOrder } from '../../contract/partner-orders.ts';
import { expected } from '../../domain/attempt.ts';
import {
  type Attempt,
  currentAttempt,
  type Entry,
  eventOf,
  fruitlessEnd,
  isFinished,
  NO_WALLET,
  nextStep,
  sealingWallet,
} from '../../domain/journal/journal.ts';
import { commandText } from '../../domain/message/command-text.ts';
import type { ScripError } from '../../domain/message/errors.ts';
import { type Message, t, verbatim } from '../../domain/message/message.ts';
import type { PurchaseStatus } from '../../domain/order/order-states.ts';
import type { BuyerContext, With } from '../context.ts';
import { clockTime } from '../output/instant.ts';
import { given, type RecordView } from '../output/view.ts';
import { orderAtMerchant } from './asked-orders.ts';
import { maskCodes } from './codes.ts';
import { findEntry } from './ledger.ts';
import { atHostOf } from './order-meant.ts';
import { isWaiting, partnerOrderView } from './partner-order.ts';
import { idOf, isPaidElsewhere, NOT_HERE, openGoods } from './past-purchase.ts';
import { orderRecord, paymentWindow } from './payment-window.ts';
import { purchaseRecord, receiptView } from './receipt.ts';

/** Codes of an order that another wallet paid are not stored if no wallet here can encrypt them. */
function whyNotHere(entry: Entry): Message {
  return entry.intent.payer === NO_WALLET
    ? commandText`with the merchant. Run: scrip track ${idOf(entry)}`
    : NOT_HERE;
}

/**
 * Shows a purchase with its codes masked; one that was not delivered, with all that the merchant needs to
 * find its payment.
 * @throws {ScripError} ORDER_UNKNOWN, JOURNAL_UNUSABLE
 */
export async function showPurchase(context: BuyerContext, id: string): Promise<RecordView> {
  const found = await findEntry(context, id);
  return atHostOf(context, found, () => showFound(context, found));
}

async function showFound(context: BuyerContext, found: Entry): Promise<RecordView> {
  const told = isToldByMerchant(found) ? await orderAtMerchant(context, found) : undefined;
  // Reading the order may have journaled its end.
  const { intentId } = found.intent;
  const entry = told === undefined ? found : await findEntry(context, intentId);
  const { order, ...view } =
    told === undefined ? await showRecorded(context, entry) : await showTold(context, entry, told);
  const [{ mayHaveRefunds }, { snapshotOf }] = await Promise.all([
    import('../../api/proven-refunds.ts'),
    import('../../api/partner/order-following.ts'),
  ]);
  const mayBeOwed =
    MAY_HAVE_REFUNDS.has(statusOf(entry)) ||
    (order !== undefined && mayHaveRefunds(snapshotOf(order)));
  if (!mayBeOwed) return withNext(view, order);
  const { refundsAtMerchant, withRefunds } = await import('./shown-refunds.ts');
  const refunds = await refundsAtMerchant(context, entry);
  return withNext(withRefunds(view, refunds, idOf(entry)), order);
}

/** Adds what to do next, unless the view says it. */
function withNext(view: RecordView, order: WirePartnerOrder | undefined): RecordView {
  const next = order && partnerOrderError(order)?.hint;
  return next === undefined || view.note !== undefined ? view : { ...view, note: next };
}

/** Ends after which money may come back: the merchant is asked. */
const MAY_HAVE_REFUNDS: ReadonlySet<PurchaseStatus> = new Set([
  'failed',
  'attention',
  'canceled',
  'expired',
  'refunded',
]);

/** Whether the merchant knows more of an order of the partner API than the journal does. */
function isToldByMerchant(entry: Entry): boolean {
  const { partner, payer } = entry.intent;
  if (partner === undefined) return false;
  const status = statusOf(entry);
  if (status === 'completed') return payer === NO_WALLET && !hasCodes(entry);
  return status === 'processing' || isPaidElsewhere(entry) || fruitlessEnd(entry) !== undefined;
}

function hasCodes(entry: Entry): boolean {
  return eventOf(entry, 'goods')?.sealed !== '';
}

type Shown = RecordView & { readonly order?: WirePartnerOrder };

/** What the merchant tells. An order that this wallet paid a part of is shown as the journal has it. */
async function showTold(
  context: With<'settings' | 'parts'>,
  entry: Entry,
  order: WirePartnerOrder,
): Promise<Shown> {
  const masked = maskCodes(order);
  const recorded = await showUndelivered(context, entry, masked);
  const record = { ...Object(recorded.record), order: orderRecord(masked) };
  if (isWaiting(order)) return { ...recorded, record, order };
  const view = dated(context, entry, await partnerOrderView(masked));
  if (partnerOrderError(order) !== undefined) return { ...view, record, order };
  const note = commandText`Codes are masked. To see them: scrip track ${idOf(entry)}`;
  return { ...view, record, order, note };
}

/** What the journal has. @returns also the partner API's order, if it was delivered */
async function showRecorded(context: BuyerContext, entry: Entry): Promise<Shown> {
  const goods = eventOf(entry, 'goods');
  if (goods === undefined) return showUndelivered(context, entry);
  if (goods.sealed === '') return showWithoutCodes(context, entry, whyNotHere(entry));
  const opened = await openGoods(context, entry, goods.sealed).catch(
    expected(() => undefined, 'WALLET_OTHER'),
  );
  if (opened === undefined) {
    return showWithoutCodes(context, entry, t`encrypted for the wallet ${sealingWallet(entry)}`);
  }
  const { order, deliveries } = opened;
  const view =
    order === undefined
      ? receiptOf(context, entry, maskCodes(deliveries))
      : dated(context, entry, await partnerOrderView(maskCodes(order)));
  const masked = commandText`Codes are masked. To see them: scrip orders reveal ${idOf(entry)}`;
  // A failed order has no codes.
  return { ...view, ...(goods.status !== 'failed' && { note: masked }), ...(order && { order }) };
}

function receiptOf(
  context: With<'settings' | 'parts'>,
  entry: Entry,
  deliveries: readonly WireDelivery[] = [],
): RecordView {
  return dated(context, entry, receiptView({ ...receiptFrom(entry), deliveries }));
}

/** Adds the date of the order: in this machine's time to the first group on a terminal, in a pipe in UTC. */
function dated(
  { settings, parts }: With<'settings' | 'parts'>,
  { intent }: Entry,
  view: RecordView,
): RecordView {
  const [standing = [], ...groups] = view.screen ?? [];
  const reader = { nowMs: parts.clock.now(), lang: settings.lang };
  const ordered = clockTime(intent.createdAtMs, reader);
  const [first, ...lines] = view.lines;
  const inUtc = [t`Ordered`, new Date(intent.createdAtMs).toISOString()] as const;
  return {
    ...view,
    lines: [...(first === undefined ? [] : [first]), inUtc, ...lines],
    screen: [[...standing, [t`Ordered`, ordered]], ...groups],
  };
}

function showWithoutCodes(
  context: With<'settings' | 'parts'>,
  entry: Entry,
  why: Message,
): RecordView {
  const view = receiptOf(context, entry);
  const codes = [t`Codes`, why] as const;
  return { ...view, lines: [...view.lines, codes], screen: [...(view.screen ?? []), [codes]] };
}

/** Adds how to pay it, or what the merchant needs to find the payment. @param told by the merchant */
async function showUndelivered(
  context: With<'settings' | 'parts'>,
  entry: Entry,
  told?: WirePartnerOrder,
): Promise<RecordView> {
  const view = receiptOf(context, entry);
  if (isPaidElsewhere(entry)) {
    const { record } = view;
    return { ...view, ...(await unpaidView(context, entry, told)), record };
  }
  const attempt = currentAttempt(entry);
  if (attempt === undefined) return view;
  const bundle = await bundleFor(entry, attempt);
  return {
    ...view,
    record: { ...purchaseRecord(receiptFrom(entry)), deliveries: [], ...bundle.record },
    lines: [...view.lines, ...bundle.lines],
    screen: [...(view.screen ?? []), bundle.screen],
    ...nextCommand(entry),
  };
}

/** An unpaid order as its merchant tells it, or else as it was placed. */
async function unpaidView(
  context: With<'settings' | 'parts'>,
  entry: Entry,
  told: WirePartnerOrder | undefined,
): Promise<Partial<RecordView>> {
  const created = eventOf(entry, 'created');
  if (created === undefined) return {};
  const { readPartnerOrder } = await import('../../api/partner/partner-journal.ts');
  const order = told ?? readPartnerOrder(created.order);
  const view = await partnerOrderView(order, undefined, paymentWindow(context));
  const isOpen = commandText`Check first that it is open: scrip track ${idOf(entry)}`;
  const note = told === undefined ? [isOpen, view.note ?? []].flat() : view.note;
  return { ...dated(context, entry, view), ...(note && { note }) };
}

async function bundleFor(entry: Entry, attempt: Attempt) {
  const { bundleOf } = await import('../../api/payment/outcome.ts');
  const bundle = await bundleOf({ entry, attempt });
  const reason = eventOf(entry, 'attention')?.reason;
  const why = given(t`Reason`, reason);
  return {
    record: { bundle, ...(reason === undefined ? {} : { reason }) },
    // Scripts know these names.
    lines: [
      ...why,
      ...Object.entries(bundle).map(
        ([name, value]) => [verbatim(name), String(value ?? '')] as const,
      ),
    ],
    screen: [
      ...why,
      ...BUNDLE_LABELS.flatMap(([name, label]) => given(label, String(bundle[name] ?? ''))),
    ],
  };
}

/** The data by which a merchant finds a payment; order and transaction are shown above. */
const BUNDLE_LABELS: readonly (readonly [name: keyof Bundle, label: Message])[] = [
  ['host', t`Merchant host`],
  ['pay_to', t`Paid to`],
  ['amount_atomic', t`Atomic amount`],
  ['asset', t`Asset`],
  ['session_id', t`Session`],
  ['slot', t`Slot`],
  ['body_sha256', t`SHA-256 of the request`],
];

function nextCommand(entry: Entry): { readonly note?: Message; readonly error?: ScripError } {
  if (isFinished(entry)) return {};
  const { intentId } = entry.intent;
  if (nextStep(entry) !== 'attention') {
    return { note: commandText`To finish it: scrip orders resume ${intentId}` };
  }
  return {
    error: attentionError(intentId),
  };
}
