import type { Facts } from '../../src/store/store.ts';

/** Reads, gives way, writes: loses counts as soon as two of them overlap. */
export async function increment(facts: Facts): Promise<number> {
  const next = Number((await facts.get('counter')) ?? '0') + 1;
  await new Promise((resolve) => setImmediate(resolve));
  await facts.set('counter', String(next));
  return next;
}
