/** What a facilitator reads from its node once a block, however many payments there are. */
import { expect, test } from 'vitest';
import { createBlocksLeft, RECENT_BLOCKHASHES_SYSVAR } from '../../src/rails/solana/acceptance.ts';
import { encodeBase58 } from '../../src/rails/solana/address.ts';
import { signerFromSeed } from '../../src/rails/solana/ed25519.ts';
import { createFloorCheck } from '../../src/rails/solana/facilitator.ts';
import { fakeNode } from '../support/fake-rpc.ts';

const feePayer = signerFromSeed(new Uint8Array(32).fill(7));
const hash = (byte: number): string => encodeBase58(new Uint8Array(32).fill(byte));

function opened() {
  const clock = { atMs: 0, now: () => clock.atMs };
  return { clock, node: fakeNode() };
}

/** @param newestFirst the blockhashes of the list, by their byte */
function list(...newestFirst: readonly number[]) {
  const head = Buffer.alloc(8);
  head.writeBigUInt64LE(BigInt(newestFirst.length));
  const entries = newestFirst.flatMap((byte) => [Buffer.alloc(32, byte), Buffer.alloc(8)]);
  const data = Buffer.concat([head, ...entries]);
  const owner = 'Sysvar1111111111111111111111111111111111111';
  return { lamports: 1n, owner, data, isExecutable: false };
}

const account = (lamports: bigint) => ({
  ...{ lamports, owner: '11111111111111111111111111111111' },
  ...{ data: new Uint8Array(), isExecutable: false },
});

test('the list of blockhashes is read again after a block, and for one that it lacks', async () => {
  const { clock, node } = opened();
  const { accounts } = node.state;
  const blocksLeft = createBlocksLeft(node.rpc, clock);
  accounts.set(RECENT_BLOCKHASHES_SYSVAR, list(3, 2, 1));
  expect([await blocksLeft(hash(3)), await blocksLeft(hash(1))]).toEqual([150, 148]);
  expect(node.calls).toEqual(['accountInfo']);
  accounts.set(RECENT_BLOCKHASHES_SYSVAR, list(4, 3, 2, 1));
  expect(await blocksLeft(hash(1))).toBe(148);
  expect([await blocksLeft(hash(4)), await blocksLeft(hash(1))]).toEqual([150, 147]);
  expect(await blocksLeft(hash(9))).toBe(0);
  expect(node.calls).toHaveLength(3);
  clock.atMs = 400;
  expect(await blocksLeft(hash(4))).toBe(150);
  expect(node.calls).toHaveLength(4);
});

test('a node without the list says nothing of a blockhash', async () => {
  const { clock, node } = opened();
  expect(await createBlocksLeft(node.rpc, clock)(hash(1))).toBeUndefined();
});

test("a fee payer's balance that is enough is asked for once a block, one too low each time", async () => {
  const { clock, node } = opened();
  const { accounts } = node.state;
  const check = createFloorCheck({ rpc: node.rpc, feePayer, clock, floorLamports: 10n });
  accounts.set(feePayer.address, account(9n));
  const unavailable = { code: 'FACILITATOR_UNAVAILABLE' };
  for (const _time of [1, 2]) await expect(check()).rejects.toMatchObject(unavailable);
  expect(node.calls).toHaveLength(2);
  accounts.set(feePayer.address, account(10n));
  for (const _time of [1, 2, 3]) await check();
  expect(node.calls).toHaveLength(3);
  accounts.set(feePayer.address, account(9n));
  clock.atMs = 400;
  await expect(check()).rejects.toMatchObject(unavailable);
  // The clock was set back.
  accounts.set(feePayer.address, account(10n));
  await check();
  clock.atMs = 0;
  accounts.set(feePayer.address, account(9n));
  await expect(check()).rejects.toMatchObject(unavailable);
});
