/** Who receives the goods: an e-mail address, or a phone number for mobile top-ups. */
import { ScripError } from './errors.ts';
import type { ProductKind } from './product.ts';

/** Reads a number that starts with +; gives it back in E.164, or undefined when it is none. */
export type PhoneParser = (text: string) => Promise<string | undefined>;

/** Longest address that mail can be sent to: RFC 3696, erratum 1690. */
const MAX_EMAIL_LENGTH = 254;

/** What is wrong with an address, most telling first. */
const EMAIL_RULES: readonly (readonly [isMet: RegExp, sentence: string])[] = [
  [/\S/, 'is empty'],
  [/^\S+$/, 'has a space in it'],
  [/@/, 'has no @'],
  [/^[^@]*@[^@]*$/, 'has more than one @'],
  [/^[^@]+@/, 'has nothing before the @'],
  [/^(?!\.)(?!.*\.\.)(?!.*\.@)/, 'has a dot where none may stand'],
  [/^[A-Za-z0-9_'+.-]*[A-Za-z0-9_+-]@/, 'has characters before the @ that mail hosts do not take'],
  [/@([A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?\.)+[A-Za-z]{2,}$/, 'has no valid domain after the @'],
];

/**
 * Gives the address back without spaces around it.
 * @throws {ScripError} EMAIL_INVALID with what is wrong with it
 */
export function checkEmail(text: string): string {
  const email = text.trim();
  const broken = EMAIL_RULES.find(([isMet]) => !isMet.test(email));
  if (broken) throw new ScripError('EMAIL_INVALID', `the e-mail address "${email}" ${broken[1]}`);
  if (email.length <= MAX_EMAIL_LENGTH) return email;
  throw new ScripError(
    'EMAIL_INVALID',
    `the e-mail address is ${email.length} characters long, over ${MAX_EMAIL_LENGTH}`,
  );
}

/**
 * Gives the beneficiary back as it is ordered with: an e-mail address, or E.164 with a leading +
 * for top-ups (interface: ProductDeliverable, beneficiary_account). Without a parser that knows
 * the countries' plans, a number is judged by its shape.
 * @throws {ScripError} EMAIL_INVALID or PHONE_INVALID with what is wrong with it
 */
export async function checkBeneficiary(
  kind: ProductKind,
  text: string,
  parsePhone: PhoneParser = parseE164,
): Promise<string> {
  if (kind === 'mobile_topup') return checkPhone(text.trim(), parsePhone);
  if (/^\+?[0-9][0-9 ().-]+$/.test(text.trim())) {
    throw new ScripError(
      'EMAIL_INVALID',
      `"${text.trim()}" is a phone number; this product is sent to an e-mail address`,
    );
  }
  return checkEmail(text);
}

/** Reads a number by its shape alone (interface: pattern of beneficiary_account). */
async function parseE164(text: string): Promise<string | undefined> {
  const number = text.replace(/[ ().-]/g, '');
  // Ours: at least seven digits, country code included; nobody's number is shorter.
  return /^\+[1-9]\d{6,14}$/.test(number) ? number : undefined;
}

async function checkPhone(text: string, parsePhone: PhoneParser): Promise<string> {
  if (text.includes('@')) throw badPhone(text, 'is an e-mail address; a top-up needs a number');
  if (!text.startsWith('+')) throw badPhone(text, 'does not start with + and the country code');
  if (!/^\+[0-9 ().-]+$/.test(text)) throw badPhone(text, 'has characters that are not digits');
  const number = await parsePhone(text);
  if (number === undefined) throw badPhone(text, 'is not a number that any country has');
  return number;
}

function badPhone(text: string, why: string): ScripError {
  return new ScripError('PHONE_INVALID', `the phone number "${text}" ${why}`);
}
