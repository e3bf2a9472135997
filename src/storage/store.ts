/** Durable records of the service, with atomic decisions. */
import type { Books } from './books.ts';
import type { CallerFees } from './caller-fees.ts';
import type { Deliveries, Orders, Sessions, Settlements } from './checkout-orders.ts';
import type { Claims } from './claims.ts';
import type { Holds } from './holds.ts';
import type { OrderEvents, Outbox } from './order-events.ts';
import type { PartnerOrders } from './partner-orders.ts';
import type { PaymentLeases } from './payment-leases.ts';
import type { Purchases } from './purchases.ts';
import type { Refunds } from './refunds.ts';
import type { WizardSessions } from './wizard-sessions.ts';

/** Small named facts that must exist once, such as the seed of the chain. */
export interface Facts {
  /** The value under `name`; written first when there is none. */
  once(name: string, value: string): Promise<string>;
  get(name: string): Promise<string | undefined>;
  set(name: string, value: string): Promise<void>;
}

export interface Tables {
  readonly sessions: Sessions;
  readonly settlements: Settlements;
  readonly orders: Orders;
  readonly deliveries: Deliveries;
  readonly partnerOrders: PartnerOrders;
  readonly paymentLeases: PaymentLeases;
  readonly orderEvents: OrderEvents;
  readonly outbox: Outbox;
  readonly wizardSessions: WizardSessions;
  readonly claims: Claims;
  readonly purchases: Purchases;
  readonly refunds: Refunds;
  readonly callerFees: CallerFees;
  readonly books: Books;
  readonly facts: Facts;
  readonly holds: Holds;
}

/** Tables with transactions over them. */
export interface StoreOf<Rows> {
  /** Reads outside a transaction; each call sees what is committed. */
  readonly tables: Rows;
  /**
   * Runs `work` in one durable transaction, rolled back when it throws. No other write that took one
   * of the names that it took (`tables.holds`) runs beside it; on an engine of one process at a time,
   * no other write at all. A change that names what the row was before (`update`, `decide`) needs no
   * name: it fails when another was first. May be run again, after a rollback. Use the tables handed
   * in, not `store.tables`, inside.
   */
  write<T>(work: (tables: Rows) => Promise<T>): Promise<T>;
  /** Reads one state of the whole store, which blocks no writer and which no writer changes meanwhile. */
  snapshot<T>(work: (tables: Rows) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** Other servers on the same store. */
export interface Others {
  /** Orders that have had events since the last call; undefined where some may have been missed. */
  changedOrders(): readonly string[] | undefined;
  /** How far the time of the store, which leases and windows go by, is ahead of this machine's. */
  offsetMs(): number;
}

/** The records of a shop. */
export interface Store extends StoreOf<Tables> {
  /** Undefined where the store is of this machine alone: then positions of events tell of others. */
  readonly others?: Others | undefined;
}
