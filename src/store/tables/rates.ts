/** Buckets of rate limits that several servers spend from. */
import { sql } from 'kysely';
import { type Db, statement } from '../statement.ts';
import { table } from '../table.ts';

/** What one server spent of a bucket, as time until it is full again; negative if it gave back more. */
interface Spent {
  readonly name: string;
  readonly spentMs: number;
}

interface RateRow {
  readonly name: string;
  readonly fullAtMs: number;
}

const rates = table<RateRow>('rates', 'name');

export const createRates = rates.create({ name: 'text key', fullAtMs: 'bigint' });

const SPEND = statement(
  ({ atMs, spent }: { readonly atMs: number; readonly spent: readonly Spent[] }) => {
    const rows = spent.map(
      ({ name, spentMs }) => sql`(${name}, cast(${atMs} as bigint) + cast(${spentMs} as bigint))`,
    );
    return sql<RateRow>`insert into rates (name, full_at_ms) values ${sql.join(rows)}
      on conflict (name) do update set full_at_ms = excluded.full_at_ms
        + case when rates.full_at_ms > ${atMs} then rates.full_at_ms - ${atMs} else 0 end
      returning name, full_at_ms`;
  },
);

export function sharedRatesIn(db: Db) {
  return {
    /**
     * Adds what was spent; returns when each of these buckets is full, what others spent included.
     * Sorted, so two writes never wait for each other.
     */
    spend: (spent: readonly Spent[], atMs: number): Promise<readonly RateRow[]> =>
      SPEND.all(db, { atMs, spent: spent.toSorted((a, b) => (a.name < b.name ? -1 : 1)) }),
    /** Forgets buckets that are full. */
    forget: async (atMs: number) => {
      await sql`delete from rates where full_at_ms < ${atMs}`.execute(db);
    },
  };
}
