/** Parses and prints amounts, durations and counts. */

import { USDC_DECIMALS } from '../contract/usdc.ts';
import { commandText } from '../domain/message/command-text.ts';
import { ScripError } from '../domain/message/errors.ts';
import { type Message, t } from '../domain/message/message.ts';
import {
  type Atomic,
  checkThousands,
  FACE_DECIMALS,
  formatDecimal,
  parseDecimal,
} from '../domain/money/money.ts';

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

/** Checks a face value. @throws {ScripError} AMOUNT_INVALID when it is not a plain decimal */
export function checkDecimal(text: string): void {
  checkThousands(text);
  parseDecimal(text, FACE_DECIMALS);
}

/**
 * Checks an amount in any coin; the number of decimals is checked once the coin is known.
 * @throws {ScripError} AMOUNT_INVALID
 */
export function checkPlainDecimal(text: string): void {
  parseDecimal(text.replace(/(\.\d{6})\d{1,12}$/, '$1'), FACE_DECIMALS);
}

/**
 * Parses USDC into atomic units. Three decimals are taken here: scripts pass on prices, and a maximum that was
 * meant as thousands refuses the purchase.
 * @throws {ScripError} AMOUNT_INVALID
 */
export function parseUsdc(text: string): Atomic {
  return parseDecimal(text, USDC_DECIMALS);
}

export function formatUsdc(amount: Atomic): string {
  return formatDecimal(amount, USDC_DECIMALS, 2);
}

/** Parses `90s`, `10m` or `1h` into milliseconds. @throws {ScripError} INPUT_INVALID */
export function parseDuration(text: string): number {
  const match = /^(\d{1,6})(ms|s|m|h)$/.exec(text);
  const unit = UNIT_MS[match?.[2] ?? ''];
  if (unit === undefined) {
    throw new ScripError(
      'INPUT_INVALID',
      t`"${text}" is not a duration such as 90s, 10m or 1h`,
      /^\d{1,6}$/.test(text) ? { hint: commandText`Name the unit: ${text}s or ${text}m.` } : {},
    );
  }
  return Number(match?.[1]) * unit;
}

export function linesCounted(count: number): Message {
  return count === 1 ? t`1 line` : t`${count} lines`;
}

export function ordersCounted(count: number): Message {
  return count === 1 ? t`1 order` : t`${count} orders`;
}

export function itemsCounted(count: number): Message {
  return count === 1 ? t`1 item` : t`${count} items`;
}

/** Parses a quantity. @throws {ScripError} INPUT_INVALID */
export function parseQuantity(text = '1'): number {
  if (/^[1-9]\d{0,2}$/.test(text)) return Number(text);
  throw new ScripError('INPUT_INVALID', t`"${text}" is not a quantity from 1 to 999`);
}
