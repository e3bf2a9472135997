/** Checks a typed country against a list, or suggests the nearest ones. */

import { commandText, ownText } from '../domain/message/command-text.ts';
import { ScripError } from '../domain/message/errors.ts';
import { joined, type Message, t } from '../domain/message/message.ts';
import { countryCode, type NamedCountry } from '../domain/product/country.ts';

/** How many nearest matches a hint names. */
const SUGGESTIONS = 3;

/**
 * Checks without a request that this program knows the country.
 * @throws {ScripError} COUNTRY_UNKNOWN with details.nearest
 */
export async function checkKnownCountry(
  countries: readonly NamedCountry[],
  typed: string,
): Promise<void> {
  const code = countryCode(typed) ?? typed.trim().toLowerCase();
  if (countries.some((country) => country.code === code)) return;
  const near = await nearestCountries(countries, code);
  throw unknownCountry(typed, near, ({ code: match, name }) => commandText`${match} (${name})`);
}

/** @param option how a near country is proposed, made by `commandText` */
export function unknownCountry(
  typed: string,
  near: readonly NamedCountry[],
  option: (country: NamedCountry) => Message,
): ScripError {
  return new ScripError('COUNTRY_UNKNOWN', t`There is no country "${typed}"`, {
    details: { country: typed, nearest: near.map(({ code }) => code) },
    hint: didYouMean(near.map(option)),
  });
}

/** Returns the nearest countries by code and name, best first; empty if none is near. */
export async function nearestCountries(
  countries: readonly NamedCountry[],
  typed: string,
): Promise<readonly NamedCountry[]> {
  const swapped = typed.length === 2 ? [...typed].reverse().join('') : undefined;
  // Three-letter codes mostly start with the two-letter one.
  const begun = typed.length === 3 ? typed.slice(0, 2) : undefined;
  const word = countryCode(typed);
  const meant = word !== undefined && word !== typed ? word : (swapped ?? begun);
  const coded = countries.filter(({ code }) => code === meant && meant !== typed);
  const named = await likeNamed(countries, typed);
  return [...new Set([...coded, ...named])].slice(0, SUGGESTIONS);
}

/**
 * Finds similar names: two letters must begin a word, three must occur in order; longer text may hold a typo.
 */
async function likeNamed(
  countries: readonly NamedCountry[],
  typed: string,
): Promise<readonly NamedCountry[]> {
  if (typed.length > 3) {
    const { nearest } = await import('../domain/product/catalog-query.ts');
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

/** @param options made by `commandText` */
export function didYouMean(options: readonly Message[]): Message | undefined {
  return options.length === 0
    ? undefined
    : commandText`Did you mean ${ownText(joined(options, t`, or `))}?`;
}

/** @param country its code, two letters in any case, and the host's name for it */
export function countryName(
  { code, name }: { readonly code: string; readonly name?: string },
  lang: string,
): string {
  if (lang === 'en' && name !== undefined) return name;
  const names = new Intl.DisplayNames([lang], { type: 'region', fallback: 'none' });
  return names.of(code.toUpperCase()) ?? name ?? code.toUpperCase();
}
