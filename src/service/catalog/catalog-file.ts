/** An operator's own catalog, from a JSON file; docs/operate/catalog.md describes the format. */

import { createHash } from 'node:crypto';
import { z } from 'zod';
import { type Infer, lazy } from '../../contract/endpoint.ts';
import { plainIssues } from '../../contract/plain-issues.ts';
import { commandText } from '../../domain/message/command-text.ts';
import { ScripError } from '../../domain/message/errors.ts';
import { t } from '../../domain/message/message.ts';
import { atomic, FACE_DECIMALS, parseDecimal } from '../../domain/money/money.ts';
import { nearest } from '../../domain/product/catalog-query.ts';
import { CATEGORIES, CATEGORY_KINDS, FAMILIES } from '../../domain/product/categories.ts';
import { currencyOf, listCountries } from '../../domain/product/countries.ts';
import {
  type Brand,
  type Denomination,
  faceValueBounds,
  labelOf,
  PRODUCT_KINDS,
  type Product,
} from '../../domain/product/product.ts';
import { type Catalog, createShelves, type Shelf, shelve } from './catalog.ts';
import type { Rates } from './pricing.ts';

/** Step of a range without `step_size`, in units of its currency. */
const DEFAULT_STEP = '1';

/** One fault of the file, with its path: `brands[0].products[2].face_value`. */
interface Issue {
  readonly path: string;
  readonly message: string;
}

const decimal = lazy(() =>
  z
    .string()
    .regex(
      /^(0|[1-9]\d{0,9})(\.\d{1,6})?$/,
      'must be a decimal in a string, such as "25" or "25.50", with at most 6 decimals',
    )
    .refine((text) => !/^0(\.0+)?$/.test(text), 'must be more than zero'),
);

const name = lazy(() => z.string().trim().min(1).max(200));

const product = lazy(() =>
  z.strictObject({
    product_id: z.uuid(),
    product_name: name().optional(),
    denomination_label: z.string().trim().min(1).max(60).optional(),
    face_value: decimal().optional(),
    min_value: decimal().optional(),
    max_value: decimal().optional(),
    step_size: decimal().optional(),
  }),
);
type FileProduct = Infer<typeof product>;

const brand = lazy(() =>
  z.strictObject({
    brand_name: name(),
    country_code: z.string().regex(/^[a-z]{2}$/, 'must be two lowercase letters, such as us'),
    category: z.enum(CATEGORIES),
    kind: z.enum(PRODUCT_KINDS).optional(),
    family: name().optional(),
    currency: z
      .string()
      .regex(/^[A-Z]{3}$/, 'must be an ISO 4217 code, such as USD')
      .optional(),
    is_out_of_stock: z.boolean().optional(),
    products: z.array(product()).min(1),
  }),
);
type FileBrand = Infer<typeof brand>;

const file = lazy(() => z.strictObject({ brands: z.array(brand()).min(1) }));

/**
 * Reads a catalog file; `details.issues` of the error lists every fault with its path.
 * @throws {ScripError} CATALOG_INVALID
 */
export function loadCatalogFile(text: string, rates: Pick<Rates, 'picoUsdPer'>): Catalog {
  const json = parseJson(text);
  const parsed = file().safeParse(json);
  if (!parsed.success) {
    throw invalid(
      plainIssues(file(), json, (known, typed) => nearest(known, typed, 1)).map(
        ({ path, message }) => ({ path: pathText(path), message }),
      ),
    );
  }
  const { brands } = parsed.data;
  const ofBrand = (row: FileBrand, index: number) => issuesOfBrand(row, index, rates);
  const issues = [...brands.flatMap(ofBrand), ...repeats(brands)];
  if (issues.length > 0) throw invalid(issues);
  return catalogOf(brands, createHash('sha256').update(text).digest('hex').slice(0, 16));
}

function catalogOf(brands: readonly FileBrand[], digest: string): Catalog {
  const stock = brands.map(shelfOf);
  const sold = new Set(brands.map((row) => row.country_code));
  const byId = new Map(
    stock.flatMap((shelf) => shelf.products()).map((item) => [item.productId, item] as const),
  );
  const shelves = createShelves((code) => stock.filter((it) => it.brand.countryCode === code));
  return {
    version: `file-${digest}`,
    countries: listCountries((code) => sold.has(code)),
    brands: shelves.brands,
    products: shelves.products,
    product: (productId) => byId.get(productId),
  };
}

function shelfOf(row: FileBrand): Shelf {
  const kind = row.kind ?? CATEGORY_KINDS[row.category];
  const described: Brand = {
    brandId: `${row.country_code}/${row.brand_name}`,
    name: row.brand_name,
    family: row.family ?? FAMILIES[kind],
    category: row.category,
    kind,
    countryCode: row.country_code,
    currency: currencyIn(row),
    isOutOfStock: row.is_out_of_stock ?? false,
    ...faceValueBounds(row.products.map(denominationOf)),
  };
  return shelve(described, () => row.products.map((item) => productOf(described, item)));
}

function productOf(of: Brand, row: FileProduct): Product {
  const label = labelIn(row, of.currency);
  return {
    productId: row.product_id,
    name: row.product_name ?? `${of.name} ${label}`,
    brand: of,
    denomination: denominationOf(row),
    label,
  };
}

function denominationOf(row: FileProduct): Denomination {
  if (row.face_value !== undefined) return { isRange: false, faceValue: faceValue(row.face_value) };
  return {
    isRange: true,
    min: faceValue(row.min_value),
    max: faceValue(row.max_value),
    step: faceValue(row.step_size ?? DEFAULT_STEP),
  };
}

/** `issuesOfProduct` reports a missing bound before this reads it. */
function faceValue(text: string | undefined) {
  return text === undefined ? atomic(0n) : parseDecimal(text, FACE_DECIMALS);
}

function labelIn(row: FileProduct, currency: string): string {
  return row.denomination_label ?? labelOf(denominationOf(row), currency);
}

function currencyIn(row: FileBrand): string {
  return row.currency ?? currencyOf(row.country_code);
}

function issuesOfBrand(
  row: FileBrand,
  index: number,
  rates: Pick<Rates, 'picoUsdPer'>,
): readonly Issue[] {
  const path = `brands[${index}]`;
  const issues: Issue[] = row.products.flatMap((item, at) =>
    issuesOfProduct(item, `${path}.products[${at}]`),
  );
  if (!listCountries().some(({ code }) => code === row.country_code)) {
    const message = commandText`${row.country_code} is not a country of the list; run: scrip countries`;
    issues.push({ path: `${path}.country_code`, message: String(message) });
  }
  if (rates.picoUsdPer(currencyIn(row)) === undefined) {
    issues.push({ path: `${path}.currency`, message: `there is no rate for ${currencyIn(row)}` });
  }
  return issues;
}

/** A product is either fixed or a range, and a range's steps lead exactly from min to max. */
function issuesOfProduct(row: FileProduct, path: string): readonly Issue[] {
  const bounds = [row.min_value, row.max_value, row.step_size];
  if (row.face_value !== undefined) {
    const isRangeToo = bounds.some((bound) => bound !== undefined);
    const message = 'has a face_value, so min_value, max_value and step_size must be left out';
    return isRangeToo ? [{ path, message }] : [];
  }
  if (row.min_value === undefined || row.max_value === undefined) {
    return [{ path, message: 'needs a face_value, or min_value and max_value' }];
  }
  const min = faceValue(row.min_value);
  const max = faceValue(row.max_value);
  const step = faceValue(row.step_size ?? DEFAULT_STEP);
  if (min >= max) return [{ path: `${path}.max_value`, message: 'must be more than min_value' }];
  if ((max - min) % step === 0n) return [];
  return [
    { path: `${path}.step_size`, message: 'must lead from min_value to max_value in whole steps' },
  ];
}

/** Finds duplicates: a brand in its country, a label in its brand, a product id in the file. */
function repeats(brands: readonly FileBrand[]): readonly Issue[] {
  const ids = brands.flatMap((row, at) =>
    row.products.map((item, index) => ({
      key: item.product_id.toLowerCase(),
      path: `brands[${at}].products[${index}].product_id`,
    })),
  );
  const names = brands.map((row, at) => ({
    key: `${row.brand_name} in ${row.country_code}`,
    path: `brands[${at}].brand_name`,
  }));
  const labels = brands.map((row, at) =>
    row.products.map((item, index) => ({
      key: labelIn(item, currencyIn(row)),
      path: `brands[${at}].products[${index}].denomination_label`,
    })),
  );
  return [ids, names, ...labels].flatMap(repeatsAmong);
}

function repeatsAmong(
  items: readonly { readonly key: string; readonly path: string }[],
): readonly Issue[] {
  const first = new Map<string, string>();
  return items.flatMap(({ key, path }) => {
    const earlier = first.get(key);
    if (earlier !== undefined) return [{ path, message: `${key} is at ${earlier} already` }];
    first.set(key, path);
    return [];
  });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw invalid(
      [
        {
          path: '$',
          message: `is not JSON: ${cause instanceof Error ? cause.message : 'it cannot be read'}`,
        },
      ],
      cause,
    );
  }
}

function pathText(path: readonly PropertyKey[]): string {
  const steps = path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`));
  return steps.join('').replace(/^\./, '') || '$';
}

function invalid(issues: readonly Issue[], cause?: unknown): ScripError {
  const [first, ...others] = issues.map(({ path, message }) => `${path}: ${message}`);
  const more = others.length > 0 ? ` (and ${others.length} more)` : '';
  return new ScripError('CATALOG_INVALID', t`The catalog is invalid at ${first ?? ''}${more}`, {
    cause,
    details: { issues },
  });
}
