/**
 * Errors for outcomes other than success, each with the next command: for purchases, for payments of orders
 * created earlier, and for orders that were only read, of either kind of merchant.
 */

import type { OrderStatus, WireOrderStatus } from '../../contract/checkout.ts';
import type { WirePartnerOrder } from '../../contract/partner-orders.ts';
import type { Intent } from '../../domain/journal/journal.ts';
import { commandText, type OwnText } from '../../domain/message/command-text.ts';
import { type Code, type FundsAtRisk, ScripError } from '../../domain/message/errors.ts';
import { type Message, t } from '../../domain/message/message.ts';
import {
  awaitsPayment,
  isSimulated,
  isTerminal,
  stateMeaning,
} from '../../domain/order/order-states.ts';
import type { PayGateReason } from '../../domain/payment/pay-gate.ts';
import { isCodeless, lacksCode } from '../../domain/product/delivered.ts';
import type { PayOutcome } from '../partner/pay-terms.ts';
import type { PurchaseOutcome } from './outcome.ts';

const SENTENCES: Readonly<Record<PurchaseOutcome['kind'], Message>> = {
  delivered: t`The order is delivered, but this machine could not record it`,
  pending: t`The merchant has not delivered the order yet`,
  failed: t`The order was paid and failed`,
  unknown: t`It is not known yet whether the payment was made`,
  attention: t`The payment was made but the merchant does not deliver`,
  unpaid: t`Nothing was charged`,
};

/** Returns the error for a purchase's outcome; undefined on success. */
export function purchaseError(outcome: PurchaseOutcome): ScripError | undefined {
  const code: Code | null = outcome.code;
  if (code === null) return undefined;
  const { intent, orderId, payment } = outcome;
  if (code === 'CODES_MISSING') return codesMissing(orderId ?? intent.intentId);
  const why = 'reason' in outcome ? outcome.reason : undefined;
  const reason = why === undefined ? '' : t`: ${why}`;
  return new ScripError(code, t`${SENTENCES[outcome.kind]}${reason}`, {
    hint: nextCommand(outcome),
    details: {
      order_id: orderId,
      intent_id: intent.intentId,
      idempotency_key: intent.key,
      transaction: payment?.transaction ?? null,
      ...('bundle' in outcome ? { bundle: outcome.bundle } : {}),
    },
  });
}

function nextCommand({
  kind,
  intent,
  orderId,
  merchantOrderId,
  code,
}: PurchaseOutcome): Message | undefined {
  if (code === 'PAID_ELSEWHERE') {
    return commandText`Do not pay again: find out where this key was used before. If you cannot, send the merchant the output of: scrip orders show ${intent.intentId}`;
  }
  if (kind === 'pending' && orderId !== null) return commandText`Run: scrip track ${orderId}`;
  if (kind === 'unpaid') return undefined;
  if (kind === 'failed')
    return commandText`Contact the merchant with the order id ${merchantOrderId ?? orderId ?? ''}.`;
  if (kind === 'attention') {
    return commandText`Do not pay again. Send the merchant the output of: scrip orders show ${intent.intentId}`;
  }
  return commandText`Do not pay again. Run: scrip orders resume ${intent.intentId}`;
}

/** Returns the error for showing a purchase that needs manual action again. */
export function attentionError(intentId: string): ScripError {
  return new ScripError('ATTENTION_NEEDED', SENTENCES.attention, {
    hint: commandText`Do not pay again. Send these lines to the merchant; to check again: scrip orders resume ${intentId}`,
    details: { intent_id: intentId },
  });
}

/** Returns the error for a payment of which nothing else is known. */
export function unorderedError({ intentId }: Intent): ScripError {
  const what = t`Only the transaction of this payment is known, so its merchant cannot be asked for the order`;
  return new ScripError('ATTENTION_NEEDED', what, {
    hint: commandText`Do not pay again. To find its order: scrip doctor --repair --checkout-url <address of the host>`,
    details: { intent_id: intentId },
  });
}

type NotPaid = Exclude<PayOutcome, { readonly kind: 'paid' }>;

/**
 * Returns the error for a payment of an order created earlier.
 * @param goOn the command that pays the same order later
 */
export function paymentError(orderId: string, outcome: NotPaid, goOn: OwnText): ScripError {
  if (outcome.kind === 'unknown') {
    return new ScripError(
      'OUTCOME_UNKNOWN',
      t`It is not known yet whether the payment was made: ${outcome.reason}`,
      {
        hint: commandText`Do not pay in any other way. Run: scrip pay ${orderId}`,
        details: { order_id: orderId },
      },
    );
  }
  const { order, transactions } = outcome;
  const { order_state, payment_state } = order;
  const details = { order_id: orderId, order_state, payment_state, transactions };
  if (outcome.kind === 'elsewhere') {
    return new ScripError('ORDER_PENDING', t`This run paid nothing: ${outcome.reason}`, {
      details,
      hint: commandText`To keep waiting: scrip track ${orderId}. If that run has ended: scrip pay ${orderId}`,
    });
  }
  if (outcome.kind === 'unseen') {
    const what = t`The payment is on the chain, but the merchant has not confirmed it`;
    return outcome.isOverdue
      ? new ScripError('ATTENTION_NEEDED', what, { details, hint: sendThem(orderId) })
      : new ScripError('DELIVERY_PENDING', what, {
          details,
          hint: commandText`Run: scrip track ${orderId}`,
        });
  }
  const { refusal } = outcome;
  // The order did not become payable in time: the same order is paid later, and no other is created.
  if (refusal.reason === 'not-payable' && refusal.outcome === 'wait') {
    const hint = commandText`To continue the same order: ${goOn}`;
    return new ScripError('ORDER_PENDING', t`${refusal.sentence}`, { details, hint });
  }
  // The end of an order is reported the same way for every coin.
  const end = isTerminal({ orderState: order_state }) ? partnerOrderError(order) : undefined;
  if (refusal.reason === 'not-payable' && end !== undefined) return end;
  const {
    code = 'ORDER_NOT_PAYABLE',
    message = refusal.sentence,
    hint,
  } = REFUSALS[refusal.reason] ?? {};
  return new ScripError(code, t`${message}`, {
    details: { ...details, gate: refusal.reason },
    fundsAtRisk: transactions.length > 0 ? undefined : 'none',
    hint: hint?.(orderId),
  });
}

interface Told {
  readonly code?: Code;
  /** Default: the gate's reason. */
  readonly message?: Message;
  readonly hint?: (orderId: string) => Message;
}

/** Code, text and hint for refusals of the gate; the others only report their reason. */
const REFUSALS: Readonly<Partial<Record<PayGateReason, Told>>> = {
  unrecorded: {
    message: t`This machine did not place the order, so it does not know the agreed price`,
    hint: (id) => commandText`To pay it by hand, see: scrip pay ${id} --show`,
  },
  'part-paid': {
    code: 'ATTENTION_NEEDED',
    hint: (id) => commandText`To pay what the merchant says is missing: scrip pay ${id} --missing`,
  },
  'late-payment': { code: 'ATTENTION_NEEDED', hint: sendThem },
  'no-refund-address': {
    hint: (id) => commandText`To accept it, pay in a terminal without --yes: scrip pay ${id}`,
  },
  'on-hold': { code: 'MANUAL_ACTION', hint: supportHint },
  changed: { code: 'ATTENTION_NEEDED', hint: sendThem },
};

function sendThem(orderId: string): Message {
  return t`Do not pay again. Send the merchant the order id ${orderId} and the transactions.`;
}

/** Statuses of a checkout host's order other than success. */
const CHECKOUT_ENDS: Readonly<Record<Exclude<OrderStatus, 'completed'>, End>> = {
  processing: { code: 'DELIVERY_PENDING', what: t`is not delivered yet` },
  failed: { code: 'ORDER_FAILED', what: t`failed` },
  expired: { code: 'ORDER_EXPIRED', what: t`expired` },
};

/** Returns the error for a checkout host order as read; undefined on success. */
export function checkoutOrderError(order: WireOrderStatus): ScripError | undefined {
  const { status, order_id: id } = order;
  if (status === 'completed') return isCodeless(order.deliveries) ? codesMissing(id) : undefined;
  const { code, what } = CHECKOUT_ENDS[status];
  const reasons = (order.deliveries ?? []).flatMap(({ failure_reason }) => failure_reason ?? []);
  const because = reasons.length === 0 ? '' : `: ${reasons.join('; ')}`;
  return new ScripError(code, t`${t`Order ${id} ${what}`}${because}`, {
    details: { order_id: id, status, reasons },
    hint: code === 'DELIVERY_PENDING' ? commandText`Run: scrip track ${id}` : undefined,
  });
}

interface End {
  readonly code: Code;
  readonly what: Message;
  readonly risk?: FundsAtRisk;
}

/** Final order states other than success (interface: completion rule). */
const ENDS: Readonly<Partial<Record<string, End>>> = {
  Expired: { code: 'ORDER_EXPIRED', what: t`expired` },
  Canceled: { code: 'ORDER_CANCELED', what: t`was canceled` },
  Refunded: { code: 'ORDER_REFUNDED', what: t`ended as Refunded` },
  PaymentSetupFailed: {
    code: 'ORDER_FAILED',
    what: t`could not be set up for payment`,
    risk: 'none',
  },
  WaitingForManualAction: { code: 'MANUAL_ACTION', what: t`is waiting for the merchant’s support` },
};

/** Returns the error for a partner API order as read; undefined on success. */
export function partnerOrderError(order: WirePartnerOrder): ScripError | undefined {
  const { order_id, order_state, payment_state } = order;
  if (order_state === 'Done') return codelessError(order);
  if (order_state === 'Completed') return undeliveredError(order) ?? codelessError(order);
  const details = { order_id, order_state, payment_state };
  const end = Object.hasOwn(ENDS, order_state) ? ENDS[order_state] : undefined;
  if (end !== undefined) {
    const { code, what, risk } = end;
    const isSeen = payment_state === 'ExpiredAfterPaymentDetection';
    return new ScripError(code, t`Order ${order_id} ${what} (payment: ${payment_state})`, {
      details,
      fundsAtRisk: isSeen ? 'spent' : risk,
      hint: endHint(order_id, code, isSeen),
    });
  }
  const code = payment_state === 'PaymentReceived' ? 'DELIVERY_PENDING' : 'ORDER_PENDING';
  const meaning = stateMeaning('order', order_state);
  const standing =
    meaning === undefined
      ? t`Order ${order_id} is ${order_state} (payment: ${payment_state})`
      : t`Order ${order_id} is not finished: ${meaning}`;
  return new ScripError(code, standing, {
    details,
    hint: pendingHint(order),
  });
}

function endHint(orderId: string, code: Code, isSeen: boolean): Message | undefined {
  if (code === 'MANUAL_ACTION') return supportHint(orderId);
  return isSeen && code !== 'ORDER_REFUNDED'
    ? t`A payment was seen: send the merchant the order id and ask for a refund.`
    : undefined;
}

function pendingHint(order: WirePartnerOrder): Message {
  const { order_id: id, order_state: orderState } = order;
  if (!awaitsPayment({ orderState })) return commandText`Run: scrip track ${id}`;
  return isSimulated(order)
    ? commandText`To simulate the payment: scrip sandbox pay ${id}. To keep waiting: scrip track ${id}`
    : commandText`To pay it: scrip pay ${id}. To keep waiting: scrip track ${id}`;
}

/** Returns the hint for an order that the merchant's support is handling. */
function supportHint(orderId: string): Message {
  return commandText`The merchant’s support is handling order ${orderId}. Do not pay again; check later: scrip track ${orderId}`;
}

/** Returns the error for delivered goods that nothing redeems; undelivered ones have their own error. */
function codelessError({ order_id, deliveries = [] }: WirePartnerOrder): ScripError | undefined {
  const isCodeless = deliveries.some(({ deliverable }) => lacksCode(deliverable));
  return isCodeless ? codesMissing(order_id) : undefined;
}

/** Returns the error for an order that support closed with only part of it delivered. */
function undeliveredError(order: WirePartnerOrder): ScripError | undefined {
  const failed = (order.deliveries ?? []).filter(
    ({ delivery_state }) => !/^(completed|done|delivered)$/i.test(delivery_state),
  );
  if (failed.length === 0) return undefined;
  return new ScripError(
    'ORDER_FAILED',
    failed.length === 1
      ? t`Order ${order.order_id} was closed with 1 product undelivered`
      : t`Order ${order.order_id} was closed with ${failed.length} products undelivered`,
    {
      details: { order_id: order.order_id, undelivered: failed.map(({ id }) => id) },
    },
  );
}

/** Returns the error for goods reported as delivered that nothing redeems. */
export function codesMissing(orderId: string): ScripError {
  return new ScripError(
    'CODES_MISSING',
    t`Order ${orderId} is completed, but the reply has no code`,
    {
      hint: commandText`Do not pay again. Check your e-mail and messages for the delivery; if it is missing, send the merchant the order id. To check again: scrip track ${orderId}`,
      details: { order_id: orderId },
    },
  );
}

/** Whether an order of the partner API has ended without success. */
export function isBadEnd({ order_state }: Pick<WirePartnerOrder, 'order_state'>): boolean {
  return Object.hasOwn(ENDS, order_state);
}
