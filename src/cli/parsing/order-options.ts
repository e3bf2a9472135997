/** What the options and words of commands name: a merchant, a product. */

import type { Command, Option } from 'commander';
import type { MerchantName } from '../../api/merchants.ts';
import { networkNamed } from '../../contract/usdc.ts';
import {
  DEFAULT_COIN,
  isOwnNetwork,
  isSameName,
  OWN_NETWORK,
} from '../../domain/payment/payment-means.ts';
import { type FlagsOf, rootOf } from '../command.ts';

export const SURFACE_OPTIONS = {
  '--via <surface>': {
    what: 'which side of the merchant to ask (default: checkout)',
    choices: ['checkout', 'partner'],
  },
} as const;

export const COUNTRY_OPTIONS = {
  '--country <code>': 'two-letter code, such as us (default: your settings)',
} as const;

export const COIN_OPTIONS = {
  '--coin <ticker>': 'coin to pay in (default: USDC); see scrip vias',
} as const;

export const MEANS_OPTIONS = {
  ...COIN_OPTIONS,
  '--network <name>': 'network to pay on: solana or base; with --coin, any of scrip vias',
  '--payment-via <name>': 'payment method (default: your own wallet)',
  '--coupon <code>': 'coupon of the merchant',
} as const;

export type MeansFlags = FlagsOf<typeof MEANS_OPTIONS>;

/** Options that select the partner API instead of the checkout host. */
export type SurfaceFlags = Partial<
  FlagsOf<typeof SURFACE_OPTIONS> & Pick<MeansFlags, 'coin' | 'network'>
>;

/**
 * A coin other than the checkout host's own selects the partner API, and a network that the wallet does not pay
 * on, or that is named with a coin.
 */
export function merchantMeant({ via, coin, network }: SurfaceFlags): MerchantName {
  if (via !== undefined) return via;
  const isOwn = isOwnNetwork(network ?? OWN_NETWORK);
  const isUsual = isSameName(coin ?? DEFAULT_COIN, DEFAULT_COIN) && isOwn;
  const isPaidThere = coin === undefined && network !== undefined && networkNamed(network);
  return isUsual || isPaidThere ? 'checkout' : 'partner';
}

/** The same choice as words for a command. */
export function surfaceWords({ via, coin, network }: SurfaceFlags): readonly string[] {
  const named = Object.entries({ '--via': via, '--coin': coin, '--network': network });
  return named.flatMap(([flag, value]) => (value === undefined ? [] : [flag, value]));
}

export interface NamedProduct {
  /** An id, a brand, or a product name; undefined if no word was typed. */
  readonly product: string | undefined;
  /** Face value as a decimal. */
  readonly value: string | undefined;
}

/**
 * Splits words into product and face value: a decimal number at the end is the value, unless --value is
 * given.
 */
export function productWords(words: readonly string[], value: string | undefined): NamedProduct {
  const last = words.at(-1) ?? '';
  if (value === undefined && words.length > 1 && /^\d+(\.\d+)?$/.test(last)) {
    return { product: words.slice(0, -1).join(' '), value: last };
  }
  return { product: words.length === 0 ? undefined : words.join(' '), value };
}

/** A product in words, and the other options as typed, for the commands that the answer proposes. */
export type TypedProduct = NamedProduct & { readonly rest: readonly string[] };

export function typedProduct(
  command: Command,
  words: readonly string[],
  value: string | undefined,
): TypedProduct {
  return { ...productWords(words, value), rest: typedOptions(command) };
}

/** Options that a suggested command with a product id replaces. */
const NAMED_ANEW: ReadonlySet<string> = new Set(['value', 'brand']);

/** The options as typed. @param except attribute names of options to leave out */
export function typedOptions(command: Command, except = NAMED_ANEW): readonly string[] {
  const own = command.options.flatMap((option) => {
    const name = option.attributeName();
    return except.has(name) ? [] : typed(command, option);
  });
  const root = rootOf(command);
  const formats = root.options.filter(({ long }) => long === '--json' || long === '--ndjson');
  return [...own, ...formats.flatMap((option) => typed(root, option))];
}

function typed(command: Command, option: Option): readonly string[] {
  const name = option.attributeName();
  if (command.getOptionValueSource(name) !== 'cli') return [];
  const value: unknown = command.getOptionValue(name);
  const flag = option.long ?? option.flags;
  if (typeof value !== 'boolean') return [flag, String(value)];
  return value === option.negate ? [] : [flag];
}

/** Product ids are UUIDs in upper or lower case. */
export function isProductId(text: string): boolean {
  return /^[0-9a-f]{8}-[0-9a-f-]{27}$/i.test(text);
}
