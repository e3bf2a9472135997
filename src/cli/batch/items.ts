/** Reads the products of a command, from its arguments or a cart file. */

import type { OrderItem } from '../../api/merchant.ts';
import { ScripError } from '../../domain/errors.ts';
import { t } from '../../domain/message.ts';
import { checkThousands } from '../../domain/thousands.ts';
import { countryFor } from '../browsing/country.ts';
import type { With } from '../context.ts';
import { type CartProduct, parseCart } from './cart-file.ts';

export interface ItemFlags {
  readonly cart?: string;
  readonly to?: string;
  readonly value?: string;
  readonly quantity?: string;
  readonly country?: string;
  readonly brand?: string;
}

/** Options and settings supply what a cart line lacks. @throws {ScripError} INPUT_INVALID, USAGE */
export async function readItems(
  context: Parameters<typeof countryFor>[0],
  product: string | undefined,
  flags: ItemFlags,
): Promise<readonly OrderItem[]> {
  const entries = await readEntries(context, product, flags);
  const isMissing = entries.some((entry) => entry.country === undefined);
  const country = isMissing ? await countryFor(context, flags.country, product) : '';
  return entries.map((entry) => itemOf(entry, { ...flags, country }));
}

async function readEntries(
  { io }: With<'io'>,
  product = '',
  { cart, value, quantity }: ItemFlags,
): Promise<readonly CartProduct[]> {
  if (cart !== undefined) return parseCart(await io.readText(cart));
  if (value !== undefined) checkThousands(value);
  const entry = { product, quantity: parseQuantity(quantity) };
  return [value === undefined ? entry : { ...entry, value }];
}

/** Parses a quantity. @throws {ScripError} INPUT_INVALID */
export function parseQuantity(text = '1'): number {
  if (/^[1-9]\d{0,2}$/.test(text)) return Number(text);
  throw new ScripError('INPUT_INVALID', t`"${text}" is not a quantity from 1 to 999`);
}

function itemOf(entry: CartProduct, flags: ItemFlags & { readonly country: string }): OrderItem {
  const to = entry.to ?? flags.to;
  if (to === undefined) {
    throw new ScripError('USAGE', t`${entry.product} has no recipient`, {
      hint: t`Name the beneficiary with --to, or in the column "to" of the cart.`,
    });
  }
  return {
    productId: entry.product,
    to,
    value: entry.value,
    quantity: entry.quantity,
    country: entry.country ?? flags.country,
    brand: entry.brand ?? flags.brand,
  };
}
