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
  type PricedSelection,
  priceLine,
  priceSelection,
} from '../../api/checkout/checkout-quote.ts';
import { sha256 } from '../../api/payment/outcome.ts';
import { otherCountryError } from '../../api/recipient.ts';
import { checkEmail } from '../../domain/address/email.ts';
import { canonicalJson } from '../../domain/canonical-json.ts';
import { commandText } from '../../domain/message/command-text.ts';
import { type Code, ScripError } from '../../domain/message/errors.ts';
import { joined, t } from '../../domain/message/message.ts';
import type { CartLineInput, HeldOrder } from '../../domain/product/cart-items.ts';
import type { OfferedProduct } from '../browsing/offered-product.ts';
import { chooseProduct, remembering } from '../browsing/product-choice.ts';
import type { With } from '../context.ts';
import { type ScripContext, scripDeps } from '../scrip-deps.ts';
import { shortestWords } from '../wizard/line-again.ts';
import type { CartLine } from './cart-file.ts';

/** Values for lines that lack them, from options. */
export interface LineDefaults {
  readonly to?: string | undefined;
  readonly value?: string | undefined;
  readonly country?: string | undefined;
  readonly brand?: string | undefined;
}

/** A complete line: its product by id, or by brand and value. */
export interface AskedRow extends Omit<CartLineInput, 'productId'> {
  readonly number: number;
  readonly productId?: string | undefined;
  readonly country: string;
  readonly brand: string;
  /** The value in the line; the product found for it may need none. */
  readonly saidValue: string | undefined;
  readonly withBrand: (brand: string) => string | undefined;
}

/** A line whose product is known. */
export interface CartRow extends AskedRow {
  readonly productId: string;
  /** Identifies a line whose product was found by name, in every run. */
  readonly words?: string;
}

/** The error's details.line is the line's number, details.field the wrong field. */
export interface BadLine {
  readonly number: number;
  readonly row: AskedRow | undefined;
  readonly problem: ScripError;
}

export interface ReadLines {
  readonly rows: readonly AskedRow[];
  /** Wrong lines that still name a product: the catalog may find more problems. */
  readonly doubtful: readonly AskedRow[];
  readonly bad: readonly BadLine[];
}

/** Reads lines with their values in canonical form, which identifies items. Makes no request. */
export async function readRows(
  context: With<'parts'>,
  lines: readonly CartLine[],
  defaults: LineDefaults,
): Promise<ReadLines> {
  const read = await Promise.all(lines.map((line) => readRow(context, line, defaults)));
  const rowsOf = (isWanted: (one: ReadLine) => boolean) =>
    read.filter((one) => one.isNamed && isWanted(one)).flatMap(({ row }) => row ?? []);
  return {
    rows: rowsOf(({ problems }) => problems.length === 0),
    doubtful: rowsOf(({ problems }) => problems.length > 0),
    bad: read.flatMap(({ number, row, problems }) =>
      problems.map((problem) => ({ number, row, problem })),
    ),
  };
}

interface ReadLine {
  readonly number: number;
  /** As typed where it cannot be read; undefined if the line has no fields. */
  readonly row: AskedRow | undefined;
  /** Whether it names a product, so that the catalog can be asked. */
  readonly isNamed: boolean;
  readonly problems: readonly ScripError[];
}

async function readRow(
  { parts: { parsePhone } }: With<'parts'>,
  line: CartLine,
  defaults: LineDefaults,
): Promise<ReadLine> {
  const { number } = line;
  if (line.entry === undefined)
    return { number, row: undefined, isNamed: false, problems: [line.problem] };
  const { entry, withBrand } = line;
  const { to, value, country, brand } = { ...defaults, ...entry };
  const problems: ScripError[] = line.problem === undefined ? [] : [line.problem];
  const noted = <T>(read: () => T): T | undefined => {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof ScripError)) throw error;
      problems.push(error);
      return undefined;
    }
  };
  const typed = noted(() => required(number, 'to', to).trim()) ?? '';
  const inCountry = noted(() => required(number, 'country', country));
  const sold = noted(() => required(number, 'brand', brand));
  const canonical =
    value === undefined
      ? undefined
      : noted(() => onLine(number, 'value', () => canonicalValue(value)));
  const isClear = value === undefined || canonical !== undefined;
  const isNamed = inCountry !== undefined && sold !== undefined && isClear;
  const isPhone = isNamed && /^\+?[0-9 ().-]+$/.test(typed);
  const phone = isPhone ? await parsePhone(typed, inCountry) : undefined;
  const row = {
    ...{ number, productId: entry.product, to: phone?.number ?? typed },
    ...{ value: canonical, saidValue: canonical ?? value, note: entry.note },
    ...{ country: country ?? '', brand: brand ?? '', quantity: entry.quantity, withBrand },
  };
  return { number, row, isNamed, problems };
}

function required(number: number, field: string, value: string | undefined): string {
  if (value !== undefined && value.trim() !== '') return value;
  throw new ScripError('INPUT_INVALID', t`Line ${number} of the cart names no ${field}`, {
    hint:
      field === 'country'
        ? commandText`Add a column country, or --country us for all lines. To save a default: scrip config set country us`
        : commandText`Fill the column ${field}, or set it for all lines with --${field}.`,
    details: { line: number, field },
  });
}

function onLine<T>(number: number, field: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof ScripError ? located(error, number, field) : error;
  }
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

interface CheckedRows {
  readonly offers: ReadonlyMap<CartRow, PricedLine>;
  readonly bad: readonly BadLine[];
}

/** Maximum number of concurrent requests. */
const AT_ONCE = 8;

/**
 * Requests products and prices, each once, and checks every line against them.
 * @param onChecked called after each line
 * @throws {ScripError} of no single line: NETWORK_UNREACHABLE and others
 */
export async function checkRows(
  context: ScripContext,
  rows: readonly CartRow[],
  { listOf, onChecked }: { readonly listOf: typeof listProducts; onChecked(): void },
): Promise<CheckedRows> {
  const offers = new Map<CartRow, PricedLine>();
  const bad: BadLine[] = [];
  const price = pricesOnce(context, listOf);
  const queue = rows.values();
  const work = async (): Promise<void> => {
    for (const row of queue) {
      try {
        offers.set(row, await priceLine(scripDeps(context), row, price(row)));
      } catch (error) {
        bad.push(...lineProblems(error, row));
      }
      onChecked();
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return { offers, bad };
}

/**
 * Asks once about all phone numbers of another country than their product's; otherwise those lines are wrong.
 * @throws {ScripError} DECLINED
 */
export async function settleCountries(
  { settings, io: { prompter } }: With<'settings' | 'io'>,
  { offers, bad }: CheckedRows,
  { mayAsk }: { readonly mayAsk: boolean },
): Promise<CheckedRows> {
  const strange = [...offers].flatMap(([row, { recipient }]) =>
    recipient.elsewhere === undefined ? [] : [{ row, elsewhere: recipient.elsewhere }],
  );
  const [first] = strange;
  if (first === undefined) return { offers, bad };
  if (!settings.mayPrompt || !mayAsk) {
    const foreign = strange.map(({ row, elsewhere }) => ({
      number: row.number,
      row,
      problem: lineProblem(otherCountryError(elsewhere), row.number),
    }));
    const strangers = new Set(strange.map(({ row }) => row));
    return {
      offers: new Map([...offers].filter(([row]) => !strangers.has(row))),
      bad: [...bad, ...foreign],
    };
  }
  const { row, elsewhere } = first;
  const question = t`Lines with a phone number from another country than the product: ${strange.length}, such as line ${row.number} (${elsewhere.phone}, not ${elsewhere.product}). Buy them anyway?`;
  if (await prompter.confirm(question)) return { offers, bad };
  throw new ScripError('DECLINED', t`You declined; nothing was charged`);
}

/**
 * Returns all problems of a line whose product was not found or priced.
 * @throws an error that concerns the whole run
 */
function lineProblems(error: unknown, row: AskedRow): readonly BadLine[] {
  const { number, to } = row;
  const problems = [lineProblem(error, number)];
  // Without a product, check a recipient with an @ as an e-mail address.
  if (to.includes('@')) {
    try {
      checkEmail(to);
    } catch (problem) {
      problems.push(lineProblem(problem, number));
    }
  }
  return problems.map((problem) => ({ number, row, problem }));
}

/** Returns the problem of one line. @throws an error that concerns the whole run */
function lineProblem(error: unknown, number: number): ScripError {
  const field = error instanceof ScripError ? FIELDS.get(error.code) : undefined;
  if (!(error instanceof ScripError) || field === undefined) throw error;
  return located(error, number, field);
}

function located(error: ScripError, line: number, field: string): ScripError {
  return new ScripError(error.code, error.sentence, {
    cause: error,
    hint: error.hint,
    details: { ...error.details, line, field },
  });
}

/** Lists a brand's products, requesting each list once. */
export function listsOnce(): typeof listProducts {
  const lists = new Map<string, ReturnType<typeof listProducts>>();
  return (deps, country, brand) =>
    once(lists, JSON.stringify([country, brand]), () => listProducts(deps, country, brand));
}

/** Requests the price of each product and value once. */
function pricesOnce(
  context: ScripContext,
  listOf: typeof listProducts,
): (row: CartRow) => Promise<PricedSelection> {
  const prices = new Map<string, Promise<PricedSelection>>();
  return (row) => {
    const { productId, country, brand, value } = row;
    const key = JSON.stringify([productId, country.toLowerCase(), brand, value ?? null]);
    return once(prices, key, () => priceSelection(scripDeps(context), row, listOf));
  };
}

export function once<T>(
  known: Map<string, Promise<T>>,
  key: string,
  ask: () => Promise<T>,
): Promise<T> {
  const answer = known.get(key) ?? ask();
  known.set(key, answer);
  return answer;
}

interface NamedRows {
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
