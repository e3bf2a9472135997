/** What completion remembers of a host between commands: a small file in the cache folder. */
import { escapeText } from '../../domain/message/message.ts';

export interface RememberedProduct {
  readonly id: string;
  readonly brand: string;
  /** Two letters, lowercase. */
  readonly country: string;
  /** Such as `25 USD`. */
  readonly label: string;
}

export interface Remembered {
  /** The checkout host of these brands, coins and products. */
  readonly host: string;
  /** Names by country. */
  readonly brands: Readonly<Record<string, readonly string[]>>;
  readonly families: Readonly<Record<string, readonly string[]>>;
  readonly coins: readonly string[];
  /** Recently browsed, latest first. */
  readonly products: readonly RememberedProduct[];
  /** Ids, latest first. */
  readonly orders: readonly string[];
  /** Descriptions of some orders, by id: `Amazon.com 25 USD, 2026-11-23`. */
  readonly orderNames: Readonly<Record<string, string>>;
}

/** What a command has seen. */
export interface Learned {
  readonly brands?: { readonly country: string; readonly names: readonly string[] };
  readonly families?: { readonly country: string; readonly names: readonly string[] };
  readonly coins?: readonly string[];
  readonly products?: readonly RememberedProduct[];
  readonly orders?: readonly string[];
  readonly orderNames?: Readonly<Record<string, string>>;
}

const MAX_COUNTRIES = 20;
const MAX_NAMES = 2_000;
const MAX_PRODUCTS = 300;
const MAX_ORDERS = 200;
const MAX_LENGTH = 120;

export function nothingRemembered(host: string): Remembered {
  return { host, brands: {}, families: {}, coins: [], products: [], orders: [], orderNames: {} };
}

/** Adds what a command has seen. A new host replaces brands and products; orders stay. */
export function remember(known: Remembered | undefined, host: string, seen: Learned): Remembered {
  const orders = known?.orders ?? [];
  const before = known?.host === host ? known : nothingRemembered(host);
  const latest = words([...(seen.orders ?? []), ...orders]).slice(0, MAX_ORDERS);
  const products = [...(seen.products ?? []), ...before.products];
  return {
    host,
    brands: withCountry(before.brands, seen.brands),
    families: withCountry(before.families, seen.families),
    coins: seen.coins === undefined ? before.coins : words(seen.coins),
    products: [...new Map(products.filter(isPlain).map((one) => [one.id, one])).values()].slice(
      0,
      MAX_PRODUCTS,
    ),
    orders: latest,
    orderNames: namesOf(latest, { ...known?.orderNames, ...seen.orderNames }),
  };
}

/** Returns the descriptions of these orders only, without invalid texts. */
function namesOf(
  orders: readonly string[],
  names: Readonly<Record<string, unknown>>,
): Remembered['orderNames'] {
  return Object.fromEntries(
    orders.flatMap((id) => {
      const name = Object.hasOwn(names, id) ? names[id] : undefined;
      return isWord(name) ? [[id, name]] : [];
    }),
  );
}

function withCountry(
  known: Remembered['brands'],
  seen: { readonly country: string; readonly names: readonly string[] } | undefined,
): Remembered['brands'] {
  if (seen === undefined || !isWord(seen.country)) return known;
  const others = Object.entries(known).filter(([country]) => country !== seen.country);
  const newest = [[seen.country, words(seen.names)] as const, ...others];
  return Object.fromEntries(newest.slice(0, MAX_COUNTRIES));
}

/** Removes duplicates, and texts that a terminal would not show unchanged. */
function words(texts: readonly unknown[]): readonly string[] {
  return [...new Set(texts.filter(isWord))].slice(0, MAX_NAMES);
}

function isWord(text: unknown): text is string {
  return (
    typeof text === 'string' &&
    text !== '' &&
    text.length <= MAX_LENGTH &&
    escapeText(text) === text
  );
}

function isPlain({ id, brand, country, label }: RememberedProduct): boolean {
  return [id, brand, country].every(isWord) && (label === '' || isWord(label));
}

/** The content of the file. */
export function rememberedText(remembered: Remembered): string {
  return `${JSON.stringify({ version: VERSION, ...remembered })}\n`;
}

const VERSION = 1;

/** Parses the file. Undefined if we did not write it; drops invalid parts. */
export function readRemembered(text: string): Remembered | undefined {
  const root = parse(text);
  if (root?.version !== VERSION || typeof root.host !== 'string') return undefined;
  return {
    host: root.host,
    brands: byCountry(root.brands),
    families: byCountry(root.families),
    coins: list(root.coins),
    products: Array.isArray(root.products) ? root.products.flatMap(readProduct) : [],
    orders: list(root.orders),
    orderNames: namesOf(list(root.orders), record(root.orderNames) ?? {}),
  };
}

function parse(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    return record(JSON.parse(text));
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function record(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? { ...value }
    : undefined;
}

function list(value: unknown): readonly string[] {
  return Array.isArray(value) ? words(value) : [];
}

function byCountry(value: unknown): Remembered['brands'] {
  return Object.fromEntries(
    Object.entries(record(value) ?? {}).map(([country, names]) => [country, list(names)]),
  );
}

function readProduct(value: unknown): readonly RememberedProduct[] {
  const { id, brand, country, label } = record(value) ?? {};
  if (!isWord(id) || !isWord(brand) || !isWord(country)) return [];
  return [{ id, brand, country, label: isWord(label) ? label : '' }];
}
