/** Leases of due work, and those that dead servers held. */
import type { DueWork, Term } from '../store/due-work.ts';
import type { Store, Tables } from '../store/store.ts';
import { SINGLE } from '../store/writes.ts';

/** Leases what is due by one statement; writes nothing if nothing is due. */
export async function leaseDue<Row>(
  store: Store,
  table: (tables: Tables) => DueWork<Row>,
  term: Term,
): Promise<readonly Row[]> {
  const next = await table(store.tables).due(term.atMs, 1);
  if (next.length === 0) return [];
  await store.presence.note(store.tables);
  return store.write((tables) => table(tables).lease(term), SINGLE);
}

/** The longest lease of any work. */
export const LONGEST_LEASE_MS = 30_000;

type LeasedTable = {
  [Name in keyof Tables]: Tables[Name] extends DueWork<unknown> ? Name : never;
}[keyof Tables];

/** A record, so that none is forgotten. */
const LEASED: Readonly<Record<LeasedTable, true>> = {
  settlements: true,
  deliveries: true,
  partnerOrders: true,
  outbox: true,
  paymentRequests: true,
  payouts: true,
  chores: true,
  personChores: true,
};

/**
 * Makes due what a dead server may have leased. What other servers lease may be done twice then,
 * which changes nothing but the calls: messages, references and webhooks have ids.
 */
export async function freeOfDead({ tables, write, presence }: Store, atMs: number): Promise<void> {
  const dead = await presence.dead(tables);
  if (dead.length === 0) return;
  const term = { atMs, untilMs: atMs + LONGEST_LEASE_MS };
  await write(async (all) => {
    for (const name of Object.keys(LEASED)) await all[name as LeasedTable].free(term);
    await all.servers.remove(dead);
  });
}
