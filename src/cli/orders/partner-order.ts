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
import { given, type Line, type Picture, type RecordView } from '../output/view.ts';
import { goodsGroups, inGroups, onlyName, partnerGoodsOf } from './deliveries.ts';
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
  const isPayable = isWaiting(order) && !isClosing(order, window);
  const title = titleOf(order);
  const { lines, screen } = orderGroups(order, isPayable, window);
  return {
    kind: 'record',
    record: orderRecord(order),
    ...(title === undefined ? {} : { title }),
    tones: { Status: toneOf(order) },
    lines: isPayable ? [...simulatedLines(order), ...lines] : lines,
    screen,
    ...(isPayable ? await payPicture(order) : {}),
    ...(isWaiting(order) && !isPayable ? { note: TOO_LATE } : {}),
    // The hint of an error says how to pay, too.
    ...(isPayable && error === undefined ? { note: payNote(order) } : {}),
    ...(error === undefined ? {} : { error }),
    longIds: order.payment_transactions ?? [],
    learned: { orders: { [order.order_id]: typeof title === 'string' ? title : '' } },
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
export function titleOf({ deliveries = [] }: WirePartnerOrder): Said | undefined {
  return onlyName(deliveries.map(partnerGoodsOf));
}

function toneOf(order: WirePartnerOrder): Tone {
  if (order.order_state === 'Done') return 'good';
  return isBadEnd(order) ? 'bad' : 'open';
}

/** State, money, items, transactions, and last what a user types into a wallet. A screen shows nothing twice. */
function orderGroups(order: WirePartnerOrder, isPayable: boolean, window?: PaymentWindow) {
  const { deliveries = [], payment_transactions: transactions = [], order_state } = order;
  const isDone = order_state === 'Done';
  const { due, links } = isPayable ? payWays(order) : NO_WAYS;
  const isSettled = order.received_amount === order.coin_amount;
  const isPriced = !isSettled && !due.some(([label]) => label === SEND);
  const { lines, screen = [] } = inGroups(
    [
      [
        [t`Order`, order.order_id],
        [t`Status`, statusText(order)],
        [t`Payment`, stateMeaning('payment', order.payment_state) ?? order.payment_state],
      ],
      [
        ...given(t`Price`, amountText(order, order.coin_amount)),
        ...given(t`Received`, amountText(order, order.received_amount)),
        ...links,
      ],
      ...goodsGroups(deliveries.map(partnerGoodsOf)),
      transactions.map((transaction): Line => [t`Transaction`, transaction]),
      due,
    ],
    {
      title: titleOf(order),
      isStateTold: (state) => isDone || state === 'pending',
      more: [
        ...(isDone ? ['Payment'] : []),
        ...(isPriced ? [] : ['Price']),
        ...(isPayable ? ['Transaction'] : []),
      ],
    },
  );
  return { lines, screen: isPayable ? withWindow(order, screen, window) : screen };
}

type Groups = readonly (readonly Line[])[];

/** Adds the time limit to the last group. */
function withWindow(order: WirePartnerOrder, groups: Groups, window?: PaymentWindow): Groups {
  return [...groups.slice(0, -1), [...(groups.at(-1) ?? []), ...windowLines(order, window)]];
}

/** Whether it can still be paid. */
export function isWaiting({ order_state: orderState }: WirePartnerOrder): boolean {
  return awaitsPayment({ orderState });
}

/** The payment window is over: money sent now may arrive too late. */
function isClosing(order: WirePartnerOrder, window: PaymentWindow | undefined): boolean {
  return order.payment_state.startsWith('WaitingForExpiry') || isWindowOver(order, window);
}

const TOO_LATE = t`The payment window is over: send no money now. Place a new order.`;

/** The word of `scrip orders`, and what the state means; a merchant may have states of its own. */
function statusText({ order_state, payment_state }: WirePartnerOrder): Said {
  const status = purchaseStatus({ orderState: order_state, paymentState: payment_state });
  return t`${status} (${stateMeaning('order', order_state) ?? order_state})`;
}

interface PayWays {
  /** What a user types into a wallet; for a simulated payment the amount alone. */
  readonly due: readonly Line[];
  readonly links: readonly Line[];
}

const NO_WAYS: PayWays = { due: [], links: [] };
const SEND = t`Send`;

/** Nothing that a wallet could pay to, if no coin can pay the order. */
function payWays(order: WirePartnerOrder): PayWays {
  const { missing_amount: missing } = order;
  const label = missing ? t`Missing` : SEND;
  const amount = amountText(order, missing ?? order.coin_amount);
  if (isSimulated(order)) {
    return { due: given(label, amount && t`${amount} of test money`), links: [] };
  }
  return {
    due: [
      ...given(label, amount),
      ...given(t`Network`, order.network && networkName(order.coin, order.network)),
      ...given(t`To`, order.wallet_address),
    ],
    links: [
      ...given(t`Payment URI`, order.missing_amount_qr_text ?? order.qr_text),
      ...given(t`Checkout page`, order.checkout_url),
      ...given(t`Test order`, order.sandbox_mode ? t`Send no real coins to it.` : ''),
    ],
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
  { coin = '' }: WirePartnerOrder,
  amount: string | null | undefined,
): string | undefined {
  return amount === undefined || amount === null ? undefined : `${padCents(amount)} ${coin}`.trim();
}
