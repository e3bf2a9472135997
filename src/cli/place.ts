/** Where and what to buy, as people type it: resolved to the wire's spelling, or nearest matches. */
import type { WireBrand } from '../contract/checkout.ts';
import type { WireCountry } from '../contract/site.ts';
import { ScripError } from '../domain/errors.ts';
import type { Context } from './context.ts';

/** How many nearest matches a hint names. */
const SUGGESTIONS = 3;

/** @throws {ScripError} NETWORK_UNREACHABLE and the other codes of a call */
export async function listCountries(context: Context): Promise<readonly WireCountry[]> {
  const { call } = await import('../client/call.ts');
  const { getAvailableCountries } = await import('../contract/site.ts');
  const countries = await call(
    context.fetch,
    context.settings.apiUrl,
    getAvailableCountries,
    {},
    callOptions(context),
  );
  return countries.map((country) => ({ ...country, code: country.code.toLowerCase() }));
}

/** @throws {ScripError} COUNTRY_NOT_SOLD and the other codes of a call */
export async function listBrands(
  context: Context,
  countryCode: string,
): Promise<readonly WireBrand[]> {
  const { call } = await import('../client/call.ts');
  const { getBrands } = await import('../contract/checkout.ts');
  return call(
    context.fetch,
    context.settings.checkoutUrl,
    getBrands,
    { country_code: countryCode },
    callOptions(context),
  );
}

/** What every call of a command shares: its clock and the user's interruption. */
export function callOptions(context: Context): {
  readonly clock: Context['clock'];
  readonly signal: AbortSignal;
} {
  return { clock: context.clock, signal: context.interrupted };
}

/** Where something is looked for. */
interface Place {
  /** As it was typed, in any case. */
  readonly country: string;
  /** As it was typed. */
  readonly brand?: string | undefined;
  /** As it was typed. */
  readonly family?: string | undefined;
}

/**
 * Runs a call about a place and turns "not known there" into the nearest matches, which are asked
 * for only then.
 * @throws {ScripError} COUNTRY_UNKNOWN, COUNTRY_NOT_SOLD, BRAND_UNKNOWN, FAMILY_UNKNOWN with details.nearest
 */
export async function inPlace<T>(
  context: Context,
  place: Place,
  work: (countryCode: string) => Promise<T>,
): Promise<T> {
  const code = place.country.trim().toLowerCase();
  if (!/^[a-z]{2}$/.test(code)) throw await countryError(context, place.country);
  try {
    return await work(code);
  } catch (error) {
    if (!(error instanceof ScripError)) throw error;
    if (error.code === 'PRODUCT_UNKNOWN' && place.brand !== undefined) {
      throw productError(error, code, place.brand);
    }
    if ('nearest' in error.details) throw error;
    if (error.code === 'COUNTRY_NOT_SOLD') throw await countryError(context, code, error);
    if (error.code === 'BRAND_UNKNOWN' && place.brand !== undefined) {
      throw await brandError(context, code, place.brand, error);
    }
    if (error.code === 'FAMILY_UNKNOWN') throw await familyError(context, code, place, error);
    throw error;
  }
}

/** The product is not of that brand, or nowhere: the brand's own list shows what there is. */
function productError(error: ScripError, code: string, brand: string): ScripError {
  return new ScripError('PRODUCT_UNKNOWN', error.message, {
    cause: error,
    details: error.details,
    hint: `Run: scrip catalog --country ${code} --brand ${JSON.stringify(brand)}`,
  });
}

/** Says what is wrong with a country, and which ones are like it. */
export async function countryError(
  context: Context,
  typed: string,
  cause?: ScripError,
): Promise<ScripError> {
  const countries = await listCountries(context).catch(() => []);
  const code = typed.trim().toLowerCase();
  const known = countries.find((country) => country.code === code);
  if (known) {
    return new ScripError('COUNTRY_NOT_SOLD', `nothing is sold in ${known.name} (${code})`, {
      cause,
    });
  }
  const near = await nearestCountries(countries, code);
  return new ScripError('COUNTRY_UNKNOWN', `there is no country "${typed}"`, {
    cause,
    details: { country: typed, nearest: near.map((country) => country.code) },
    ...didYouMean(near.map(({ code: match, name }) => `--country ${match} (${name})`)),
  });
}

/** Codes that people use and ISO 3166-1 keeps reserved for the same country. */
const RESERVED: Readonly<Record<string, string>> = { uk: 'gb', el: 'gr' };

/** By code and by name, best first; none where nothing is near. */
async function nearestCountries(
  countries: readonly WireCountry[],
  typed: string,
): Promise<readonly WireCountry[]> {
  const swapped = typed.length === 2 ? [...typed].reverse().join('') : undefined;
  // Codes of three letters mostly begin with the two.
  const begun = typed.length === 3 ? typed.slice(0, 2) : undefined;
  const meant = RESERVED[typed] ?? swapped ?? begun;
  const coded = countries.filter(({ code }) => code === meant && meant !== typed);
  const named = await likeNamed(countries, typed);
  return [...new Set([...coded, ...named])].slice(0, SUGGESTIONS);
}

/** Two letters begin a word of the name, three are in it in their order, more may hold a typo. */
async function likeNamed(
  countries: readonly WireCountry[],
  typed: string,
): Promise<readonly WireCountry[]> {
  if (typed.length > 3) {
    const { nearest } = await import('../domain/catalog-query.ts');
    const names = countries.map(({ name }) => name);
    const near = nearest(names, typed, SUGGESTIONS);
    return near.flatMap((name) => countries.filter((country) => country.name === name));
  }
  const letters = [...typed].filter((letter) => /[a-z]/.test(letter));
  if (letters.length < 2) return [];
  const like =
    letters.length === 2
      ? new RegExp(`(^| )${letters.join('')}`, 'i')
      : new RegExp(`^${letters.join('[a-z ]*')}`, 'i');
  return countries.filter(({ name }) => like.test(name));
}

async function brandError(
  context: Context,
  code: string,
  typed: string,
  cause: ScripError,
): Promise<ScripError> {
  const { nearest } = await import('../domain/catalog-query.ts');
  const brands = await listBrands(context, code).catch(() => []);
  const near = nearest(
    brands.map(({ brand_name }) => brand_name),
    typed,
    SUGGESTIONS,
  );
  return new ScripError('BRAND_UNKNOWN', `no brand "${typed}" is sold in ${code}`, {
    cause,
    details: { brand: typed, country: code, nearest: near },
    ...didYouMean(near.map((name) => `--brand ${JSON.stringify(name)}`)),
  });
}

/** The family is not there, or the brand is of another one. */
export async function familyError(
  context: Context,
  code: string,
  { brand, family = '' }: Omit<Place, 'country'>,
  cause?: ScripError,
): Promise<ScripError> {
  const { nearest } = await import('../domain/catalog-query.ts');
  const brands = await listBrands(context, code).catch(() => []);
  const families = [...new Set(brands.map((sold) => sold.family))];
  const own = brands.find(({ brand_name }) => brand_name === brand)?.family;
  if (own !== undefined && own !== family && families.includes(family)) {
    return new ScripError('FAMILY_UNKNOWN', `${brand} is not in the family "${family}"`, {
      cause,
      details: { family, brand, nearest: [own] },
      hint: `It is in ${JSON.stringify(own)}: leave --family out.`,
    });
  }
  const near = nearest(families, family, SUGGESTIONS);
  return new ScripError('FAMILY_UNKNOWN', `no family "${family}" is sold in ${code}`, {
    cause,
    details: { family, nearest: near, families },
    hint:
      didYouMean(near.map((name) => `--family ${JSON.stringify(name)}`)).hint ??
      `Families there: ${families.join(', ')}.`,
  });
}

function didYouMean(options: readonly string[]): { readonly hint?: string } {
  return options.length === 0 ? {} : { hint: `Did you mean ${options.join(', or ')}?` };
}
