/** Durable records of the service and of the embedded chain, with atomic decisions. */
import type { OrderStates } from '../domain/order-states.ts';
import type { RefundRow, Refunds } from './refunds.ts';

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

/** The facilitator's claim on a message: written before the countersigned bytes are sent. */
export interface ClaimRow {
  readonly messageHash: string;
  readonly transaction: string;
  /** Base64 of the fully signed wire transaction. */
  readonly wire: string;
  readonly lastValidBlockHeight: number;
  readonly state: 'submitting' | 'landed' | 'failed' | 'expired';
  readonly reason: string | null;
  readonly createdAtMs: number;
}

/** The sandbox supplier's ledger: one row per reference, whatever the number of calls. */
export interface PurchaseRow {
  readonly reference: string;
  /** JSON of what was asked for. */
  readonly request: string;
  readonly outcome: 'fulfilled' | 'refused';
  /** When the outcome becomes visible to the caller. */
  readonly readyAtMs: number;
  readonly attempts: number;
  /** JSON voucher, or null. */
  readonly voucher: string | null;
  readonly createdAtMs: number;
}

export interface ChainAccountRow {
  readonly address: string;
  /** Decimal digits. */
  readonly lamports: string;
  readonly owner: string;
  readonly data: Uint8Array;
  readonly executable: boolean;
}

export interface ChainTransactionRow {
  /** The fee payer's signature, base58: the transaction id. */
  readonly signature: string;
  readonly messageHash: string;
  readonly slot: number;
  readonly blockTimeMs: number;
  /** JSON of the transaction error, or null. */
  readonly error: string | null;
  readonly wire: Uint8Array;
  /** JSON of { fee, logs, computeUnits, accounts, preBalances, postBalances, preTokenBalances, postTokenBalances }. */
  readonly meta: string;
}

/** An order of the partner API: what was asked for, what it costs, and how far it is. */
export interface PartnerOrderRow extends OrderStates {
  /** UUID version 4. */
  readonly orderId: string;
  /** Partner id that made it, and that alone may read it. */
  readonly applicationId: string;
  readonly email: string;
  /** JSON of the request, as it was accepted. */
  readonly request: string;
  /** JSON of the priced lines, with what each of them costs in the coin. */
  readonly lines: string;
  /** JSON of the sums: summary, fee, points. */
  readonly quote: string;
  /** Value of the goods in 10^-6 USD, as digits; limits are counted in it. */
  readonly valueUsd: string;
  readonly couponCode: string | null;
  readonly coin: string;
  /** Null where the payment via moves the money. */
  readonly network: string | null;
  /** Decimals of the amounts below. */
  readonly decimals: number;
  /** What is to be sent, what is confirmed, and what was seen at all; digits. */
  readonly coinAmountAtomic: string;
  readonly receivedAtomic: string;
  readonly seenAtomic: string;
  /** Null where nothing is left to pay, or a processor takes the payment. */
  readonly walletAddress: string | null;
  /** JSON array of transaction ids, oldest first. */
  readonly transactions: string;
  readonly notificationUrl: string | null;
  readonly refundAddress: string | null;
  /** One order per key and application. */
  readonly idempotencyKey: string | null;
  readonly createdAtMs: number;
  /** Until when a payment may start. */
  readonly windowEndsAtMs: number;
  readonly updatedAtMs: number;
  /** When the order was paid in full, or ended without that. */
  readonly closedAtMs: number | null;
  /** When it is to be looked at next; null when there is nothing to look for any more. */
  readonly nextLookAtMs: number | null;
  /** One more with every change. */
  readonly version: number;
}

/** One change of an order's state, of either surface: thin facts, never goods. */
export interface OrderEventRow {
  /** Place among the events of all orders, from 1: who has read up to one asks for what is newer. */
  readonly position: number;
  readonly orderId: string;
  /** Place among the order's own events, from 1. */
  readonly seq: number;
  readonly atMs: number;
  /** JSON: `{status}` on the checkout host, `{order_state, payment_state}` on the partner API. */
  readonly body: string;
}

/** A webhook that tells of an event; written with it. */
export interface OutboxRow {
  readonly webhookId: string;
  readonly orderId: string;
  /** Of the event. */
  readonly seq: number;
  readonly url: string;
  readonly attempts: number;
  readonly nextAttemptAtMs: number;
  readonly state: 'pending' | 'delivered' | 'dead';
  readonly lastError: string | null;
  readonly createdAtMs: number;
}

/** One guided purchase under way. */
export interface WizardSessionRow {
  /** Hex sha256 of the token, which only the client keeps. */
  readonly tokenHash: string;
  /** Who opened it, and alone may go on with it. */
  readonly client: string;
  /** Partner id that its order is made under. */
  readonly applicationId: string;
  /** JSON of the accepted answers. */
  readonly answers: string;
  /** One more with every change. */
  readonly version: number;
  readonly createdAtMs: number;
  readonly lastUsedAtMs: number;
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

/** How often a coupon is held by orders that are open or paid. */
export interface CouponCount {
  readonly total: number;
  readonly byCustomer: number;
}

/** A partner's orders that closed since an instant, and those of them that nobody paid for. */
export interface ClosedCount {
  readonly closed: number;
  readonly unpaid: number;
}

export interface PartnerOrders {
  /** @throws {ScripError} RECORD_EXISTS on a second order with one id, address or idempotency key */
  insert(row: PartnerOrderRow, deliveries: readonly DeliveryRow[]): Promise<void>;
  byId(orderId: string): Promise<PartnerOrderRow | undefined>;
  byIdempotencyKey(applicationId: string, key: string): Promise<PartnerOrderRow | undefined>;
  /** Those whose next look is due, longest overdue first. */
  due(atMs: number, limit: number): Promise<readonly PartnerOrderRow[]>;
  /** Compare-and-swap on `version`, which `after` has one more of; false when another was first. */
  update(
    before: Pick<PartnerOrderRow, 'orderId' | 'version'>,
    after: PartnerOrderRow,
  ): Promise<boolean>;
  /** Paid orders of an address since an instant, by when they were made. */
  paidBy(
    email: string,
    sinceMs: number,
  ): Promise<readonly Pick<PartnerOrderRow, 'createdAtMs' | 'valueUsd'>[]>;
  /** Orders with the coupon that are open or paid. */
  couponUse(code: string, email: string): Promise<CouponCount>;
  closedSince(applicationId: string, sinceMs: number): Promise<ClosedCount>;
  lastCreatedAtMs(applicationId: string): Promise<number | undefined>;
}

export interface OrderEvents {
  /** Adds the next event of an order; call it in the write that changes the state. */
  append(event: Pick<OrderEventRow, 'orderId' | 'atMs' | 'body'>): Promise<OrderEventRow>;
  /** Those of an order after `seq`, oldest first. */
  since(orderId: string, seq: number): Promise<readonly OrderEventRow[]>;
  at(orderId: string, seq: number): Promise<OrderEventRow | undefined>;
  /** 0 when there is none. */
  latestSeq(orderId: string): Promise<number>;
  /** Those of all orders after a position, oldest first. */
  after(position: number, limit: number): Promise<readonly OrderEventRow[]>;
  /** 0 when there is none. */
  latestPosition(): Promise<number>;
}

export interface Outbox {
  insert(row: OutboxRow): Promise<void>;
  byId(webhookId: string): Promise<OutboxRow | undefined>;
  /** Those `pending` and due, longest overdue first. */
  due(atMs: number, limit: number): Promise<readonly OutboxRow[]>;
  byState(state: OutboxRow['state'], limit: number): Promise<readonly OutboxRow[]>;
  /** Compare-and-swap on `attempts`; false when another process was there first. */
  update(
    before: Pick<OutboxRow, 'webhookId' | 'attempts'>,
    after: Pick<OutboxRow, 'state' | 'attempts' | 'nextAttemptAtMs' | 'lastError'>,
  ): Promise<boolean>;
}

export interface WizardSessions {
  insert(row: WizardSessionRow): Promise<void>;
  byToken(tokenHash: string): Promise<WizardSessionRow | undefined>;
  /** Those of a client used after an instant, longest unused first. */
  usedSince(client: string, sinceMs: number): Promise<readonly WizardSessionRow[]>;
  /** Compare-and-swap on `version`, which `after` has one more of; false when another was first. */
  update(
    before: Pick<WizardSessionRow, 'tokenHash' | 'version'>,
    after: Pick<WizardSessionRow, 'answers' | 'lastUsedAtMs' | 'version'>,
  ): Promise<boolean>;
  /** Removes those not used after an instant. */
  forget(beforeMs: number): Promise<void>;
}

export interface Claims {
  /** Writes the claim, or returns the one that is there already. */
  claim(row: ClaimRow): Promise<ClaimRow>;
  byMessage(messageHash: string): Promise<ClaimRow | undefined>;
  /** Moves on from `submitting`; the first decision stands. */
  decide(messageHash: string, state: ClaimRow['state'], reason: string | null): Promise<void>;
}

export interface Purchases {
  byReference(reference: string): Promise<PurchaseRow | undefined>;
  /** Inserts or replaces by reference. */
  put(row: PurchaseRow): Promise<void>;
  count(): Promise<number>;
}

export interface ChainRecords {
  account(address: string): Promise<ChainAccountRow | undefined>;
  accounts(addresses: readonly string[]): Promise<readonly ChainAccountRow[]>;
  ownedBy(program: string): Promise<readonly ChainAccountRow[]>;
  putAccount(row: ChainAccountRow): Promise<void>;
  removeAccount(address: string): Promise<void>;
  /** Records an executed transaction and, newest first, which accounts it named. */
  putTransaction(row: ChainTransactionRow, addresses: readonly string[]): Promise<void>;
  transaction(signature: string): Promise<ChainTransactionRow | undefined>;
  transactionByMessage(messageHash: string): Promise<ChainTransactionRow | undefined>;
  /** Newest first, none above `maxSlot`; `before` and `until` are signatures, both exclusive. */
  signaturesOf(
    address: string,
    page: {
      readonly limit: number;
      readonly before?: string | undefined;
      readonly until?: string | undefined;
      readonly maxSlot?: number | undefined;
    },
  ): Promise<readonly ChainTransactionRow[]>;
  transactionCount(): Promise<number>;
}

/** Small named facts that must exist once, such as the seed of the chain. */
export interface Facts {
  /** The value under `name`; written first when there is none. */
  once(name: string, value: string): Promise<string>;
  get(name: string): Promise<string | undefined>;
  set(name: string, value: string): Promise<void>;
}

/** Rows behind `after`, in the order of their key; from the first one when it is left out. */
export interface Page<Key> {
  readonly after?: Key | undefined;
  readonly limit: number;
}

export interface NumberedTransaction extends ChainTransactionRow {
  /** Order of execution, from 1. */
  readonly position: number;
}

/** Whole tables in pages, for whoever checks them against each other. */
export interface Books {
  /** By position. */
  transactions(page: Page<number>): Promise<readonly NumberedTransaction[]>;
  /** By message hash. */
  settlements(page: Page<string>): Promise<readonly SettlementRow[]>;
  /** By order id. */
  partnerOrders(page: Page<string>): Promise<readonly PartnerOrderRow[]>;
  /** By reference. */
  purchases(page: Page<string>): Promise<readonly PurchaseRow[]>;
  /** By delivery id. */
  deliveries(page: Page<string>): Promise<readonly DeliveryRow[]>;
  /** By refund id. */
  refunds(page: Page<string>): Promise<readonly RefundRow[]>;
  delivery(deliveryId: string): Promise<DeliveryRow | undefined>;
  partnerOrderPaidAt(walletAddress: string): Promise<PartnerOrderRow | undefined>;
}

export interface Tables {
  readonly sessions: Sessions;
  readonly settlements: Settlements;
  readonly orders: Orders;
  readonly deliveries: Deliveries;
  readonly partnerOrders: PartnerOrders;
  readonly orderEvents: OrderEvents;
  readonly outbox: Outbox;
  readonly wizardSessions: WizardSessions;
  readonly claims: Claims;
  readonly purchases: Purchases;
  readonly refunds: Refunds;
  readonly books: Books;
  readonly chain: ChainRecords;
  readonly facts: Facts;
}

export interface Store {
  /** Reads outside a transaction; each call sees what is committed. */
  readonly tables: Tables;
  /**
   * Runs `work` in one durable transaction that no other writer, in this process or another, runs
   * beside. Rolled back when it throws. Use the tables handed in, not `store.tables`, inside.
   */
  write<T>(work: (tables: Tables) => Promise<T>): Promise<T>;
  /** Reads one state of the whole store, which nobody waits for and no writer changes meanwhile. */
  snapshot<T>(work: (tables: Tables) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}
