/** Orders of the checkout host: the session that promised them, its settlement, and their goods. */

/** One payment session: what phase 1 promised. Amounts are decimal digits of atomic units. */
export interface SessionRow {
  readonly sessionId: string;
  /** Hex sha256 of the canonical request body: phase 2 must bring the same. */
  readonly bodyHash: string;
  /** Canonical JSON of the request body. */
  readonly body: string;
  readonly payTo: string;
  /** Token account that this session alone is paid to. */
  readonly destination: string;
  readonly amountAtomic: string;
  /** JSON of the payment requirement, as it was sent. */
  readonly requirement: string;
  /** JSON lines of the order, priced: what will be delivered. */
  readonly lines: string;
  readonly createdAtMs: number;
  /** Instant until which a payment may start. */
  readonly expiresAtMs: number;
}

export type SettlementState = 'submitting' | 'settled' | 'failed';

/** The one settlement of a session; its message hash is unique over all sessions. */
export interface SettlementRow {
  readonly messageHash: string;
  readonly sessionId: string;
  readonly orderId: string;
  /** JSON of the payment payload, to settle again after a crash. */
  readonly payload: string;
  readonly payer: string;
  /** The buyer's own name for the order; of the settlements with one name all but one have failed. */
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
}

export interface Sessions {
  insert(row: SessionRow): Promise<void>;
  byId(sessionId: string): Promise<SessionRow | undefined>;
  byDestination(destination: string): Promise<SessionRow | undefined>;
}

export interface Settlements {
  insert(row: SettlementRow): Promise<void>;
  bySession(sessionId: string): Promise<SettlementRow | undefined>;
  byMessage(messageHash: string): Promise<SettlementRow | undefined>;
  /** The one under this name that has not failed. */
  byPaymentId(paymentId: string): Promise<SettlementRow | undefined>;
  /** Gives a settlement a name if it has none. @throws {ScripError} RECORD_EXISTS when another has it */
  name(messageHash: string, paymentId: string): Promise<void>;
  /** Moves on from `submitting`; false when another process already did. */
  decide(
    messageHash: string,
    outcome: Pick<SettlementRow, 'state' | 'transaction' | 'reason' | 'settledAtMs'>,
  ): Promise<boolean>;
  /** Those still `submitting`, oldest first; `after` goes on behind the last one of a page. */
  undecided(
    limit: number,
    after?: Pick<SettlementRow, 'createdAtMs' | 'messageHash'>,
  ): Promise<readonly SettlementRow[]>;
}

export interface Orders {
  insert(row: OrderRow, deliveries: readonly DeliveryRow[]): Promise<void>;
  byId(orderId: string): Promise<OrderRow | undefined>;
  bySession(sessionId: string): Promise<OrderRow | undefined>;
  setStatus(orderId: string, status: OrderRow['status'], atMs: number): Promise<void>;
}

export interface Deliveries {
  ofOrder(orderId: string): Promise<readonly DeliveryRow[]>;
  /** Those of a paid order become `pending`, due now. */
  release(orderId: string, atMs: number): Promise<void>;
  /** Those `pending` and due, oldest first. */
  due(atMs: number, limit: number): Promise<readonly DeliveryRow[]>;
  /** Compare-and-swap on `attempts`; false when another process was there first. */
  update(
    before: Pick<DeliveryRow, 'deliveryId' | 'attempts'>,
    after: Pick<
      DeliveryRow,
      'state' | 'attempts' | 'nextAttemptAtMs' | 'voucher' | 'failureReason'
    >,
  ): Promise<boolean>;
}
