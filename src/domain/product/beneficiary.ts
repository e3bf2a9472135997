/**
 * Checks who receives the goods: an e-mail address, a phone number for mobile top-ups, or another account.
 */

import { checkEmail } from '../address/email.ts';
import { ScripError } from '../message/errors.ts';
import { type Message, t } from '../message/message.ts';
import type { ProductKind } from './product.ts';

/** A phone number, as the countries' numbering plans read it. */
export interface PhoneNumber {
  /** E.164, with the leading +. */
  readonly number: string;
  /** Two lowercase letters; undefined when the plans do not name one country. */
  readonly countryCode: string | undefined;
  /** Whether the number may belong to this country. */
  isOf(countryCode: string): boolean;
}

/**
 * Parses a phone number; returns undefined when it is not one.
 * @param nationalIn country whose numbering plan applies to a number without +; if omitted, such a number is
 * rejected
 */
export type PhoneParser = (text: string, nationalIn?: string) => Promise<PhoneNumber | undefined>;

/**
 * Ours: products that are neither gift card nor eSIM accept any account name; one with @ must be an e-mail
 * address.
 */
function isAccount(text: string): boolean {
  // Compiled only when needed: such a character class is slow to build.
  return /^(?!\+)[^\p{C}@]{1,254}$/u.test(text);
}

/**
 * Returns the beneficiary in the form an order needs: an e-mail address, an account for other products, or
 * E.164 with a leading + for top-ups (interface: ProductDeliverable, beneficiary_account). The default parser
 * checks only the shape of a phone number.
 * @param nationalIn country whose numbering plan applies to a number without +
 * @throws {ScripError} EMAIL_INVALID or PHONE_INVALID with the reason
 */
export async function checkBeneficiary(
  kind: ProductKind,
  text: string,
  parsePhone: PhoneParser = parseE164,
  nationalIn?: string,
): Promise<string> {
  if (kind === 'mobile_topup') {
    return (await checkPhone(text.trim(), parsePhone, nationalIn)).number;
  }
  if (kind === 'other' && isAccount(text.trim())) return text.trim();
  // Shorter digits, such as a face value, are no phone number in any country.
  if (/^\+?[0-9][0-9 ().-]+$/.test(text.trim()) && (text.match(/\d/g) ?? []).length >= 7) {
    throw new ScripError(
      'EMAIL_INVALID',
      t`"${text.trim()}" is a phone number; this product is sent to an e-mail address`,
    );
  }
  return checkEmail(text);
}

/** How to read a number without +: as dialled within a country, or as E.164 of that country. */
export type NumberPlan = { readonly nationalIn?: string } | { readonly e164Of: string };

/**
 * Checks the beneficiary of an order request, whose E.164 number may lack the + (interface: pattern of
 * beneficiary_account). Ours: such a number must belong to the product's country, because digits as dialled
 * at home could be another person's number abroad.
 * @throws {ScripError} EMAIL_INVALID or PHONE_INVALID with the reason
 */
export async function checkOrdered(
  kind: ProductKind,
  text: string,
  parsePhone: PhoneParser,
  countryCode: string,
): Promise<string> {
  const digits = text.trim();
  if (kind !== 'mobile_topup' || !/^[1-9]\d{1,14}$/.test(digits)) {
    return checkBeneficiary(kind, text, parsePhone);
  }
  const phone = await parsePhone(`+${digits}`);
  if (phone?.isOf(countryCode)) return phone.number;
  if (phone === undefined) throw badPhone(digits, t`is not a mobile number of any country`);
  throw badPhone(
    digits,
    t`does not start with + or the country code of ${countryCode.toUpperCase()}`,
  );
}

/** Parses a number by its shape alone (interface: pattern of beneficiary_account). */
async function parseE164(text: string): Promise<PhoneNumber | undefined> {
  const number = text.replace(/[ ().-]/g, '');
  // Ours: at least seven digits including the country code; no real number is shorter.
  if (!/^\+[1-9]\d{6,14}$/.test(number)) return undefined;
  return { number, countryCode: undefined, isOf: () => true };
}

/**
 * Whether a spreadsheet made the number a decimal, as `9876543210.0` or `9.87654321E+09`: the digits after the
 * point are not of the number. Points between groups, as in 06.12.34.56.78, occur more than once.
 */
export function isSpreadsheetNumber(text: string): boolean {
  return /^\s*\+?[\d ()-]*\d(?:[.,]\d*(?:e[+-]?\d+)?|e[+-]?\d+|(?:\.[\d ]+)+[.,]\d)\s*$/i.test(
    text,
  );
}

/** Refuses a number that a spreadsheet made a decimal. @throws {ScripError} PHONE_INVALID */
export function checkNotSpreadsheet(text: string): void {
  if (!isSpreadsheetNumber(text)) return;
  throw badPhone(text.trim(), t`is written as a decimal number`, {
    hint: t`Write its digits alone, best with + and the country code. In a spreadsheet, format the column as text first.`,
  });
}

async function checkPhone(
  text: string,
  parsePhone: PhoneParser,
  nationalIn: string | undefined,
): Promise<PhoneNumber> {
  if (text.includes('@')) throw badPhone(text, t`is an e-mail address; a top-up needs a number`);
  checkNotSpreadsheet(text);
  const isInternational = text.startsWith('+');
  if (!isInternational && nationalIn === undefined) {
    throw badPhone(text, t`does not start with + and the country code`);
  }
  if (!/^\+?[0-9 ().-]*$/.test(text)) throw badPhone(text, t`has characters that are not digits`);
  const phone = await parsePhone(text, nationalIn);
  if (phone !== undefined) return phone;
  throw isInternational
    ? badPhone(text, t`is not a mobile number of any country`)
    : badPhone(text, t`is not a mobile number of the country ${nationalIn?.toUpperCase() ?? ''}`);
}

function badPhone(text: string, why: Message, more: { readonly hint?: Message } = {}): ScripError {
  return new ScripError('PHONE_INVALID', t`The phone number "${text}" ${why}`, more);
}

/** Shows enough to recognise a known address: `f***@example.com`, `+551****21`. */
export function maskBeneficiary(text: string): string {
  const at = text.lastIndexOf('@');
  if (at > 0) return `${[...text][0] ?? ''}***${text.slice(at)}`;
  return text.length < 8 ? '***' : `${text.slice(0, 4)}****${text.slice(-2)}`;
}
