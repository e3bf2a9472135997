/**
 * `scrip orders show`, `reveal` and `forget`: a past purchase with masked codes, with its codes, or without
 * them.
 */

import type { Bundle } from '../../api/payment/outcome.ts';
import { attentionError } from '../../api/payment/outcome-error.ts';
import { receiptFrom, statusOf } from '../../api/receipt.ts';
import type { WireDelivery } from '../../contract/checkout.ts';
import type { WirePartnerOrder } from '../../contract/partner-orders.ts';
import { commandText } from '../../domain/command-text.ts';
import { ScripError } from '../../domain/errors.ts';
import {
  type Attempt,
  currentAttempt,
  type Entry,
  eventOf,
  isFinished,
  NO_WALLET,
  nextStep,
  sealingWallet,
} from '../../domain/journal.ts';
import { type Message, t, verbatim } from '../../domain/message.ts';
import type { PurchaseStatus } from '../../domain/purchase-status.ts';
import type { With } from '../context.ts';
import { localTime } from '../output/instant.ts';
import { toJson } from '../output/json.ts';
import type { Line, RecordView } from '../output/view.ts';
import { maskCodes } from './codes.ts';
import { deliveryLines } from './deliveries.ts';
import { findEntry, findWhole, signerAt } from './ledger.ts';
import { purchaseRecord, receiptView } from './receipt.ts';

/** The goods of a purchase, as encrypted in the journal. */
type DeliveredOrder =
  | { readonly kind: 'checkout'; readonly deliveries: readonly WireDelivery[] }
  | { readonly kind: 'partner'; readonly order: WirePartnerOrder };

const NOT_HERE = t`no longer on this machine`;

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
export async function showPurchase(
  context: With<'version' | 'settings' | 'io' | 'parts' | 'keys'>,
  id: string,
): Promise<RecordView> {
  const entry = await findEntry(context, id);
  const { order, ...view } = await showRecorded(context, entry);
  const { isPaidUnevenly } = await import('../../api/proven-refunds.ts');
  const mayBeOwed = MAY_HAVE_REFUNDS.has(statusOf(entry)) || (order && isPaidUnevenly(order));
  if (!mayBeOwed) return view;
  const { refundsAtMerchant, withRefunds } = await import('./shown-refunds.ts');
  return withRefunds(view, await refundsAtMerchant(context, entry), idOf(entry));
}

/** Ends after which money may come back: the merchant is asked. */
const MAY_HAVE_REFUNDS: ReadonlySet<PurchaseStatus> = new Set([
  'failed',
  'attention',
  'canceled',
  'expired',
  'refunded',
]);

/** What the journal has. @returns also the partner API's order, if it was delivered */
async function showRecorded(
  context: With<'settings' | 'parts' | 'keys'>,
  entry: Entry,
): Promise<RecordView & { readonly order?: WirePartnerOrder }> {
  const goods = eventOf(entry, 'goods');
  if (goods === undefined) return showUndelivered(context, entry);
  if (goods.sealed === '') return showWithoutCodes(context, entry, whyNotHere(entry));
  const masked = commandText`Codes are masked. To see them: scrip orders reveal ${idOf(entry)}`;
  // A failed order has no codes.
  const note = goods.status === 'failed' ? {} : { note: masked };
  const opened = await openGoods(context, entry, goods.sealed).catch(unlessOtherWallet);
  if (opened === undefined) {
    return showWithoutCodes(context, entry, t`encrypted for the wallet ${sealingWallet(entry)}`);
  }
  if (opened.kind === 'checkout') {
    const deliveries = maskCodes(opened.deliveries);
    return {
      ...dated(entry, receiptView({ ...receiptFrom(entry), deliveries }), context),
      ...note,
    };
  }
  const { partnerOrderView } = await import('./partner-order.ts');
  const { order } = opened;
  return { ...dated(entry, await partnerOrderView(maskCodes(order)), context), ...note, order };
}

/** Adds the date of the order to the first group on a terminal. */
function dated({ intent }: Entry, view: RecordView, { settings }: With<'settings'>): RecordView {
  const [standing = [], ...groups] = view.screen ?? [];
  // An unpaid order has this date too.
  const ordered = localTime(new Date(intent.createdAtMs).toISOString(), settings.lang);
  return { ...view, screen: [[...standing, [t`Ordered`, ordered]], ...groups] };
}

/**
 * Prints the codes of a purchase, or writes them to a new file that only the user can read.
 * @throws {ScripError} ORDER_UNKNOWN, DELIVERY_PENDING, CODES_FORGOTTEN, OUTPUT_UNWRITABLE
 */
export async function revealPurchase(
  context: With<'settings' | 'io' | 'parts' | 'keys'>,
  { id, output }: { readonly id: string; readonly output: string | undefined },
): Promise<RecordView> {
  const entry = await findEntry(context, id);
  const goods = await openGoods(context, entry, sealedGoods(entry));
  const { deliveries = [] } = goods.kind === 'checkout' ? goods : goods.order;
  const record = { order_id: receiptFrom(entry).orderId, deliveries };
  if (output === undefined) return { ...(await goodsView(goods, record.order_id)), record };
  await context.io.writeSecret(output, toJson(record, 2));
  return {
    kind: 'record',
    record: { order_id: record.order_id, output, deliveries: deliveries.length },
    lines: [
      [t`Order`, record.order_id ?? idOf(entry)],
      [t`Codes in`, output],
    ],
  };
}

/**
 * Returns the redemption URL of each item; empty for items without one.
 * @throws {ScripError} ORDER_UNKNOWN, DELIVERY_PENDING, CODES_FORGOTTEN
 */
export async function redemptionUrls(
  context: With<'settings' | 'parts' | 'keys'>,
  id: string,
): Promise<readonly string[]> {
  const entry = await findEntry(context, id);
  const goods = await openGoods(context, entry, sealedGoods(entry));
  const { deliveries = [] } = goods.kind === 'checkout' ? goods : goods.order;
  return deliveries.map((delivery) => ('url' in delivery ? (delivery.url ?? '') : ''));
}

/**
 * Deletes the codes of a purchase from this machine; the journal keeps that it was made and paid.
 * @throws {ScripError} ORDER_UNKNOWN, DELIVERY_PENDING, JOURNAL_UNUSABLE
 */
export async function forgetPurchase(
  context: With<'settings' | 'parts' | 'keys'>,
  id: string,
): Promise<RecordView> {
  const entry = await findWhole(context, id);
  if (eventOf(entry, 'goods')?.sealed !== '') {
    sealedGoods(entry);
    await (await context.parts.journalCare(entry.intent.payer)).forgetGoods(entry.intent.key);
  }
  return {
    kind: 'record',
    record: { order_id: receiptFrom(entry).orderId, intent_id: entry.intent.intentId, codes: null },
    lines: [
      [t`Order`, idOf(entry)],
      [t`Codes`, NOT_HERE],
    ],
  };
}

/** Returns the encrypted goods. @throws {ScripError} DELIVERY_PENDING, ORDER_UNKNOWN, CODES_FORGOTTEN */
function sealedGoods(entry: Entry): string {
  const goods = eventOf(entry, 'goods');
  if (goods === undefined) throw undelivered(entry);
  if (goods.sealed !== '') return goods.sealed;
  const id = idOf(entry);
  const isUnsealed = entry.intent.payer === NO_WALLET;
  throw new ScripError('CODES_FORGOTTEN', t`The codes of ${id} are not stored on this machine`, {
    hint: isUnsealed
      ? commandText`The merchant has them. Run: scrip track ${id}`
      : commandText`The merchant may still have them. Run: scrip track ${id}`,
  });
}

function undelivered(entry: Entry): ScripError {
  const id = idOf(entry);
  if (isPaidElsewhere(entry)) {
    return new ScripError('DELIVERY_PENDING', t`This machine has no codes of the order ${id}`, {
      hint: commandText`Ask the merchant for them: scrip track ${id}`,
      fundsAtRisk: 'possible',
    });
  }
  if (currentAttempt(entry) === undefined) {
    return new ScripError('ORDER_UNKNOWN', t`The purchase ${id} was not paid and has no codes`);
  }
  const hint =
    nextStep(entry) === 'attention'
      ? commandText`Send the merchant the output of: scrip orders show ${id}`
      : commandText`Run: scrip orders resume ${entry.intent.intentId}`;
  return new ScripError('DELIVERY_PENDING', t`The purchase ${id} has no codes yet`, {
    hint,
    fundsAtRisk: eventOf(entry, 'landed') === undefined ? 'possible' : 'spent',
  });
}

/** An order that no wallet of this journal paid, but another wallet may have. */
function isPaidElsewhere(entry: Entry): boolean {
  return (
    entry.attempts.length === 0 && eventOf(entry, 'created') !== undefined && !isFinished(entry)
  );
}

/** On a terminal, shows codes as right after the purchase. */
async function goodsView(goods: DeliveredOrder, orderId: string | null): Promise<RecordView> {
  const { goodsOf, handedScreen, partnerGoodsOf } = await import('./handing.ts');
  const shown = async (items: Parameters<typeof handedScreen>[0]['goods']) => {
    const [only, ...others] = items;
    const title = only === undefined || others.length > 0 ? {} : { title: only.name };
    return { ...title, ...(await handedScreen({ goods: items, orderId, facts: [] })) };
  };
  if (goods.kind === 'checkout') {
    const { deliveries } = goods;
    const handed = await shown(deliveries.map(goodsOf));
    return { kind: 'record', record: null, lines: deliveryLines(deliveries), ...handed };
  }
  const { goodsLines } = await import('./partner-order.ts');
  const handed = await shown((goods.order.deliveries ?? []).map(partnerGoodsOf));
  return { kind: 'record', record: null, lines: goodsLines(goods.order), ...handed };
}

/** Decrypts the goods. @throws {ScripError} WALLET_OTHER if another wallet encrypted them */
async function openGoods(
  context: With<'settings' | 'parts' | 'keys'>,
  entry: Entry,
  sealed: string,
): Promise<DeliveredOrder> {
  const wallet = sealingWallet(entry);
  const signer = await signerAt(context, wallet);
  if (signer === undefined) {
    const message = t`The codes of ${idOf(entry)} are encrypted for the wallet ${wallet}`;
    throw new ScripError('WALLET_OTHER', message, { details: { wallet } });
  }
  const plain = (await context.parts.vault(signer)).open(sealed);
  if (entry.intent.partner !== undefined) {
    const { readPartnerOrder } = await import('../../api/partner/partner-journal.ts');
    return { kind: 'partner', order: readPartnerOrder(plain) };
  }
  const { readOrder } = await import('../../api/checkout/pay.ts');
  return { kind: 'checkout', deliveries: readOrder(plain).deliveries ?? [] };
}

function unlessOtherWallet(error: unknown): undefined {
  if (error instanceof ScripError && error.code === 'WALLET_OTHER') return undefined;
  throw error;
}

function showWithoutCodes(context: With<'settings'>, entry: Entry, why: Message): RecordView {
  const view = dated(entry, receiptView({ ...receiptFrom(entry), deliveries: [] }), context);
  const codes = [t`Codes`, why] as const;
  return { ...view, lines: [...view.lines, codes], screen: [...(view.screen ?? []), [codes]] };
}

/** Adds what the merchant needs to find the payment, if one was made. */
async function showUndelivered(
  context: With<'settings' | 'parts'>,
  entry: Entry,
): Promise<RecordView> {
  const view = dated(entry, receiptView({ ...receiptFrom(entry), deliveries: [] }), context);
  if (isPaidElsewhere(entry)) return { ...view, ...(await howToPay(context, entry, view)) };
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

/** For an unpaid order: the product, the amount and where to send it. */
async function howToPay(
  context: With<'settings' | 'parts'>,
  entry: Entry,
  view: RecordView,
): Promise<Partial<RecordView>> {
  const [{ readPartnerOrder }, { unpaidOrder }, { simulatedLines }, { paymentWindow }] =
    await Promise.all([
      import('../../api/partner/partner-journal.ts'),
      import('./partner-order.ts'),
      import('./simulated-payment.ts'),
      import('./payment-window.ts'),
    ]);
  const created = eventOf(entry, 'created');
  if (created === undefined) return {};
  const { productName, beneficiary } = entry.intent.summary;
  const goods = [[t`Product`, productName] as const, [t`For`, beneficiary] as const].filter(
    ([, text]) => text !== '',
  );
  const order = readPartnerOrder(created.order);
  const asked = await unpaidOrder(order, goods, paymentWindow(context));
  return {
    ...asked,
    lines: [...simulatedLines(order), ...view.lines, ...asked.lines],
    screen: [...(view.screen ?? []), ...(asked.screen ?? [])],
  };
}

async function bundleFor(entry: Entry, attempt: Attempt) {
  const { bundleOf } = await import('../../api/payment/outcome.ts');
  const bundle = await bundleOf({ entry, attempt });
  const reason = eventOf(entry, 'attention')?.reason;
  const why = reason === undefined ? [] : [[t`Reason`, reason] as const];
  return {
    record: { bundle, ...(reason === undefined ? {} : { reason }) },
    lines: [
      ...why,
      ...Object.entries(bundle).map(
        ([name, value]) => [verbatim(name), String(value ?? '')] as const,
      ),
    ],
    screen: [
      ...why,
      ...BUNDLE_LABELS.flatMap(([name, label]): readonly Line[] => {
        const value = bundle[name];
        return value === null ? [] : [[label, String(value)]];
      }),
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

function idOf(entry: Entry): string {
  return receiptFrom(entry).orderId ?? entry.intent.intentId;
}
