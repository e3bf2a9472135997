/** Converts responses to the interface's form for hosts known to send another. */

import type { Endpoint } from '../../contract/endpoint.ts';
import { parseJson } from '../../domain/attempt.ts';
import { ORDER_FORMS } from '../checkout/order-form.ts';
import { parseExactly } from './tolerant.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Conversions for lists that the interface does not show, by endpoint. */
const LIST_FORMS: Readonly<Partial<Record<string, (json: unknown, asked: Fields) => unknown>>> = {
  getAvailableCountries: countriesForm,
  searchProducts: searchForm,
};

/** Parses a response. @param asked the input of the call */
export function replyJson(
  { name, output }: Pick<Endpoint, 'name' | 'output'>,
  text: string,
  asked: Fields,
): unknown {
  const order = ORDER_FORMS.get(output);
  if (order !== undefined) {
    const { order_id } = asked;
    return order(parseExactly(text), typeof order_id === 'string' ? order_id : undefined);
  }
  return LIST_FORMS[name]?.(parseJson(text), asked) ?? parseJson(text);
}

type Row = Readonly<Record<string, unknown>>;
/**
 * @param key of the row in an object of rows; empty in a list. Returns undefined for anything that is not a
 * row.
 */
type ReadRow = (value: unknown, key: string) => Row | undefined;

/** Maximum nesting of envelopes. */
const MOST_ENVELOPES = 3;
/** Field names of lists, searched first. */
const LISTS = ['countries', 'brands', 'results', 'items', 'hits', 'data'];

const CODE = /^[A-Za-z]{2}$/;
const CODES = [
  ...['code', 'iso2', 'iso', 'iso_code', 'country_code', 'countryCode'],
  ...['alpha_2', 'alpha2', 'cca2', 'id', 'value'],
];
const COUNTRIES = ['name', 'country_name', 'countryName', 'country', 'label', 'title', 'text'];
const CURRENCIES = ['currency', 'currency_code', 'currencyCode'];
/** Keys of a name given in several languages, or in a short and a long form. */
const NAME_FORMS = ['en', 'common', 'default'];
const BRANDS = ['brand', 'brand_name', 'brandName', 'name', 'title', 'label', 'product_name'];

/** Returns `[{code, name}]`; the input unchanged if it holds no country. */
function countriesForm(json: unknown): unknown {
  return rowsIn(json, countryOf) ?? json;
}

/** Returns `{country_code, query, brands}`; the input unchanged if it holds no list. */
function searchForm(json: unknown, { country_code, q }: Row): unknown {
  const country = String(country_code).toUpperCase();
  const brands = rowsIn(json, (value, key) => brandOf(value, { key, country }));
  if (brands === undefined) return json;
  // A list of products repeats the brand for each of them.
  const byName = new Map(brands.toReversed().map((row) => [row.brand, row]));
  return {
    country_code: country,
    query: q,
    ...(isObject(json) ? textsOf(json, ['country_code', 'query']) : {}),
    brands: [...byName.values()].toReversed(),
  };
}

/**
 * Returns the rows of the outermost list or object of rows; empty for an empty list, undefined if there is
 * none.
 */
function rowsIn(json: unknown, read: ReadRow, levels = MOST_ENVELOPES): readonly Row[] | undefined {
  if (Array.isArray(json)) {
    const rows = json.flatMap((value: unknown): readonly Row[] => asList(read(value, '')));
    return rows.length > 0 || json.length === 0 ? rows : undefined;
  }
  if (!isObject(json)) return undefined;
  const entries = Object.entries(json);
  const rows = entries.flatMap(([key, value]) => asList(read(value, key)));
  if (rows.length > 0 && rows.length === entries.length) return rows;
  if (levels === 0) return undefined;
  const inner = [...LISTS.map((name) => json[name]), ...Object.values(json)]
    .map((value) => rowsIn(value, read, levels - 1))
    .filter((found) => found !== undefined);
  return inner.find((found) => found.length > 0) ?? inner[0];
}

function asList(row: Row | undefined): readonly Row[] {
  return row === undefined ? [] : [row];
}

function countryOf(value: unknown, key: string): Row | undefined {
  if (typeof value === 'string') {
    const [code, name] = key === '' ? [value, value.toUpperCase()] : [key, value];
    return CODE.test(code) ? { code, name } : undefined;
  }
  if (Array.isArray(value)) {
    const [code, name] = value;
    return typeof code === 'string' && typeof name === 'string' && CODE.test(code)
      ? { code, name }
      : undefined;
  }
  if (!isObject(value)) return undefined;
  const codes = [key, ...CODES.map((name) => value[name])];
  const code = codes.find((text) => typeof text === 'string' && CODE.test(text));
  if (typeof code !== 'string') return undefined;
  const { is_sold } = value;
  return {
    code,
    name: textIn(value, COUNTRIES) ?? code.toUpperCase(),
    currency: textIn(value, CURRENCIES),
    ...(typeof is_sold === 'boolean' ? { is_sold } : {}),
  };
}

function brandOf(
  value: unknown,
  { key, country }: { readonly key: string; readonly country: string },
): Row | undefined {
  const fields = typeof value === 'string' && key === '' ? { brand: value } : value;
  const brand = isObject(fields) ? textIn(fields, BRANDS) : undefined;
  if (!isObject(fields) || brand === undefined) return undefined;
  const { is_out_of_stock, out_of_stock, in_stock } = fields;
  return {
    ...fields,
    brand,
    family: textIn(fields, ['family', 'family_name']) ?? '',
    brand_id: textIn(fields, ['brand_id', 'id']) ?? key,
    logo_url: textIn(fields, ['logo_url', 'logo', 'image_url', 'image']) ?? '',
    category: textIn(fields, ['category', 'category_name']) ?? '',
    is_out_of_stock: is_out_of_stock ?? out_of_stock ?? in_stock === false,
    country_code: textIn(fields, ['country_code']) ?? country,
    product_type: textIn(fields, ['product_type', 'type', 'kind']) ?? '',
  };
}

/** Returns the first of the named fields with a text or number. */
function textIn(fields: Row, names: readonly string[]): string | undefined {
  return names.map((name) => textOf(fields[name])).find((text) => text !== undefined);
}

function textOf(value: unknown): string | undefined {
  if (isObject(value)) return textIn(value, NAME_FORMS);
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function textsOf(fields: Row, names: readonly string[]): Row {
  return Object.fromEntries(
    names.flatMap((name) => (typeof fields[name] === 'string' ? [[name, fields[name]]] : [])),
  );
}

function isObject(value: unknown): value is Row {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
