import { expect, it } from 'vitest';
import { openSlots } from '../../src/sandbox/chain/slots.ts';
import { openSqliteChain } from '../../src/store/sqlite.ts';
import { manualClock } from '../support/manual-clock.ts';

const SLOT_MS = 400;

it('the start of the slots is read once a slot, and once the clock was set back', async () => {
  const store = await openSqliteChain(':memory:');
  const { facts } = store.tables;
  let reads = 0;
  const counted = {
    ...facts,
    get: (name: string) => {
      reads += 1;
      return facts.get(name);
    },
  };
  const clock = manualClock();
  const slots = await openSlots({ ...store, tables: { ...store.tables, facts: counted } }, clock);
  reads = 0;
  const first = await slots.current();
  expect(await slots.current()).toBe(first);
  expect(reads).toBe(1);
  clock.advance(SLOT_MS);
  expect(await slots.current()).toBe(first + 1);
  expect(reads).toBe(2);
  clock.advance(-SLOT_MS);
  // Never lower than before.
  expect(await slots.current()).toBe(first + 1);
  expect(reads).toBe(3);
  await store.close();
});
