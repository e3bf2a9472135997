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

/** Names by country. */
type Names = Readonly<Record<string, readonly string[]>>;

export interface Remembered {
  /** The checkout host of these brands, coins and products. */
  readonly host: string;
  readonly brands: Names;
  readonly families: Names;
  readonly coins: readonly string[];
  /** Recently browsed, latest first. */
  readonly products: readonly RememberedProduct[];
  /** Descriptions by id, latest first: `Amazon.com 25 USD, 2026-11-23`; empty if there is none. */
  readonly orders: Readonly<Record<string, string>>;
}

/** What a command has seen. */
export type Learned = Partial<Omit<Remembered, 'host'>>;

const MAX_COUNTRIES = 20;
const MAX_NAMES = 2_000;
const MAX_PRODUCTS = 300;
const MAX_ORDERS = 200;
const MAX_LENGTH = 120;

/** Adds what a command has seen. A new host replaces brands and products; orders stay. */
export function remember(
  known: Remembered | undefined,
  host: string,
  seen: Learned = {},
): Remembered {
  const before: Learned = known?.host === host ? known : {};
  const named = Object.entries(seen.orders ?? {}).filter(([, name]) => name !== '');
  return cleaned(host, {
    brands: latestFirst(seen.brands, before.brands),
    families: latestFirst(seen.families, before.families),
    coins: seen.coins ?? before.coins,
    products: [...(seen.products ?? []), ...(before.products ?? [])],
    orders: { ...seen.orders, ...known?.orders, ...Object.fromEntries(named) },
  });
}

function latestFirst(seen: Names | undefined, before: Names | undefined): Names {
  return { ...seen, ...before, ...seen };
}

/** Limits each part, and drops what a terminal would not show unchanged, or has another form. */
function cleaned(
  host: string,
  { brands, families, coins, products, orders }: Readonly<Record<string, unknown>>,
): Remembered {
  const known = list(products).filter(isProduct);
  return {
    host,
    brands: byCountry(brands),
    families: byCountry(families),
    coins: words(coins),
    products: [...new Map(known.map((one) => [one.id, one])).values()].slice(0, MAX_PRODUCTS),
    orders: Object.fromEntries(
      entries(orders)
        .filter(([id]) => isWord(id))
        .slice(0, MAX_ORDERS)
        .map(([id, name]) => [id, isWord(name) ? name : '']),
    ),
  };
}

function byCountry(value: unknown): Names {
  const countries = entries(value).filter(([country]) => isWord(country));
  const newest = countries.slice(0, MAX_COUNTRIES);
  return Object.fromEntries(newest.map(([country, names]) => [country, words(names)]));
}

function words(value: unknown): readonly string[] {
  return [...new Set(list(value).filter(isWord))].slice(0, MAX_NAMES);
}

function isProduct(value: unknown): value is RememberedProduct {
  const { id, brand, country, label } = Object.fromEntries(entries(value));
  return [id, brand, country].every(isWord) && (label === '' || isWord(label));
}

function isWord(text: unknown): text is string {
  return (
    typeof text === 'string' &&
    text !== '' &&
    text.length <= MAX_LENGTH &&
    escapeText(text) === text
  );
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function entries(value: unknown): readonly (readonly [string, unknown])[] {
  return typeof value === 'object' && value !== null ? Object.entries(value) : [];
}

const VERSION = 1;

/** The content of the file. */
export function rememberedText(remembered: Remembered): string {
  return `${JSON.stringify({ version: VERSION, ...remembered })}\n`;
}

/** Parses the file. Undefined if we did not write it; drops invalid parts. */
export function readRemembered(text: string): Remembered | undefined {
  try {
    const { version, host, ...parts } = Object.fromEntries(entries(JSON.parse(text)));
    return version === VERSION && typeof host === 'string' ? cleaned(host, parts) : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
