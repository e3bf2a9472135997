/** Phone numbers by the plans of libphonenumber, which is loaded at the first number. */

/**
 * Gives a number that starts with + in E.164, or undefined when its country code or its length is
 * no country's. Lengths alone: newly opened ranges are real before a library knows them.
 */
export async function parsePhone(text: string): Promise<string | undefined> {
  const { parsePhoneNumberFromString } = await import('libphonenumber-js/min');
  const number = parsePhoneNumberFromString(text, { extract: false });
  return number?.isPossible() ? number.number : undefined;
}
