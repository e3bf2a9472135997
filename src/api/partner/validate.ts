/** Validates an order: all local checks first, then the service's. */

import { SUSPENSION_CODES, VALUE_FIELD } from '../../contract/codes.ts';
import {
  MAX_DELIVERIES_PER_ORDER,
  validateOrder,
  type WireProblem,
  type WireValidation,
  type WireValidationRequest,
} from '../../contract/partner-orders.ts';
import { attempt, expected } from '../../domain/attempt.ts';
import { ScripError } from '../../domain/message/errors.ts';
import { joined, type Message, t } from '../../domain/message/message.ts';
import {
  type Atomic,
  atomic,
  FACE_DECIMALS,
  formatDecimal,
  parseDecimal,
} from '../../domain/money/money.ts';
import { checkBeneficiary, type PhoneParser } from '../../domain/product/beneficiary.ts';
import { type CartLine, kindOf } from './cart.ts';
import { callPartner, type PartnerHost } from './partner.ts';

export interface Validated {
  /** Undefined when the service refused the whole request. */
  readonly validation: WireValidation | undefined;
  /** Local problems first, then those of the service that are not among them. */
  readonly problems: readonly WireProblem[];
}

/** The service rejects a body with more deliveries as invalid (contract: orderFields). */
const MAX_DELIVERIES_PER_REQUEST = 100;

/**
 * Checks recipients, values and the size of the cart locally, then asks the service, which decides. A
 * suspension counts as a problem.
 * @throws {ScripError} what `callPartner` throws, unless a local check already failed
 */
export async function validate(
  host: PartnerHost,
  lines: readonly CartLine[],
  request: WireValidationRequest,
  parsePhone: PhoneParser,
): Promise<Validated> {
  const ours = await localProblems(lines, parsePhone);
  if (request.deliveries.length > MAX_DELIVERIES_PER_REQUEST) {
    return { validation: undefined, problems: ours };
  }
  const said = await askService(host, request, ours.length > 0);
  const named = new Set(ours.map(({ problem }) => problem));
  return {
    ...said,
    problems: [...ours, ...said.problems.filter((one) => !named.has(one.problem))],
  };
}

async function askService(
  host: PartnerHost,
  request: WireValidationRequest,
  isKnownBroken: boolean,
): Promise<Validated> {
  try {
    const validation = await callPartner(host, validateOrder, request);
    return { validation, problems: validation.problems ?? [] };
  } catch (error) {
    const suspension = suspensionOf(error);
    if (suspension !== undefined) return { validation: undefined, problems: [suspension] };
    // Report a problem found locally even if the service fails.
    const isFailure = error instanceof ScripError && error.code !== 'INTERRUPTED';
    if (isFailure && isKnownBroken) return { validation: undefined, problems: [] };
    throw error;
  }
}

/** Returns a suspended coin or network as a problem; undefined for any other failure. */
export function suspensionOf(error: unknown): WireProblem | undefined {
  if (!(error instanceof ScripError)) return undefined;
  const { detail, more } = error.details;
  if (typeof detail !== 'string' || !Object.hasOwn(SUSPENSION_CODES, detail)) return undefined;
  const details =
    typeof more === 'object' && more !== null && 'details' in more ? more.details : undefined;
  return { problem: detail, moreDetails: details };
}

/** Returns the problems that the catalog alone shows, in the interface's form. */
export async function localProblems(
  lines: readonly CartLine[],
  parsePhone: PhoneParser,
): Promise<readonly WireProblem[]> {
  const count = lines.reduce((sum, { quantity }) => sum + quantity, 0);
  const accounts = await Promise.all(lines.map((line) => accountFault(line, parsePhone)));
  return [
    ...(count > MAX_DELIVERIES_PER_ORDER
      ? [problem('PRODUCT_COUNT_EXCEEDED', { count, maximum: MAX_DELIVERIES_PER_ORDER })]
      : []),
    ...faults('NOT_AVAILABLE_PRODUCT', lines, lines.map(valueFault), { field: VALUE_FIELD }),
    ...faults('INVALID_BENEFICIARY_ACCOUNT', lines, accounts),
  ];
}

function problem(code: string, moreDetails: unknown): WireProblem {
  return { problem: code, moreDetails };
}

function faults(
  code: string,
  lines: readonly CartLine[],
  reasons: readonly (Message | undefined)[],
  about: { readonly field?: string } = {},
): readonly WireProblem[] {
  const deliveries = lines.flatMap((line, index) => {
    const reason = reasons[index];
    return reason === undefined ? [] : [{ index, brand_name: line.brand.brand, reason }];
  });
  return deliveries.length === 0 ? [] : [problem(code, { ...about, deliveries })];
}

function accountFault(line: CartLine, parsePhone: PhoneParser): Promise<Message | undefined> {
  return checkBeneficiary(kindOf(line), line.to, parsePhone, line.country).then(
    () => undefined,
    expected(({ sentence }) => sentence),
  );
}

/**
 * Returns what is wrong with the value: outside bounds or step of a range, or not a fixed product's value.
 */
function valueFault({ value, product }: CartLine): Message | undefined {
  if (!product.is_dynamic) return fixedFault(value, product);
  const { range } = product;
  if (range === undefined) return undefined;
  if (value === undefined) return t`No value is chosen; choose ${rangeText(range)}`;
  const chosen = faceValue(value);
  if (chosen === undefined) return t`"${value}" is not a plain decimal number such as 25 or 25.50`;
  const [min, max, step] = [range.min, range.max, range.step_size].map((edge) =>
    faceValue(String(edge)),
  );
  // Leave bounds in an unknown form to the service.
  if (min === undefined || max === undefined || step === undefined) return undefined;
  if (chosen < min) return t`${value} is below the minimum; choose ${rangeText(range)}`;
  if (chosen > max) return t`${value} is above the maximum; choose ${rangeText(range)}`;
  if (step === 0n || (chosen - min) % step === 0n) return undefined;
  const below = chosen - ((chosen - min) % step);
  const near = [below, below + step].filter((one) => one <= max).map(faceText);
  return t`${value} is not a multiple of the step; nearest: ${joined(near, t` and `)}`;
}

function fixedFault(
  value: string | undefined,
  { face_value, denomination }: CartLine['product'],
): Message | undefined {
  if (value === undefined) return undefined;
  const amount = face_value?.amount;
  const own = amount !== undefined && 'price' in amount ? faceValue(amount.price) : undefined;
  if (own !== undefined && own === faceValue(value)) return undefined;
  return t`The value is fixed at ${denomination ?? t`its own`}, not ${value}`;
}

function rangeText(range: NonNullable<CartLine['product']['range']>): Message {
  return t`${range.min} to ${range.max} ${range.currency} in steps of ${range.step_size}`;
}

function faceText(value: bigint): string {
  return formatDecimal(atomic(value), FACE_DECIMALS);
}

function faceValue(text: string): Atomic | undefined {
  return attempt(
    () => parseDecimal(text, FACE_DECIMALS),
    () => undefined,
  );
}
