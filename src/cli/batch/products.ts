/** Finds the products of cart lines without a product id: by brand and value, in a country. */

import type { CatalogReader } from '../../api/catalog-reader.ts';
import {
  checkoutCatalog,
  listedProduct,
  type listProducts,
} from '../../api/checkout/checkout-catalog.ts';
import { offerAgain } from '../../api/checkout/checkout-quote.ts';
import { sha256 } from '../../api/payment/digest.ts';
import { canonicalJson } from '../../domain/canonical-json.ts';
import type { HeldOrder } from '../../domain/cart-items.ts';
import { ScripError } from '../../domain/errors.ts';
import { joined, t } from '../../domain/message.ts';
import type { OfferedProduct } from '../browsing/offered-product.ts';
import { chooseProduct, remembering } from '../browsing/product-choice.ts';
import { type ScripContext, scripDeps } from '../scrip-deps.ts';
import { shortestWords } from '../wizard/line-again.ts';
import { type AskedRow, type BadLine, type CartRow, lineProblems, once } from './checking.ts';

export interface NamedRows {
  readonly rows: readonly CartRow[];
  readonly bad: readonly BadLine[];
}

/**
 * Finds the product of each line. A line that an earlier run has bought keeps its product, even if the
 * catalog has changed since.
 * @throws {ScripError} of no single line: NETWORK_UNREACHABLE and others
 */
export async function nameProducts(
  context: ScripContext,
  asked: readonly AskedRow[],
  { held, catalog }: { readonly held: readonly HeldOrder[]; readonly catalog: CatalogReader },
): Promise<NamedRows> {
  const before = boughtBefore(held);
  const found = new Map<string, Promise<OfferedProduct>>();
  const rows: CartRow[] = [];
  const bad: BadLine[] = [];
  for (const row of asked) {
    const { productId, brand, value, country } = row;
    if (productId !== undefined) {
      rows.push({ ...row, productId });
      continue;
    }
    const words = await digestOf(row);
    const known = before.get(words);
    if (known !== undefined) {
      rows.push({ ...row, ...known, words });
      continue;
    }
    const key = canonicalJson([brand, value ?? null, country]);
    const find = () =>
      chooseProduct(
        context,
        { words: brand, value, isValueApart: true, country, merchant: 'checkout' },
        { isCertain: true, lineFor: () => [], catalog },
      );
    try {
      const offer = await once(found, key, find);
      const { id, brand: sold, countryCode } = offer.product;
      const product = { productId: id, brand: sold, country: countryCode, value: offer.value };
      rows.push({ ...row, ...product, words });
    } catch (error) {
      bad.push(...lineProblems(await withLines(error, row, catalog), row));
    }
  }
  return { rows, bad };
}

/** The lists of a host; a brand's list is fetched once and shared with its price requests. */
export function cartCatalog(context: ScripContext, listOf: typeof listProducts): CatalogReader {
  const deps = scripDeps(context);
  const host = checkoutCatalog(deps);
  return remembering({
    ...host,
    products: async (section) => {
      const { country, brand } = section;
      if (brand === undefined) return host.products(section);
      return (await listOf(deps, country, brand)).map(listedProduct);
    },
  });
}

/** Identifies the same line of the same cart in every run. */
async function digestOf({ brand, country, value, to, note }: AskedRow): Promise<string> {
  const said = [brand, country].map((text) => text.trim().toLowerCase());
  return (await sha256(canonicalJson([...said, value ?? null, to, note ?? null]))).slice(0, 32);
}

/** By line digest, the products that earlier runs bought. @throws {ScripError} JOURNAL_UNUSABLE */
function boughtBefore(
  held: readonly HeldOrder[],
): ReadonlyMap<string, Pick<CartRow, 'productId' | 'brand' | 'value'>> {
  return new Map(
    held.flatMap(({ entry: { intent } }) => {
      const { found = [] } = intent.cart ?? {};
      const { items } = found.length === 0 ? { items: [] } : offerAgain(intent).body;
      return items.flatMap(({ product_id: productId, product_value }, at) => {
        const { line, brand } = found[at] ?? {};
        if (line === undefined || brand === undefined) return [];
        const value = product_value === undefined ? undefined : String(product_value);
        return [[line, { productId, brand, value }] as const];
      });
    }),
  );
}

/** Number of products suggested for a line that means several, or none. */
const MOST_NAMED = 3;

/** Adds corrected lines to choose from: the same line with each suggested product. */
async function withLines(
  error: unknown,
  { withBrand, value, country }: AskedRow,
  catalog: CatalogReader,
): Promise<unknown> {
  if (!(error instanceof ScripError)) return error;
  const { products, matches } = error.details;
  const named = (Array.isArray(products) ? products : []).slice(0, MOST_NAMED);
  if (named.length === 0) return error;
  const names = named.map((product: unknown) => String(Object(product).name));
  const lines = await Promise.all(
    named.map(async (product: unknown) => {
      const { product_id: productId, brand, name }: Record<string, unknown> = Object(product);
      const known = { productId: String(productId), brand: String(brand), country, value };
      const words = await shortestWords(catalog, known);
      const line = withBrand(words) ?? words;
      return words === known.productId ? `${line} (${String(name)})` : line;
    }),
  );
  const unnamed = Number(matches) - named.length;
  const more = unnamed > 0 ? [t`and ${unnamed} more`] : [];
  const isAmbiguous = error.code === 'PRODUCT_AMBIGUOUS';
  const said = !isAmbiguous
    ? t`${error.sentence}; sold there: ${joined([...names, ...more], ', ')}`
    : lines.length === 1
      ? t`${error.sentence}; then write: ${lines.join('; ')}`
      : t`${error.sentence}; write one of these lines: ${joined([...lines, ...more], '; ')}`;
  return new ScripError(error.code, said, { cause: error, details: error.details });
}
