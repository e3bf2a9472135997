/** The maximum to sign for: the user's limit, or the quoted price plus a tolerance. */

import { USDC_DECIMALS } from '../../contract/usdc.ts';
import { ScripError } from '../message/errors.ts';
import { type Message, t } from '../message/message.ts';
import { type Atomic, atomic, formatDecimal, parseDecimal, scaleUp } from './money.ts';

/** Allowed price rise between quote and payment, in basis points: the same as merchants allow themselves. */
const TOLERANCE_BPS = 50n;
const WHOLE_BPS = 10_000n;
/** The help of `--max-amount`, with the same tolerance. */
export const MAX_AMOUNT_HELP = t`maximum, in the coin paid (default: quote + 0.5 %)`;

/**
 * The maximum when the user named none: the price plus the tolerance, rounded up. USDC is rounded up to the
 * cent, so that the amount shown is exactly the limit.
 */
export function defaultCap(priceAtomic: Atomic, decimals: number): Atomic {
  const capAtomic = scaleUp(priceAtomic, WHOLE_BPS + TOLERANCE_BPS, WHOLE_BPS);
  return decimals === USDC_DECIMALS ? roundUpToCents(capAtomic, decimals) : capAtomic;
}

export function roundUpToCents(amount: Atomic, decimals: number): Atomic {
  const cent = 10n ** BigInt(Math.max(0, decimals - 2));
  return atomic(((amount + cent - 1n) / cent) * cent);
}

/** The default maximum as shown to people: two decimals, rounded up. */
export function defaultCapText(priceAtomic: Atomic, decimals: number): string {
  return formatDecimal(roundUpToCents(defaultCap(priceAtomic, decimals), decimals), decimals, 2);
}

/** The error's texts when an amount exceeds the maximum; they differ by situation. */
export interface OverCap {
  readonly message: Message;
  readonly hint?: Message;
  readonly details?: Readonly<Record<string, unknown>>;
}

/** @throws {ScripError} AMOUNT_OVER_CAP when the amount exceeds the maximum */
export function checkCap(amountAtomic: bigint, capAtomic: bigint, over: () => OverCap): void {
  if (amountAtomic <= capAtomic) return;
  const { message, ...more } = over();
  throw new ScripError('AMOUNT_OVER_CAP', message, more);
}

/**
 * Returns the maximum to sign for.
 * @param maxAmount as typed, in the coin of the price
 * @throws {ScripError} AMOUNT_INVALID; AMOUNT_OVER_CAP when the price exceeds the user's maximum
 */
export function capFor(
  { priceAtomic, decimals }: { readonly priceAtomic: Atomic; readonly decimals: number },
  maxAmount: string | undefined,
  over: (capAtomic: Atomic, maxAmount: string) => OverCap,
): Atomic {
  if (maxAmount === undefined) return defaultCap(priceAtomic, decimals);
  const capAtomic = parseDecimal(maxAmount, decimals);
  checkCap(priceAtomic, capAtomic, () => over(capAtomic, maxAmount));
  return capAtomic;
}
