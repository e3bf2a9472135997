/**
 * The goods of a shop: a file or a feed in the format of docs/operate/catalog.md. A new version is
 * checked whole, then takes the place of the old one; the last good one is kept on disk.
 */

import { existsSync, readFileSync } from 'node:fs';
import type { Clock } from '../domain/clock.ts';
import { ScripError } from '../domain/errors.ts';
import { t } from '../domain/message.ts';
import type { Brand, Product } from '../domain/product.ts';
import type { Catalog } from '../service/catalog.ts';
import { loadCatalogFile } from '../service/catalog-file.ts';
import type { Rates } from '../service/pricing.ts';
import { replaceDurably } from '../storage/durable-file.ts';

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
  /** File of the last good version. */
  readonly lastGoodPath: string;
}

export interface CatalogOptions extends CatalogSource {
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
  const { read, lastGoodPath, rates, refreshMs, clock } = options;
  let nextAtMs = clock.now() + refreshMs;
  let readAtMs = clock.now();
  let source = await firstText(options);
  let current = checkCatalog(source);
  let currencies = currenciesOf(current);
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
      const text = await read();
      if (text !== source) {
        const next = checkCatalog(text);
        replaceDurably(lastGoodPath, text);
        source = text;
        current = next;
        currencies = currenciesOf(next);
      }
      readAtMs = clock.now();
    },
  };
}

interface ReadGoods {
  readonly text: string;
  /** Why the source could not be used; the text is the last good one then. */
  readonly fault?: ScripError;
}

/** @throws {ScripError} CATALOG_INVALID, MERCHANT_ERROR, INPUT_INVALID when there is no last good version either */
export async function readGoods({ read, lastGoodPath }: CatalogSource): Promise<ReadGoods> {
  try {
    const text = await read();
    checkCatalog(text);
    return { text };
  } catch (fault) {
    if (!(fault instanceof ScripError) || !existsSync(lastGoodPath)) throw fault;
    return { text: readFileSync(lastGoodPath, 'utf8'), fault };
  }
}

async function firstText(options: CatalogOptions): Promise<string> {
  const { text, fault } = await readGoods(options);
  if (fault === undefined) replaceDurably(options.lastGoodPath, text);
  else {
    const message = t`The last good catalog is used: ${fault.sentence}`;
    options.report?.(new ScripError(fault.code, message, { cause: fault }));
  }
  return text;
}
