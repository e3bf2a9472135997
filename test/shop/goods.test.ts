/** What a shop sells while its feeds are old or away: one rule for its check, its log and its monitors; its proxy. */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createFaultLog } from '../../src/cli/serving/fault-log.ts';
import type { Fetch } from '../../src/contract/fetch.ts';
import { checkShop } from '../../src/shop/check.ts';
import { type Goods, openGoods } from '../../src/shop/goods.ts';
import { type PartOptions, shopParts } from '../../src/shop/parts.ts';
import { readShopConfig } from '../../src/shop/shop-config.ts';
import { openShopStore } from '../../src/shop/shop-store.ts';
import type { Store } from '../../src/store/store.ts';
import { type ManualClock, manualClock } from '../support/manual-clock.ts';
import { newKey } from '../support/new-key.ts';
import { tempFolder } from '../support/temp-folder.ts';

const MINUTE_MS = 60_000;
const brand = (name: string, currency: string, id: number) => ({
  ...{ brand_name: name, country_code: 'us', category: 'retail', currency },
  products: [{ product_id: `0b7c2f1e-5d0a-4c8e-9f0f-3a5f6d1c2b0${id}`, face_value: '20' }],
});
const EUROS = brand('Eckladen', 'EUR', 1);
const DOLLARS = brand('Corner Books', 'USD', 2);

let folder: string;
let clock: ManualClock;
/** Undefined while the feed is away. */
let asOfMs: number | undefined;
let lines: string[];
let store: Store;

beforeEach(async () => {
  folder = tempFolder();
  clock = manualClock();
  asOfMs = clock.now();
  lines = [];
  writeFileSync(join(folder, 'seed'), '5'.repeat(64), { mode: 0o600 });
  sell(EUROS, DOLLARS);
  ({ store } = await openShopStore(shopParts(options())));
});
afterEach(() => store.close());

function sell(...brands: readonly object[]): void {
  writeFileSync(join(folder, 'goods.json'), JSON.stringify({ brands }));
}

const fetch: Fetch = async () => {
  if (asOfMs === undefined) throw new Error('the feed is away');
  const as_of = new Date(asOfMs).toISOString();
  return Response.json({ as_of, units_per_usd: { EUR: '0.8' } });
};

const secret = { env: 'NONE' };
function options(listen: object = {}): PartOptions {
  const config = readShopConfig(
    JSON.stringify({
      ...{ data_dir: 'data', master_seed: { file: 'seed' }, listen: { port: 0, ...listen } },
      chain: { rpc: secret, fee_payer: secret, treasury: newKey().address },
      catalog: { file: 'goods.json' },
      rates: { url: 'https://rates.example', refresh_seconds: 60, max_age_seconds: 300 },
      supplier: { kind: 'codes', file: 'codes.jsonl' },
    }),
  );
  const sources = { env: {}, resolvePath: (path: string) => join(folder, path) };
  return { config, sources, fetch, clock };
}

function open(): Promise<Goods> {
  const report = createFaultLog((line) => lines.push(line));
  return openGoods({ parts: shopParts(options()), store, clock, report });
}

/** A minute passes, in which the shop does what is due. */
async function pass(goods: Goods, minutes = 1): Promise<void> {
  clock.advance(minutes * MINUTE_MS);
  for (const work of goods.upkeep) await work().catch(() => undefined);
}

const checked = async (part: string, listen?: object) => {
  const found = (await checkShop(options(listen))).find((check) => check.part === part);
  return [found?.fault?.code ?? null, found?.isDegraded, String(found?.detail)];
};

describe('a public address', () => {
  const LESS = /^listen\.trusted_proxies is empty: a proxy between \S+ and the shop/;
  it.each([
    [{ port: 4020, public_url: 'https://shop.example' }, true],
    [{ port: 4020, public_url: 'http://127.0.0.1' }, true],
    [{ port: 4020, public_url: 'https://127.0.0.1:4020' }, true],
    [{ port: 4020, host: '0.0.0.0', public_url: 'http://127.0.0.1:4020' }, true],
    [{ port: 4020, public_url: 'http://localhost:4020' }, false],
    [{ port: 4020, public_url: 'https://shop.example', trusted_proxies: ['127.0.0.1'] }, false],
    [{ port: 4020 }, false],
  ])('of %j may be a proxy nobody named: %s', async (listen, isLess) => {
    const [fault, isDegraded, detail] = await checked('public url', listen);
    expect([fault, isDegraded]).toEqual([null, isLess ? true : undefined]);
    if (isLess) expect(detail).toMatch(LESS);
  });
});

describe('rates that are too old', () => {
  it('stop goods in other currencies alone', async () => {
    const goods = await open();
    expect(goods.now()).toEqual({ isSelling: true, degraded: { catalog: null, rates: null } });
    asOfMs = undefined;
    await pass(goods, 6);
    const stale = 'Goods in EUR are not sold: the rates of 2026-01-01T00:00:00.000Z are too old';
    expect(goods.now().isSelling).toBe(true);
    expect(String(goods.now().degraded.rates)).toBe(stale);
    asOfMs = clock.now();
    await pass(goods);
    expect(goods.now().degraded.rates).toBeNull();
    asOfMs = undefined;
    await pass(goods, 6);
    await pass(goods, 6);
    expect(String(goods.now().degraded.rates)).toBe(
      'Goods in EUR are not sold: the rates of 2026-01-01T00:06:00.000Z are too old',
    );
  });

  it('are no fault of a check while something is sold without them', async () => {
    asOfMs = clock.now() - 6 * MINUTE_MS;
    expect(await checked('rates')).toEqual([
      ...[null, true],
      'Goods in EUR are not sold: the rates of 2025-12-31T23:54:00.000Z are too old',
    ]);
    sell(DOLLARS);
    expect(await checked('rates')).toEqual([null, false, '360 seconds old']);
    sell(EUROS);
    expect((await checked('rates')).slice(0, 2)).toEqual(['MERCHANT_ERROR', false]);
    expect((await open()).now().isSelling).toBe(false);
  });

  it('are named beside what keeps them away', async () => {
    asOfMs = undefined;
    expect(await checked('rates')).toEqual([
      ...[null, true],
      'rates.example did not answer; Goods in EUR are not sold: they have no rate',
    ]);
  });
});

describe('a catalog that cannot be read', () => {
  it('is named after ten refreshes, and sold as it was', async () => {
    const goods = await open();
    rmSync(join(folder, 'goods.json'));
    await pass(goods);
    expect(goods.now().degraded.catalog).toBeNull();
    for (let minute = 0; minute < 10; minute += 1) await pass(goods);
    expect(goods.now().isSelling).toBe(true);
    expect(String(goods.now().degraded.catalog)).toMatch(
      /^The catalog could not be read since 2026/,
    );
    sell(DOLLARS);
    await pass(goods);
    expect(goods.now().degraded.catalog).toBeNull();
  });

  it('is a fault of a check if the operator has to correct it', async () => {
    await open();
    sell({ ...DOLLARS, country_code: 'xx' });
    expect((await checked('catalog')).slice(0, 2)).toEqual(['CATALOG_INVALID', false]);
    expect((await checked('rates')).slice(0, 2)).toEqual([null, false]);
  });
});
