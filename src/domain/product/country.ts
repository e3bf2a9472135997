/** Finds countries by what people type: a code, a common name, or a name in some language. */

import { nameKey } from './catalog-query.ts';

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
  /** Another accepted name, such as the English one. */
  readonly other?: string;
}

/** Common names, and codes that ISO 3166-1 only reserves (`uk`, `el`). */
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

/** Returns the two lowercase letters of a code or a common name; otherwise undefined. */
export function countryCode(text: string): string | undefined {
  const word = nameKey(text.replaceAll('.', '')).words;
  if (Object.hasOwn(WORDS, word)) return WORDS[word];
  return /^[a-z]{2}$/.test(word) ? word : undefined;
}

/**
 * Returns the countries that a text names; a code or common name takes precedence over names. Names must
 * match whole: UK is not the beginning of Ukraine.
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

/** Returns the country's name as shown, and the English one if that differs. */
export function countryNames({ name, other }: Country): readonly string[] {
  return other === undefined || other === name ? [name] : [name, other];
}

const localNames = new Map<string, string>();

/** Returns the country's name in its main language, such as `Deutschland`; empty if unknown. */
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
