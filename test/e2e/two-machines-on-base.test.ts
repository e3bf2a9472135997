/**
 * A key pays once on Base: on machines that pay at the same time, and at hosts that keep what was signed and settle
 * it when they like.
 */
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { decodeHeader, encodeHeader } from '../../src/contract/x402.ts';
import { type CliResult, FINAL_SOON, type Home, makeHome, SCRIP } from '../support/cli.ts';
import {
  type Asked,
  json,
  KEYLESS,
  openFrontHost,
  type RpcCall,
  retelling,
} from '../support/front-host.ts';
import { baseLedgerAt } from '../support/ledger.ts';
import { postJson } from '../support/post-json.ts';
import { serveHere } from '../support/served-here.ts';
import {
  amazonProducts,
  fundedOnBase,
  fundedWallet,
  type OrderDocument,
  orderOf,
} from '../support/shop.ts';

// biome-ignore lint/suspicious/noExplicitAny: bodies of many shapes.
type Body = any;

const PRICE = 25_250_000n;
/** By which USDC is asked whether a nonce is used: authorizationState(address,bytes32). */
const STATE_OF_NONCE = '0xe94a0102';
const home = makeHome(SCRIP, FINAL_SOON);
const { url, flags } = await serveHere(home, true);
await fundedWallet(home, flags, '500');
const payer = await fundedOnBase(home, url, { usdc: '500' });
const { card25 } = amazonProducts();
const ledger = baseLedgerAt(`${url}/rpc/base`);

/** Another machine with the wallet, which knows nothing of what was bought with it. */
function twinHome(): Home {
  const twin = makeHome(SCRIP, FINAL_SOON);
  for (const folder of ['wallets', 'play']) {
    const path = join('.local/share/scrip', folder);
    cpSync(join(home.dir, path), join(twin.dir, path), { recursive: true });
  }
  return twin;
}
const words = (key: string, host: string, more: readonly string[] = []) => [
  ...orderOf(card25.product_id, ['--network', 'base', '--idempotency-key', key]),
  ...['--checkout-url', host, '--rpc-url', `${url}/rpc`, '--json', ...more],
];
async function spentBy<T>(work: () => Promise<T>): Promise<readonly [T, bigint]> {
  const before = await ledger.balance(payer);
  const result = await work();
  return [result, before - (await ledger.balance(payer))];
}
async function askBase<T>(method: string, ...params: readonly unknown[]): Promise<T> {
  const reply = await postJson(`${url}/rpc/base`, { jsonrpc: '2.0', id: 1, method, params });
  return ((await reply.json()) as { result: T }).result;
}
const codeOf = ({ stderr }: CliResult) => JSON.parse(stderr === '' ? '{}' : stderr).error?.code;

it('from three machines at once, at a host that takes no keys', { timeout: 120_000 }, async () => {
  const keyless = await openFrontHost(url, KEYLESS);
  const twins = [twinHome(), twinHome(), twinHome()];
  const order = words('at-once', keyless.url, ['--timeout', '5s']);
  const [runs, spent] = await spentBy(() => Promise.all(twins.map((twin) => twin.run(order))));
  expect(runs.filter(({ status }) => status === 0)).toHaveLength(1);
  expect(spent).toBe(PRICE);
  for (const [at, twin] of twins.entries()) {
    if (runs[at]?.status === 0) continue;
    const [again, more] = await spentBy(() => twin.run(order));
    // What two machines signed in one second is one authorization.
    expect([again.status, codeOf(again)]).toEqual([
      11,
      expect.stringMatching(/^(PAID_ELSEWHERE|ATTENTION_NEEDED)$/),
    ]);
    expect(more).toBe(0n);
  }
});

it('by an RPC that is behind until the payment is signed', { timeout: 60_000 }, async () => {
  const state = { isBehind: true };
  const isAsked = ({ method, params }: RpcCall) =>
    method === 'eth_call' && Object(params?.[0]).data?.startsWith(STATE_OF_NONCE);
  const node = await openFrontHost(
    url,
    retelling((call, result) => {
      if (result === undefined) return {};
      return { result: state.isBehind && isAsked(call) ? `0x${'0'.repeat(64)}` : result };
    }),
  );
  const keyless = await openFrontHost(url, {
    ...KEYLESS,
    hear: (asked) => {
      if (asked.headers['payment-signature'] !== undefined) state.isBehind = false;
      return KEYLESS.hear?.(asked) ?? {};
    },
  });
  const order = words('behind', keyless.url, ['--timeout', '5s']);
  const [bought, spent] = await spentBy(() => twinHome().json<OrderDocument>(order));
  expect(spent).toBe(PRICE);
  state.isBehind = true;
  const other = twinHome();
  const [refused, more] = await spentBy(() =>
    other.failure([...order, '--base-rpc-url', `${node.url}/rpc/base`]),
  );
  // Where no block came between, both have signed one authorization.
  const isOther = refused.code === 'PAID_ELSEWHERE';
  expect(refused).toMatchObject({
    ...{
      code: isOther ? 'PAID_ELSEWHERE' : 'ATTENTION_NEEDED',
      status: 11,
      funds_at_risk: 'spent',
    },
    details: isOther ? { transaction: bought.transaction } : {},
  });
  expect(state.isBehind).toBe(false);
  expect(more).toBe(0n);
});

/** A host that answers nothing to a payment, and has what was sent to it. */
async function keepingHost(maxTimeoutSeconds: number) {
  const kept: Asked[] = [];
  const seen = new Set<string | undefined>();
  const host = await openFrontHost(url);
  const isPaying = ({ headers }: Asked) => headers['payment-signature'] !== undefined;
  const isFirst = ({ headers }: Asked) =>
    [undefined, headers['payment-signature']].includes(kept[0]?.headers['payment-signature']);
  const state = { isKeeping: true };
  host.behave({
    instead: (asked) => {
      if (!isPaying(asked)) return undefined;
      seen.add(asked.headers['payment-signature']);
      if (!isFirst(asked) || !state.isKeeping) return undefined;
      kept.push(asked);
      return json(503, { error: 'busy' });
    },
    answer: (_asked, reply) => {
      const header = reply.headers['payment-required'];
      if (reply.status !== 402 || header === undefined) return reply;
      const required: Body = decodeHeader(header);
      const accepts = required.accepts.map((one: Body) => ({ ...one, maxTimeoutSeconds }));
      const body = { ...required, accepts };
      return {
        ...reply,
        body,
        headers: { ...reply.headers, 'payment-required': encodeHeader(body) },
      };
    },
  });
  return {
    ...{ url: host.url, seen },
    /** Sends the first payment to the shop. */
    settle: async () => {
      const { headers, body = '', path } = kept[0] ?? ({} as Asked);
      return fetch(`${url}${path}`, { method: 'POST', headers, body });
    },
    release: () => {
      state.isKeeping = false;
    },
  };
}

it('at a host that settles after the run has given up', { timeout: 60_000 }, async () => {
  const host = await keepingHost(300);
  const order = words('settled-late', host.url, ['--timeout', '3s']);
  const twin = twinHome();
  const [given, spent] = await spentBy(() => twin.run(order));
  expect([given.status, codeOf(given), spent]).toEqual([9, 'OUTCOME_UNKNOWN', 0n]);
  const [again, paid] = await spentBy(async () => {
    expect((await host.settle()).status).toBe(200);
    host.release();
    // The machine that signed, and one that knows nothing, on either network.
    return [
      await twin.json<OrderDocument>(order),
      await twinHome().json<OrderDocument>([...order, '--network', 'solana']),
    ];
  });
  expect(paid).toBe(PRICE);
  expect(again[0]).toMatchObject({ status: 'completed', network: 'eip155:8453' });
  expect(again[1]?.order_id).toBe(again[0]?.order_id);
});

it('at a host that settles what has died', { timeout: 120_000 }, async () => {
  const host = await keepingHost(10);
  const [bought, spent] = await spentBy(() =>
    twinHome().json<OrderDocument>(words('dead', host.url, ['--timeout', '90s'])),
  );
  expect(bought).toMatchObject({ status: 'completed' });
  expect(spent).toBe(PRICE);
  expect(host.seen.size).toBe(2);
  const [, more] = await spentBy(() => host.settle());
  expect(more).toBe(0n);
});

// The last: what was lost may land again later, since the authorization is still valid.
it('at most, where its block is lost before it is final', { timeout: 60_000 }, async () => {
  const keyless = await openFrontHost(url, KEYLESS);
  const order = words('reorganized', keyless.url, ['--timeout', '5s']);
  const first = twinHome();
  const before = await ledger.balance(payer);
  const [, spent] = await spentBy(async () => {
    const { transaction } = await first.json<OrderDocument>(order);
    const receipt = await askBase<{ blockNumber: string }>(
      'eth_getTransactionReceipt',
      transaction,
    );
    // Its own block, and those that came after it; again, if one more came meanwhile.
    do {
      const newest = await askBase<string>('eth_blockNumber');
      const depth = BigInt(newest) - BigInt(receipt.blockNumber) + 1n;
      await askBase('sandboxReorganize', `0x${depth.toString(16)}`, true);
    } while ((await ledger.balance(payer)) !== before);
    // One that finds nothing of it on the chain, and the one that has its goods.
    await twinHome().run(order);
    await first.json<OrderDocument>(order);
  });
  // A shop may wait for blocks that are final; this one has lost its money.
  expect([0n, PRICE]).toContain(spent);
});
