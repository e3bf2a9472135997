/** Checks whether the wallet holds the price of an order. */

import { networkName } from '../../contract/usdc.ts';
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

type Place = Pick<Paying, 'rail' | 'signer'>;

/** @throws {ScripError} FUNDS_TOO_LOW, with balance and price in `details` */
export function checkHeld(place: Place, held: Atomic, due: Due): void {
  const shortage = shortageOf(place, held, due);
  if (shortage !== undefined) throw shortage;
}

/** The error if the wallet holds less than what is due. */
export function shortageOf(
  { rail, signer: { address } }: Place,
  held: Atomic,
  due: Due,
): ScripError | undefined {
  if (held >= due.atomic) return undefined;
  const { coin, text, decimals } = due;
  const balance = formatDecimal(held, decimals, 2);
  return new ScripError(
    'FUNDS_TOO_LOW',
    t`The wallet ${address} holds ${balance} ${coin} on ${rail.name}, and the price is ${text}`,
    {
      details: { balance, price: text, coin, address, network: rail.network },
      hint: commandText`Put ${coin} into the wallet; in the sandbox: scrip wallet fund --network ${networkName(rail.network) ?? ''}`,
    },
  );
}
