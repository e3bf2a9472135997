/** Records of the sandbox's EVM chain, in the file of its other chain. */

import { type Db, sql } from '../sql.ts';
import { table } from '../table.ts';

/** A block that is on record: with a transaction, or one where the chain begins or continues otherwise. */
export interface EvmBlockRow {
  readonly number: number;
  readonly hash: string;
  readonly timeMs: number;
  /** Hash of its only transaction. */
  readonly transaction: string | null;
  readonly wire: Uint8Array | null;
  /** JSON of what the execution gave. */
  readonly receipt: string | null;
}

/** A value of the state since a block; empty where there is none any more. */
interface EvmStateRow {
  readonly key: string;
  readonly block: number;
  readonly value: Uint8Array;
}

const blocks = table<EvmBlockRow>('evmBlocks', 'number');
const state = table<EvmStateRow>('evmState', 'key');

export const EVM_TABLES = (bytes: string): string => `
  create table "evm_blocks" (
    "number" bigint not null primary key, "hash" text not null, "time_ms" bigint not null,
    "transaction" text unique, "wire" ${bytes}, "receipt" text
  );
  create table "evm_state" (
    "key" text not null, "block" bigint not null, "value" ${bytes} not null,
    constraint "evm_state_key" primary key ("key", "block")
  );
  create index "evm_state_by_block" on "evm_state" ("block");
`;

export function evmIn(db: Db) {
  const { first, select, insert } = blocks.in(db);
  const firstOf = async (rest: ReturnType<typeof sql>) => (await select(rest))[0];
  return {
    addBlock: (row: EvmBlockRow) => insert(row),
    /** The newest block on record up to a number. */
    blockUpTo: (number: number) =>
      firstOf(sql`where number <= ${number} order by number desc limit 1`),
    /** The newest block on record up to a time. */
    blockBy: (timeMs: number) =>
      firstOf(sql`where time_ms <= ${timeMs} order by number desc limit 1`),
    blockAfter: (number: number) => firstOf(sql`where number > ${number} order by number limit 1`),
    blockWith: (transaction: string) => first({ transaction }),
    /** Blocks with transactions, oldest first; both ends included. */
    blocksBetween: (from: number, to: number) =>
      select(
        sql`where number >= ${from} and number <= ${to} and receipt is not null order by number`,
      ),
    /** The value that a key had at a block; undefined if it had none yet. */
    value: async (key: string, block: number): Promise<Uint8Array | undefined> => {
      const found = await db.first(sql<Pick<EvmStateRow, 'value'>>`
        select value from evm_state where key = ${key} and block <= ${block}
        order by block desc limit 1`);
      return found?.value;
    },
    addValues: async (rows: readonly EvmStateRow[]) => {
      if (rows.length > 0) await state.in(db).insert(...rows);
    },
    /** Forgets all blocks after a number, and what they changed. */
    removeAfter: async (number: number) => {
      await db.run(sql`delete from evm_state where block > ${number}`);
      await db.run(sql`delete from evm_blocks where number > ${number}`);
    },
  };
}
