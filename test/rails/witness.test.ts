/** A second node: nothing is dead by the word of one. */
import { beforeAll, describe, expect, it } from 'vitest';
import { SOLANA_MAINNET, USDC_MINT } from '../../src/contract/x402.ts';
import { ScripError } from '../../src/domain/message/errors.ts';
import { t } from '../../src/domain/message/message.ts';
import { decodeBase58, TOKEN_PROGRAM } from '../../src/rails/solana/address.ts';
import {
  confirmedTransaction,
  paymentFate,
  type WatchedPayment,
} from '../../src/rails/solana/fate.ts';
import { readHealth } from '../../src/rails/solana/health.ts';
import { decodeTransaction } from '../../src/rails/solana/message.ts';
import type { AccountInfo, SignatureEntry } from '../../src/rails/solana/rpc-answers.ts';
import { nodesOf, witnessedFate } from '../../src/rails/witness.ts';
import { type FakeNode, fakeNode, type NodeState } from '../support/fake-rpc.ts';
import { GOOD, payerSigned } from '../support/solana-payment.ts';

const OVER = { blockHeight: 1_183 };
const payment: WatchedPayment = {
  messageHash: 'none',
  signature: '1'.repeat(64),
  lastValidBlockHeight: 1_150,
  baseline: { sourceAccount: 'source', signature: null, slot: 5_000 },
};

const at = ({ rpc }: FakeNode) => ({ rpc, network: SOLANA_MAINNET });
const fateBy = (first: FakeNode, second?: FakeNode, asked = payment) =>
  witnessedFate(nodesOf({ rpc: at(first), witness: second && at(second) }), (node) =>
    paymentFate(node, asked),
  );

describe('the fate of a payment by two nodes', () => {
  it('is dead when both prove it', async () => {
    expect(await fateBy(fakeNode(OVER), fakeNode(OVER))).toMatchObject({
      fate: 'dead',
      proof: expect.stringContaining('by a second RPC'),
    });
  });

  it('is dead by one where there is no second', async () => {
    expect(await fateBy(fakeNode(OVER))).toMatchObject({ fate: 'dead' });
  });

  const doubts: readonly (readonly [string, Partial<NodeState>, string])[] = [
    ['lags', { blockHeight: 1_182 }, 'it does not show the payment as confirmed yet'],
    [
      'is of another chain',
      { ...OVER, genesisHash: 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG' },
      'serves another chain',
    ],
    [
      'keeps too little history',
      { ...OVER, firstAvailableSlot: 5_001 },
      'does not reach far enough back',
    ],
    ['says nothing of its history', { ...OVER, firstAvailableSlot: null }, 'far enough back'],
    ['is away', { ...OVER, down: new Set(['height'] as const) }, 'height is down'],
  ];
  it.each(doubts)('is not dead while the second one %s', async (_what, state, why) => {
    const fate = await fateBy(fakeNode(OVER), fakeNode(state));
    expect(fate).toMatchObject({ fate: 'unknown', reason: expect.stringContaining(why) });
  });

  it.each([
    ['begins with the slot before it was signed', { firstAvailableSlot: 5_000 }],
    ['has the transaction before it', { firstAvailableSlot: null }],
  ])('is dead by a node whose history %s', async (_what, state) => {
    const wire = await payerSigned(GOOD.slice(0, 2));
    const before = { slot: 4_990, error: null, wire };
    const asked = { ...payment, baseline: { ...payment.baseline, signature: 'before' } };
    const node = fakeNode({ ...OVER, ...state, transactions: new Map([['before', before]]) });
    expect(await fateBy(node, undefined, asked)).toMatchObject({ fate: 'dead' });
    const without = fakeNode({ ...OVER, firstAvailableSlot: null });
    expect(await fateBy(without, undefined, asked)).toMatchObject({ fate: 'unknown' });
  });

  it.each([new RangeError('a fault of ours'), new ScripError('INTERNAL', t`a fault of ours`)])(
    'is not made of %s',
    async (fault) => {
      const { rpc } = fakeNode(OVER);
      const height = () => Promise.reject(fault);
      const source = {
        rpc: Object.assign(Object.create(rpc), { height }),
        network: SOLANA_MAINNET,
      };
      await expect(paymentFate(source, payment)).rejects.toBe(fault);
    },
  );

  it('has landed when the second one has it, whatever the first one hides', async () => {
    const wire = await payerSigned();
    const { messageHash } = decodeTransaction(wire);
    const second = fakeNode({
      ...OVER,
      history: [{ signature: 'ours', slot: 5_040, error: null, isFinal: true }],
      transactions: new Map([['ours', { slot: 5_040, error: null, wire }]]),
    });
    expect(await fateBy(fakeNode(OVER), second, { ...payment, messageHash })).toEqual({
      fate: 'landed',
      transaction: 'ours',
      slot: 5_040,
    });
  });

  it('is found behind as many pages as a node makes of its history, and dead at their end', async () => {
    const wire = await payerSigned();
    const { messageHash } = decodeTransaction(wire);
    const strange = await payerSigned(GOOD.slice(0, 2));
    const history = ['c', 'b', 'ours', 'a'].map((signature, index) => ({
      ...{ signature, slot: 5_040 - index, error: null, isFinal: true },
    }));
    const landed = (of: Uint8Array) => ({ slot: 5_040, error: null, wire: of });
    const transactions = new Map(history.map(({ signature }) => [signature, landed(strange)]));
    const { rpc } = fakeNode({ ...OVER, history, transactions });
    const one: typeof rpc.signaturesForAddress = (address, options) =>
      rpc.signaturesForAddress(address, { ...options, limit: 1 });
    const asked = { ...payment, messageHash };
    const source = {
      network: SOLANA_MAINNET,
      rpc: Object.assign(Object.create(rpc), { signaturesForAddress: one }),
    };
    expect(await paymentFate(source, asked)).toMatchObject({
      fate: 'dead',
    });
    transactions.set('ours', landed(wire));
    expect(await paymentFate(source, asked)).toMatchObject({
      transaction: 'ours',
    });
  });

  it('is looked for after the transaction before it', async () => {
    const { rpc } = fakeNode(OVER);
    const asked: unknown[] = [];
    const none: typeof rpc.signaturesForAddress = async (_address, { until }) => {
      asked.push(until);
      return [];
    };
    const node = Object.assign(Object.create(rpc), { signaturesForAddress: none });
    const source = { network: SOLANA_MAINNET, rpc: node };
    const known = { ...payment, baseline: { ...payment.baseline, signature: 'before' } };
    await paymentFate(source, payment);
    await paymentFate(source, known);
    expect(asked).toEqual([undefined, 'before']);
  });

  it('is unknown where a node gives back nothing for one of its transactions', async () => {
    const history = [{ signature: 'a', slot: 5_040, error: null, isFinal: true }];
    for (const wire of [new Uint8Array(), Buffer.from(decodeBase58(payment.signature))]) {
      const transactions = new Map([['a', { slot: 5_040, error: null, wire }]]);
      const node = fakeNode({ ...OVER, history, transactions });
      expect(await fateBy(node)).toMatchObject({ fate: 'unknown' });
    }
  });

  it('is dead without the whole history of an account that is older than it', async () => {
    const { rpc } = fakeNode(OVER);
    let asked = 0;
    const endless: typeof rpc.signaturesForAddress = async () => {
      asked += 1;
      return [{ signature: `old-${asked}`, slot: 4_999, error: null, isFinal: true }];
    };
    const node = Object.assign(Object.create(rpc), { signaturesForAddress: endless });
    const source = { network: SOLANA_MAINNET, rpc: node };
    expect(await paymentFate(source, payment)).toMatchObject({
      fate: 'dead',
    });
    expect(asked).toBe(1);
  });

  it('is not asked of the second one while the first has not decided', async () => {
    const second = fakeNode();
    expect((await fateBy(fakeNode(), second)).fate).toBe('pending');
    expect(second.calls).toEqual([]);
  });
});

describe('the transaction of a payment that is confirmed', () => {
  let ours: Uint8Array;
  let other: Uint8Array;
  beforeAll(async () => {
    ours = await payerSigned();
    other = await payerSigned(GOOD.slice(0, 2));
  });
  const named = (entry: Partial<SignatureEntry>, until: string | null = null) => {
    const history = [
      { signature: 'newer', slot: 5_050, error: null, isFinal: false },
      { signature: 'ours', slot: 5_040, error: null, isFinal: false, ...entry },
      { signature: 'before', slot: 4_990, error: null, isFinal: true },
    ];
    const transactions = new Map(
      ['newer', 'ours', 'before'].map((signature) => [
        signature,
        { slot: 5_040, error: null, wire: signature === 'newer' ? other : ours },
      ]),
    );
    const { messageHash } = decodeTransaction(ours);
    const baseline = { ...payment.baseline, signature: until };
    const { rpc } = fakeNode({ history, transactions });
    return confirmedTransaction({ rpc }, { ...payment, messageHash, baseline });
  };

  it.each<[string, Partial<SignatureEntry>, string | null, string | undefined]>([
    ['is named', {}, null, 'ours'],
    ['is named in the slot of its baseline', { slot: 5_000 }, null, 'ours'],
    ['is not an older one with the same message', { slot: 4_999 }, null, undefined],
    ['is not one that failed', { error: {} }, null, undefined],
    ['is not one that its baseline already had', {}, 'ours', undefined],
    ['is not one that the node does not give back', { signature: 'gone' }, null, undefined],
  ])('%s', async (_what, entry, until, transaction) => {
    expect(await named(entry, until)).toBe(transaction);
  });
});

describe('the health of a node', () => {
  function mint(over: Partial<AccountInfo> = {}, decimals = 6): AccountInfo {
    const data = new Uint8Array(82);
    data[44] = decimals;
    data[45] = 1;
    return { lamports: 1n, owner: TOKEN_PROGRAM, data, isExecutable: false, ...over };
  }
  const healthOf = async (state: Partial<NodeState>) => {
    const { rpc } = fakeNode({ accounts: new Map([[USDC_MINT, mint()]]), ...state });
    const { nodes } = await readHealth({ rpc, network: SOLANA_MAINNET, mint: USDC_MINT });
    return nodes[0];
  };

  it('is good when it is of the chain and has the token', async () => {
    expect(await healthOf({})).toEqual({
      name: 'the RPC',
      problem: null,
      isNetwork: true,
      hasAsset: true,
      block: 1_000,
    });
  });

  it.each([
    [
      'another chain',
      { genesisHash: 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG' },
      { isNetwork: false },
    ],
    ['no token', { accounts: new Map() }, { hasAsset: false }],
    [
      'a token of 9 decimals',
      { accounts: new Map([[USDC_MINT, mint({}, 9)]]) },
      { hasAsset: false },
    ],
    [
      'a mint of another program',
      { accounts: new Map([[USDC_MINT, mint({ owner: 'x' })]]) },
      { hasAsset: false },
    ],
    ['silence', { down: new Set(['genesisHash'] as const) }, { problem: 'genesisHash is down' }],
  ])('tells of %s', async (_what, state, expected) => {
    expect(await healthOf(state)).toMatchObject(expected);
  });

  it('is told of the second node as well', async () => {
    const { rpc } = fakeNode();
    const witness = fakeNode({ down: new Set(['genesisHash'] as const) }).rpc;
    const { nodes } = await readHealth({ rpc, witness, network: SOLANA_MAINNET, mint: USDC_MINT });
    expect(nodes.map(({ name, problem }) => [name, problem])).toEqual([
      ['the RPC', null],
      ['the second RPC', 'genesisHash is down'],
    ]);
  });
});
