/** The countries of the site's list, and which of them the checkout host sells in. */
import countryToCurrency from 'country-to-currency';
import type { CatalogCountry } from '../../service/catalog.ts';

/**
 * Codes that the library knows and the list leaves out. Ours: a code that was withdrawn (AN),
 * places without residents, places under embargo and five of the smallest leave the 233 that the
 * interface counts.
 */
const NOT_LISTED = 'AN AQ BV GS HM IO PN TF UM CU IR KP SY CC CX EH NF TK';

/** Ours: listed on the site, but too small, or too hard to deliver to, to sell in. */
const NOT_SOLD = [
  'AX BL FK FO GG GL IM JE SH SJ SM VA GF GP MQ RE YT NC PF WF PM MF AS FM KI MH MP MS NR NU PW TO',
  'TV AF BY CF DJ ER GQ GW KM LY MM RU SB SD SO SS ST TD TM VU YE',
].join(' ');

const currencies: Readonly<Record<string, string>> = countryToCurrency;

/**
 * Every country of the list by its code, where `isSold` decides what is sold. Names are looked up
 * when they are read: the tables behind them take longer to load than everything else here.
 */
export function listCountries(
  isSold: (code: string) => boolean = isSoldByDefault,
): readonly CatalogCountry[] {
  const left = new Set(NOT_LISTED.split(' '));
  return Object.keys(currencies)
    .filter((code) => !left.has(code))
    .toSorted()
    .map((upper) => describe(upper, isSold(upper.toLowerCase())));
}

/** ISO 4217 code of a country's money; US dollars where the library knows none. */
export function currencyOf(countryCode: string): string {
  return currencies[countryCode.toUpperCase()] ?? 'USD';
}

const notSold = new Set(NOT_SOLD.toLowerCase().split(' '));

function isSoldByDefault(code: string): boolean {
  return !notSold.has(code);
}

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
