/** The state that an execution changes: taken back where it reverts, kept for the blocks before. */
import { Account, createAddressFromString } from '@ethereumjs/util';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { openState } from '../../../src/sandbox/evm/state.ts';
import { openSqliteChain } from '../../../src/store/sqlite.ts';

const address = createAddressFromString(`0x${'ab'.repeat(20)}`);
const slotOf = (slot: number): Uint8Array => Uint8Array.from({ length: 32 }, () => slot);

type Step = 'checkpoint' | 'commit' | 'revert' | { readonly slot: number; readonly value: number };

it('is what a copy at each checkpoint would give', async () => {
  const step = fc.oneof(
    fc.constantFrom<Step>('checkpoint', 'commit', 'revert'),
    fc.record({ slot: fc.nat(3), value: fc.integer({ min: 1, max: 9 }) }),
  );
  const { tables, close } = await openSqliteChain(':memory:');
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const { manager } = openState(tables, 1);
      let slots: ReadonlyMap<number, number> = new Map();
      const copies: (typeof slots)[] = [];
      for (const one of steps) {
        if (typeof one === 'object') {
          slots = new Map(slots).set(one.slot, one.value);
          await manager.putStorage(address, slotOf(one.slot), Uint8Array.of(one.value));
        } else if (one === 'checkpoint') {
          copies.push(slots);
          await manager.checkpoint();
        } else if (copies.length > 0) {
          const copy = copies.pop() ?? slots;
          if (one === 'revert') slots = copy;
          await manager[one]();
        }
      }
      for (const slot of [0, 1, 2, 3]) {
        const [value] = await manager.getStorage(address, slotOf(slot));
        expect(value).toBe(slots.get(slot));
      }
    }),
  );
  await close();
});

it('of a block stays as it was, with its accounts and code', async () => {
  const { tables, close } = await openSqliteChain(':memory:');
  const first = openState(tables, 0);
  await first.manager.putCode(address, Uint8Array.of(1, 2, 3));
  await first.manager.modifyAccountFields(address, { balance: 5n });
  await first.manager.putStorage(address, slotOf(0), Uint8Array.of(7));
  await first.save(1);
  const second = openState(tables, 1);
  await second.manager.putAccount(address, new Account(1n, 2n));
  await second.manager.putStorage(address, slotOf(0), new Uint8Array());
  expect(await second.manager.originalStorageCache.get(address, slotOf(0))).toEqual(
    Uint8Array.of(7),
  );
  await second.save(4);
  const seen = await Promise.all(
    [0, 1, 3, 4].map(async (block) => {
      const { manager } = openState(tables, block);
      const account = await manager.getAccount(address);
      const [value] = await manager.getStorage(address, slotOf(0));
      return [account?.balance, (await manager.getCode(address)).length, value];
    }),
  );
  expect(seen).toEqual([
    [undefined, 0, undefined],
    [5n, 3, 7],
    [5n, 3, 7],
    [2n, 0, undefined],
  ]);
  await close();
});
