/** Kinds of mismatch between our records, the chain and the supplier, each with the operator's remedy. */

import { shellWord } from '../message/command-text.ts';
import { Message, t } from '../message/message.ts';

interface MismatchRow {
  /** One sentence, as the documentation shows it. */
  readonly meaning: Message;
  /** What the operator does. */
  readonly todo: Message;
  /** The same of a shop, where it is done by another command. */
  readonly inShop?: Message;
}

/** Placeholders that `todoOf` replaces. */
const ORDER_ID = '<order_id>';
const SUBJECT = '<subject>';

const GIVE_BACK = t`Refund this transaction to its sender, then run: scrip serve refunds mark-paid ${SUBJECT} --transaction <id> --to <address>`;

/** Append-only: scripts match on the names. docs/operate/audit.md shows this table. */
export const MISMATCHES = {
  payment_without_order: {
    meaning: t`A transfer reached one of our addresses, but it paid no order.`,
    todo: t`Refund the sender.`,
    inShop: GIVE_BACK,
  },
  paid_twice: {
    meaning: t`More than one transfer was confirmed for one checkout host order.`,
    todo: t`Refund the excess to the sender.`,
    inShop: GIVE_BACK,
  },
  amount_differs: {
    meaning: t`The confirmed transfer has a different amount than requested.`,
    todo: t`Compare the transaction with the order, and refund or request the difference.`,
    inShop: t`See the payer with scrip serve order ${ORDER_ID}. If less came, report it. If more came, refund the difference, then run: scrip serve refunds mark-paid ${SUBJECT} --transaction <id> --to <address>`,
  },
  payment_undecided: {
    meaning: t`The payment was confirmed a while ago, but the shop has not recorded it yet.`,
    todo: t`Start scrip sandbox on this folder: it processes open orders. If the problem stays, report it.`,
    inShop: t`Start a server of the shop: it processes open orders. See scrip serve order ${ORDER_ID}`,
  },
  settled_without_payment: {
    meaning: t`The shop’s records show a settled payment that is not on the chain.`,
    todo: t`Deliver nothing more for this order, and find out what wrote this record.`,
  },
  order_missing: {
    meaning: t`A settlement has no order or no session.`,
    todo: t`Restore the data folder from a copy: rows were removed.`,
  },
  received_differs: {
    meaning: t`The recorded amount received differs from the chain.`,
    todo: t`Compare the transactions of the order with the chain.`,
  },
  money_on_ended_order: {
    meaning: t`Money arrived for an order that had ended, and was not refunded.`,
    todo: t`Run: scrip sandbox refund ${ORDER_ID}`,
    inShop: t`See what it waits for: scrip serve order ${ORDER_ID}`,
  },
  refund_missing: {
    meaning: t`A paid item was not delivered, and no refund is recorded.`,
    todo: t`Refund the buyer, or deliver the order.`,
  },
  refund_too_large: {
    meaning: t`An order’s refunds are more than the money received for it.`,
    todo: t`Refund no more than was received.`,
  },
  goods_and_refund: {
    meaning: t`A line was delivered and also refunded, and no loss is recorded.`,
    todo: t`Do not pay this refund out; if it is paid, book the loss.`,
  },
  goods_unpaid: {
    meaning: t`A line was delivered, but its order is not paid.`,
    todo: t`Ask the buyer to pay, and find out why the line was released.`,
  },
  delivery_stuck: {
    meaning: t`A paid line is not delivered: the supplier’s answer is still unknown after ten tries.`,
    todo: t`Ask the supplier about this reference; retries use the same one.`,
  },
  answer_unusable: {
    meaning: t`A paid line is not delivered: the supplier’s answer has no code, or a code that another order has.`,
    todo: t`Ask the supplier about this reference; retries use the same one.`,
    inShop: t`Ask the supplier about this reference; retries use the same one. If it has no other code, run: scrip serve release ${ORDER_ID} --refuse --reason <text>`,
  },
  line_without_purchase: {
    meaning: t`A delivered line has no purchase in the supplier’s ledger.`,
    todo: t`Ask the supplier where the code came from.`,
  },
  purchase_without_line: {
    meaning: t`The supplier sold a code that belongs to no delivered line.`,
    todo: t`Return the goods to the supplier, or deliver them.`,
  },
  purchase_differs: {
    meaning: t`The supplier sold a different product than the line says.`,
    todo: t`Have the supplier exchange it.`,
  },
  refund_differs: {
    meaning: t`A refund is recorded as sent, but the chain shows no such transfer.`,
    todo: t`Compare the transaction with the refund, and pay what is missing.`,
  },
  nodes_differ: {
    meaning: t`The two nodes of a shop show different transactions of one account.`,
    todo: t`Ask a third node or an explorer, and replace the node that is wrong.`,
  },
  transfer_unrecorded: {
    meaning: t`Money left an account of a shop by a transfer that its records do not have.`,
    todo: t`Find out who signed it: another shop with the same refund wallet, or, after a restore, a refund or a move to the treasury since the copy.`,
  },
} as const satisfies Record<string, MismatchRow>;

export type MismatchKind = keyof typeof MISMATCHES;

export interface Mismatch {
  readonly kind: MismatchKind;
  /** Null when the mismatch concerns no order. */
  readonly order_id: string | null;
  /** The transaction, delivery line or supplier reference concerned. */
  readonly subject: string;
  readonly expected: string;
  readonly found: string;
  readonly todo: string;
}

/** How many records of each kind the audit checked. */
interface AuditCounts {
  readonly transactions: number;
  readonly transfers: number;
  readonly settlements: number;
  readonly partner_orders: number;
  readonly lines: number;
  readonly purchases: number;
  readonly refunds: number;
}

/** A sum of money by the records, beside what the chain or the supplier says; null where one says nothing. */
export interface MoneySum {
  readonly what: (typeof MONEY)[number];
  /** CAIP-2 id; null of purchases. */
  readonly network: string | null;
  readonly coin: string;
  readonly books: string | null;
  readonly found: string | null;
}

export const MONEY = [
  'checkout_orders',
  'partner_orders',
  'swept',
  'refunds',
  'receiving_accounts',
  'treasury',
  'refund_wallet',
  'fee_account',
  'purchases',
] as const;

export interface AuditReport {
  /** Of a shop. */
  readonly money?: readonly MoneySum[] | undefined;
  readonly agrees: boolean;
  readonly checked: AuditCounts;
  /** Payments and lines still in progress; the audit cannot judge them yet. */
  readonly open: number;
  /** Records from before a day that the audit was asked to begin at; null if it read everything. */
  readonly not_checked: NotChecked | null;
  readonly mismatches: readonly Mismatch[];
}

/** How many records of each kind the audit did not look at. */
export interface NotChecked extends Omit<AuditCounts, 'transactions' | 'transfers' | 'purchases'> {
  readonly before: string;
}

export type Finding = Omit<Mismatch, 'todo'>;

export type OperatedBy = 'sandbox' | 'serve';

/** Adds the operator's remedy to a finding. */
export function mismatch(finding: Finding, operated: OperatedBy): Mismatch {
  return { ...finding, todo: String(todoOf(finding, operated)) };
}

/** Returns the operator's remedy for a finding, with the order id and the subject filled in. */
export function todoOf(
  { kind, order_id: orderId, subject }: Pick<Finding, 'kind' | 'order_id' | 'subject'>,
  operated: OperatedBy,
): Message {
  const row: MismatchRow = MISMATCHES[kind];
  const todo = operated === 'serve' ? (row.inShop ?? row.todo) : row.todo;
  const known = new Map<unknown, string | null>([
    [ORDER_ID, orderId],
    [SUBJECT, subject],
  ]);
  const filled = todo.values.map((value) => {
    const word = known.get(value);
    return word == null ? value : shellWord(word);
  });
  return new Message(todo.parts, filled);
}
