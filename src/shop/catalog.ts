/**
 * The goods of a shop: a file or a feed in the format of docs/operate/catalog.md. A new version is
 * checked whole, then takes the place of the old one; the last good ones are kept in the store.
 */

import { z } from 'zod';
import { lazy } from '../contract/endpoint.ts';
import { parseJson } from '../domain/attempt.ts';
import type { Clock } from '../domain/clock.ts';
import { ScripError } from '../domain/message/errors.ts';
import { t } from '../domain/message/message.ts';
import type { CatalogVersionRecord } from '../domain/operator/operator-records.ts';
import type { Brand, Product } from '../domain/product/product.ts';
import type { Catalog } from '../service/catalog/catalog.ts';
import { loadCatalogFile } from '../service/catalog/catalog-file.ts';
import type { Rates } from '../service/catalog/pricing.ts';
import type { Store } from '../store/store.ts';

export type ShopCatalog = Awaited<ReturnType<typeof openShopCatalog>>;

/** Where the catalog comes from. */
export interface CatalogSource {
  read(): Promise<string>;
  readonly refreshMs: number;
}

export interface CatalogOptions extends CatalogSource {
  readonly versions: CatalogVersions;
  /** Goods in a currency without a rate are not listed. */
  readonly rates: Rates;
  readonly clock: Pick<Clock, 'now'>;
  /** Told when the source cannot be used and the last good version is. */
  report?(error: unknown): void;
}

/** A source that is away for a moment is no trouble. */
const MISSED_REFRESHES = 10;

/** The operator's rates decide: any currency may be in the file. */
const ANY_CURRENCY: Pick<Rates, 'picoUsdPer'> = { picoUsdPer: () => 1n };

export function checkCatalog(text: string): Catalog {
  return loadCatalogFile(text, ANY_CURRENCY);
}

export function currenciesOf({ countries, brands }: Catalog): readonly string[] {
  const sold = countries.flatMap(({ code }) => brands(code).map(({ currency }) => currency));
  return [...new Set(sold)].sort();
}

/** @throws {ScripError} CATALOG_INVALID, MERCHANT_ERROR, INPUT_INVALID when there is no last good version either */
export async function openShopCatalog(options: CatalogOptions) {
  const { read, versions, rates, refreshMs, clock } = options;
  let nextAtMs = clock.now() + refreshMs;
  let readAtMs = clock.now();
  const first = await readFirst(options);
  let source = first.text;
  let ofSource = first.catalog;
  let current = ofSource;
  let currencies = currenciesOf(current);
  const readSource = async (): Promise<void> => {
    const text = await read();
    if (text !== source) {
      const catalog = checkCatalog(text);
      await versions.take({ version: catalog.version, text });
      source = text;
      ofSource = catalog;
    }
    readAtMs = clock.now();
  };
  const sellChosen = async (): Promise<void> => {
    const instead = await versions.insteadOf(ofSource.version);
    if ((instead?.version ?? ofSource.version) === current.version) return;
    current = instead === undefined ? ofSource : checkCatalog(instead.text);
    currencies = currenciesOf(current);
  };
  await sellChosen();
  const isPriced = ({ currency }: Brand) => rates.picoUsdPer(currency) !== undefined;
  const isSold = ({ brand }: Product) => isPriced(brand);
  return {
    get version() {
      return `${current.version} ${rates.version}`;
    },
    get countries() {
      return current.countries;
    },
    /** When the source was last read. */
    get readAtMs() {
      return readAtMs;
    },
    /** Of everything in the catalog, also of what is not sold for want of a rate. */
    get currencies() {
      return currencies;
    },
    /** False when the source could not be used for a long time. */
    get isFresh() {
      return clock.now() - readAtMs <= MISSED_REFRESHES * refreshMs;
    },
    brands: (countryCode: string) => current.brands(countryCode).filter(isPriced),
    products: (...asked: Parameters<Catalog['products']>) =>
      current.products(...asked).filter(isSold),
    product: (productId: string) => {
      const product = current.product(productId);
      return product && isSold(product) ? product : undefined;
    },
    /** Reads the source when that is due. @throws {ScripError} CATALOG_INVALID, MERCHANT_ERROR, INPUT_INVALID */
    async refresh() {
      if (clock.now() < nextAtMs) return;
      nextAtMs = clock.now() + refreshMs;
      try {
        await readSource();
      } finally {
        await sellChosen();
      }
    },
  };
}

/**
 * Reads the goods of the source; with a `fault` of the source, the last good ones.
 * @throws {ScripError} CATALOG_INVALID, MERCHANT_ERROR, INPUT_INVALID when there is no last good version either
 */
export async function readGoods(
  { read }: Pick<CatalogSource, 'read'>,
  versions: Pick<CatalogVersions, 'newest'>,
) {
  try {
    const text = await read();
    return { text, catalog: checkCatalog(text), fault: undefined };
  } catch (fault) {
    if (!(fault instanceof ScripError)) throw fault;
    const newest = await versions.newest();
    if (newest === undefined) throw fault;
    return { text: newest.text, catalog: checkCatalog(newest.text), fault };
  }
}

async function readFirst({ versions, report, ...source }: CatalogOptions) {
  const found = await readGoods(source, versions);
  const { text, catalog, fault } = found;
  if (fault === undefined) await versions.take({ version: catalog.version, text });
  else {
    const message = t`The last good catalog is used: ${fault.sentence}`;
    report?.(new ScripError(fault.code, message, { cause: fault }));
  }
  return found;
}

// The last good catalogs of a shop, kept in its store, and which of them is sold.

interface KeptCatalog {
  readonly version: string;
  readonly text: string;
}

export type CatalogVersions = ReturnType<typeof createCatalogVersions>;

const KEPT = 5;

/** The newest version of the source and what is sold in place of it. */
const CHOICE = 'catalog in use';
const choice = lazy(() => z.object({ version: z.string(), insteadOf: z.string() }));

export function createCatalogVersions({
  store,
  clock,
}: {
  readonly store: Pick<Store, 'tables'>;
  readonly clock: Pick<Clock, 'now'>;
}) {
  const { catalogs, facts } = store.tables;
  const kept = async (version: string | undefined): Promise<KeptCatalog | undefined> => {
    const text = version === undefined ? undefined : await catalogs.text(version);
    return version === undefined || text === undefined ? undefined : { version, text };
  };
  const chosen = async (over: string | undefined): Promise<string | undefined> => {
    const { data } = choice().safeParse(parseJson((await facts.get(CHOICE)) ?? ''));
    return data?.insteadOf === over ? data?.version : undefined;
  };
  const list = async (): Promise<readonly CatalogVersionRecord[]> => {
    const rows = await catalogs.latest(KEPT);
    const newest = rows[0]?.version;
    const sold = (await chosen(newest)) ?? newest;
    return rows.map(({ version, takenAtMs }) => ({
      version,
      taken_at: new Date(takenAtMs).toISOString(),
      sold: version === sold,
    }));
  };
  return {
    /** Keeps a good catalog of the source, and forgets the oldest. */
    async take(catalog: KeptCatalog) {
      const [newest] = await catalogs.latest(1);
      // A start, or another server of the shop, has taken it already.
      if (newest?.version === catalog.version) return;
      await catalogs.take({ ...catalog, takenAtMs: clock.now() });
      const rows = await catalogs.latest(2 * KEPT);
      await catalogs.remove(rows.slice(KEPT).map(({ version }) => version));
    },
    /** The last good one of the source; undefined where there never was one. */
    newest: async () => kept((await catalogs.latest(1))[0]?.version),
    /** What the operator wants sold in place of a version of the source; undefined if nothing. */
    insteadOf: async (version: string) => kept(await chosen(version)),
    list,
    /** Sells the version whose name begins so. @throws {ScripError} INPUT_INVALID */
    async use(typed: string) {
      const rows = await catalogs.latest(KEPT);
      const [found, ...others] = rows.filter(({ version }) => version.startsWith(typed));
      const [newest] = rows;
      if (newest === undefined || found === undefined || others.length > 0) {
        throw new ScripError(
          'INPUT_INVALID',
          t`"${typed}" names no version of the catalog, or several`,
          {
            hint: t`Take one from the list of serve catalog.`,
          },
        );
      }
      const { version } = found;
      await facts.set(CHOICE, JSON.stringify({ version, insteadOf: newest.version }));
      return list();
    },
  };
}
