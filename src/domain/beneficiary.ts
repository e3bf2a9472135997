/** Who receives the goods: an e-mail address, a phone number for mobile top-ups, or an account elsewhere. */
import { ScripError } from './errors.ts';
import { type Message, t } from './message.ts';
import type { ProductKind } from './product.ts';

/** A phone number by the countries' numbering plans. */
export interface PhoneNumber {
  /** E.164, with the leading +. */
  readonly number: string;
  /** Two letters, lowercase; undefined where the plans do not tell. */
  readonly countryCode: string | undefined;
  /** Whether it may be one of a country. */
  isOf(countryCode: string): boolean;
}

/**
 * Reads a number; undefined when it is none.
 * @param nationalIn the country whose plan a number without + is read by; without it there is none
 */
export type PhoneParser = (text: string, nationalIn?: string) => Promise<PhoneNumber | undefined>;

/** Longest address that mail can be sent to: RFC 3696, erratum 1690. */
const MAX_EMAIL_LENGTH = 254;

/** What is wrong with an address, most telling first. */
const EMAIL_RULES: readonly (readonly [isMet: RegExp, sentence: Message])[] = [
  [/\S/, t`is empty`],
  [/^\S+$/, t`contains a space`],
  [/@/, t`has no @`],
  [/^[^@]*@[^@]*$/, t`has more than one @`],
  [/^[^@]+@/, t`has nothing before the @`],
  [/^(?!\.)(?!.*\.\.)(?!.*\.@)/, t`has a misplaced dot`],
  [/^[A-Za-z0-9_'+.-]*[A-Za-z0-9_+-]@/, t`has invalid characters before the @`],
  [/@([A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?\.)+[A-Za-z]{2,}$/, t`has no valid domain after the @`],
];

/**
 * Gives the address back without spaces around it.
 * @throws {ScripError} EMAIL_INVALID with what is wrong with it
 */
export function checkEmail(text: string): string {
  const email = text.trim();
  const broken = EMAIL_RULES.find(([isMet]) => !isMet.test(email));
  if (broken) throw new ScripError('EMAIL_INVALID', t`The e-mail address "${email}" ${broken[1]}`);
  if (email.length <= MAX_EMAIL_LENGTH) return email;
  throw new ScripError(
    'EMAIL_INVALID',
    t`The e-mail address is ${email.length} characters long, over ${MAX_EMAIL_LENGTH}`,
  );
}

/** Ours: what is neither card nor eSIM may go to an account by any name; one with @ is an e-mail address. */
const ACCOUNT = /^(?!\+)[^\p{C}@]{1,254}$/u;

/**
 * Gives the beneficiary back as it is ordered with: an e-mail address, an account for other products, or
 * E.164 with a leading + for top-ups (interface: ProductDeliverable, beneficiary_account). Without a parser that knows
 * the countries' plans, a number is judged by its shape.
 * @param nationalIn the country whose plan a number without + is read by
 * @throws {ScripError} EMAIL_INVALID or PHONE_INVALID with what is wrong with it
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
  if (kind === 'other' && ACCOUNT.test(text.trim())) return text.trim();
  if (/^\+?[0-9][0-9 ().-]+$/.test(text.trim())) {
    throw new ScripError(
      'EMAIL_INVALID',
      t`"${text.trim()}" is a phone number; this product is sent to an e-mail address`,
    );
  }
  return checkEmail(text);
}

/** How a phone number without + is read: as dialled within a country, or as E.164 of that country. */
export type NumberPlan = { readonly nationalIn?: string } | { readonly e164Of: string };

/**
 * The beneficiary of an order as others write it: E.164 may come without its + (interface: pattern of
 * beneficiary_account). Ours: then it has to be of the product's country. Digits as they are dialled at
 * home could be another person's number abroad.
 * @throws {ScripError} EMAIL_INVALID or PHONE_INVALID with what is wrong with it
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
  throw badPhone(
    digits,
    t`does not start with + or the country code of ${countryCode.toUpperCase()}`,
  );
}

/** Reads a number by its shape alone (interface: pattern of beneficiary_account). */
async function parseE164(text: string): Promise<PhoneNumber | undefined> {
  const number = text.replace(/[ ().-]/g, '');
  // Ours: at least seven digits, country code included; no number is shorter.
  if (!/^\+[1-9]\d{6,14}$/.test(number)) return undefined;
  return { number, countryCode: undefined, isOf: () => true };
}

async function checkPhone(
  text: string,
  parsePhone: PhoneParser,
  nationalIn: string | undefined,
): Promise<PhoneNumber> {
  if (text.includes('@')) throw badPhone(text, t`is an e-mail address; a top-up needs a number`);
  const isInternational = text.startsWith('+');
  if (!isInternational && nationalIn === undefined) {
    throw badPhone(text, t`does not start with + and the country code`);
  }
  if (!/^\+?[0-9 ().-]*$/.test(text)) throw badPhone(text, t`has characters that are not digits`);
  const phone = await parsePhone(text, nationalIn);
  if (phone !== undefined) return phone;
  throw isInternational
    ? badPhone(text, t`is not a number that any country has`)
    : badPhone(text, t`is not a number of the country ${nationalIn?.toUpperCase() ?? ''}`);
}

function badPhone(text: string, why: Message): ScripError {
  return new ScripError('PHONE_INVALID', t`The phone number "${text}" ${why}`);
}
