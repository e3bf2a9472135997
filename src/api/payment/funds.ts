/** Checks whether the wallet holds the price of an order. */

import { commandText } from '../../domain/message/command-text.ts';
import { ScripError } from '../../domain/message/errors.ts';
import { t } from '../../domain/message/message.ts';
import { type Atomic, atomic, formatDecimal } from '../../domain/money/money.ts';
import type { Price } from '../merchant.ts';
import type { Paying } from '../paying.ts';

/** Returns the wallet's balance in a coin that it can send. @throws {ScripError} CHAIN_UNREACHABLE */
export async function heldOf(
  { rail, signer }: Pick<Paying, 'rail' | 'signer'>,
  coin: string,
): Promise<Atomic> {
  const { coinAtomic, usdcAtomic } = await rail.balances(signer.address);
  return coin === rail.coin ? coinAtomic : (usdcAtomic ?? atomic(0n));
}

/** The amount to pay, in units of the coin. */
export interface Due extends Pick<Price, 'text' | 'atomic' | 'decimals'> {
  readonly coin: string;
}

/** @throws {ScripError} FUNDS_TOO_LOW, with balance and price in `details` */
export function checkHeld(address: string, held: Atomic, due: Due): void {
  const shortage = shortageOf(address, held, due);
  if (shortage !== undefined) throw shortage;
}

/** The error if the wallet holds less than what is due. */
export function shortageOf(address: string, held: Atomic, due: Due): ScripError | undefined {
  if (held >= due.atomic) return undefined;
  const { coin, text, decimals } = due;
  const balance = formatDecimal(held, decimals, 2);
  return new ScripError(
    'FUNDS_TOO_LOW',
    t`The wallet ${address} holds ${balance} ${coin}, and the price is ${text}`,
    {
      details: { balance, price: text, coin, address },
      hint: commandText`Put ${coin} into the wallet; in the sandbox: scrip wallet fund`,
    },
  );
}
