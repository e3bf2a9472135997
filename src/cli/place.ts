/** Where and what to buy, as people type it: resolved to the wire's spelling, or nearest matches. */
import type { WireBrand } from '../contract/checkout.ts';
import type { WireCountry } from '../contract/site.ts';
import { type Code, ScripError } from '../domain/errors.ts';
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
}

/**
 * Runs a call about a place and turns "not known there" into the nearest matches, which are asked
 * for only then.
 * @throws {ScripError} COUNTRY_UNKNOWN, COUNTRY_NOT_SOLD, BRAND_UNKNOWN with details.nearest
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
    if (!(error instanceof ScripError) || 'nearest' in error.details) throw error;
    if (error.code === 'COUNTRY_NOT_SOLD') throw await countryError(context, code, error);
    if (error.code === 'BRAND_UNKNOWN' && place.brand !== undefined) {
      throw await brandError(context, code, place.brand, error);
    }
    throw inTheirWords(error);
  }
}

/** Faults of the user's own words: the merchant's sentence says enough, without its status. */
const WORDED: ReadonlySet<Code> = new Set([
  'PRODUCT_UNKNOWN',
  'VALUE_REQUIRED',
  'VALUE_NOT_ALLOWED',
  'VALUE_OUT_OF_RANGE',
  'VALUE_OFF_STEP',
]);

function inTheirWords(error: ScripError): ScripError {
  const { message } = error.details;
  if (!WORDED.has(error.code) || typeof message !== 'string') return error;
  return new ScripError(error.code, message, { cause: error, details: error.details });
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

/** By name, and by code: the reserved one, or the two letters swapped. */
async function nearestCountries(
  countries: readonly WireCountry[],
  code: string,
): Promise<readonly WireCountry[]> {
  const { nearest } = await import('../domain/catalog-query.ts');
  const byName = nearest(
    countries.map(({ name }) => name),
    code,
    SUGGESTIONS,
  );
  const named = byName.flatMap((name) => countries.filter((country) => country.name === name));
  const meant = RESERVED[code] ?? [...code].reverse().join('');
  const coded = code.length === 2 ? countries.filter((country) => country.code === meant) : [];
  return [...new Set([...coded, ...named])].slice(0, SUGGESTIONS);
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

function didYouMean(options: readonly string[]): { readonly hint?: string } {
  return options.length === 0 ? {} : { hint: `Did you mean ${options.join(', or ')}?` };
}
