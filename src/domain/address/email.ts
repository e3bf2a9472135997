/** Checks an e-mail address. */

import { ScripError } from '../message/errors.ts';
import { type Message, t } from '../message/message.ts';

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
