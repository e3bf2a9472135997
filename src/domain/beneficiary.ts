/**
 * Checks who receives the goods: an e-mail address, a phone number for mobile top-ups, or another account.
 */
import { ScripError } from './errors.ts';
import { type Message, t } from './message.ts';
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

/** Longest address that mail can be sent to: RFC 3696, erratum 1690. */
const MAX_EMAIL_LENGTH = 254;

/** What can be wrong with an address; the first broken rule is reported. */
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
 * Returns the address without surrounding spaces.
 * @throws {ScripError} EMAIL_INVALID with the reason
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
  if (/^\+?[0-9][0-9 ().-]+$/.test(text.trim())) {
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

/** Shows enough to recognise a known address: `f***@example.com`, `+551****21`. */
export function maskBeneficiary(text: string): string {
  const at = text.lastIndexOf('@');
  if (at > 0) return `${[...text][0] ?? ''}***${text.slice(at)}`;
  return text.length < 8 ? '***' : `${text.slice(0, 4)}****${text.slice(-2)}`;
}
