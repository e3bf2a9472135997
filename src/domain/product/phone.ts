/** Parses phone numbers with the mobile numbering plans of libphonenumber, which load on first use. */

import {
  checkBeneficiary,
  checkOrdered,
  isSpreadsheetNumber,
  type NumberPlan,
  type PhoneNumber,
} from './beneficiary.ts';
import type { ProductKind } from './product.ts';

/** Checks a beneficiary for the service, which reads phone numbers with `parsePhone`. */
export function checkAccount(
  kind: ProductKind,
  account: string,
  plan: NumberPlan = {},
): Promise<string> {
  return 'e164Of' in plan
    ? checkOrdered(kind, account, parsePhone, plan.e164Of)
    : checkBeneficiary(kind, account, parsePhone, plan.nationalIn);
}

/**
 * Reads a mobile number with +, or one as dialled within a country; undefined if no country has it.
 * Lengths alone are not enough: a number with a digit too many is of a possible length in many
 * countries, and its top-up goes to a stranger.
 * @param nationalIn two letters in any case
 */
export async function parsePhone(
  text: string,
  nationalIn?: string,
): Promise<PhoneNumber | undefined> {
  if (isSpreadsheetNumber(text)) return undefined;
  const { getCountryCallingCode, isSupportedCountry, parsePhoneNumberFromString } = await import(
    'libphonenumber-js/mobile'
  );
  const country = nationalIn?.toUpperCase() ?? '';
  const parsed = parsePhoneNumberFromString(text, {
    extract: false,
    ...(isSupportedCountry(country) ? { defaultCountry: country } : {}),
  });
  if (!parsed?.isValid()) return undefined;
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
