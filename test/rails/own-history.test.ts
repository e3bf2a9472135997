import { describe, expect, it } from 'vitest';
import { USDC_MINT } from '../../src/contract/x402.ts';
import { atomic } from '../../src/domain/money/money.ts';
import type { HistoryQuery } from '../../src/rails/rail.ts';
import { readOwnPayments } from '../../src/rails/solana/own-history.ts';
import type { SignatureEntry } from '../../src/rails/solana/rpc-answers.ts';
import { recorded } from '../../src/rails/solana/seal.ts';
import { buildTransfer } from '../../src/rails/solana/transfer.ts';
import { type FakeNode, fakeNode, type NodeState, tokenAccount } from '../support/fake-rpc.ts';
import { tagOf } from '../support/rails.ts';
import {
  AMOUNT,
  BLOCKHASH,
  DESTINATION,
  FEE_PAYER,
  MERCHANT,
  PAYER,
  SOURCE,
} from '../support/solana-payment.ts';

const entry = (signature: string, more: Partial<SignatureEntry> = {}): SignatureEntry => ({
  signature,
  slot: 4_000,
  error: null,
  isFinal: true,
  ...more,
});

const plan = { payer: PAYER.address, payTo: MERCHANT.address, blockhash: BLOCKHASH };
const money = { mint: USDC_MINT, amountAtomic: atomic(AMOUNT) };
const facilitated = async (nonce: number) =>
  (await buildTransfer({ ...plan, ...money, feePayer: FEE_PAYER.address, nonce })).wire;
const direct = async (nonce: number, mint: string | null = USDC_MINT) =>
  (await buildTransfer({ ...plan, ...money, feePayer: null, mint, nonce })).wire;

/** A node whose history has one transaction for each of these. */
async function nodeWith(
  wires: Readonly<Record<string, Uint8Array>>,
  more: Partial<NodeState> = {},
): Promise<FakeNode> {
  const node = fakeNode({ history: Object.keys(wires).map((name) => entry(name)), ...more });
  for (const [name, wire] of Object.entries(wires)) {
    node.state.transactions.set(name, { slot: 4_000, error: null, wire });
  }
  node.state.accounts.set(DESTINATION, tokenAccount(MERCHANT.address, 0n));
  return node;
}

function read({ rpc }: FakeNode, query: Partial<HistoryQuery> = {}) {
  const options = { rpc, mint: USDC_MINT, read: new Map() };
  return readOwnPayments(options, PAYER.address, { known: new Set(), mostReads: 10, ...query });
}

describe('the payments of a wallet', () => {
  it('are those through a facilitator and its own, in USDC and SOL, with the tag of each', async () => {
    const node = await nodeWith({
      facilitated: await facilitated(123_400_789),
      direct: await direct(905_654),
      lamports: await direct(5, null),
    });
    const { payments, isWhole, newest } = await read(node);
    expect(payments).toMatchObject([
      {
        transactionId: 'facilitated',
        asset: USDC_MINT,
        isDirect: false,
        extra: { feePayer: FEE_PAYER.address },
      },
      { transactionId: 'direct', asset: USDC_MINT, isDirect: true },
      { transactionId: 'lamports', asset: 'SOL', isDirect: true },
    ]);
    const nonces = [123_400_789, 905_654, 5];
    expect(payments.map(({ carries }) => nonces.filter((nonce) => carries(tagOf(nonce))))).toEqual(
      nonces.map((nonce) => [nonce]),
    );
    expect(payments.map(({ payTo }) => payTo)).toEqual(Array(3).fill(MERCHANT.address));
    expect(payments.map(({ signed }) => recorded(signed).baseline.sourceAccount)).toEqual([
      SOURCE,
      SOURCE,
      PAYER.address,
    ]);
    expect([isWhole, newest]).toEqual([true, 'facilitated']);
  });

  it('are read once: known, failed and read ones are not asked for', async () => {
    const wires = { a: await direct(1), b: await direct(2), c: await direct(3) };
    const node = await nodeWith(wires);
    node.state.history = [entry('a'), entry('b'), entry('c', { error: 'failed' })];
    const asked: (readonly string[])[] = [];
    const { transactions } = node.rpc;
    const rpc = {
      ...node.rpc,
      transactions: (signatures: readonly string[]) => {
        asked.push(signatures);
        return transactions(signatures);
      },
    };
    const options = { rpc, mint: USDC_MINT, read: new Map() };
    const query = { known: new Set(['a']), mostReads: 10 };
    await readOwnPayments(options, PAYER.address, query);
    const again = await readOwnPayments(options, PAYER.address, query);
    expect(asked).toEqual([['b'], []]);
    expect(again.payments.map(({ transactionId }) => transactionId)).toEqual(['b']);
  });

  it('that are confirmed and not final are told at the tip alone, and are not dead before their time', async () => {
    const node = await nodeWith({ a: await direct(1) });
    node.state.history = [entry('a', { isFinal: false, slot: 5_010 })];
    expect((await read(node)).payments).toEqual([]);
    const { payments, newest } = await read(node, { isTip: true });
    expect(payments).toMatchObject([
      {
        isFinal: false,
        signed: { lastValidBlockHeight: 1_150, baseline: { slot: 5_000, signature: null } },
      },
    ]);
    expect(newest).toBeUndefined();
  });

  it('cannot be told where one is listed and cannot be had', async () => {
    const node = fakeNode({ history: [entry('gone')] });
    await expect(read(node)).rejects.toMatchObject({ code: 'CHAIN_UNREACHABLE' });
  });
});

describe('a history', () => {
  it.each<readonly [string, Partial<NodeState>, Partial<HistoryQuery>, boolean]>([
    ['of a node that has the first block', { firstAvailableSlot: 0 }, {}, true],
    ['of a node that began later', { firstAvailableSlot: 3_000 }, {}, false],
    ['of a node that does not say', { firstAvailableSlot: null }, {}, false],
    [
      'of a node that began before the instant looked back to',
      { firstAvailableSlot: 3_000, blockTimes: new Map([[3_000, 1]]) },
      { sinceMs: 1_000 },
      true,
    ],
    [
      'of a node that began after it',
      { firstAvailableSlot: 3_000, blockTimes: new Map([[3_000, 2]]) },
      { sinceMs: 1_000 },
      false,
    ],
    ['that goes on from a transaction known', { firstAvailableSlot: 3_000 }, { until: 'b' }, true],
    ['with more transactions than are read', {}, { mostReads: 1 }, false],
  ])('%s', async (_what, state, query, isWhole) => {
    const node = await nodeWith({ a: await direct(1), b: await direct(2) }, state);
    const history = await read(node, query);
    expect(history.isWhole).toBe(isWhole);
    expect(history.gap === undefined).toBe(isWhole);
  });

  const [owner, account] = [PAYER.address, SOURCE];
  type Before = Readonly<Record<string, number>>;
  const OPEN = 2_039_280;
  it.each<readonly [string, { a?: Before; b?: Before }, boolean]>([
    ['opened its account first', { b: { [owner]: 0, [account]: 0 } }, true],
    ['had SOL first', { b: { [owner]: 0 }, a: { [owner]: 9, [account]: 0 } }, true],
    ['had SOL before', { b: { [owner]: 9, [account]: 0 } }, false],
    ['paid before without SOL', { b: { [owner]: 0, [account]: OPEN } }, false],
    [
      'was only named, then paid from an older account',
      { b: { [owner]: 0 }, a: { [owner]: 0, [account]: OPEN } },
      false,
    ],
    ['was only named, and has an account', { b: { [owner]: 0 }, a: { [owner]: 0 } }, false],
  ])('of a node that began later, of a wallet that %s', async (_what, before, isWhole) => {
    const wires = { a: await direct(1), b: await direct(2) };
    const node = await nodeWith(wires, { firstAvailableSlot: 3_000 });
    for (const id of ['a', 'b'] as const) {
      node.state.balancesBefore.set(id, before[id] ?? { [owner]: 5, [account]: OPEN });
    }
    node.state.accounts.set(account, tokenAccount(owner, 1n));
    expect((await read(node, { expected: new Set() })).isWhole).toBe(isWhole);
  });

  it('of a node that began later is whole where there is no wallet yet', async () => {
    const node = fakeNode({ firstAvailableSlot: 3_000 });
    expect((await read(node)).isWhole).toBe(true);
    node.state.accounts.set(account, tokenAccount(owner, 0n));
    expect((await read(node)).isWhole).toBe(false);
  });

  it('of a young wallet is not whole if this machine has seen more', async () => {
    const node = await nodeWith({ a: await direct(1) }, { firstAvailableSlot: 3_000 });
    node.state.balancesBefore.set('a', { [owner]: 0, [account]: 0 });
    expect((await read(node)).isWhole).toBe(true);
    const told = await read(node, { expected: new Set(['seen']) });
    expect(told).toMatchObject({ isWhole: false, gap: expect.stringMatching(/list seen/) });
  });

  it('that the node lists and has dropped is not whole', async () => {
    const node = await nodeWith({ a: await direct(1), b: await direct(2) });
    Object.assign(node.state, { firstAvailableSlot: 3_000 });
    node.state.balancesBefore.set('a', { [owner]: 0, [account]: 0 });
    expect((await read(node)).isWhole).toBe(false);
  });

  it.each<readonly [string, Partial<HistoryQuery>, RegExp]>([
    ['that is empty, of an account that exists', {}, /no transaction that created it/],
    ['that lacks what this machine has seen land', { expected: new Set(['seen']) }, /list seen/],
  ])('%s is not whole', async (_what, query, gap) => {
    const wires = query.expected === undefined ? {} : { other: await direct(1) };
    const node = await nodeWith(wires);
    node.state.accounts.set(SOURCE, tokenAccount(PAYER.address, 1n));
    expect(await read(node)).toMatchObject({ isWhole: true });
    const told = await read(node, { expected: new Set(), ...query });
    expect(told).toMatchObject({ isWhole: false, gap: expect.stringMatching(gap) });
  });

  it('is read no further than the instant looked back to', async () => {
    const wires = { young: await direct(1), old: await direct(2), older: await direct(3) };
    const node = await nodeWith(wires, { firstAvailableSlot: 3_000 });
    node.state.history = [
      entry('young', { timeMs: 9_000 }),
      entry('old', { timeMs: 5_000 }),
      entry('older', { timeMs: 4_000 }),
    ];
    const { payments, isWhole } = await read(node, { sinceMs: 6_000 });
    expect(payments.map(({ transactionId }) => transactionId)).toEqual(['young']);
    expect(isWhole).toBe(true);
  });
});
