/** The protocol itself: envelopes, batches, errors. */

import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { USDC_MINT } from '../../src/contract/x402.ts';
import { decodeBase58, encodeBase58, TOKEN_PROGRAM } from '../../src/rails/solana/address.ts';
import { signerFromSeed } from '../../src/rails/solana/ed25519.ts';
import { decodeTransaction, withSignature } from '../../src/rails/solana/message.ts';
import { type Chain, openChain, signAirdrop } from '../../src/sandbox/chain/chain.ts';
import { createRpcEndpoint, createRpcHandler } from '../../src/sandbox/rpc/handler.ts';
import { openSqliteChain } from '../../src/store/sqlite.ts';
import type { ChainStore } from '../../src/store/store.ts';
import { fuzzRuns } from '../support/fuzz.ts';
import { manualClock } from '../support/manual-clock.ts';

const signer = signerFromSeed(createHash('sha256').update('rpc').digest());
/** Of no slot of any chain. */
const foreign = createHash('sha256').update('foreign').digest();
const other = signerFromSeed(createHash('sha256').update('other').digest()).address;

describe('the RPC handler', () => {
  let store: ChainStore;
  let chain: Chain;
  let handle: (body: unknown) => Promise<unknown>;
  const clock = manualClock();
  beforeAll(async () => {
    store = await openSqliteChain(':memory:');
    chain = await openChain({ store, clock });
    handle = createRpcHandler(chain);
    await chain.airdrop(signer.address, 1_000_000_000n);
  });
  afterAll(() => store.close());
  const call = (method: string, ...params: readonly unknown[]): Promise<unknown> =>
    handle({ jsonrpc: '2.0', id: 1, method, params });
  const transfer = (memo: string, blockhash: Uint8Array): Promise<Uint8Array> =>
    signAirdrop(signer, { to: other, lamports: 1_000_000n, blockhash, memo });
  const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');

  it('echoes ids, of text and of numbers, and answers a batch in its order', async () => {
    const health = (id: unknown) => ({ jsonrpc: '2.0', id, method: 'getHealth' });
    expect(await handle([health(7), health('x'), 3])).toEqual([
      { jsonrpc: '2.0', id: 7, result: 'ok' },
      { jsonrpc: '2.0', id: 'x', result: 'ok' },
      { jsonrpc: '2.0', id: null, error: { code: -32600, message: 'Invalid request' } },
    ]);
  });

  it.each([
    ['a body that is no call', 5, -32600],
    ['an empty batch', [], -32600],
    ['another version', { jsonrpc: '1.0', id: 1, method: 'getHealth' }, -32600],
    ['an unknown method', { jsonrpc: '2.0', id: 1, method: 'getHealthy' }, -32601],
    ['a name of every object', { jsonrpc: '2.0', id: 1, method: 'constructor' }, -32601],
    ['named parameters', { jsonrpc: '2.0', id: 1, method: 'getSlot', params: {} }, -32602],
  ])('refuses %s', async (_name, body, code) => {
    expect(await handle(body)).toMatchObject({ error: { code } });
  });

  it.each([
    ['getBalance', []],
    ['getBalance', ['not an address']],
    ['getBalance', [other, { commitment: 'sometimes' }]],
    ['getBalance', [other, 'confirmed']],
    ['getAccountInfo', [other, { encoding: 'hex' }]],
    ['getMultipleAccounts', [Array(101).fill(other)]],
    ['getMinimumBalanceForRentExemption', [-1]],
    ['getTokenAccountBalance', [other]],
    ['getTokenAccountBalance', [USDC_MINT]],
    ['getTokenAccountsByOwner', [other, {}]],
    ['getTokenAccountsByOwner', [other, { mint: other }]],
    ['getTokenSupply', [other]],
    ['getProgramAccounts', [other, { filters: [{}] }]],
    ['getSignatureStatuses', [['short']]],
    ['getSignaturesForAddress', [other, { commitment: 'processed' }]],
    ['getSignaturesForAddress', [other, { limit: 1001 }]],
    ['getTransaction', [other]],
    ['sendTransaction', ['%%%', { encoding: 'base64' }]],
    ['sendTransaction', ['AQAB', { encoding: 'base64' }]],
    ['sendTransaction', ['1111', { encoding: 'hex' }]],
    ['simulateTransaction', ['AQAB', { encoding: 'base64' }]],
    ['getFeeForMessage', ['']],
    ['requestAirdrop', [other, 1]],
    ['sandboxFaucet', [other, { usdc: 5 }]],
    ['sandboxFaucet', [other, { usdc: '-5' }]],
    // Written anew as a wallet, it would be no program any more.
    ['sandboxFaucet', [TOKEN_PROGRAM, { lamports: '1' }]],
    ['sandboxFaucet', [USDC_MINT, { lamports: '1' }]],
  ])('refuses %s with wrong parameters %j', async (method, params) => {
    expect(await call(method, ...params)).toMatchObject({ error: { code: -32602 } });
  });

  it('makes a caller wait for its minContextSlot', async () => {
    const slot = await chain.slot('confirmed');
    const config = { commitment: 'confirmed', minContextSlot: slot + 1 };
    expect(await call('getBalance', other, config)).toMatchObject({
      error: { code: -32016, data: { contextSlot: slot } },
    });
    clock.advance(400);
    expect(await call('getBalance', other, config)).toMatchObject({ result: { value: 0 } });
  });

  it('refuses in the preflight, with the error and the logs', async () => {
    const wire = await transfer('one', foreign);
    expect(await call('sendTransaction', base64(wire), { encoding: 'base64' })).toMatchObject({
      error: { code: -32002, data: { err: 'BlockhashNotFound', logs: [], accounts: null } },
    });
    const sent = await call('sendTransaction', encodeBase58(wire), { skipPreflight: true });
    const id = encodeBase58(decodeTransaction(wire).signatures[0] ?? new Uint8Array());
    expect(sent).toMatchObject({ result: id });
    expect(await call('getSignatureStatuses', [id])).toMatchObject({ result: { value: [null] } });
    expect(await call('getTransaction', id)).toMatchObject({ result: null });
  });

  it('tells a wrong signature from other faults', async () => {
    const { blockhash } = await chain.latestBlockhash('processed');
    const signed = await transfer('two', decodeBase58(blockhash));
    const forged = base64(withSignature(signed, 0, new Uint8Array(64).fill(9)));
    const wrong = { error: { code: -32003 } };
    const config = { encoding: 'base64' };
    expect(await call('sendTransaction', forged, config)).toMatchObject(wrong);
    expect(await call('simulateTransaction', forged, config)).toMatchObject({
      result: { value: { err: null } },
    });
    const strict = { ...config, sigVerify: true };
    expect(await call('simulateTransaction', forged, strict)).toMatchObject(wrong);
    const both = { ...strict, replaceRecentBlockhash: true };
    expect(await call('simulateTransaction', forged, both)).toMatchObject({
      error: { code: -32602 },
    });
  });

  it('gives accounts in the encodings and slices asked for', async () => {
    const info = async (config: object) =>
      (
        (await call('getAccountInfo', USDC_MINT, config)) as {
          result: { value: { data: unknown } };
        }
      ).result.value.data;
    expect(await info({ encoding: 'base64', dataSlice: { offset: 44, length: 1 } })).toEqual([
      'Bg==',
      'base64',
    ]);
    expect(await info({ encoding: 'base58', dataSlice: { offset: 44, length: 1 } })).toEqual([
      encodeBase58(Uint8Array.of(6)),
      'base58',
    ]);
    expect(await info({ encoding: 'jsonParsed' })).toMatchObject({ program: 'spl-token' });
    await chain.fundUsdc(other, 0n);
    const { result } = (await call(
      'getTokenAccountsByOwner',
      other,
      { mint: USDC_MINT },
      {
        encoding: 'base64',
      },
    )) as { result: { value: { pubkey: string }[] } };
    expect(await call('getAccountInfo', result.value[0]?.pubkey)).toMatchObject({
      error: { code: -32600 },
    });
  });

  it('funds both at once from the faucet', async () => {
    const funds = { usdc: '2500000', lamports: '5000' };
    const answer = (await call('sandboxFaucet', other, funds)) as {
      result: { tokenAccount: string };
    };
    expect(await call('getTokenAccountBalance', answer.result.tokenAccount)).toMatchObject({
      result: { value: { uiAmountString: '2.5' } },
    });
    expect(await call('getBalance', other)).toMatchObject({ result: { value: 5000 } });
  });

  it('answers anything that JSON can say', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('getAccountInfo', 'sendTransaction', 'getTransaction', 'sandboxFaucet'),
        fc.jsonValue(),
        async (method, params) => {
          const answer = await handle({ jsonrpc: '2.0', id: 1, method, params });
          expect(answer).toMatchObject({ jsonrpc: '2.0', id: 1 });
          expect(JSON.stringify(answer)).not.toContain('Internal error');
        },
      ),
      { numRuns: fuzzRuns(100) },
    );
  });

  it('survives any damage to a transaction', async () => {
    const wire = await transfer('damaged', foreign);
    await fc.assert(
      fc.asyncProperty(
        fc.nat(wire.length - 1),
        fc.integer({ min: 1, max: 255 }),
        async (at, mask) => {
          const damaged = Uint8Array.from(wire, (byte, index) =>
            index === at ? byte ^ mask : byte,
          );
          const config = { encoding: 'base64', replaceRecentBlockhash: true };
          const answer = await call('simulateTransaction', base64(damaged), config);
          expect(JSON.stringify(answer)).toMatch(/"result"|-32602/);
        },
      ),
      { numRuns: fuzzRuns(100) },
    );
  });
});

describe('the RPC endpoint', () => {
  let store: ChainStore;
  let answer: (request: Request) => Promise<Response>;
  beforeAll(async () => {
    store = await openSqliteChain(':memory:');
    answer = createRpcEndpoint(await openChain({ store, clock: manualClock() }));
  });
  afterAll(() => store.close());
  const post = (body: string) => answer(new Request('http://rpc/', { method: 'POST', body }));

  it('answers what is no JSON with a parse error', async () => {
    const response = await post('{');
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ id: null, error: { code: -32700 } });
  });

  it('takes POST alone, and no more than it can hold', async () => {
    expect((await answer(new Request('http://rpc/'))).status).toBe(405);
    expect((await post(' '.repeat(300_000))).status).toBe(413);
    expect((await post('')).status).toBe(200);
  });
});
