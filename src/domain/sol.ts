/** Amounts of SOL: decimal texts for people, lamports for the chain. */

import { type Atomic, atomic, formatDecimal, parseDecimal } from './money.ts';

export const SOL_DECIMALS = 9;

/** Parses SOL into lamports. @throws {ScripError} AMOUNT_INVALID */
export function parseSol(text: string): Atomic {
  return parseDecimal(text, SOL_DECIMALS);
}

export function formatSol(lamports: bigint): string {
  return formatDecimal(atomic(lamports), SOL_DECIMALS);
}
