/** Turns an error into a tool result that a model can act on, not into an MCP protocol error. */

import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { type Code, ScripError } from '../domain/errors.ts';
import { verbatim } from '../domain/message.ts';
import { wrapOpen, wrapText } from './untrusted.ts';

/** Codes whose messages hold no text of a merchant or supplier. */
const OWN_WORDS: ReadonlySet<Code> = new Set([
  'INTERNAL',
  'INPUT_INVALID',
  'CONFIRMATION_REQUIRED',
  'PHONE_OTHER_COUNTRY',
  'DECLINED',
  'WALLET_MISSING',
  'INTERRUPTED',
  'NETWORK_UNREACHABLE',
]);

/** Hints that name tools; the hints in the table of errors name commands. */
const HINTS: Readonly<Partial<Record<Code, string>>> = {
  INPUT_INVALID: 'Correct the field that the message names and call the tool again.',
  PRODUCT_UNKNOWN: 'Call listBrands, then listProductsForCountry, and copy the names exactly.',
  BRAND_UNKNOWN: 'Call searchProducts or listBrands, and copy the name exactly.',
  COUNTRY_UNKNOWN: 'Use a two-letter ISO code such as US.',
  COUNTRY_NOT_SOLD: 'Nothing is sold there; ask the user for another country.',
  VALUE_OUT_OF_RANGE: 'Choose a value between range.min and range.max of listProductsForCountry.',
  VALUE_OFF_STEP: 'Choose a value on range.step_size of listProductsForCountry.',
  PHONE_OTHER_COUNTRY:
    'Ask the user whether that number is meant. It is bought in a terminal, or where the user starts the server with --allow-other-country.',
  ORDER_UNKNOWN: 'Check order_id; only orders of this partner id can be read.',
  ORDER_PROBLEMS:
    'Fix the problems in details.problems, call validateOrder, then createOrder again.',
  MERCHANT_REFUSED: 'Fix what the message and details name, and call validateOrder first.',
  MERCHANT_ERROR: 'The service failed; call the tool again in a moment.',
  RATE_LIMITED: 'Wait before calling again.',
  NETWORK_UNREACHABLE: 'The service cannot be reached; tell the user, or try again in a moment.',
  INTERNAL: 'This is a fault of the server; it is no use to call again with the same arguments.',
};

/**
 * Returns the error as a tool result.
 * @param isGuarded whether to wrap texts from outside as untrusted
 * @param placed adds to a hint's command the options with which it reaches the server's own merchant
 */
export function failureResult(
  error: unknown,
  isGuarded: boolean,
  placed: (hint: string) => string = (hint) => hint,
): CallToolResult {
  const told =
    error instanceof ScripError ? error : new ScripError('INTERNAL', verbatim('Internal error'));
  const { code, message, retryable, fundsAtRisk, details } = told;
  const isOwn = !isGuarded || OWN_WORDS.has(code);
  const failure = {
    error: {
      code,
      message: isOwn ? message : wrapText(message),
      hint: placed(hintOf(told)),
      retryable,
      funds_at_risk: fundsAtRisk,
      ...(Object.keys(details).length === 0
        ? {}
        : { details: isOwn ? details : wrapOpen(details) }),
    },
  };
  return { isError: true, content: [{ type: 'text', text: JSON.stringify(failure) }] };
}

/** A hint about money that may be lost stays unchanged, whatever the tool. */
function hintOf({ code, hint, fundsAtRisk }: ScripError): string {
  return fundsAtRisk === 'none' ? (HINTS[code] ?? String(hint)) : String(hint);
}
