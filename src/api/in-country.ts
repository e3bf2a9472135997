/** Resolves country, brand and family as people type them, or suggests the nearest matches. */

import type { WireCountry } from '../contract/site.ts';
import { commandText, wordList } from '../domain/message/command-text.ts';
import { type Code, ScripError } from '../domain/message/errors.ts';
import { t } from '../domain/message/message.ts';
import { countryCode, meantCountries, type NamedCountry } from '../domain/product/country.ts';
import type { ListedBrand, Section } from './catalog-reader.ts';
import { countryName, didYouMean, nearestCountries, unknownCountry } from './nearest-country.ts';
import type { ScripDeps } from './scrip.ts';

/** How many nearest matches a hint names. */
const SUGGESTIONS = 3;

/** Errors of hosts that have no list of countries. */
const UNREADABLE: ReadonlySet<Code> = new Set([
  'MERCHANT_REPLY_INVALID',
  'MERCHANT_REFUSED',
  'MERCHANT_ERROR',
]);

/**
 * Returns the host's countries; if it has no list, this program's, with `isOwn` set.
 * @throws {ScripError} NETWORK_UNREACHABLE, RATE_LIMITED, INTERRUPTED
 */
export async function readCountries(
  deps: ScripDeps,
): Promise<{ readonly countries: readonly WireCountry[]; readonly isOwn: boolean }> {
  try {
    const { call } = await import('./http/call.ts');
    const { getAvailableCountries } = await import('../contract/site.ts');
    const { fetch, place } = deps;
    const told = await call(fetch, place.siteUrl, getAvailableCountries, {}, deps);
    return { countries: await named(deps, told), isOwn: false };
  } catch (error) {
    if (!(error instanceof ScripError) || !UNREADABLE.has(error.code)) throw error;
    const here = await deps.countries();
    // Leave out `is_sold`: whether this host sells there is unknown.
    const countries = here.map(({ code, name, currency }) => ({ code, name, currency }));
    return { countries, isOwn: true };
  }
}

/** Lowercases the codes; a country without a name of its own gets this program's name. */
async function named(
  deps: ScripDeps,
  countries: readonly WireCountry[],
): Promise<readonly WireCountry[]> {
  const isNameless = ({ code, name }: WireCountry): boolean =>
    name.toLowerCase() === code.toLowerCase();
  const here = countries.some(isNameless) ? await deps.countries() : [];
  const names = new Map(here.map(({ code, name }) => [code, name]));
  return countries.map((country) => {
    const code = country.code.toLowerCase();
    return {
      ...country,
      code,
      name: isNameless(country) ? (names.get(code) ?? country.name) : country.name,
    };
  });
}

/** A country, or a brand or family in it as typed, and how to read the brands sold there, for suggestions. */
export interface Where extends Pick<Section, 'country' | 'brand' | 'family'> {
  brands(countryCode: string): Promise<readonly Pick<ListedBrand, 'name' | 'family'>[]>;
}

/**
 * Runs a call about a country's products, and turns "unknown there" errors into ones with the nearest
 * matches, which are read only then.
 * @throws {ScripError} COUNTRY_UNKNOWN, COUNTRY_NOT_SOLD, BRAND_UNKNOWN, FAMILY_UNKNOWN with details.nearest
 */
export async function inCountry<T>(
  deps: ScripDeps,
  where: Where,
  work: (countryCode: string) => Promise<T>,
): Promise<T> {
  const code = await readCountry(deps, where.country);
  try {
    return await work(code);
  } catch (error) {
    throw await whereError(deps, { ...where, country: code }, error);
  }
}

/**
 * Returns the code of a country as typed: `us`, `uk`, `usa`, `United Kingdom`, `Deutschland`. Accepts any two
 * letters, because the merchant knows its countries.
 * @throws {ScripError} COUNTRY_UNKNOWN with details.nearest
 */
export async function readCountry(deps: ScripDeps, typed: string): Promise<string> {
  const code = countryCode(typed) ?? countryCalled(await deps.countries(), typed, deps.toldIn);
  if (code !== undefined) return code;
  throw await countryError(deps, typed);
}

/** Returns the code of the one country that a name means, in English or in the user's language. */
export function countryCalled(
  countries: readonly NamedCountry[],
  typed: string,
  lang: string,
): string | undefined {
  const named = countries.map(({ code, name }) => ({
    code,
    name: countryName({ code, name }, lang),
    other: name,
  }));
  const [only, ...others] = meantCountries(named, typed);
  return others.length === 0 ? only?.code : undefined;
}

/**
 * Returns the error with the nearest matches of what is unknown there.
 * @param where with the country's code
 */
export async function whereError(deps: ScripDeps, where: Where, error: unknown): Promise<unknown> {
  if (!(error instanceof ScripError)) return error;
  const code = where.country;
  if (OTHERS_SHOWN.has(error.code) && where.brand !== undefined) {
    return productError(error, code, where.brand);
  }
  if ('nearest' in error.details) return error;
  if (error.code === 'COUNTRY_NOT_SOLD') return countryError(deps, code, error);
  if (error.code === 'BRAND_UNKNOWN' && where.brand !== undefined) {
    return brandError(where, where.brand, error);
  }
  if (error.code === 'FAMILY_UNKNOWN') return familyError(where, error);
  return error;
}

const OTHERS_SHOWN: ReadonlySet<Code> = new Set(['PRODUCT_UNKNOWN', 'OUT_OF_STOCK']);

/** Adds the command that lists the brand's products: this one is sold out, of another brand, or unknown. */
function productError(error: ScripError, code: string, brand: string): ScripError {
  return new ScripError(error.code, error.sentence, {
    cause: error,
    details: error.details,
    hint: commandText`To see what is sold: scrip catalog --country ${code} --brand ${brand}`,
  });
}

/** Returns the error for a country that is unknown or not sold in, with similar countries. */
export async function countryError(
  deps: ScripDeps,
  typed: string,
  cause?: ScripError,
): Promise<ScripError> {
  const { countries } = await readCountries(deps).catch(() => ({ countries: [] }));
  const code = typed.trim().toLowerCase();
  const here = await deps.countries();
  const known = [...countries, ...here].find((country) => country.code === code);
  if (known) {
    const name = countryName(known, deps.toldIn);
    return new ScripError('COUNTRY_NOT_SOLD', t`Nothing is sold in ${name} (${code})`, { cause });
  }
  const near = await nearestCountries(countries.length > 0 ? countries : here, code);
  return unknownCountry(
    typed,
    near,
    (one) => commandText`--country ${one.code} (${countryName(one, deps.toldIn)})`,
  );
}

async function brandError(where: Where, typed: string, cause: ScripError): Promise<ScripError> {
  const { nearest } = await import('../domain/product/catalog-query.ts');
  const { country: code } = where;
  const brands = await where.brands(code).catch(() => []);
  const names = brands.map(({ name }) => name);
  const near = nearest(names, typed, SUGGESTIONS);
  return new ScripError('BRAND_UNKNOWN', t`No brand "${typed}" is sold in ${code.toUpperCase()}`, {
    cause,
    details: { brand: typed, country: code, nearest: near },
    hint:
      didYouMean(near.map((name) => commandText`--brand ${name}`)) ??
      commandText`List them: scrip brands --country ${code}`,
  });
}

/** Returns the error for a family that is unknown, or that the brand does not belong to. */
export async function familyError(where: Where, cause?: ScripError): Promise<ScripError> {
  const { nearest } = await import('../domain/product/catalog-query.ts');
  const { country: code, brand, family = '' } = where;
  const brands = await where.brands(code).catch(() => []);
  const families = [...new Set(brands.map((sold) => sold.family))];
  const own = brands.find(({ name }) => name === brand)?.family;
  if (own !== undefined && own !== family && families.includes(family)) {
    return new ScripError('FAMILY_UNKNOWN', t`${brand ?? ''} is not in the family "${family}"`, {
      cause,
      details: { family, brand, nearest: [own] },
      hint: commandText`It is in ${own}: leave --family out.`,
    });
  }
  const near = nearest(families, family, SUGGESTIONS);
  return new ScripError(
    'FAMILY_UNKNOWN',
    t`No family "${family}" is sold in ${code.toUpperCase()}`,
    {
      cause,
      details: { family, nearest: near, families },
      hint:
        didYouMean(near.map((name) => commandText`--family ${name}`)) ??
        commandText`Families there: ${wordList(families)}.`,
    },
  );
}
