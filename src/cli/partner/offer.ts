/** What an order of the partner API costs, and whether the local wallet can pay it. */

import { readPrice } from '../../api/partner/partner.ts';
import { capFor } from '../../domain/cap.ts';
import { commandText } from '../../domain/command-text.ts';
import { ScripError } from '../../domain/errors.ts';
import { t } from '../../domain/message.ts';
import { type Atomic, atomic, formatDecimal } from '../../domain/money.ts';
import type { Context } from '../context.ts';
import type { Checked } from './checking.ts';

/** Decimals of a coin that this wallet cannot send; nothing is signed for by them. */
const OTHER_DECIMALS = 9;

export interface Offer {
  /** As the merchant says it, in the coin. */
  readonly price: string;
  readonly priceAtomic: Atomic;
  readonly capAtomic: Atomic;
  readonly decimals: number;
  /** The local wallet can send the coin. */
  readonly isSendable: boolean;
  readonly coin: string;
  readonly network: string;
}

/** @throws {ScripError} AMOUNT_OVER_CAP when the price is above what the user allows */
export async function priceOf(
  context: Context,
  { validation, means }: Checked,
  { maxAmount }: { readonly maxAmount?: string },
): Promise<Offer> {
  const price = validation?.coin_amount ?? '';
  const asset = (await context.parts.rail()).direct?.asset(means);
  const decimals = asset?.decimals ?? OTHER_DECIMALS;
  const priceAtomic = readPrice(price, decimals);
  const { coin, network } = means;
  const capAtomic = orderCap({ price, priceAtomic, decimals, coin }, maxAmount);
  return {
    price,
    priceAtomic,
    capAtomic,
    decimals,
    isSendable: asset !== undefined,
    coin,
    network,
  };
}

/**
 * The most that may be paid for an order of the partner API.
 * @throws {ScripError} AMOUNT_INVALID; AMOUNT_OVER_CAP when the price is above what the user allows
 */
export function orderCap(
  priced: Pick<Offer, 'price' | 'priceAtomic' | 'decimals' | 'coin'>,
  maxAmount: string | undefined,
): Atomic {
  const { price, coin } = priced;
  return capFor(priced, maxAmount, (_, most) => ({
    message: t`the price is ${price} ${coin}, more than the ${most} allowed`,
  }));
}

/** An order that could not be paid is not made: orders left unpaid count against the partner. */
export async function checkPayable(context: Context, offer: Offer): Promise<void> {
  const { coin, network, priceAtomic, decimals } = offer;
  if (!offer.isSendable) {
    throw new ScripError(
      'USAGE',
      t`--pay cannot send ${coin} on ${network}: this wallet has USDC and SOL on Solana`,
      {
        hint: t`Leave --pay out; the order then shows address, payment URI and QR code.`,
      },
    );
  }
  const { address } = await context.parts.signer();
  const { lamports, usdcAtomic } = await (await context.parts.rail()).balances(address);
  const held = coin === 'SOL' ? atomic(lamports) : (usdcAtomic ?? atomic(0n));
  if (held >= priceAtomic) return;
  const balance = formatDecimal(held, decimals);
  throw new ScripError(
    'FUNDS_TOO_LOW',
    t`the wallet ${address} holds ${balance} ${coin}, and the price is ${offer.price}`,
    {
      details: { balance, price: offer.price, coin, address },
      hint: commandText`Put ${coin} into the wallet; in the sandbox: scrip wallet fund`,
    },
  );
}
