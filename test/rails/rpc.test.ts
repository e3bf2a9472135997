import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import type { Fetch, Reply } from '../../src/contract/fetch.ts';
import { ScripError } from '../../src/domain/message/errors.ts';
import { t } from '../../src/domain/message/message.ts';
import { rpcCodeOf } from '../../src/rails/rpc-transport.ts';
import { createSolanaRpc, type SolanaRpc } from '../../src/rails/solana/rpc.ts';
import { fuzzRuns } from '../support/fuzz.ts';
import { skippingClock } from '../support/manual-clock.ts';
import { PAYER } from '../support/solana-payment.ts';

function reply(status: number, text: string): Reply {
  return { status, headers: { get: () => null }, body: null, text: async () => text };
}

/** A client whose replies are given one after the other; the last one stays. */
function clientOf(...replies: (() => Reply)[]) {
  const requests: { method: string; params: unknown[] }[] = [];
  const redirects: unknown[] = [];
  const fetch: Fetch = async (_url, init) => {
    const next = replies[Math.min(requests.length, replies.length - 1)];
    requests.push(JSON.parse(init?.body ?? '{}'));
    redirects.push(init?.redirect);
    return next ? next() : reply(500, '');
  };
  const rpc = createSolanaRpc({ url: 'http://node.invalid', fetch, clock: skippingClock() });
  return { rpc, requests, redirects };
}

const ok = (result: unknown) => () => reply(200, JSON.stringify({ jsonrpc: '2.0', id: 1, result }));
const refuse =
  (code: number, message = 'no') =>
  () =>
    reply(200, JSON.stringify({ jsonrpc: '2.0', id: 1, error: { code, message } }));
const cut = (): Reply => {
  throw new TypeError('fetch failed');
};

const CALLS: readonly (readonly [string, (rpc: SolanaRpc) => Promise<unknown>])[] = [
  ['latestBlockhash', (rpc) => rpc.latestBlockhash('finalized')],
  ['blockHeight', (rpc) => rpc.blockHeight('finalized')],
  ['height', (rpc) => rpc.height('finalized')],
  ['accountInfo', (rpc) => rpc.accountInfo(PAYER.address)],
  ['accounts', (rpc) => rpc.accounts([PAYER.address])],
  ['balance', (rpc) => rpc.balance(PAYER.address)],
  ['tokenAccount', (rpc) => rpc.tokenAccount(PAYER.address)],
  ['tokenAccountBalance', (rpc) => rpc.tokenAccountBalance(PAYER.address)],
  ['signaturesForAddress', (rpc) => rpc.signaturesForAddress(PAYER.address, { limit: 5 })],
  ['transaction', (rpc) => rpc.transaction('x')],
  ['transactions', (rpc) => rpc.transactions(['x', 'y'])],
  ['tokenAccounts', (rpc) => rpc.tokenAccounts([PAYER.address])],
  ['simulate', (rpc) => rpc.simulate(Uint8Array.of(1))],
  ['send', (rpc) => rpc.send(Uint8Array.of(1))],
  ['signatureStatuses', (rpc) => rpc.signatureStatuses(['x'])],
  ['isBlockhashValid', (rpc) => rpc.isBlockhashValid('x', 'confirmed')],
  ['genesisHash', (rpc) => rpc.genesisHash()],
  ['firstAvailableSlot', (rpc) => rpc.firstAvailableSlot()],
  ['request', (rpc) => rpc.request('getSlot', [])],
];

describe('a call', () => {
  test('posts JSON-RPC and follows no redirect', async () => {
    const { rpc, requests, redirects } = clientOf(ok(7));
    expect(await rpc.blockHeight('finalized')).toBe(7);
    expect(requests).toMatchObject([
      { method: 'getBlockHeight', params: [{ commitment: 'finalized' }] },
    ]);
    expect(redirects).toEqual(['error']);
  });

  test.each([429, 502, 503, 504])('is repeated after status %d', async (status) => {
    const { rpc, requests } = clientOf(() => reply(status, 'busy'), ok(7));
    expect(await rpc.blockHeight('finalized')).toBe(7);
    expect(requests).toHaveLength(2);
  });

  test('is repeated after a cut connection, three times in all', async () => {
    const { rpc, requests } = clientOf(cut);
    await expect(rpc.blockHeight('finalized')).rejects.toMatchObject({ code: 'CHAIN_UNREACHABLE' });
    expect(requests).toHaveLength(3);
  });

  test('is not repeated when the node has answered', async () => {
    const { rpc, requests } = clientOf(refuse(-32016, 'minimum context slot'));
    await expect(rpc.blockHeight('finalized')).rejects.toMatchObject({
      code: 'CHAIN_UNREACHABLE',
      message: expect.stringContaining('minimum context slot'),
      details: { rpcCode: -32016 },
    });
    expect(requests).toHaveLength(1);
  });

  test('names the host of the node when it fails, and no more of its address', async () => {
    const { rpc } = clientOf(cut);
    const error: unknown = await rpc.blockHeight('finalized').catch((thrown: unknown) => thrown);
    expect(String(error)).toMatch(/The RPC at [\w.:]+ did not answer getBlockHeight/);
  });

  test('a node’s code can be told from its absence', async () => {
    const caught = async (...replies: Parameters<typeof clientOf>) =>
      clientOf(...replies)
        .rpc.blockHeight('finalized')
        .catch((error: unknown) => error);
    expect(rpcCodeOf(await caught(refuse(-32601)))).toBe(-32601);
    expect(rpcCodeOf(await caught(cut))).toBeUndefined();
    expect(rpcCodeOf('anything')).toBeUndefined();
  });
});

it('a proxy that refuses the credentials is asked once, and named by the hint', async () => {
  const { rpc, requests } = clientOf(() => {
    throw new ScripError('NETWORK_UNREACHABLE', t`no`, { retryable: false, hint: t`a proxy` });
  });
  const refused = rpc.genesisHash();
  await expect(refused).rejects.toMatchObject({ code: 'CHAIN_UNREACHABLE', hint: t`a proxy` });
  expect(requests).toHaveLength(1);
});

describe('every call', () => {
  test.each(CALLS)(
    '%s lets only CHAIN_UNREACHABLE out, whatever the answer',
    async (_name, call) => {
      const answer = fc.oneof(
        fc.json(),
        fc.string(),
        fc.jsonValue().map((result) => JSON.stringify({ result })),
        fc.jsonValue().map((value) => JSON.stringify({ result: { value } })),
        fc.jsonValue().map((error) => JSON.stringify({ error })),
      );
      await fc.assert(
        fc.asyncProperty(answer, fc.constantFrom(200, 400, 500), async (text, status) => {
          try {
            await call(clientOf(() => reply(status, text)).rpc);
          } catch (error) {
            expect(error).toBeInstanceOf(ScripError);
            expect((error as ScripError).code).toBe('CHAIN_UNREACHABLE');
          }
        }),
        { numRuns: fuzzRuns(100) },
      );
    },
    300_000,
  );
});

describe('answers', () => {
  test('an account that is not there is null', async () => {
    const { rpc } = clientOf(ok({ context: { slot: 1 }, value: null }));
    expect(await rpc.accountInfo(PAYER.address)).toBeNull();
    expect(await rpc.tokenAccountBalance(PAYER.address)).toBeNull();
  });

  test('a history is asked for at finalized, with what bounds it', async () => {
    const { rpc, requests } = clientOf(ok([{ signature: 's', slot: 4, err: null }]));
    const page = { limit: 5, before: undefined, until: 'u', minContextSlot: 3 };
    expect(await rpc.signaturesForAddress('a', page)).toEqual([
      { signature: 's', slot: 4, error: null, isFinal: true },
    ]);
    expect(requests[0]?.params).toEqual([
      'a',
      { commitment: 'finalized', limit: 5, until: 'u', minContextSlot: 3 },
    ]);
  });

  test('a history of what is confirmed says what is final', async () => {
    const entry = { signature: 's', slot: 4, err: null, blockTime: 7 };
    const { rpc } = clientOf(
      ok([
        { ...entry, confirmationStatus: 'confirmed' },
        { ...entry, confirmationStatus: 'finalized' },
        entry,
      ]),
    );
    const found = await rpc.signaturesForAddress('a', { commitment: 'confirmed', limit: 5 });
    expect(found.map(({ isFinal, timeMs }) => [isFinal, timeMs])).toEqual([
      [false, 7_000],
      [true, 7_000],
      [false, 7_000],
    ]);
  });

  const landed = (slot: number) => ({ slot, meta: { err: null }, transaction: ['AA==', 'base64'] });

  test('many transactions are asked for in one request, whatever the order of the answers', async () => {
    const { rpc, requests } = clientOf(() =>
      reply(
        200,
        JSON.stringify([
          { jsonrpc: '2.0', id: 1, result: null },
          { jsonrpc: '2.0', id: 0, result: landed(5) },
        ]),
      ),
    );
    expect(await rpc.transactions(['a', 'b'])).toMatchObject([{ slot: 5 }, null]);
    expect(requests).toHaveLength(1);
  });

  test('a node that takes no batches is asked one by one, and not tried again', async () => {
    const { rpc, requests } = clientOf(refuse(-32600, 'batches are not allowed'), ok(landed(5)));
    expect(await rpc.transactions(['a', 'b'])).toMatchObject([{ slot: 5 }, { slot: 5 }]);
    await rpc.transactions(['c']);
    expect(requests.map((request) => Array.isArray(request))).toEqual([true, false, false, false]);
  });

  test('an answer that a batch leaves out is none', async () => {
    const { rpc } = clientOf(() => reply(200, '[]'));
    await expect(rpc.transactions(['a'])).rejects.toMatchObject({ code: 'CHAIN_UNREACHABLE' });
  });

  test('a transaction without its outcome is no answer', async () => {
    const { rpc } = clientOf(ok({ slot: 4, meta: null, transaction: ['AA==', 'base64'] }));
    await expect(rpc.transaction('s')).rejects.toMatchObject({ code: 'CHAIN_UNREACHABLE' });
  });

  test('a status without a name counts as processed', async () => {
    const status = { slot: 4, err: null, confirmations: null };
    const { rpc } = clientOf(ok({ value: [status, null] }));
    expect(await rpc.signatureStatuses(['a', 'b'])).toEqual([
      { slot: 4, error: null, commitment: 'processed' },
      null,
    ]);
  });

  test('the first slot comes from whichever method the node serves', async () => {
    expect(await clientOf(ok(12)).rpc.firstAvailableSlot()).toBe(12);
    expect(await clientOf(refuse(-32601), ok(13)).rpc.firstAvailableSlot()).toBe(13);
    expect(await clientOf(refuse(-32601)).rpc.firstAvailableSlot()).toBeNull();
    await expect(clientOf(cut).rpc.firstAvailableSlot()).rejects.toMatchObject({
      code: 'CHAIN_UNREACHABLE',
    });
  });
});

it.each([
  ['3', 3_000],
  [null, 200],
  ['0', 200],
])('a busy node that asks for a pause of %s seconds has it', async (asked, pauseMs) => {
  const clock = skippingClock();
  const startMs = clock.now();
  const replies = [{ ...reply(429, ''), headers: { get: () => asked } }, ok('right')()];
  const fetch: Fetch = async () => replies.shift() ?? reply(500, '');
  const rpc = createSolanaRpc({ url: 'http://node.invalid', fetch, clock });
  await expect(rpc.request('getSlot', [])).resolves.toBe('right');
  expect(clock.now() - startMs).toBe(pauseMs);
});

it('a pause longer than a caller waits is an answer at once', async () => {
  const clock = skippingClock();
  const startMs = clock.now();
  const fetch: Fetch = async () => ({ ...reply(429, ''), headers: { get: () => '600' } });
  const rpc = createSolanaRpc({ url: 'http://node.invalid', fetch, clock });
  await expect(rpc.request('getSlot', [])).rejects.toMatchObject({ code: 'CHAIN_UNREACHABLE' });
  expect(clock.now() - startMs).toBe(0);
});
