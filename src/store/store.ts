/** The port for the service's durable records and transactions. */
import type { Message } from '../domain/message/message.ts';
import type { ChainTables } from './tables/chain.ts';
import type { Presence } from './tables/servers.ts';
import type { Tables } from './tables.ts';
import { SINGLE, type WriteOptions } from './writes.ts';

export type { Tables };
export type Facts = Tables['facts'];

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
export type LookFirst = (facts: Facts | undefined) => Promise<void>;

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
  /** Takes what was removed out of the files beside the database, unless they are being read. */
  scrub?(): Promise<void>;
}

/** A chain's records: each execution is one write, and writes run one at a time. */
export type ChainStore = StoreOf<ChainTables>;

// Tables whose changes are each a write of its own: such writes share their wait for the disk.

type Written = Pick<Store, 'tables' | 'write'>;

export function claimsOf({ tables, write }: Written): Tables['claims'] {
  return {
    ...tables.claims,
    claim: (row) => write(({ claims }) => claims.claim(row), SINGLE),
    decide: (...decided) => write(({ claims }) => claims.decide(...decided), SINGLE),
  };
}

export function feeTransactionsOf({ tables, write }: Written): Tables['feeTransactions'] {
  return {
    ...tables.feeTransactions,
    add: (row) => write(({ feeTransactions }) => feeTransactions.add(row), SINGLE),
    replace: (...rows) => write(({ feeTransactions }) => feeTransactions.replace(...rows), SINGLE),
  };
}
