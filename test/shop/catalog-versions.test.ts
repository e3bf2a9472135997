/** Goods that come from elsewhere, the catalogs that a shop keeps of them, and going back to one. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type CatalogVersions,
  createCatalogVersions,
  openShopCatalog,
} from '../../src/shop/catalog.ts';
import { type EmptyStore, ENGINES, emptyStore } from '../support/engines.ts';
import { type ManualClock, manualClock } from '../support/manual-clock.ts';

const MINUTE_MS = 60_000;
const ID = '0b7c2f1e-5d0a-4c8e-9f0f-3a5f6d1c2b01';
const goods = (name: string, currency = 'USD') =>
  JSON.stringify({
    brands: [
      {
        ...{ brand_name: name, country_code: 'us', category: 'retail', currency },
        products: [{ product_id: ID, face_value: '20' }],
      },
    ],
  });

describe.each(ENGINES)('the catalogs of a shop on %s', (engine) => {
  let opened: EmptyStore;
  let clock: ManualClock;
  let versions: CatalogVersions;
  let source: string | Error;
  beforeEach(async () => {
    opened = await emptyStore(engine);
    clock = manualClock();
    versions = createCatalogVersions({ store: opened.store, clock });
    source = goods('A');
  });
  afterEach(() => opened.remove());

  /** A server of the shop; the store is the same for all. */
  async function serve(picoUsdPer: (currency: string) => bigint | undefined = () => 1n) {
    const reports: unknown[] = [];
    const catalog = await openShopCatalog({
      read: async () => {
        if (source instanceof Error) throw source;
        return source;
      },
      ...{ refreshMs: MINUTE_MS, rates: { version: 'all', picoUsdPer }, clock },
      report: (error) => reports.push(error),
      versions: createCatalogVersions({ store: opened.store, clock }),
    });
    return {
      ...{ catalog, reports },
      sold: () =>
        catalog
          .brands('us')
          .map(({ name }) => name)
          .join(),
      async pass(text: string | Error = source) {
        source = text;
        clock.advance(MINUTE_MS);
        await catalog.refresh().catch(() => undefined);
      },
    };
  }
  const sold = async () => (await versions.list()).map((one) => one.sold);

  it('are the last five, each once, with when it came', async () => {
    const server = await serve();
    for (const name of ['B', 'C', 'A', 'D', 'E', 'F']) await server.pass(goods(name));
    const restarted = await serve();
    await restarted.pass();
    const list = await versions.list();
    expect(list.map(({ taken_at: at }) => at.slice(14, 16))).toEqual([
      '06',
      '05',
      '04',
      '03',
      '02',
    ]);
    expect(await sold()).toEqual([true, false, false, false, false]);
    expect(new Set(list.map(({ version }) => version)).size).toBe(5);
  });

  it('can be sold again, by every server, until the source has a newer one', async () => {
    const [one, other] = [await serve(), await serve()];
    await one.pass(goods('B'));
    await other.pass();
    const [, before] = await versions.list();
    await versions.use(before?.version ?? '');
    expect(await sold()).toEqual([false, true]);
    // Also while the source is away, and after a restart.
    await one.pass(new Error('away'));
    expect(one.sold()).toBe('A');
    await other.pass(goods('B'));
    expect(other.sold()).toBe('A');
    expect((await serve()).sold()).toBe('A');
    await one.pass(goods('C'));
    expect(one.sold()).toBe('C');
    expect(await sold()).toEqual([true, false, false]);
  });

  it('are taken whole, and kept where the new one is broken', async () => {
    const server = await serve();
    source = goods('B');
    await server.catalog.refresh();
    expect(server.sold()).toBe('A');
    await server.pass();
    expect(server.sold()).toBe('B');
    source = goods('C').replace('"20"', '20');
    clock.advance(MINUTE_MS);
    await expect(server.catalog.refresh()).rejects.toMatchObject({ code: 'CATALOG_INVALID' });
    expect(server.sold()).toBe('B');
    const { catalogs } = opened.store.tables;
    const [newest] = await catalogs.latest(1);
    expect(await catalogs.text(newest?.version ?? '')).toBe(goods('B'));
    source = '{}';
    const restarted = await serve();
    expect([restarted.sold(), restarted.reports.length]).toEqual(['B', 1]);
    await catalogs.remove((await catalogs.latest(9)).map(({ version }) => version));
    await expect(serve()).rejects.toMatchObject({ code: 'CATALOG_INVALID' });
  });

  it('list nothing in a currency without a rate', async () => {
    source = goods('Eckladen', 'EUR');
    const { catalog, sold } = await serve((currency) => (currency === 'USD' ? 1n : undefined));
    expect([sold(), catalog.product(ID)]).toEqual(['', undefined]);
    expect((await serve()).sold()).toBe('Eckladen');
  });

  it('are left again by choosing the newest one', async () => {
    const server = await serve();
    await server.pass(goods('B'));
    const [newest, before] = await versions.list();
    await versions.use(before?.version.slice(0, 12) ?? '');
    await server.pass();
    expect(server.sold()).toBe('A');
    await versions.use(newest?.version ?? '');
    await server.pass();
    expect(server.sold()).toBe('B');
    for (const typed of ['none', 'file-']) {
      await expect(versions.use(typed)).rejects.toMatchObject({ code: 'INPUT_INVALID' });
    }
  });
});
