/** Redemption codes in tool results: hidden unless the user chose to show them. */

import { codesIn as goodsCodes, isCodeField } from '../domain/delivered.ts';

/** Holds texts of the supplier under names that the interface does not define; any of them may be a code. */
export const OTHER_FIELDS = 'other_fields';
/** Replaces a code. */
export const HIDDEN = 'hidden: run scrip orders reveal <order_id> in a terminal';

/** The supplier's explanations, which may repeat the code or hold it in a link. */
const TEXT_FIELDS: ReadonlySet<string> = new Set([
  'redeem_instructions',
  'pin_usage_instructions',
  'terms_and_conditions',
  'error_description',
  'failure_reason',
]);
/** Shorter codes would match inside ordinary words. */
const LEAST_CODE_LENGTH = 4;
/** A link with a query or fragment may open something meant only for the buyer. */
const PERSONAL_LINK = /https?:\/\/[^\s"'<>]+[?#][^\s"'<>]*/gi;

/**
 * Returns the body with codes and personal links removed from the explanations. The code fields themselves
 * stay: the output schema hides them.
 */
export function withoutRepeatedCodes(body: unknown): unknown {
  const codes = [...new Set(codesIn(body))].toSorted((one, other) => other.length - one.length);
  return mapFields(body, (name, text) => {
    if (!TEXT_FIELDS.has(name)) return text;
    const cut = codes.reduce((left, code) => left.replaceAll(code, '[hidden]'), text);
    return cut.replace(PERSONAL_LINK, '[hidden]');
  });
}

function codesIn(value: unknown): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => {
    if (name === OTHER_FIELDS) return goodsCodes({ [OTHER_FIELDS]: inner }).filter(isLong);
    return isCodeField(name) && typeof inner === 'string' && isLong(inner)
      ? [inner]
      : codesIn(inner);
  });
}

function isLong(code: string): boolean {
  return code.length >= LEAST_CODE_LENGTH;
}

function mapFields(
  value: unknown,
  change: (name: string, text: string) => string,
  name = '',
): unknown {
  if (typeof value === 'string') return change(name, value);
  if (Array.isArray(value)) return value.map((element) => mapFields(element, change, name));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, mapFields(inner, change, key)]),
  );
}
