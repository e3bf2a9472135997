/** Countries as people name them: by code, by the words in use, by a name in some language. */

import { nameKey } from './catalog-query.ts';

/** A country by its code and its name. */
export interface NamedCountry {
  /** Two letters, lowercase. */
  readonly code: string;
  readonly name: string;
  /** ISO 4217. */
  readonly currency?: string | undefined;
}

interface Country {
  /** ISO 3166-1 alpha-2 or `XK`, in either case. */
  readonly code: string;
  readonly name: string;
  /** Another name that is taken as well, such as the one in English. */
  readonly other?: string;
}

/** Words that are neither code nor official name. `uk` and `el` are reserved in ISO 3166-1. */
const WORDS: Readonly<Record<string, string>> = {
  uk: 'gb',
  'great britain': 'gb',
  britain: 'gb',
  england: 'gb',
  usa: 'us',
  america: 'us',
  'united states of america': 'us',
  el: 'gr',
  uae: 'ae',
  emirates: 'ae',
  holland: 'nl',
  'czech republic': 'cz',
  turkey: 'tr',
  korea: 'kr',
  'ivory coast': 'ci',
  burma: 'mm',
  swaziland: 'sz',
};

/** The code of two letters, lowercase, that a text is or is a common word for; else undefined. */
export function countryCode(text: string): string | undefined {
  const word = nameKey(text.replaceAll('.', '')).words;
  if (Object.hasOwn(WORDS, word)) return WORDS[word];
  return /^[a-z]{2}$/.test(word) ? word : undefined;
}

/**
 * The countries that a text names: a code or a word before a name. Part of a name is no country:
 * UK is not the beginning of Ukraine.
 */
export function meantCountries<C extends Country>(
  countries: readonly C[],
  text: string,
): readonly C[] {
  const code = countryCode(text);
  const coded = countries.filter((one) => one.code.toLowerCase() === code);
  if (coded.length > 0) return coded;
  const { solid } = nameKey(text);
  if (solid === '') return [];
  return countries.filter((one) =>
    [...countryNames(one), localName(one.code)].some((name) => nameKey(name).solid === solid),
  );
}

/** The names that a country is listed by: as it is shown, and in English. */
export function countryNames({ name, other }: Country): readonly string[] {
  return other === undefined || other === name ? [name] : [name, other];
}

const localNames = new Map<string, string>();

/** What most of its people call a country: `Deutschland`; empty where that is not known. */
export function localName(code: string): string {
  const upper = code.toUpperCase();
  const known = localNames.get(upper) ?? readLocalName(upper);
  localNames.set(upper, known);
  return known;
}

function readLocalName(upper: string): string {
  if (!/^[A-Z]{2}$/.test(upper)) return '';
  const { language } = new Intl.Locale(`und-${upper}`).maximize();
  return new Intl.DisplayNames([language], { type: 'region', fallback: 'none' }).of(upper) ?? '';
}
