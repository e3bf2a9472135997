/** A second node: nothing is dead by the word of one. */
import { describe, expect, it } from 'vitest';
import { SOLANA_MAINNET, USDC_MINT } from '../../src/contract/x402.ts';
import { TOKEN_PROGRAM } from '../../src/rails/solana/address.ts';
import { witnessedFate } from '../../src/rails/solana/fate.ts';
import { readHealth } from '../../src/rails/solana/health.ts';
import { decodeTransaction } from '../../src/rails/solana/message.ts';
import type { AccountInfo } from '../../src/rails/solana/rpc-answers.ts';
import { type FakeNode, fakeNode, type NodeState } from '../support/fake-rpc.ts';
import { GOOD, payerSigned } from '../support/solana-payment.ts';

const OVER = { blockHeight: 1_183 };
const payment = {
  messageHash: 'none',
  signature: '1'.repeat(64),
  lastValidBlockHeight: 1_150,
  baseline: { sourceAccount: 'source', signature: null, slot: 5_000 },
};

const at = ({ rpc }: FakeNode) => ({ rpc, network: SOLANA_MAINNET });
const fateBy = (first: FakeNode, second?: FakeNode, asked = payment) =>
  witnessedFate({ own: at(first), witness: second && at(second) }, asked);

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

  const doubts: readonly (readonly [string, Partial<NodeState>])[] = [
    ['lags', { blockHeight: 1_182 }],
    [
      'is of another chain',
      { ...OVER, genesisHash: 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG' },
    ],
    ['keeps too little history', { ...OVER, firstAvailableSlot: 5_001 }],
    ['is away', { ...OVER, down: new Set(['height'] as const) }],
  ];
  it.each(doubts)('is not dead while the second one %s', async (_what, state) => {
    expect((await fateBy(fakeNode(OVER), fakeNode(state))).fate).toBe('unknown');
  });

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
    expect(await witnessedFate(source, undefined, asked)).toMatchObject({ fate: 'dead' });
    transactions.set('ours', landed(wire));
    expect(await witnessedFate(source, undefined, asked)).toMatchObject({ transaction: 'ours' });
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
    expect(await witnessedFate(source, undefined, payment)).toMatchObject({ fate: 'dead' });
    expect(asked).toBe(1);
  });

  it('is not asked of the second one while the first has not decided', async () => {
    const second = fakeNode();
    expect((await fateBy(fakeNode(), second)).fate).toBe('pending');
    expect(second.calls).toEqual([]);
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
      blockHeight: 1_000,
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
