import { expect, test } from 'vitest';
import { createPaymentAddresses } from '../../src/sandbox/partner/addresses.ts';

/** Addresses of a chain that keeps what it opened, and may refuse to open more. */
function stock() {
  const openings: (readonly string[])[] = [];
  const state = { isAway: false };
  let number = 0;
  const next = createPaymentAddresses({
    chain: {
      embedded: true,
      openForPayments: async (...owners: readonly string[]) => {
        if (state.isAway) throw new Error('away');
        openings.push(owners);
      },
    } as unknown as Parameters<typeof createPaymentAddresses>[0]['chain'],
    draw: () => {
      number += 1;
      return new Uint8Array(32).fill(number % 256).fill(Math.floor(number / 256), 0, 1);
    },
    random: (length) => new Uint8Array(length),
  });
  return { next, openings, state };
}

test('opens one for a single purchase, and the next of a busy shop while half are left', async () => {
  const { next, openings } = stock();
  const given = [await next()];
  expect(openings.map(({ length }) => length)).toEqual([1]);
  // 1, 2, 4, 8, 16, 32: of the last, 15 are asked for, then one more.
  while (given.length < 31 + 15) given.push(await next());
  const before = openings.length;
  given.push(await next());
  await new Promise((resolve) => setImmediate(resolve));
  expect(openings.length).toBe(before + 1);
  while (given.length < 200) given.push(await next());
  expect(new Set(given).size).toBe(200);
});

test('gives what is left when the next cannot be opened, and tells who finds none', async () => {
  const { next, state } = stock();
  for (let count = 0; count < 31 + 1; count += 1) await next();
  state.isAway = true;
  for (let count = 1; count < 32; count += 1) await next();
  await expect(next()).rejects.toThrow('away');
  state.isAway = false;
  await expect(next()).resolves.toMatch(/^[1-9A-HJ-NP-Za-km-z]{32,44}$/);
});
