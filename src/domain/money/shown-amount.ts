/**
 * Amounts as screens show them: dollar coins in cents, other coins with all their digits. JSON, pipes, errors and
 * `scrip orders show` have all digits.
 */

import { roundUpToCents } from './cap.ts';
import { type Atomic, atomic, formatDecimal, parseDecimal } from './money.ts';

/** A price, or what was paid or came back: to the nearest cent, as its sum with others. @param amount a decimal */
export function priceText(amount: string, coin: string): string {
  return inCents(amount, coin, roundToCents);
}

/** An amount that is missing, or a limit: never shown as less than it is. @param amount a decimal */
export function dueText(amount: string, coin: string): string {
  return inCents(amount, coin, roundUpToCents);
}

/** An amount that one has: never shown as more than it is. @param amount a decimal */
export function heldText(amount: string, coin: string): string {
  return inCents(amount, coin, roundDownToCents);
}

/** Pads an amount to two decimals, `30.3` as `30.30`; more decimals stay. */
export function padCents(amount: string): string {
  const [, whole, cents = ''] = /^(\d+)(?:\.(\d?))?$/.exec(amount) ?? [];
  return whole === undefined ? amount : `${whole}.${cents.padEnd(2, '0')}`;
}

export function isDollarCoin(coin: string): boolean {
  return coin.startsWith('USD');
}

function inCents(
  amount: string,
  coin: string,
  rounded: (amount: Atomic, decimals: number) => Atomic,
): string {
  const [, digits = ''] = /^(?:0|[1-9]\d{0,14})\.(\d{3,18})$/.exec(amount) ?? [];
  // A merchant may send any text as an amount.
  if (digits === '' || !isDollarCoin(coin)) return padCents(amount);
  const decimals = digits.length;
  return formatDecimal(rounded(parseDecimal(amount, decimals), decimals), decimals, 2);
}

function roundToCents(amount: Atomic, decimals: number): Atomic {
  const cent = 10n ** BigInt(decimals - 2);
  return roundDownToCents(atomic(amount + cent / 2n), decimals);
}

function roundDownToCents(amount: Atomic, decimals: number): Atomic {
  return atomic(amount - (amount % 10n ** BigInt(decimals - 2)));
}
