/** Redemption data in results of tools: hidden unless the user asked for it to be shown. */

import { codesIn as goodsCodes, isCodeField } from '../domain/delivered.ts';

/** Where texts stand under names that the interface does not have: each of them may be a code. */
export const OTHER_FIELDS = 'other_fields';
/** What stands in place of a code. */
export const HIDDEN = 'hidden: run scrip orders reveal <order_id> in a terminal';

/** Explanations of the supplier, in which the code may stand once more or as a link. */
const TEXT_FIELDS: ReadonlySet<string> = new Set([
  'redeem_instructions',
  'pin_usage_instructions',
  'terms_and_conditions',
  'error_description',
  'failure_reason',
]);
/** Shorter ones would be found in every text. */
const LEAST_CODE_LENGTH = 4;
/** A link with a query opens what only its holder may open. */
const PERSONAL_LINK = /https?:\/\/[^\s"'<>]+[?#][^\s"'<>]*/gi;

/** The body with its codes taken out of the explanations around them; code fields stay for the schema. */
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
