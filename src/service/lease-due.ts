import type { DueWork, Term } from '../storage/due-work.ts';
import type { Store, Tables } from '../storage/store.ts';

/** Leases what is due in one write; writes nothing if nothing is due. */
export async function leaseDue<Row>(
  store: Pick<Store, 'tables' | 'write'>,
  table: (tables: Tables) => DueWork<Row>,
  term: Term,
): Promise<readonly Row[]> {
  const next = await table(store.tables).due(term.atMs, 1);
  if (next.length === 0) return [];
  return store.write((tables) => table(tables).lease(term));
}
