/** The products of a command, by its arguments or from a file. */
import type { Wanted } from '../client/cart.ts';
import { ScripError } from '../domain/errors.ts';
import { type CartEntry, parseCart } from './cart-file.ts';
import type { Context } from './context.ts';

export interface ItemFlags {
  readonly cart?: string;
  readonly to?: string;
  readonly value?: string;
  readonly quantity?: string;
  readonly country?: string;
  readonly brand?: string;
}

/** What a line of a cart does not say, the flags say. @throws {ScripError} INPUT_INVALID, USAGE */
export async function readItems(
  context: Context,
  productId: string | undefined,
  flags: ItemFlags,
): Promise<readonly Wanted[]> {
  const { cart, quantity = '1', value } = flags;
  if (cart !== undefined) {
    return parseCart(await context.readText(cart)).map((entry) => itemOf(context, entry, flags));
  }
  if (!/^[1-9]\d{0,2}$/.test(quantity)) {
    throw new ScripError('INPUT_INVALID', `"${quantity}" is not a quantity from 1 to 999`);
  }
  const entry = { product: productId ?? '', quantity: Number(quantity) };
  return [itemOf(context, value === undefined ? entry : { ...entry, value }, flags)];
}

function itemOf({ settings }: Context, entry: CartEntry, flags: ItemFlags): Wanted {
  const to = entry.to ?? flags.to;
  if (to === undefined) {
    throw new ScripError('USAGE', `nobody is named to receive ${entry.product}`, {
      hint: 'Name the beneficiary with --to, or in the column "to" of the cart.',
    });
  }
  const countryCode = (entry.country ?? flags.country ?? settings.countryCode).trim().toLowerCase();
  if (!/^[a-z]{2}$/.test(countryCode)) {
    throw new ScripError('COUNTRY_UNKNOWN', `there is no country "${countryCode}"`);
  }
  return {
    productId: entry.product,
    to,
    value: entry.value,
    quantity: entry.quantity,
    countryCode,
    brandName: entry.brand ?? flags.brand,
  };
}
