/** Money as integers. Text is validated before it becomes a number, and no amount is ever a float. */

import { ScripError } from '../message/errors.ts';
import { t } from '../message/message.ts';

/** A whole number of an asset's smallest units; the decimals are stated next to each amount. */
export type Atomic = bigint & { readonly __brand: 'Atomic' };

/** Decimals of face values, in every currency. */
export const FACE_DECIMALS = 6;

const U64_MAX = 2n ** 64n - 1n;

/**
 * Checks and brands a bigint as an amount.
 * @throws {ScripError} AMOUNT_INVALID when negative or over 64 bits
 */
export function atomic(value: bigint): Atomic {
  if (value < 0n || value > U64_MAX) {
    throw new ScripError('AMOUNT_INVALID', t`${value} is not an amount between 0 and 2^64 - 1`);
  }
  return value as Atomic;
}

/**
 * Parses an amount in atomic units, as x402 writes it.
 * @throws {ScripError} AMOUNT_INVALID on anything but plain digits without leading zeros
 */
export function parseAtomic(text: string): Atomic {
  // BigInt() alone would accept "+5", "0x5", " 5 " and "".
  if (!/^(0|[1-9][0-9]{0,19})$/.test(text)) {
    throw new ScripError('AMOUNT_INVALID', t`"${text}" is not a whole number of atomic units`);
  }
  return atomic(BigInt(text));
}

/**
 * Parses a decimal such as `25` or `25.50` into units of 10^-decimals.
 * @throws {ScripError} AMOUNT_INVALID on signs, exponents, separators or too many decimals
 */
export function parseDecimal(text: string, decimals: number): Atomic {
  const match = /^(0|[1-9][0-9]{0,14})(?:\.([0-9]{1,18}))?$/.exec(text);
  if (/^[1-9][0-9]{15,}(\.[0-9]+)?$/.test(text)) {
    throw new ScripError('AMOUNT_INVALID', t`The amount ${text.slice(0, 40)} is too large`);
  }
  if (!match) {
    throw new ScripError(
      'AMOUNT_INVALID',
      t`"${text}" is not a plain decimal number such as 25 or 25.50`,
    );
  }
  const fraction = (match[2] ?? '').replace(/0+$/, '');
  if (fraction.length > decimals) {
    throw new ScripError('AMOUNT_INVALID', t`"${text}" has more than ${decimals} decimals`);
  }
  return atomic(BigInt((match[1] ?? '0') + fraction.padEnd(decimals, '0')));
}

/**
 * Formats an amount as a decimal, with at least `minDecimals` places: 25500000 with 6 decimals is `25.50`.
 */
export function formatDecimal(amount: Atomic, decimals: number, minDecimals = 0): string {
  const digits = amount.toString().padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals);
  const fraction = digits
    .slice(digits.length - decimals)
    .replace(/0+$/, '')
    .padEnd(minDecimals, '0');
  return fraction === '' ? whole : `${whole}.${fraction}`;
}

/** The same of an amount that may be below zero. */
export function formatSigned(amount: bigint, decimals: number): string {
  const size = formatDecimal(atomic(amount < 0n ? -amount : amount), decimals);
  return amount < 0n ? `-${size}` : size;
}

/** Multiplies by a fraction and rounds up, so that rounding never puts the buyer's price below cost. */
export function scaleUp(amount: Atomic, numerator: bigint, denominator: bigint): Atomic {
  return atomic((amount * numerator + denominator - 1n) / denominator);
}

/**
 * Whether the point may separate thousands, as many countries write them: `1.000`, but not `0.125`, `1000.125`
 * or `1.0000`.
 */
export function mayBeThousands(text: string): boolean {
  return /^\s*[1-9]\d{0,2}\.\d{3}\s*$/.test(text);
}

/** Refuses what a person wrote if it may be thousands. @throws {ScripError} AMOUNT_INVALID */
export function checkThousands(text: string): void {
  if (!mayBeThousands(text)) return;
  const written = text.trim();
  const whole = written.replace('.', '');
  throw new ScripError(
    'AMOUNT_INVALID',
    t`"${written}" may mean ${whole}, or a value with three decimals`,
    {
      hint: t`Write ${whole}, or ${withoutThousands(written)} for the value with decimals.`,
    },
  );
}

/** Writes a decimal so that its point cannot be taken for thousands: `1.125` as `1.1250`. */
export function withoutThousands(text: string): string {
  return mayBeThousands(text) ? `${text}0` : text;
}

export const SOL_DECIMALS = 9;
export const ETH_DECIMALS = 18;

/** Parses SOL into lamports. @throws {ScripError} AMOUNT_INVALID */
export function parseSol(text: string): Atomic {
  return parseDecimal(text, SOL_DECIMALS);
}

export function formatSol(lamports: bigint): string {
  return formatDecimal(atomic(lamports), SOL_DECIMALS);
}
