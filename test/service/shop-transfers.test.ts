/** Transfers of the shop's own money: stored before they are sent, and sent until they are decided. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { atomic } from '../../src/domain/money/money.ts';
import type { ShopTransfers } from '../../src/service/refunds/shop-transfers.ts';
import { BUYER, type RefundWorld, refundWorld, USDC, WALLET } from '../support/refund-world.ts';

let world: RefundWorld;
beforeEach(async () => {
  world = await refundWorld('SQLite');
});
afterEach(() => world.close());

const TRANSFER = { owner: WALLET, payTo: BUYER, amountAtomic: atomic(3n * USDC) };
const always = async () => true;

function transfers(
  over: Partial<RefundWorld['rpc']> = {},
  witness?: RefundWorld['rpc'],
): ShopTransfers {
  const random = (length: number) => new Uint8Array(length).fill(7);
  return world.transfersOf({ rpc: { ...world.rpc, ...over }, witness, random });
}

it('a transfer that is on record, byte for byte, is not begun again', async () => {
  const first = await transfers().begin(TRANSFER, always);
  expect(await world.store.tables.claims.byMessage(first ?? '')).toMatchObject({
    state: 'submitting',
  });
  expect(await transfers().begin(TRANSFER, always)).toBeUndefined();
});

it('a transfer that its mark refuses is not stored', async () => {
  let refused = '';
  const begun = await transfers().begin(TRANSFER, async (_tables, messageHash) => {
    refused = messageHash;
    return false;
  });
  expect([begun, await world.store.tables.claims.byMessage(refused)]).toEqual([
    undefined,
    undefined,
  ]);
});

it('a transfer is sent until it is final, and then not asked about again', async () => {
  const hash = (await transfers().begin(TRANSFER, always)) ?? '';
  expect(await transfers().follow(hash, 1_000)).toBeUndefined();
  const { transaction } = (await world.store.tables.claims.byMessage(hash)) ?? {};
  const landed = { transaction, state: 'landed', reason: null };
  expect(await transfers().follow(hash, 60_000)).toEqual(landed);
  expect(await world.balanceOf(BUYER)).toBe(3n * USDC);
  const down = transfers({ signatureStatuses: () => Promise.reject(new Error('asked')) });
  expect(await down.follow(hash, 1_000)).toEqual(landed);
});

it('a transfer that is not on record is a fault of ours', async () => {
  await expect(transfers().follow('unknown', 1_000)).rejects.toMatchObject({
    ...{ code: 'INTERNAL', message: expect.stringContaining('unknown is not on record') },
  });
});

it('a transfer is looked for by its reference, on either node', async () => {
  const reference = new Uint8Array(32).fill(5);
  const sought = { owner: WALLET.address, reference };
  expect(await transfers().rail.landed(sought)).toBeUndefined();
  const hash = (await transfers().begin({ ...TRANSFER, reference }, always)) ?? '';
  await transfers().follow(hash, 60_000);
  const { transaction } = (await world.store.tables.claims.byMessage(hash)) ?? {};
  const blind = { signaturesForAddress: async () => [] };
  expect(await transfers().rail.landed(sought)).toMatchObject({ transaction });
  expect(await transfers(blind).rail.landed(sought)).toBeUndefined();
  expect(await transfers(blind, world.rpc).rail.landed(sought)).toMatchObject({ transaction });
});
