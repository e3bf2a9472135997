/** The port for the service's durable records and transactions. */
import type { Message } from '../domain/message.ts';
import type { Backlog } from './backlog.ts';
import type { Books } from './books.ts';
import type { CallerFees } from './caller-fees.ts';
import type { Catalogs } from './catalogs.ts';
import type { Deliveries, Orders, Sessions, Settlements } from './checkout-orders.ts';
import type { Chores } from './chores.ts';
import type { Claims } from './claims.ts';
import type { Holds } from './holds.ts';
import type { OperatorActions } from './operator-actions.ts';
import type { OrderEvents, Outbox } from './order-events.ts';
import type { PartnerOrders } from './partner-orders.ts';
import type { Partners } from './partners.ts';
import type { PaymentLeases } from './payment-leases.ts';
import type { PaymentRequests } from './payment-requests.ts';
import type { Payouts } from './payouts.ts';
import type { Purchases } from './purchases.ts';
import type { ReceivingAccounts } from './receiving-accounts.ts';
import type { Refunds } from './refunds.ts';
import type { Presence, ServerNames } from './servers.ts';
import type { SharedRates } from './shared-rates.ts';
import type { WizardSessions } from './wizard-sessions.ts';
import type { WriteOptions } from './write-options.ts';

/** Named values of the store, such as the seed of the chain. */
export interface Facts {
  /** Returns the value of `name`; stores this one first if there is none. */
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
  readonly paymentRequests: PaymentRequests;
  readonly payouts: Payouts;
  readonly receivingAccounts: ReceivingAccounts;
  readonly partners: Partners;
  readonly catalogs: Catalogs;
  readonly operatorActions: OperatorActions;
  readonly callerFees: CallerFees;
  readonly backlog: Backlog;
  readonly books: Books;
  readonly sharedRates: SharedRates;
  readonly chores: Chores;
  readonly servers: ServerNames;
  readonly facts: Facts;
  readonly holds: Holds;
}

/** Tables, and transactions over them. */
export interface StoreOf<Rows> {
  /** Reads outside a transaction; each call sees committed data. */
  readonly tables: Rows;
  /**
   * Runs `work` in one durable transaction; rolls back if it throws. No other write that holds one
   * of the same names (`tables.holds`) runs at the same time; on SQLite, no other write at all. A
   * change that compares the row first (`update`, `decide`) needs no name: it fails if another was
   * first. `work` may run again after a rollback. Inside it, use the given tables, not
   * `store.tables`.
   */
  write<T>(work: (tables: Rows) => Promise<T>, options?: WriteOptions): Promise<T>;
  /** Reads a consistent snapshot of the whole store; it blocks no writer. */
  snapshot<T>(work: (tables: Rows) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/**
 * Sees a store before anything in it is made or changed; undefined where there is none yet. Throws to
 * refuse it.
 */
export type LookFirst = (facts: Pick<Facts, 'get'> | undefined) => Promise<void>;

export interface OpenOptions {
  readonly look?: LookFirst | undefined;
  /** What names the address of the database, for hints: an option, a variable. */
  readonly named?: Message | undefined;
}

/** Other servers that share the store. */
export interface Others {
  /** Returns orders with new events since the last call; undefined if some may have been missed. */
  changedOrders(): readonly string[] | undefined;
  /** The database's time, which leases and payment windows use. */
  now(): number;
}

/** A shop's records. */
export interface Store extends StoreOf<Tables> {
  /**
   * Undefined if only this machine uses the store: other processes' changes then show in the event
   * positions.
   */
  readonly others?: Others | undefined;
  readonly presence: Presence;
}
