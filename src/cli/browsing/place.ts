/** Where and what to buy, as people type it: resolved to the wire's spelling, or nearest matches. */

import type { WireBrand } from '../../contract/checkout.ts';
import type { WireCountry } from '../../contract/site.ts';
import { commandText, wordList } from '../../domain/command-text.ts';
import { type Code, ScripError } from '../../domain/errors.ts';
import { t } from '../../domain/message.ts';
import type { Context } from '../context.ts';
import { countryName, shownLanguage } from './country-name.ts';
import { didYouMean, nearestCountries } from './nearest-country.ts';

/** How many nearest matches a hint names. */
const SUGGESTIONS = 3;

/** Countries, and whether they are those of this program, since the host's list cannot be read. */
interface CountryList {
  readonly countries: readonly WireCountry[];
  readonly isOwn: boolean;
}

/** What a host says to a question that it does not answer. */
const UNREADABLE: ReadonlySet<Code> = new Set([
  'MERCHANT_REPLY_INVALID',
  'MERCHANT_REFUSED',
  'MERCHANT_ERROR',
]);

/** @throws {ScripError} NETWORK_UNREACHABLE, RATE_LIMITED, INTERRUPTED */
export async function readCountries(context: Context): Promise<CountryList> {
  try {
    return { countries: await named(context, await siteCountries(context)), isOwn: false };
  } catch (error) {
    if (!(error instanceof ScripError) || !UNREADABLE.has(error.code)) throw error;
    const here = await context.parts.countries();
    // Whether this host sells there is not known.
    return {
      countries: here.map(({ code, name, currency }) => ({ code, name, currency })),
      isOwn: true,
    };
  }
}

/** In the spelling of this program; a country that the host has no name for is called as it is here. */
async function named(
  context: Context,
  countries: readonly WireCountry[],
): Promise<readonly WireCountry[]> {
  const isNameless = ({ code, name }: WireCountry): boolean =>
    name.toLowerCase() === code.toLowerCase();
  const here = countries.some(isNameless) ? await context.parts.countries() : [];
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

/** @throws {ScripError} NETWORK_UNREACHABLE, RATE_LIMITED, INTERRUPTED */
export async function listCountries(context: Context): Promise<readonly WireCountry[]> {
  return (await readCountries(context)).countries;
}

async function siteCountries(context: Context): Promise<readonly WireCountry[]> {
  const { call } = await import('../../api/http/call.ts');
  const { getAvailableCountries } = await import('../../contract/site.ts');
  const {
    parts: { fetch },
    settings,
  } = context;
  return call(fetch, settings.siteUrl, getAvailableCountries, {}, callOptions(context));
}

/** @throws {ScripError} COUNTRY_NOT_SOLD and the other codes of a call */
export async function listBrands(
  context: Context,
  countryCode: string,
): Promise<readonly WireBrand[]> {
  const { call } = await import('../../api/http/call.ts');
  const { getBrands } = await import('../../contract/checkout.ts');
  return call(
    context.parts.fetch,
    context.settings.checkoutUrl,
    getBrands,
    { country_code: countryCode },
    callOptions(context),
  );
}

/** What every call of a command shares: its clock and the user's interruption. */
export function callOptions(context: Context): {
  readonly clock: Context['parts']['clock'];
  readonly signal: AbortSignal;
} {
  return { clock: context.parts.clock, signal: context.parts.signal };
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
  return new ScripError('PRODUCT_UNKNOWN', error.sentence, {
    cause: error,
    details: error.details,
    hint: commandText`Run: scrip catalog --country ${code} --brand ${brand}`,
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
  const here = await context.parts.countries();
  const known = [...countries, ...here].find((country) => country.code === code);
  if (known) {
    const name = countryName(known, shownLanguage(context));
    return new ScripError('COUNTRY_NOT_SOLD', t`nothing is sold in ${name} (${code})`, {
      cause,
    });
  }
  const near = await nearestCountries(countries.length > 0 ? countries : here, code);
  return new ScripError('COUNTRY_UNKNOWN', t`there is no country "${typed}"`, {
    cause,
    details: { country: typed, nearest: near.map((country) => country.code) },
    ...didYouMean(
      near.map(
        (one) => commandText`--country ${one.code} (${countryName(one, shownLanguage(context))})`,
      ),
    ),
  });
}

async function brandError(
  context: Context,
  code: string,
  typed: string,
  cause: ScripError,
): Promise<ScripError> {
  const { nearest } = await import('../../domain/catalog-query.ts');
  const brands = await listBrands(context, code).catch(() => []);
  const near = nearest(
    brands.map(({ brand_name }) => brand_name),
    typed,
    SUGGESTIONS,
  );
  return new ScripError('BRAND_UNKNOWN', t`no brand "${typed}" is sold in ${code}`, {
    cause,
    details: { brand: typed, country: code, nearest: near },
    hint: commandText`List them: scrip brands --country ${code}`,
    ...didYouMean(near.map((name) => commandText`--brand ${name}`)),
  });
}

/** The family is not there, or the brand is of another one. */
export async function familyError(
  context: Context,
  code: string,
  { brand, family = '' }: Omit<Place, 'country'>,
  cause?: ScripError,
): Promise<ScripError> {
  const { nearest } = await import('../../domain/catalog-query.ts');
  const brands = await listBrands(context, code).catch(() => []);
  const families = [...new Set(brands.map((sold) => sold.family))];
  const own = brands.find(({ brand_name }) => brand_name === brand)?.family;
  if (own !== undefined && own !== family && families.includes(family)) {
    return new ScripError('FAMILY_UNKNOWN', t`${brand ?? ''} is not in the family "${family}"`, {
      cause,
      details: { family, brand, nearest: [own] },
      hint: commandText`It is in ${own}: leave --family out.`,
    });
  }
  const near = nearest(families, family, SUGGESTIONS);
  return new ScripError('FAMILY_UNKNOWN', t`no family "${family}" is sold in ${code}`, {
    cause,
    details: { family, nearest: near, families },
    hint:
      didYouMean(near.map((name) => commandText`--family ${name}`)).hint ??
      commandText`Families there: ${wordList(families)}.`,
  });
}
