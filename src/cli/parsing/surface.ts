/** Finds which merchant a command line means, from its options. */

import { type Command, Option } from 'commander';
import type { MerchantName } from '../../api/merchants.ts';
import { DEFAULT_COIN, isOwnNetwork, isSameName, OWN_NETWORK } from '../../domain/payment-means.ts';

/** Options that select the partner API instead of the checkout host. */
export interface SurfaceFlags {
  readonly via?: MerchantName;
  readonly coin?: string;
  readonly network?: string;
}

/** A coin or network other than the checkout host's own selects the partner API. */
export function merchantMeant({ via, coin, network }: SurfaceFlags): MerchantName {
  if (via !== undefined) return via;
  const isUsual =
    isSameName(coin ?? DEFAULT_COIN, DEFAULT_COIN) && isOwnNetwork(network ?? OWN_NETWORK);
  return isUsual ? 'checkout' : 'partner';
}

/** The same choice as words for a command. */
export function surfaceWords({ via, coin, network }: SurfaceFlags): readonly string[] {
  const named = Object.entries({ '--via': via, '--coin': coin, '--network': network });
  return named.flatMap(([flag, value]) => (value === undefined ? [] : [flag, value]));
}

export function addSurfaceOption(command: Command): Command {
  return command.addOption(
    new Option('--via <surface>', 'which side of the merchant to ask (default: checkout)').choices([
      'checkout',
      'partner',
    ]),
  );
}

export function addCountryOption(command: Command): Command {
  return command.option('--country <code>', 'two-letter code, such as us (default: your settings)');
}

export function addCoinOption(command: Command): Command {
  return command.option('--coin <ticker>', 'coin to pay in (default: USDC); see scrip vias');
}

export function addMeansOptions(command: Command): Command {
  return addCoinOption(command)
    .option('--network <name>', 'network to pay on (default: Solana where the coin has it)')
    .option('--payment-via <name>', 'payment method (default: your own wallet)')
    .option('--coupon <code>', 'coupon of the merchant');
}

export interface MeansFlags {
  readonly coin?: string;
  readonly network?: string;
  readonly paymentVia?: string;
  readonly coupon?: string;
}
