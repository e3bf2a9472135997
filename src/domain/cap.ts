/** The most that may be signed for: what the user named, or the price and what it may move. */

import { USDC_DECIMALS } from '../contract/usdc.ts';
import { ScripError } from './errors.ts';
import { type Message, t } from './message.ts';
import { type Atomic, atomic, formatDecimal, parseDecimal, scaleUp } from './money.ts';

/** The price may move this much between quote and payment: what merchants grant themselves. */
const TOLERANCE_BPS = 50n;
const WHOLE_BPS = 10_000n;
/** The help of `--max-amount`, with the same tolerance. */
export const MAX_AMOUNT_HELP = t`maximum to pay (default: the quote + 0.5 %)`;

/**
 * Where the user named no limit: the price and the tolerance above it, rounded up. Of USDC to the cent, so
 * that what is shown is what binds.
 */
export function defaultCap(priceAtomic: Atomic, decimals: number): Atomic {
  const capAtomic = scaleUp(priceAtomic, WHOLE_BPS + TOLERANCE_BPS, WHOLE_BPS);
  return decimals === USDC_DECIMALS ? roundUpToCents(capAtomic, decimals) : capAtomic;
}

export function roundUpToCents(amount: Atomic, decimals: number): Atomic {
  const cent = 10n ** BigInt(Math.max(0, decimals - 2));
  return atomic(((amount + cent - 1n) / cent) * cent);
}

/** The same as it is proposed to people: in cents, never less. */
export function defaultCapText(priceAtomic: Atomic, decimals: number): string {
  return formatDecimal(roundUpToCents(defaultCap(priceAtomic, decimals), decimals), decimals, 2);
}

/** How it is told that an amount is above a cap, in the words of the moment. */
export interface OverCap {
  readonly message: Message;
  readonly hint?: Message;
  readonly details?: Readonly<Record<string, unknown>>;
}

/** @throws {ScripError} AMOUNT_OVER_CAP */
export function checkCap(amountAtomic: bigint, capAtomic: bigint, over: () => OverCap): void {
  if (amountAtomic <= capAtomic) return;
  const { message, ...more } = over();
  throw new ScripError('AMOUNT_OVER_CAP', message, more);
}

/**
 * The most that may be signed for.
 * @param maxAmount as typed, in the coin of the price
 * @throws {ScripError} AMOUNT_INVALID; AMOUNT_OVER_CAP where the price is above what the user named
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
