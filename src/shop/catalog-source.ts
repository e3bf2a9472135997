/**
 * The goods of a shop: a file or a feed in the format of docs/operate/catalog.md. A new version is
 * checked whole, then takes the place of the old one; the last good ones are kept in the store.
 */

import type { Clock } from '../domain/clock.ts';
import { ScripError } from '../domain/errors.ts';
import { t } from '../domain/message.ts';
import type { Brand, Product } from '../domain/product.ts';
import type { Catalog } from '../service/catalog.ts';
import { loadCatalogFile } from '../service/catalog-file.ts';
import type { Rates } from '../service/pricing.ts';
import type { CatalogVersions } from './catalog-versions.ts';

export interface ShopCatalog extends Catalog {
  /** Reads the source when that is due. @throws {ScripError} CATALOG_INVALID, MERCHANT_ERROR, INPUT_INVALID */
  refresh(): Promise<void>;
  /** When the source was last read. */
  readonly readAtMs: number;
  /** False when the source could not be used for a long time. */
  readonly isFresh: boolean;
  /** Of everything in the catalog, also of what is not sold for want of a rate. */
  readonly currencies: readonly string[];
}

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
export async function openShopCatalog(options: CatalogOptions): Promise<ShopCatalog> {
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
    get readAtMs() {
      return readAtMs;
    },
    get currencies() {
      return currencies;
    },
    get isFresh() {
      return clock.now() - readAtMs <= MISSED_REFRESHES * refreshMs;
    },
    brands: (countryCode) => current.brands(countryCode).filter(isPriced),
    products: (countryCode, filter) => current.products(countryCode, filter).filter(isSold),
    product: (productId) => {
      const product = current.product(productId);
      return product && isSold(product) ? product : undefined;
    },
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

interface ReadGoods {
  readonly text: string;
  readonly catalog: Catalog;
  /** Why the source could not be used; the text is the last good one then. */
  readonly fault?: ScripError;
}

/** @throws {ScripError} CATALOG_INVALID, MERCHANT_ERROR, INPUT_INVALID when there is no last good version either */
export async function readGoods(
  { read }: Pick<CatalogSource, 'read'>,
  versions: Pick<CatalogVersions, 'newest'>,
): Promise<ReadGoods> {
  try {
    const text = await read();
    return { text, catalog: checkCatalog(text) };
  } catch (fault) {
    if (!(fault instanceof ScripError)) throw fault;
    const newest = await versions.newest();
    if (newest === undefined) throw fault;
    return { text: newest.text, catalog: checkCatalog(newest.text), fault };
  }
}

async function readFirst({ versions, report, ...source }: CatalogOptions): Promise<ReadGoods> {
  const found = await readGoods(source, versions);
  const { text, catalog, fault } = found;
  if (fault === undefined) await versions.take({ version: catalog.version, text });
  else {
    const message = t`The last good catalog is used: ${fault.sentence}`;
    report?.(new ScripError(fault.code, message, { cause: fault }));
  }
  return found;
}
