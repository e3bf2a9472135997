/** The countries of the site's list, and which of them the checkout host sells in. */

import countryToCurrency from 'country-to-currency';

export interface CatalogCountry {
  /** Lowercase ISO 3166-1 alpha-2, or `xk`. */
  readonly code: string;
  /** English short name. */
  readonly name: string;
  /** ISO 4217. */
  readonly currency: string;
  /** Whether the checkout host sells there; the other countries are only on the site's list. */
  readonly isSold: boolean;
}

/**
 * Codes that the country library has but the list omits. Ours: a withdrawn code (AN), places
 * without residents, places under embargo and five of the smallest. This leaves the 233 that the
 * interface counts.
 */
const NOT_LISTED = 'AN AQ BV GS HM IO PN TF UM CU IR KP SY CC CX EH NF TK';

/** Ours: on the site's list, but not sold in: too small, or too hard to deliver to. */
const NOT_SOLD = [
  'AX BL FK FO GG GL IM JE SH SJ SM VA GF GP MQ RE YT NC PF WF PM MF AS FM KI MH MP MS NR NU PW TO',
  'TV AF BY CF DJ ER GQ GW KM LY MM RU SB SD SO SS ST TD TM VU YE',
].join(' ');

const currencies: Readonly<Record<string, string>> = countryToCurrency;

/**
 * Lists every country by code; `isSold` decides where the shop sells. Names load on first read:
 * their tables take longer to load than everything else here.
 */
export function listCountries(
  isSold: (code: string) => boolean = (code) => !notSold.has(code),
): readonly CatalogCountry[] {
  const left = new Set(NOT_LISTED.split(' '));
  return Object.keys(currencies)
    .filter((code) => !left.has(code))
    .toSorted()
    .map((upper) => describe(upper, isSold(upper.toLowerCase())));
}

/** Returns the ISO 4217 currency code of a country; USD where the library has none. */
export function currencyOf(countryCode: string): string {
  return currencies[countryCode.toUpperCase()] ?? 'USD';
}

const notSold = new Set(NOT_SOLD.toLowerCase().split(' '));

function describe(upper: string, isSold: boolean): CatalogCountry {
  return {
    code: upper.toLowerCase(),
    get name() {
      return regionNames().of(upper) ?? upper;
    },
    currency: currencyOf(upper),
    isSold,
  };
}

let names: Intl.DisplayNames | undefined;

function regionNames(): Intl.DisplayNames {
  names ??= new Intl.DisplayNames(['en'], { type: 'region' });
  return names;
}
