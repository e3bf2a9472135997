/** Parses phone numbers with the numbering plans of libphonenumber, which loads on first use. */
import {
  checkBeneficiary,
  checkOrdered,
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
 * Reads a number with +, or one as dialled within a country; undefined if its country code or
 * length is impossible. It checks only lengths: operators use new ranges before a library knows
 * them.
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
