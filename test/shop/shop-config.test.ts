import { describe, expect, it } from 'vitest';
import { CHALLENGE_TIMEOUT_MS } from '../../src/api/checkout/checkout.ts';
import { MAKING_TIMEOUT_MS } from '../../src/api/http/call.ts';
import { DEFAULT_TIMEOUT_MS as RPC_TIMEOUT_MS } from '../../src/rails/rpc-transport.ts';
import { readShopConfig, shopConfigSchema } from '../../src/shop/shop-config.ts';
import { STRANGER } from '../support/solana-payment.ts';

const CONFIG = {
  data_dir: 'shop',
  master_seed: { file: 'seed' },
  listen: { port: 4020 },
  chain: {
    rpc: { env: 'SHOP_RPC_URL' },
    fee_payer: { file: 'fee-payer.json' },
    treasury: STRANGER.address,
  },
  catalog: { file: 'goods.json' },
  supplier: { kind: 'codes', file: 'codes.jsonl' },
};

const FACILITATOR = '$.chain.facilitator';
const FACILITATOR_URL = `${FACILITATOR}.url`;

/** Paths of the faults of a configuration. */
function faultsOf(config: unknown): readonly string[] {
  try {
    readShopConfig(typeof config === 'string' ? config : JSON.stringify(config));
    return [];
  } catch (error) {
    const { code, details } = error as { code: string; details: { issues: { path: string }[] } };
    expect(code).toBe('INPUT_INVALID');
    return details.issues.map(({ path }) => path);
  }
}

describe('the configuration of a shop', () => {
  it('has a default for everything that a small shop need not choose', () => {
    expect(readShopConfig(JSON.stringify(CONFIG))).toMatchObject({
      listen: { host: '127.0.0.1', trusted_proxies: [], drain_seconds: 0 },
      chain: { fee_payer_floor_sol: '0.05', finalized_from_usdc: '100', subscriptions: 50 },
      accounts: { most: 100, spare: 2, rent_per_day_sol: '0.1', late_payment_hours: 72 },
      margin_percent: '1',
      limits: { maximum_usd: '1000' },
    });
  });

  it('takes payments on Base where it names accounts there', () => {
    const base = {
      rpc: { env: 'BASE_RPC_URL' },
      fee_account: { file: 'base-fees' },
      treasury: `0x${'5a'.repeat(20)}`,
    };
    const withBase = (more: object) => ({
      ...CONFIG,
      chain: { ...CONFIG.chain, base: { ...base, ...more } },
    });
    expect(readShopConfig(JSON.stringify(withBase({}))).chain.base).toMatchObject({
      ...{ fee_account_floor_eth: '0.002', finalized_from_usdc: '100' },
    });
    expect(faultsOf(withBase({ treasury: STRANGER.address }))).toEqual(['$.chain.base.treasury']);
    const refunds = { wallet: { file: 'refunds' }, base_wallet: { file: 'base-refunds' } };
    expect(faultsOf({ ...CONFIG, refunds })).toEqual(['$.refunds.base_wallet']);
    expect(faultsOf({ ...withBase({}), refunds })).toEqual([]);
  });

  it('waits less for its supplier and its node than a client waits for it', () => {
    const url = 'https://supplier.example';
    const supplier = { kind: 'http', url, token: { env: 'SUPPLIER_TOKEN' } };
    const read = readShopConfig(JSON.stringify({ ...CONFIG, supplier }));
    if (read.supplier.kind !== 'http') throw new Error(read.supplier.kind);
    const shopMs = read.supplier.timeout_seconds * 1_000 + RPC_TIMEOUT_MS;
    expect(Math.min(CHALLENGE_TIMEOUT_MS, MAKING_TIMEOUT_MS)).toBeGreaterThan(shopMs);
  });

  it('is refused with every fault at once, each at its path', () => {
    const { treasury: _left, ...chain } = CONFIG.chain;
    const broken = {
      ...CONFIG,
      chain: { ...chain, rpc: { file: 'a', env: 'B' } },
      catalog: {},
      margin_percent: 1,
      supplier: { kind: 'codes' },
      coins: ['BTC'],
    };
    expect(new Set(faultsOf(broken))).toEqual(
      new Set([
        '$.chain.rpc',
        '$.chain.treasury',
        '$.catalog',
        '$.margin_percent',
        '$.supplier.file',
        '$',
      ]),
    );
  });

  it.each([
    ['is not JSON', '{', '$'],
    ['has a secret in it', { ...CONFIG, master_seed: 'ab'.repeat(32) }, '$.master_seed'],
    [
      'has a feed over plain http',
      { ...CONFIG, catalog: { url: 'http://feed.example' } },
      '$.catalog.url',
    ],
    ['has rates without an address', { ...CONFIG, rates: {} }, '$.rates.url'],
    ['has a supplier without a token', supplier({ url: 'https://s.example' }), '$.supplier.token'],
    ['has a treasury that is no address', treasury('me'), '$.chain.treasury'],
    ['has a facilitator over plain http', facilitator({}, 'http://f.example'), FACILITATOR_URL],
    ['names no place of a header', facilitator({ 'X-Key': {} }), `${FACILITATOR}.headers.X-Key`],
    ['writes a header out', facilitator({ 'X-Key': 'key' }), `${FACILITATOR}.headers.X-Key`],
    [
      'has a header with no name of one',
      facilitator({ 'X Key': { file: 'k' } }),
      `${FACILITATOR}.headers.X Key`,
    ],
  ])('that %s is refused', (_name, config, path) => {
    expect(faultsOf(config)).toEqual([path]);
  });

  it('has a JSON Schema for editors', () => {
    expect(shopConfigSchema()).toMatchObject({ type: 'object', additionalProperties: false });
  });
});

function supplier(more: object) {
  return { ...CONFIG, supplier: { kind: 'http', ...more } };
}

function facilitator(headers: object, url = 'https://f.example/x402') {
  return { ...CONFIG, chain: { ...CONFIG.chain, facilitator: { url, headers } } };
}

function treasury(address: string) {
  return { ...CONFIG, chain: { ...CONFIG.chain, treasury: address } };
}
