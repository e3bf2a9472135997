/** What can be wrong between the books, the chain and the supplier, and what to do about each. */

import { shellWord } from './command-text.ts';
import { Message, t } from './message.ts';

interface MismatchRow {
  /** One sentence for the documentation. */
  readonly meaning: Message;
  /** What the operator does; `<order_id>` stands for the order's. */
  readonly todo: Message;
}

/** Where the id of an order is to be filled in. */
const ORDER_ID = '<order_id>';

/** Append-only: scripts match on the names. docs/operate/audit.md shows this table. */
export const MISMATCHES = {
  payment_without_order: {
    meaning: t`A transfer landed at an address of ours, and no order was paid with it.`,
    todo: t`Give the money back to its sender.`,
  },
  paid_twice: {
    meaning: t`More than one transfer landed for one order of the checkout host.`,
    todo: t`Give what is too much back to its sender.`,
  },
  amount_differs: {
    meaning: t`The transfer that landed is not of the amount that was asked for.`,
    todo: t`Compare the transaction with the order, and give back or ask for the difference.`,
  },
  payment_undecided: {
    meaning: t`The payment landed a while ago, and the books do not know it yet.`,
    todo: t`Start scrip sandbox on this folder: it decides what is open. Report it if it stays so.`,
  },
  settled_without_payment: {
    meaning: t`The books call a payment settled that is not on the chain.`,
    todo: t`Deliver nothing more for this order, and find out who wrote the books.`,
  },
  order_missing: {
    meaning: t`A settlement has no order or no session.`,
    todo: t`Restore the data folder from a copy: rows were removed.`,
  },
  received_differs: {
    meaning: t`What the books say was received is not what landed.`,
    todo: t`Compare the transactions of the order with the chain.`,
  },
  money_on_ended_order: {
    meaning: t`Money came for an order that had ended, and was not given back.`,
    todo: t`Run: scrip sandbox refund ${ORDER_ID}`,
  },
  refund_missing: {
    meaning: t`Something paid for was not delivered, and no refund is on record.`,
    todo: t`Give the money back, or deliver it.`,
  },
  refund_too_large: {
    meaning: t`The refunds of an order are more than was received for it.`,
    todo: t`Pay no more than was received out.`,
  },
  goods_and_refund: {
    meaning: t`A line was delivered and given back as well, and no loss is booked.`,
    todo: t`Do not pay this refund out; if it is paid, book the loss.`,
  },
  goods_unpaid: {
    meaning: t`A line was delivered, and its order is not paid.`,
    todo: t`Ask the buyer for the payment, and find out who released the line.`,
  },
  delivery_stuck: {
    meaning: t`A paid line is not delivered: its supplier’s answer is not known after ten tries.`,
    todo: t`Ask the supplier about the reference; it is asked for again under the same one.`,
  },
  line_without_purchase: {
    meaning: t`A delivered line has no purchase in the supplier’s ledger.`,
    todo: t`Ask the supplier where the code came from.`,
  },
  purchase_without_line: {
    meaning: t`The supplier sold something that no delivered line stands for.`,
    todo: t`Give the goods back to the supplier, or deliver them.`,
  },
  purchase_differs: {
    meaning: t`The supplier sold something else than the line says.`,
    todo: t`Have the supplier exchange it.`,
  },
} as const satisfies Record<string, MismatchRow>;

export type MismatchKind = keyof typeof MISMATCHES;

export interface Mismatch {
  readonly kind: MismatchKind;
  /** Null where there is no order. */
  readonly order_id: string | null;
  /** The transaction, line or reference that it is about. */
  readonly subject: string;
  readonly expected: string;
  readonly found: string;
  readonly todo: string;
}

/** How many of each were looked at. */
export interface AuditCounts {
  readonly transactions: number;
  readonly transfers: number;
  readonly settlements: number;
  readonly partner_orders: number;
  readonly lines: number;
  readonly purchases: number;
  readonly refunds: number;
}

export interface AuditReport {
  readonly agrees: boolean;
  readonly checked: AuditCounts;
  /** Payments and lines that are under way, of which nothing can be said yet. */
  readonly open: number;
  /** Callers whose payments were settled on this day of UTC, and what that cost the fee payer. */
  readonly callers: readonly AuditedCaller[];
  readonly mismatches: readonly Mismatch[];
}

export interface AuditedCaller {
  readonly caller: string;
  readonly payments: number;
  /** Decimal digits. */
  readonly lamports: string;
}

export type Finding = Omit<Mismatch, 'todo'>;

/** Adds what is to be done. */
export function mismatch(finding: Finding): Mismatch {
  return { ...finding, todo: String(todoOf(finding)) };
}

/** What the operator does about it. */
export function todoOf({ kind, order_id: orderId }: Pick<Finding, 'kind' | 'order_id'>): Message {
  const { todo } = MISMATCHES[kind];
  if (orderId === null) return todo;
  const filled = todo.values.map((value) => (value === ORDER_ID ? shellWord(orderId) : value));
  return new Message(todo.parts, filled);
}
