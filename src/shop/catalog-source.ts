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
  /** False when the source could not be used for a long time. */
  readonly isFresh: boolean;
}

export interface CatalogOptions {
  /** Reads the source. */
  read(): Promise<string>;
  readonly refreshMs: number;
  /** File of the last good version. */
  readonly lastGoodPath: string;
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

/** @throws {ScripError} CATALOG_INVALID, MERCHANT_ERROR, INPUT_INVALID when there is no last good version either */
export async function openShopCatalog(options: CatalogOptions): Promise<ShopCatalog> {
  const { read, lastGoodPath, rates, refreshMs, clock } = options;
  let nextAtMs = clock.now() + refreshMs;
  let readAtMs = clock.now();
  let source = await firstText(options);
  let current = checkCatalog(source);
  const isPriced = ({ currency }: Brand) => rates.picoUsdPer(currency) !== undefined;
  const isSold = ({ brand }: Product) => isPriced(brand);
  return {
    get version() {
      return `${current.version} ${rates.version}`;
    },
    get countries() {
      return current.countries;
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
      }
      readAtMs = clock.now();
    },
  };
}

async function firstText({ read, lastGoodPath, report }: CatalogOptions): Promise<string> {
  try {
    const text = await read();
    checkCatalog(text);
    replaceDurably(lastGoodPath, text);
    return text;
  } catch (error) {
    if (!(error instanceof ScripError) || !existsSync(lastGoodPath)) throw error;
    report?.(
      new ScripError(error.code, t`The last good catalog is used: ${error.sentence}`, {
        cause: error,
      }),
    );
    return readFileSync(lastGoodPath, 'utf8');
  }
}
