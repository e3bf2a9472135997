/** What a call comes to: an error, or the result of an order. Of other files, imports only the table of codes. */

import type { Code } from '../../domain/errors.ts';

/** Stable and append-only: `scrip help errors` lists them with their remedies. */
export type ScripErrorCode = Code;

/** Whether money may have moved when an error was raised. */
export type FundsAtRisk = 'none' | 'possible' | 'spent';

/** A text for people; `String(text)` returns it in English. */
export interface MessageText {
  toString(): string;
  toJSON(): string;
}

/** An error of this package. It is raised before anything is paid, or while only reading. */
export interface ScripError extends Error {
  readonly name: string;
  readonly code: ScripErrorCode;
  /** The next step. */
  readonly hint: MessageText;
  /** Exit status of the command line for this error. */
  readonly exit: number;
  /** Whether the same call may succeed later without a change. */
  readonly retryable: boolean;
  readonly fundsAtRisk: FundsAtRisk;
  /** Data for programs, such as bounds and nearest matches. Never a secret. */
  readonly details: Readonly<Record<string, unknown>>;
}

/** The class, for `instanceof`. Programs create no instances. */
export type ScripErrorClass = abstract new (...made: never) => ScripError;

/** The result of an order once money may have moved. */
export type Outcome = Delivered | Pending | Unknown | Failed;

interface OutcomeFacts {
  readonly idempotencyKey: string;
  /** The merchant's order id; null before the merchant accepted the order. */
  readonly orderId: string | null;
  readonly payment: Payment | null;
}

/** The goods have arrived. */
export interface Delivered extends OutcomeFacts {
  readonly status: 'delivered';
  readonly deliveries: readonly Delivery[];
}

/** Paid or accepted, and not delivered yet: `track` the order, or call `order` again with the same key. */
export interface Pending extends OutcomeFacts {
  readonly status: 'pending';
  readonly code: ScripErrorCode;
  readonly reason: string;
}

/**
 * A payment may have been made. Call `order` again with the same key: it finds out, and pays nothing twice.
 */
export interface Unknown extends OutcomeFacts {
  readonly status: 'unknown';
  readonly code: ScripErrorCode;
  readonly reason: string;
}

/** Paid, but the order failed or the merchant has to be contacted. Do not pay again. */
export interface Failed extends OutcomeFacts {
  readonly status: 'failed';
  readonly code: ScripErrorCode;
  readonly reason: string;
  /** The goods that were delivered nevertheless. */
  readonly deliveries: readonly Delivery[];
  /** What the merchant owes or sent back; empty if it tells of none. */
  readonly refunds: readonly Refund[];
}

/** Money that comes back, as the merchant says, and what the chain shows of it. */
export interface Refund {
  /** In decimals, such as `25.25`. */
  readonly amount: string;
  readonly coin: string;
  readonly state: 'waiting' | 'sending' | 'sent' | 'refused';
  /** Such as `address`: name one by `scrip orders refund`. Null unless it waits. */
  readonly waitsFor: string | null;
  readonly recipient: string | null;
  readonly transaction: string | null;
  /** Only `proved` is proof that it came; null unless the merchant says that it is sent. */
  readonly proof:
    | 'proved'
    | 'not_found'
    | 'not_final'
    | 'other_recipient'
    | 'other_amount'
    | 'unchecked'
    | null;
  /** Whether it goes to this wallet; null without a wallet or a recipient. */
  readonly toOwnWallet: boolean | null;
}

export interface Payment {
  /** In units of the coin, as a decimal. */
  readonly amount: string;
  /** Address of the coin. */
  readonly asset: string;
  readonly payer: string;
  readonly payTo: string;
  /** Transaction id, once known. */
  readonly transaction: string | null;
  /** Whether it is final on the chain. */
  readonly isFinal: boolean;
}

/** One purchased item. Logs, JSON and `inspect` never show its codes; only `reveal()` returns them. */
export interface Delivery {
  readonly name: string | undefined;
  readonly brand: string | undefined;
  readonly value: string | undefined;
  readonly currency: string | undefined;
  /** Whether there is a code; otherwise it was sent by e-mail or message, or booked on a phone number. */
  readonly hasCode: boolean;
  reveal(): Goods;
}

/** Everything needed to redeem it, as the merchant sent it. */
export interface Goods {
  readonly code: string | undefined;
  readonly serial: string | undefined;
  readonly securityCode: string | undefined;
  readonly url: string | undefined;
  readonly barcodeUrl: string | undefined;
  readonly qrUrl: string | undefined;
  readonly instructions: string | undefined;
  readonly terms: string | undefined;
  /** Fields that only this merchant uses. */
  readonly others: Readonly<Record<string, string>>;
}

/** The state of an order. */
export interface OrderState {
  readonly orderId: string;
  /** In the merchant's words, such as `processing`. */
  readonly status: string;
  /** Whether it will not change any more. */
  readonly isFinal: boolean;
  readonly deliveries: readonly Delivery[];
  /** Of a final state without all of its goods: what is owed or was sent back; otherwise empty. */
  readonly refunds: readonly Refund[];
}

/** The journal's record of an order. */
export interface OrderRecord {
  readonly idempotencyKey: string;
  readonly orderId: string | null;
  readonly merchant: string;
  /** ISO 8601. */
  readonly createdAt: string;
  /** `unpaid`: nothing was charged, and no payment is in progress. */
  readonly status: Outcome['status'] | 'unpaid';
  readonly productId: string;
  readonly productName: string;
  readonly brand: string;
  readonly country: string;
  readonly value: string;
  readonly currency: string;
  readonly to: string;
  readonly note: string | undefined;
  readonly payment: Payment | null;
}
