/** Phone numbers by the numbering plans of libphonenumber, which is loaded at the first number. */

/**
 * Gives a number that starts with + in E.164, or undefined when its country code or its length is
 * no country's. Lengths alone: newly opened ranges are real before a library knows them.
 */
export async function parsePhone(text: string): Promise<string | undefined> {
  const { parsePhoneNumberFromString } = await import('libphonenumber-js/min');
  const number = parsePhoneNumberFromString(text, { extract: false });
  return number?.isPossible() ? number.number : undefined;
}

/** The calling code of a country without +, such as `1`; undefined where there is none. */
export async function diallingCode(countryCode: string): Promise<string | undefined> {
  const { getCountryCallingCode, isSupportedCountry } = await import('libphonenumber-js/min');
  const code = countryCode.toUpperCase();
  return isSupportedCountry(code) ? getCountryCallingCode(code) : undefined;
}
