/** Phone numbers by the plans of libphonenumber, which takes a while to load: hence the promises. */
import type { PhoneParser } from '../domain/beneficiary.ts';

/**
 * A parser that knows country codes and the lengths of each country's numbers. Lengths alone:
 * newly opened ranges are real before a library knows them.
 */
export async function loadPhoneParser(): Promise<PhoneParser> {
  const { parsePhoneNumberFromString } = await import('libphonenumber-js/min');
  return (text) => {
    const number = parsePhoneNumberFromString(text, { extract: false });
    return number?.isPossible() ? number.number : undefined;
  };
}

/** The calling code of a country without +, such as `1`; undefined where there is none. */
export async function diallingCode(countryCode: string): Promise<string | undefined> {
  const { getCountryCallingCode, isSupportedCountry } = await import('libphonenumber-js/min');
  const code = countryCode.toUpperCase();
  return isSupportedCountry(code) ? getCountryCallingCode(code) : undefined;
}
