/** Writes to stores without an end, whose database fails meanwhile, and what has to be true of them then. */
import { expect } from 'vitest';
import type { Store } from '../../src/store/store.ts';
import { SINGLE } from '../../src/store/writes.ts';
import type { OwnPostgres } from './postgres-server.ts';

export interface StoreLoad {
  /** Number of writes that were acknowledged, and of those whose outcome is unknown. */
  counts(): { readonly acknowledged: number; readonly unknown: number };
  /** Resolves when so many more are acknowledged. */
  goesOn(more: number): Promise<void>;
  /** Ends it; nothing that was acknowledged may be lost. */
  end(run: OwnPostgres['run']): Promise<void>;
}

/** @param also more work, repeated until the end */
export function loadStores(
  stores: readonly Store[],
  also?: (store: Store) => Promise<void>,
): StoreLoad {
  const acknowledged: string[] = [];
  const failures: unknown[] = [];
  let isOver = false;
  const repeat = async (work: (count: number) => Promise<unknown>) => {
    for (let count = 0; !isOver; count += 1) {
      await work(count).catch((error: unknown) => failures.push(error));
    }
  };
  const write = (store: Store, worker: number) =>
    repeat(async (count) => {
      const name = `write ${worker} ${count}`;
      await store.write(async ({ facts, holds }) => {
        await holds.take(`fact ${name}`);
        await facts.set(name, 'kept');
        await facts.set(`${name}, as well`, 'kept');
      });
      acknowledged.push(name, `${name}, as well`);
    });
  const writeSingly = (store: Store, worker: number) =>
    repeat(async (count) => {
      const name = `single write ${worker} ${count}`;
      await store.write(({ facts }) => facts.set(name, 'kept'), SINGLE);
      acknowledged.push(name);
    });
  const load = stores.flatMap((store, index) => [
    writeSingly(store, index),
    write(store, 2 * index),
    write(store, 2 * index + 1),
    ...(also === undefined ? [] : [repeat(() => also(store))]),
  ]);
  return {
    counts: () => ({ acknowledged: acknowledged.length, unknown: failures.length }),
    goesOn: async (more) => {
      const from = acknowledged.length;
      await expect.poll(() => acknowledged.length >= from + more, { timeout: 30_000 }).toBe(true);
    },
    async end(run) {
      isOver = true;
      await Promise.all(load);
      // Only a commit that was not answered is told to its caller: it may stand.
      const unknown = { code: 'STORE_UNUSABLE', details: { isUndone: false } };
      for (const failure of failures) expect(failure).toMatchObject(unknown);
      const rows = await run("select name from facts where value = 'kept'");
      const kept = new Set(rows.map(({ name }) => name));
      expect(acknowledged.filter((name) => !kept.has(name))).toEqual([]);
    },
  };
}

/** One store changes an order until the other one hears of it. */
export async function expectHeard([one, other]: readonly [Store, Store]): Promise<void> {
  const tellAndHear = async () => {
    await one.write(async ({ orderEvents, holds }) => {
      await holds.take('order after');
      await orderEvents.append({ orderId: 'after', atMs: 1, body: '{}' });
    });
    return other.others?.changedOrders();
  };
  await expect.poll(tellAndHear, { timeout: 10_000 }).toContain('after');
}
