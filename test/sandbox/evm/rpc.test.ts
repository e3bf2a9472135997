/** The protocol of the stand-in for Base: what it serves and what it refuses. */
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { encodeFunctionData, type Hex } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { evmAccount, type LiveEvm, liveEvm } from '../../support/live-evm.ts';
import { USDC, USDC_ABI } from '../../support/usdc.ts';

const NOBODY = '0x00000000000000000000000000000000000000aa';
const NO_HASH = `0x${'ab'.repeat(32)}`;

let evm: LiveEvm;
let hash: Hex;
let blockHash: Hex;
let wire: Hex;
beforeAll(async () => {
  evm = await liveEvm();
  const wallet = await evm.walletOf('ann');
  evm.clock.advance(20_000);
  hash = await wallet.writeContract({
    ...{ address: USDC, abi: USDC_ABI, functionName: 'transfer', args: [NOBODY, 5n] },
  });
  ({ blockHash } = await evm.client.getTransactionReceipt({ hash }));
  wire = await wallet.account.signTransaction({
    ...{ chainId: 8453, nonce: 1, to: NOBODY, value: 1n, gas: 21_000n, maxFeePerGas: 10_000_000n },
  });
});
afterAll(() => evm.close());

/** Of each method, parameters, and a part of its result. */
const CALLS: Readonly<Record<string, () => readonly [readonly unknown[], unknown]>> = {
  web3_clientVersion: () => [[], 'scrip-sandbox/1'],
  net_version: () => [[], '8453'],
  eth_chainId: () => [[], '0x2105'],
  eth_blockNumber: () => [[], expect.stringMatching(/^0x2625[0-9a-f]{3}$/)],
  eth_gasPrice: () => [[], '0x5b8d80'],
  eth_maxPriorityFeePerGas: () => [[], '0xf4240'],
  eth_feeHistory: () => [['0x2', 'latest', [25, 75]], { gasUsedRatio: [0, 0] }],
  eth_getBlockByNumber: () => [['latest', false], { hash: blockHash, transactions: [hash] }],
  eth_getBlockByHash: () => [
    [blockHash, true],
    { transactions: [{ hash, to: USDC.toLowerCase() }] },
  ],
  eth_getBlockReceipts: () => [[{ blockHash }], [{ transactionHash: hash, status: '0x1' }]],
  eth_getTransactionByHash: () => [[hash], { hash, blockHash, nonce: '0x0', type: '0x2' }],
  eth_getTransactionReceipt: () => [
    [hash],
    { blockHash, from: lower('ann'), logs: [{ logIndex: '0x0' }] },
  ],
  eth_getLogs: () => [
    [{ address: [USDC], blockHash, topics: [null, [word(lower('ann'))]] }],
    [{ transactionHash: hash }],
  ],
  eth_getBalance: () => [[lower('ann'), 'earliest'], '0x0'],
  eth_getTransactionCount: () => [[lower('ann'), 'pending'], '0x1'],
  eth_getCode: () => [[USDC, 'latest'], expect.stringMatching(/^0x60806040/)],
  eth_getStorageAt: () => [[USDC, '0x0', 'latest'], word('0x5f5e100')],
  eth_call: () => [[{ to: USDC, input: balanceOf(NOBODY) }, { blockHash }], word('0x5')],
  eth_estimateGas: () => [[{ from: lower('ann'), to: NOBODY, value: '0x1' }], '0x5208'],
  eth_sendRawTransaction: () => [[wire], expect.stringMatching(/^0x[0-9a-f]{64}$/)],
  sandboxFaucet: () => [[NOBODY, { usdc: '7', wei: '7' }], true],
  sandboxHoldFinality: () => [[false], true],
  sandboxReorganize: () => [['0x1', true], expect.stringMatching(/^0x2625[0-9a-f]{3}$/)],
};

const lower = (name: string): Hex => evmAccount(name).address.toLowerCase() as Hex;
const word = (text: string): string => `0x${text.slice(2).padStart(64, '0')}`;
const balanceOf = (owner: Hex) =>
  encodeFunctionData({ abi: USDC_ABI, functionName: 'balanceOf', args: [owner] });

function documented(): readonly string[] {
  const page = readFileSync('docs/operate/sandbox.md', 'utf8');
  const section = /^## Base\n([\s\S]*?)^## /m.exec(page)?.[1] ?? '';
  const rows = section.split('\n').filter((line) => line.startsWith('| `'));
  return rows.flatMap((row) =>
    [...(row.split('|')[1] ?? '').matchAll(/`(\w+)`/g)].map(([, name = '']) => name),
  );
}

it('the page of the sandbox names every method', () => {
  expect([...documented()].sort()).toEqual(Object.keys(CALLS).sort());
});

it.each(Object.keys(CALLS))('%s', async (method) => {
  const [params, result] = CALLS[method]?.() ?? [[], ''];
  const answer = (await evm.call(method, ...params)) as { result: unknown };
  if (typeof result === 'object' && result !== null) expect(answer).toMatchObject({ result });
  else expect(answer).toEqual({ jsonrpc: '2.0', id: 1, result });
});

describe('refuses', () => {
  it.each<[string, string, readonly unknown[], number, RegExp]>([
    ['an unknown method', 'eth_getProof', [], -32601, /^the method eth_getProof does not exist/],
    ['a name of every object', 'constructor', [], -32601, /does not exist/],
    ['no address', 'eth_getBalance', ['0x12', 'latest'], -32602, /is not an address/],
    ['a decimal number', 'eth_getBlockByNumber', ['17', false], -32602, /hex quantity/],
    ['another tag', 'eth_getBalance', [NOBODY, 'newest'], -32602, /hex quantity/],
    ['a short hash', 'eth_getTransactionReceipt', ['0x12'], -32602, /32 bytes/],
    ['a block that there is not', 'eth_getBalance', [NOBODY, '0x1'], -32000, /^header not found$/],
    [
      'the hash of no block',
      'eth_call',
      [{ to: USDC }, { blockHash: NO_HASH }],
      -32000,
      /^header not found$/,
    ],
    ['a state that is made up', 'eth_call', [{ to: USDC }, 'latest', {}], -32602, /overrides/],
    [
      'bytes that are no transaction',
      'eth_sendRawTransaction',
      ['0x02f0'],
      -32000,
      /^invalid transaction$/,
    ],
    ['too little gas', 'eth_call', [{ to: USDC, gas: '0x5' }], -32000, /^intrinsic gas too low$/],
    [
      'a call that runs out of gas',
      'eth_call',
      [{ to: USDC, data: balanceOf(NOBODY), gas: '0x5600' }],
      -32000,
      /^out of gas$/,
    ],
  ])('%s', async (_name, method, params, code, message) => {
    const answer = await evm.call(method, ...params);
    expect(answer).toMatchObject({ error: { code, message: expect.stringMatching(message) } });
  });

  it('to give money to nobody, and keeps nothing of it', async () => {
    const before = await evm.call('eth_blockNumber');
    const nobody = `0x${'0'.repeat(40)}`;
    expect(await evm.call('sandboxFaucet', nobody, { usdc: '1', wei: '1' })).toMatchObject({
      error: { code: -32000, message: `${nobody} takes no money` },
    });
    expect(await evm.call('eth_blockNumber')).toEqual(before);
  });

  it('a call that reverts, with its reason and its data', async () => {
    const data = encodeFunctionData({ abi: USDC_ABI, functionName: 'transfer', args: [USDC, 1n] });
    for (const method of ['eth_call', 'eth_estimateGas']) {
      expect(await evm.call(method, { to: USDC, from: lower('ann'), data })).toMatchObject({
        error: {
          ...{ code: 3, message: 'execution reverted: Blacklistable: account is blacklisted' },
          data: expect.stringMatching(/^0x08c379a0/),
        },
      });
    }
    expect(await evm.call('eth_call', { to: USDC, data: '0x' })).toMatchObject({
      error: { code: 3, message: 'execution reverted', data: '0x' },
    });
  });

  it('a transaction of another chain, and one without a chain', async () => {
    const account = evmAccount('ann');
    const fields = { nonce: 1, to: NOBODY, gas: 21_000n, gasPrice: 10_000_000n } as const;
    const other = await account.signTransaction({ ...fields, type: 'legacy', chainId: 1 });
    const any = await account.signTransaction({ ...fields, type: 'legacy' });
    expect(await evm.call('eth_sendRawTransaction', other)).toMatchObject({
      error: { code: -32000, message: 'invalid chain id for signer' },
    });
    expect(await evm.call('eth_sendRawTransaction', any)).toMatchObject({
      error: { code: -32000, message: expect.stringMatching(/^only replay-protected/) },
    });
  });
});

it.each([
  ['eth_getBlockByNumber', ['0xfffffff', false]],
  ['eth_getBlockByHash', [NO_HASH, false]],
  ['eth_getBlockReceipts', [{ blockHash: NO_HASH }]],
  ['eth_getTransactionByHash', [NO_HASH]],
  ['eth_getTransactionReceipt', [NO_HASH]],
])('%s is null for what there is not', async (method, params) => {
  expect(await evm.call(method, ...params)).toEqual({ jsonrpc: '2.0', id: 1, result: null });
});

it('answers whatever it is asked', async () => {
  const methods = Object.keys(CALLS).filter((name) => !/^(sandbox|eth_send)/.test(name));
  const value = fc.oneof(
    fc.constantFrom<unknown>(USDC, NOBODY, NO_HASH, 'latest', '0x0', '0x', true, null, {}, []),
    fc.jsonValue(),
    fc.record({
      to: fc.constant(USDC),
      data: fc.uint8Array().map((bytes) => `0x${Buffer.from(bytes).toString('hex')}`),
    }),
  );
  const asked = fc.tuple(fc.constantFrom(...methods), fc.array(value, { maxLength: 3 }));
  await fc.assert(
    fc.asyncProperty(asked, async ([method, params]) => {
      const answer = (await evm.call(method, ...params)) as { error?: { code: number } };
      expect(answer.error?.code).not.toBe(-32603);
    }),
    { numRuns: 300 },
  );
});
