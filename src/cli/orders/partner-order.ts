/** Shows an order of the partner API: its state, how to pay it, what was delivered. */

import { isBadEnd } from '../../api/payment/outcome-error.ts';
import type { WirePartnerOrder } from '../../contract/partner-orders.ts';
import { commandText, ownText } from '../../domain/message/command-text.ts';
import type { ScripError } from '../../domain/message/errors.ts';
import { type Message, type Said, t } from '../../domain/message/message.ts';
import { networkName } from '../../domain/money/coins.ts';
import { padCents } from '../../domain/money/shown-amount.ts';
import {
  awaitsPayment,
  isSimulated,
  purchaseStatus,
  stateMeaning,
} from '../../domain/order/order-states.ts';
import { isOwnNetwork } from '../../domain/payment/payment-means.ts';
import type { Tone } from '../output/paint.ts';
import { qrPicture } from '../output/record-text.ts';
import type { Line, Picture, RecordView } from '../output/view.ts';
import { type Goods, goodsGroups, goodsLines, onlyName, partnerGoodsOf } from './deliveries.ts';
import {
  isWindowOver,
  orderRecord,
  type PaymentWindow,
  simulatedLines,
  simulatedNote,
  windowLines,
} from './payment-window.ts';

/**
 * Returns the view of an order.
 * @param error why it is no plain success
 * @param window to show until when the order can be paid
 */
export async function partnerOrderView(
  order: WirePartnerOrder,
  error?: ScripError,
  window?: PaymentWindow,
): Promise<RecordView> {
  const isPayable = isWaiting(order) && !isClosing(order);
  const title = titleOf(order);
  return {
    kind: 'record',
    record: orderRecord(order),
    ...(title === undefined ? {} : { title }),
    tones: { State: toneOf(order) },
    screen: screenOf(order, isPayable, window),
    lines: [
      ...(isPayable ? simulatedLines(order) : []),
      ...standingLines(order),
      ...(isPayable ? payLines(order) : []),
      ...goodsLines(goodsIn(order)),
    ],
    ...(isPayable ? await payPicture(order) : {}),
    ...(isWaiting(order) && !isPayable ? { note: TOO_LATE } : {}),
    // The hint of an error says how to pay, too.
    ...(isPayable && error === undefined ? { note: payNote(order) } : {}),
    ...(error === undefined ? {} : { error }),
    longIds: order.payment_transactions ?? [],
    learned: {
      orders: [order.order_id],
      ...(typeof title === 'string' && { orderNames: { [order.order_id]: title } }),
    },
    ifLost: {
      hint: commandText`The order was placed. Run: scrip track ${order.order_id}`,
      fundsAtRisk: order.payment_state === 'PaymentReceived' ? 'spent' : 'possible',
    },
  };
}

/** The last group (amount, address, time limit) goes below the QR code. */
async function payPicture(order: WirePartnerOrder): Promise<{ readonly picture?: Picture }> {
  const text = order.missing_amount_qr_text ?? order.qr_text;
  if (text === undefined || isSimulated(order)) return {};
  return {
    picture: {
      drawing: await qrPicture(text),
      groupsBelow: 1,
      elsewhere: commandText`The QR code does not fit this window. In a larger one: scrip track ${order.order_id} --timeout 0s`,
    },
  };
}

/** The product's name, for an order of one item. */
export function titleOf(order: WirePartnerOrder): Said | undefined {
  return onlyName(goodsIn(order));
}

/** The delivered items with their codes. */
function goodsIn({ deliveries = [] }: WirePartnerOrder): readonly Goods[] {
  return deliveries.map(partnerGoodsOf);
}

function toneOf(order: WirePartnerOrder): Tone {
  if (order.order_state === 'Done') return 'good';
  return isBadEnd(order) ? 'bad' : 'open';
}

/** The terminal's view in groups: state, money, items, transactions. Shows nothing twice. */
function screenOf(
  order: WirePartnerOrder,
  isPayable: boolean,
  window: PaymentWindow | undefined,
): readonly (readonly Line[])[] {
  const isDone = order.order_state === 'Done';
  const [orderLine, _state, _payment, ...money] = standingLines(order).map(asMoney);
  const standing = [
    ...(orderLine === undefined ? [] : [orderLine]),
    [t`Status`, statusText(order)] as const,
    ...(isDone ? [] : [[t`Payment`, paymentText(order)] as const]),
  ];
  const isSettled = order.received_amount === order.coin_amount;
  const isAsked = isPayable && payLines(order).some(([label]) => String(label) === 'Send');
  const isPriced = !(isSettled || isAsked);
  const left = money.filter(
    ([label]) => String(label) !== 'Transaction' && (isPriced || String(label) !== 'Price'),
  );
  if (isPayable) {
    return [...groupsOf(order), ...payGroups(order, [...standing, ...left], window)];
  }
  return [
    standing,
    left,
    ...groupsOf(order),
    money.filter(([label]) => String(label) === 'Transaction'),
  ];
}

/**
 * For a simulated payment, amount and time limit. Otherwise two groups: links for paying, added to the lines above; then what the user types into a wallet, and the
 * time limit.
 */
function payGroups(
  order: WirePartnerOrder,
  above: readonly Line[],
  window: PaymentWindow | undefined,
): readonly (readonly Line[])[] {
  const lines = payLines(order).map(asMoney);
  if (isSimulated(order)) {
    const amounts = lines.filter(([label]) => AMOUNTS.includes(String(label)));
    return [above, [...amounts.map(asTestMoney), ...windowLines(order, window)]];
  }
  const isSent = ([label]: Line): boolean => SENT.includes(String(label));
  return [
    [...above, ...lines.filter((line) => !isSent(line))],
    [...lines.filter(isSent), ...windowLines(order, window)],
  ];
}

/** Labels of the lines whose values a user types into a wallet. */
const SENT: readonly string[] = ['Send', 'Missing', 'Network', 'To'];
const AMOUNTS: readonly string[] = ['Price', 'Received', 'Send', 'Missing'];

function asTestMoney([label, amount]: Line): Line {
  return [label, t`${amount} of test money`];
}

function asMoney(line: Line): Line {
  const [label, value] = line;
  if (!AMOUNTS.includes(String(label))) return line;
  const [amount = '', ...coin] = String(value).split(' ');
  return [label, [padCents(amount), ...coin].join(' ')];
}

/** For delivered or pending items the order's state already says theirs. */
function groupsOf(order: WirePartnerOrder): readonly (readonly Line[])[] {
  return goodsGroups(goodsIn(order), {
    title: String(titleOf(order)),
    isStateTold: (state) => order.order_state === 'Done' || state === 'pending',
  });
}

/** Whether it can still be paid. */
export function isWaiting({ order_state: orderState }: WirePartnerOrder): boolean {
  return awaitsPayment({ orderState });
}

/** The payment window is over: money sent now may arrive too late. */
function isClosing({ payment_state }: WirePartnerOrder): boolean {
  return payment_state.startsWith('WaitingForExpiry');
}

const TOO_LATE = t`The payment window is over: send no money now. Place a new order.`;

function standingLines(order: WirePartnerOrder): readonly Line[] {
  const transactions = order.payment_transactions ?? [];
  return [
    [t`Order`, order.order_id],
    [t`Status`, statusText(order)],
    [t`Payment`, paymentText(order)],
    ...optional(t`Price`, amountText(order, order.coin_amount)),
    ...optional(t`Received`, amountText(order, order.received_amount)),
    ...transactions.map((transaction): Line => [t`Transaction`, transaction]),
  ];
}

/** The word of `scrip orders`, and what the state means; a merchant may have states of its own. */
function statusText({ order_state, payment_state }: WirePartnerOrder): Said {
  const status = purchaseStatus({ orderState: order_state, paymentState: payment_state });
  return t`${status} (${stateMeaning('order', order_state) ?? order_state})`;
}

function paymentText({ payment_state }: WirePartnerOrder): Said {
  return stateMeaning('payment', payment_state) ?? payment_state;
}

/** Nothing that a wallet could pay to, if no coin can pay the order. */
function payLines(order: WirePartnerOrder): readonly Line[] {
  const amount = order.missing_amount ?? order.coin_amount;
  const due = optional(order.missing_amount ? t`Missing` : t`Send`, amountText(order, amount));
  if (isSimulated(order)) return due;
  return [
    ...due,
    ...optional(t`Network`, order.network && networkName(order.coin, order.network)),
    ...optional(t`To`, order.wallet_address),
    ...optional(t`Payment URI`, order.missing_amount_qr_text ?? order.qr_text),
    ...optional(t`Checkout page`, order.checkout_url),
    ...(order.sandbox_mode ? [[t`Test order`, t`Send no real coins to it.`] as const] : []),
  ];
}

/** An order not known to be paid: shows how to pay it, from the merchant's document at the time. */
export async function unpaidOrder(
  order: WirePartnerOrder,
  above: readonly Line[],
  window: PaymentWindow,
): Promise<Pick<RecordView, 'lines' | 'screen' | 'note' | 'picture'>> {
  const { order_id: id, network } = order;
  const lines = [...above, ...payLines(order)];
  if (isWindowOver(order, window)) return { lines, screen: [above], note: TOO_LATE };
  const own = isOwnNetwork(network) ? [commandText`Or pay it from here: scrip pay ${id}`] : [];
  return {
    lines,
    screen: payGroups(order, above, window),
    ...(await payPicture(order)),
    note: isSimulated(order)
      ? simulatedNote(order)
      : [commandText`Check first that it is open: scrip track ${id}`, ...own],
  };
}

function payNote(order: WirePartnerOrder): Message {
  const { order_id, network, checkout_url, wallet_address } = order;
  if (isSimulated(order)) return simulatedNote(order);
  if (checkout_url && !wallet_address)
    return commandText`Pay it at ${checkout_url} Then: scrip track ${order_id}`;
  const how = isOwnNetwork(network)
    ? commandText`any wallet, or by: scrip pay ${order_id}`
    : t`any wallet`;
  return commandText`Pay it with ${ownText(how)}. Then: scrip track ${order_id}`;
}

function amountText(
  order: WirePartnerOrder,
  amount: string | null | undefined,
): string | undefined {
  return amount === undefined || amount === null
    ? undefined
    : `${amount} ${order.coin ?? ''}`.trim();
}

function optional(label: Message, value: string | null | undefined): readonly Line[] {
  return value === undefined || value === null || value === '' ? [] : [[label, value]];
}
