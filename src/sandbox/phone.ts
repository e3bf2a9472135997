/** Phone numbers by the plans of libphonenumber, which is loaded at the first number. */
import type { PhoneNumber } from '../domain/beneficiary.ts';

/**
 * Reads a number that starts with +, or one as it is dialled within a country; undefined when its
 * country code or its length is no country's. Lengths alone: newly opened ranges are real before a
 * library knows them.
 * @param nationalIn two letters in any case
 */
export async function parsePhone(
  text: string,
  nationalIn?: string,
): Promise<PhoneNumber | undefined> {
  const { getCountryCallingCode, isSupportedCountry, parsePhoneNumberFromString } = await import(
    'libphonenumber-js/min'
  );
  const country = nationalIn?.toUpperCase() ?? '';
  const parsed = parsePhoneNumberFromString(text, {
    extract: false,
    ...(isSupportedCountry(country) ? { defaultCountry: country } : {}),
  });
  if (!parsed?.isPossible()) return undefined;
  const { number, country: own, countryCallingCode } = parsed;
  return {
    number,
    countryCode: own?.toLowerCase(),
    isOf(countryCode) {
      const code = countryCode.toUpperCase();
      if (own !== undefined) return own === code;
      return isSupportedCountry(code) && getCountryCallingCode(code) === countryCallingCode;
    },
  };
}
