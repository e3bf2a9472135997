/** Buckets of rate limits that several servers spend from. */
import { type Db, join, sql } from '../sql.ts';

/** What one server spent of a bucket, as time until it is full again; negative if it gave back more. */
interface Spent {
  readonly name: string;
  readonly spentMs: number;
}

interface RateRow {
  readonly name: string;
  readonly fullAtMs: number;
}

export function sharedRatesIn(db: Db) {
  return {
    /**
     * Adds what was spent; returns when each of these buckets is full, what others spent included.
     * Sorted, so two writes never wait for each other.
     */
    spend: (spent: readonly Spent[], atMs: number) => {
      const rows = spent
        .toSorted((a, b) => (a.name < b.name ? -1 : 1))
        .map(
          ({ name, spentMs }) =>
            sql`(${name}, cast(${atMs} as bigint) + cast(${spentMs} as bigint))`,
        );
      return db.all(sql<RateRow>`insert into rates (name, full_at_ms) values ${join(rows)}
        on conflict (name) do update set full_at_ms = excluded.full_at_ms
          + case when rates.full_at_ms > ${atMs} then rates.full_at_ms - ${atMs} else 0 end
        returning name, full_at_ms`);
    },
    /** Forgets buckets that are full. */
    forget: async (atMs: number) => {
      await db.run(sql`delete from rates where full_at_ms < ${atMs}`);
    },
  };
}
