/** Finds the product of every line of a cart, and checks recipient, product and price, before anything is bought. */

import type { CatalogReader } from '../../api/catalog-reader.ts';
import {
  checkoutCatalog,
  listedProduct,
  listProducts,
} from '../../api/checkout/checkout-catalog.ts';
import {
  canonicalValue,
  offerAgain,
  type PricedLine,
  priceLine,
  priceSelection,
} from '../../api/checkout/checkout-quote.ts';
import { sha256 } from '../../api/payment/outcome.ts';
import { otherCountryError } from '../../api/recipient.ts';
import { checkEmail } from '../../domain/address/email.ts';
import { attempt } from '../../domain/attempt.ts';
import { canonicalJson } from '../../domain/canonical-json.ts';
import { commandText } from '../../domain/message/command-text.ts';
import { type Code, remade, ScripError } from '../../domain/message/errors.ts';
import { joined, t } from '../../domain/message/message.ts';
import type { HeldOrder } from '../../domain/product/cart-items.ts';
import { chooseProduct, createMemo, remembering } from '../browsing/product-choice.ts';
import type { With } from '../context.ts';
import { type ScripContext, scripDeps } from '../scrip-deps.ts';
import { shortestWords } from '../wizard/line-again.ts';
import type { CartLine } from './cart-file.ts';
import type { CartOptions } from './flags.ts';

/** A line of a cart: what it asks for, as typed where it cannot be read, and what was found out so far. */
export interface CartRow {
  readonly number: number;
  /** Undefined until its product is found by brand and value. */
  readonly productId?: string | undefined;
  /** In canonical form, which identifies items; the product found for the line may need none. */
  readonly value?: string | undefined;
  /** The value in the line. */
  readonly saidValue?: string | undefined;
  readonly country: string;
  readonly brand: string;
  readonly to: string;
  readonly note?: string | undefined;
  /** 0 for a line that has no fields. */
  readonly quantity: number;
  readonly withBrand: (brand: string) => string | undefined;
  /** Whether it names a product, so that the catalog can be asked. */
  readonly isNamed: boolean;
  /** Identifies a line whose product was found by name, in every run. */
  readonly words?: string;
  /** Ids of its items, the same in every run. */
  readonly ids: readonly string[];
  readonly offer?: PricedLine;
  /** The errors' details.line is the line's number, details.field the wrong field. */
  readonly problems: readonly ScripError[];
}

export const isWrong = ({ problems }: CartRow): boolean => problems.length > 0;

/** Reads a line with its value in canonical form. Makes no request. */
export async function readRow(
  { parts: { parsePhone } }: With<'parts'>,
  line: CartLine,
  defaults: CartOptions['defaults'],
): Promise<CartRow> {
  const { number, entry, withBrand = () => undefined } = line;
  const problems: ScripError[] = line.problem === undefined ? [] : [line.problem];
  if (entry === undefined) {
    const nothing = { country: '', brand: '', to: '', quantity: 0, isNamed: false, ids: [] };
    return { number, ...nothing, withBrand, problems };
  }
  const { to, value, country = '', brand = '' } = { ...defaults, ...entry };
  const noted = <T>(field: string, read: () => T): T | undefined =>
    attempt(read, (error) => {
      problems.push(located(error, number, field));
      return undefined;
    });
  const typed = noted('to', () => required(number, 'to', to).trim()) ?? '';
  const inCountry = noted('country', () => required(number, 'country', country));
  const sold = noted('brand', () => required(number, 'brand', brand));
  const canonical = value === undefined ? undefined : noted('value', () => canonicalValue(value));
  const isClear = value === undefined || canonical !== undefined;
  const isNamed = inCountry !== undefined && sold !== undefined && isClear;
  const isPhone = isNamed && /^\+?[0-9 ().-]+$/.test(typed);
  const phone = isPhone ? await parsePhone(typed, inCountry) : undefined;
  return {
    ...{ number, productId: entry.product, to: phone?.number ?? typed },
    ...{ value: canonical, saidValue: canonical ?? value, note: entry.note },
    ...{ country, brand, quantity: entry.quantity, withBrand, isNamed, problems, ids: [] },
  };
}

function required(number: number, field: string, value: string | undefined): string {
  if (value !== undefined && value.trim() !== '') return value;
  throw new ScripError('INPUT_INVALID', t`Line ${number} of the cart names no ${field}`, {
    hint:
      field === 'country'
        ? commandText`Add a column country, or --country us for all lines. To save a default: scrip config set country us`
        : commandText`Fill the column ${field}, or set it for all lines with --${field}.`,
  });
}

/** Codes about one line, with the wrong field. Other codes concern the whole run. */
const FIELDS: ReadonlyMap<Code, string> = new Map([
  ['EMAIL_INVALID', 'to'],
  ['PHONE_INVALID', 'to'],
  ['BENEFICIARY_INVALID', 'to'],
  ['PHONE_OTHER_COUNTRY', 'to'],
  ['COUNTRY_UNKNOWN', 'country'],
  ['COUNTRY_NOT_SOLD', 'country'],
  ['BRAND_UNKNOWN', 'brand'],
  ['PRODUCT_AMBIGUOUS', 'brand'],
  ['PRODUCT_UNKNOWN', 'product_id'],
  ['OUT_OF_STOCK', 'product_id'],
  ['INPUT_INVALID', 'product_id'],
  ['VALUE_REQUIRED', 'value'],
  ['VALUE_NOT_ALLOWED', 'value'],
  ['VALUE_OUT_OF_RANGE', 'value'],
  ['VALUE_OFF_STEP', 'value'],
  ['AMOUNT_INVALID', 'value'],
]);

/** Maximum number of concurrent requests. */
const AT_ONCE = 8;

/**
 * Requests prices, each once, and checks the lines against them.
 * @param onChecked called after each line
 * @throws {ScripError} of no single line: NETWORK_UNREACHABLE and others
 */
export async function checkRows(
  context: ScripContext,
  rows: readonly CartRow[],
  { listOf, onChecked }: { readonly listOf: typeof listProducts; onChecked(): void },
): Promise<ReadonlyMap<number, CartRow>> {
  const checked = new Map<number, CartRow>();
  const once = createMemo();
  const queue = rows.values();
  const work = async (): Promise<void> => {
    for (const row of queue) {
      const { number, productId = '', country, brand, value } = row;
      const chosen = { ...row, productId };
      const key = JSON.stringify([productId, country.toLowerCase(), brand, value ?? null]);
      const price = once(key, () => priceSelection(scripDeps(context), chosen, listOf));
      try {
        checked.set(number, { ...row, offer: await priceLine(scripDeps(context), chosen, price) });
      } catch (error) {
        checked.set(number, withProblems(error, row));
      }
      onChecked();
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return checked;
}

/**
 * Asks once about all phone numbers of another country than their product's; otherwise those lines are wrong.
 * @throws {ScripError} DECLINED
 */
export async function settleCountries(
  { io: { prompter } }: With<'io'>,
  rows: readonly CartRow[],
  { isAsked }: { readonly isAsked: boolean },
): Promise<readonly CartRow[]> {
  const elsewhere = (row: CartRow) => (isWrong(row) ? undefined : row.offer?.recipient.elsewhere);
  const strange = rows.filter((row) => elsewhere(row) !== undefined);
  const [first] = strange;
  const named = first && elsewhere(first);
  if (named === undefined) return rows;
  if (!isAsked) {
    return rows.map((row) => {
      const countries = elsewhere(row);
      return countries === undefined ? row : withProblems(otherCountryError(countries), row);
    });
  }
  const question = t`Lines with a phone number from another country than the product: ${strange.length}, such as line ${first?.number ?? 0} (${named.phone}, not ${named.product}). Buy them anyway?`;
  if (await prompter.confirm(question)) return rows;
  throw new ScripError('DECLINED', t`You declined; nothing was charged`);
}

/**
 * Adds the problems of a line whose product was not found or priced.
 * @throws an error that concerns the whole run
 */
function withProblems(error: unknown, row: CartRow): CartRow {
  const { number, to } = row;
  const problems = [...row.problems, lineProblem(error, number)];
  // Without a product, check a recipient with an @ as an e-mail address.
  if (to.includes('@')) {
    attempt(
      () => void checkEmail(to),
      (problem) => void problems.push(lineProblem(problem, number)),
    );
  }
  return { ...row, problems };
}

/** Returns the problem of one line. @throws an error that concerns the whole run */
function lineProblem(error: unknown, number: number): ScripError {
  const field = error instanceof ScripError ? FIELDS.get(error.code) : undefined;
  if (!(error instanceof ScripError) || field === undefined) throw error;
  return located(error, number, field);
}

function located(error: ScripError, line: number, field: string): ScripError {
  return remade(error, { details: { ...error.details, line, field } });
}

/** Lists a brand's products, requesting each list once. */
export function listsOnce(): typeof listProducts {
  const once = createMemo();
  return (deps, country, brand) =>
    once(JSON.stringify([country, brand]), () => listProducts(deps, country, brand));
}

/**
 * Finds the product of each line. A line that an earlier run has bought keeps its product, even if the
 * catalog has changed since.
 * @throws {ScripError} of no single line: NETWORK_UNREACHABLE and others
 */
export async function nameProducts(
  context: ScripContext,
  rows: readonly CartRow[],
  { held, catalog }: { readonly held: readonly HeldOrder[]; readonly catalog: CatalogReader },
): Promise<readonly CartRow[]> {
  const before = boughtBefore(held);
  const once = createMemo();
  const named: CartRow[] = [];
  for (const row of rows) {
    const { brand: said, value, country } = row;
    if (row.productId !== undefined || !row.isNamed) {
      named.push(row);
      continue;
    }
    const words = await digestOf(row);
    const find = async () => {
      const offer = await chooseProduct(
        context,
        { words: said, value, isValueApart: true, country, merchant: 'checkout' },
        { isCertain: true, lineFor: () => [], catalog },
      );
      const { id: productId, brand, countryCode } = offer.product;
      return { productId, brand, country: countryCode, value: offer.value };
    };
    try {
      const key = canonicalJson([said, value ?? null, country]);
      named.push({ ...row, ...(before.get(words) ?? (await once(key, find))), words });
    } catch (error) {
      named.push(withProblems(await withLines(error, row, catalog), row));
    }
  }
  return named;
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
async function digestOf({ brand, country, value, to, note }: CartRow): Promise<string> {
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
  { withBrand, value, country }: CartRow,
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
  return remade(error, { sentence: said });
}
