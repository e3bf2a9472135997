/** Orders of the checkout host, with their payment session, settlement and deliveries. */
import type { DueWork } from './due-work.ts';

/** A payment session: the terms of phase 1. Amounts are decimal digits of atomic units. */
export interface SessionRow {
  readonly sessionId: string;
  /** Hex sha256 of the canonical request body: phase 2 must send the same body. */
  readonly bodyHash: string;
  /** Canonical JSON of the request body. */
  readonly body: string;
  readonly payTo: string;
  /** Token account that receives only this session's payment; another text, unique too, where it has none. */
  readonly destination: string;
  readonly amountAtomic: string;
  /** JSON of the payment requirement as sent. */
  readonly requirement: string;
  /** JSON of the priced lines to deliver. */
  readonly lines: string;
  readonly createdAtMs: number;
  /** Until when a payment may start. */
  readonly expiresAtMs: number;
}

export type SettlementState = 'submitting' | 'settled' | 'failed';

/** A session's only settlement; its message hash is unique over all sessions. */
export interface SettlementRow {
  readonly messageHash: string;
  readonly sessionId: string;
  readonly orderId: string;
  /** JSON of the payment payload, to settle again after a crash. */
  readonly payload: string;
  readonly payer: string;
  /** The buyer's id for the payment; at most one settlement with an id has not failed. */
  readonly paymentId: string | null;
  readonly state: SettlementState;
  readonly transaction: string | null;
  readonly reason: string | null;
  readonly createdAtMs: number;
  readonly settledAtMs: number | null;
}

export interface OrderRow {
  readonly orderId: string;
  readonly sessionId: string;
  readonly email: string;
  readonly status: 'processing' | 'completed' | 'failed' | 'expired';
  readonly callbackUrl: string | null;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
}

/**
 * Why a pending line has no goods: its supplier gave no outcome in many tries, an answer without goods, or a code
 * that another line has.
 */
export type DeliveryFault = 'no_outcome' | 'no_goods' | 'used_code';

export interface DeliveryRow {
  readonly deliveryId: string;
  readonly orderId: string;
  /** Position in the order, from 0. */
  readonly line: number;
  readonly beneficiary: string;
  /** JSON snapshot of the priced line: product, face value, price. */
  readonly goods: string;
  /** `waiting` until the order is paid. */
  readonly state: 'waiting' | 'pending' | 'completed' | 'failed';
  readonly attempts: number;
  readonly nextAttemptAtMs: number;
  /** Encrypted voucher, once delivered. */
  readonly voucher: Uint8Array | null;
  readonly failureReason: string | null;
  /** Keyed digest of what redeems the voucher, unique over all lines; null until it is known. */
  readonly codeDigest: string | null;
  readonly fault: DeliveryFault | null;
}

export interface Sessions {
  insert(row: SessionRow): Promise<void>;
  byId(sessionId: string): Promise<SessionRow | undefined>;
  byDestination(destination: string): Promise<SessionRow | undefined>;
}

/** A settlement at its next try; the first is made by the request that pays, and is not counted. */
export interface SettlementTry extends SettlementRow {
  readonly attempts: number;
}

/**
 * Due is what is `submitting`: the request that pays holds the first lease, for `FIRST_TRY_MS` from
 * when the row was created.
 */
export interface Settlements extends DueWork<SettlementTry> {
  insert(row: SettlementRow): Promise<void>;
  bySession(sessionId: string): Promise<SettlementRow | undefined>;
  byMessage(messageHash: string): Promise<SettlementRow | undefined>;
  /** Returns the settlement of the session, or else the one of the message. */
  ofPayment(
    keys: Pick<SettlementRow, 'sessionId' | 'messageHash'>,
  ): Promise<SettlementRow | undefined>;
  /** Returns the settlement with this id that has not failed. */
  byPaymentId(paymentId: string): Promise<SettlementRow | undefined>;
  /**
   * Sets the buyer's id of a settlement that has none.
   * @throws {ScripError} RECORD_EXISTS when another settlement has it
   */
  name(messageHash: string, paymentId: string): Promise<void>;
  /** Changes the state from `submitting` and returns the row; undefined if another process already did. */
  decide(
    messageHash: string,
    outcome: Pick<SettlementRow, 'state' | 'transaction' | 'reason' | 'settledAtMs'>,
  ): Promise<SettlementRow | undefined>;
  /** Ends the lease of a settlement that is not decided yet, unless another try has begun. */
  putOff(tried: Pick<SettlementTry, 'messageHash' | 'attempts'>, untilMs: number): Promise<void>;
  /** Makes an undecided settlement of an order due; false if it has none. */
  wake(orderId: string, atMs: number): Promise<boolean>;
}

/** Longer than a facilitator follows one message. */
export const FIRST_TRY_MS = 10_000;

export interface Orders {
  insert(row: OrderRow, deliveries: readonly DeliveryRow[]): Promise<void>;
  byId(orderId: string): Promise<OrderRow | undefined>;
  bySession(sessionId: string): Promise<OrderRow | undefined>;
  /** Returns the changed order; undefined if it has this status already, or there is none. */
  setStatus(
    orderId: string,
    status: OrderRow['status'],
    atMs: number,
  ): Promise<OrderRow | undefined>;
}

/** Due is what is `pending`. */
export interface Deliveries extends DueWork<DeliveryRow> {
  ofOrder(orderId: string): Promise<readonly DeliveryRow[]>;
  /** Makes the deliveries of a paid order `pending` and due now. */
  release(orderId: string, atMs: number): Promise<void>;
  /** Makes a pending delivery due. */
  wake(deliveryId: string, atMs: number): Promise<void>;
  /**
   * Compare-and-swap on `attempts`; false if another process was first.
   * @throws {ScripError} RECORD_EXISTS when another line has this digest
   */
  update(
    before: Pick<DeliveryRow, 'deliveryId' | 'attempts'>,
    after: Omit<DeliveryRow, 'deliveryId' | 'orderId' | 'line' | 'beneficiary' | 'goods'>,
  ): Promise<boolean>;
  byCodeDigest(codeDigest: string): Promise<DeliveryRow | undefined>;
  /** @throws {ScripError} RECORD_EXISTS when another line has this digest */
  digest(deliveryId: string, codeDigest: string): Promise<void>;
}
