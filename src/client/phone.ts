/** Calling codes by libphonenumber, which takes a while to load and is loaded at the first one. */

/** The calling code of a country without +, such as `1`; undefined where there is none. */
export async function diallingCode(countryCode: string): Promise<string | undefined> {
  const { getCountryCallingCode, isSupportedCountry } = await import('libphonenumber-js/min');
  const code = countryCode.toUpperCase();
  return isSupportedCountry(code) ? getCountryCallingCode(code) : undefined;
}
