import { type Kysely, sql } from 'kysely';
import type { Database } from '../database.ts';
import type { RateRow, SharedRates, Spent } from '../shared-rates.ts';
import { textStatement } from './statement.ts';

const SPEND = textStatement(
  (_db, { atMs, spent }: { readonly atMs: number; readonly spent: readonly Spent[] }) => {
    const rows = spent.map(
      ({ name, spentMs }) => sql`(${name}, cast(${atMs} as bigint) + cast(${spentMs} as bigint))`,
    );
    return sql<RateRow>`insert into rates (name, full_at_ms) values ${sql.join(rows)}
      on conflict (name) do update set full_at_ms = excluded.full_at_ms
        + case when rates.full_at_ms > ${atMs} then rates.full_at_ms - ${atMs} else 0 end
      returning name, full_at_ms`;
  },
);

export function sharedRatesIn(db: Kysely<Database>): SharedRates {
  return {
    // Sorted, so two writes never wait for each other.
    spend: (spent, atMs) =>
      SPEND.all(db, { atMs, spent: spent.toSorted((a, b) => (a.name < b.name ? -1 : 1)) }),
    forget: async (atMs) => {
      await db.deleteFrom('rates').where('fullAtMs', '<', atMs).execute();
    },
  };
}
