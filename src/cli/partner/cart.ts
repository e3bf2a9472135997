/** The products of a command, by its arguments or from a file. */

import type { Wanted } from '../../api/partner/cart.ts';
import { ScripError } from '../../domain/errors.ts';
import { t } from '../../domain/message.ts';
import { type CartEntry, parseCart } from '../batch/cart-file.ts';
import { countryError } from '../browsing/place.ts';
import type { Context } from '../context.ts';

export interface ItemFlags {
  readonly cart?: string;
  readonly to?: string;
  readonly value?: string;
  readonly quantity?: string;
  readonly country?: string;
  readonly brand?: string;
}

/** What a line of a cart does not say, the flags say. @throws {ScripError} INPUT_INVALID, USAGE, COUNTRY_UNKNOWN */
export async function readItems(
  context: Context,
  productId: string | undefined,
  flags: ItemFlags,
): Promise<readonly Wanted[]> {
  const items = await itemsOf(context, productId, flags);
  await checkCountries(context, items);
  return items;
}

/** A country that neither this program nor the merchant knows. @throws {ScripError} COUNTRY_UNKNOWN */
async function checkCountries(context: Context, items: readonly Wanted[]): Promise<void> {
  const known = new Set((await context.parts.countries()).map(({ code }) => code));
  for (const code of new Set(items.map(({ countryCode }) => countryCode))) {
    if (known.has(code)) continue;
    const error = await countryError(context, code);
    if (error.code === 'COUNTRY_UNKNOWN') throw error;
  }
}

async function itemsOf(
  context: Context,
  productId: string | undefined,
  flags: ItemFlags,
): Promise<readonly Wanted[]> {
  const { cart, quantity = '1', value } = flags;
  if (cart !== undefined) {
    return parseCart(await context.io.readText(cart)).map((entry) => itemOf(context, entry, flags));
  }
  if (!/^[1-9]\d{0,2}$/.test(quantity)) {
    throw new ScripError('INPUT_INVALID', t`"${quantity}" is not a quantity from 1 to 999`);
  }
  const entry = { product: productId ?? '', quantity: Number(quantity) };
  return [itemOf(context, value === undefined ? entry : { ...entry, value }, flags)];
}

function itemOf({ settings }: Context, entry: CartEntry, flags: ItemFlags): Wanted {
  const to = entry.to ?? flags.to;
  if (to === undefined) {
    throw new ScripError('USAGE', t`nobody is named to receive ${entry.product}`, {
      hint: t`Name the beneficiary with --to, or in the column "to" of the cart.`,
    });
  }
  const countryCode = (entry.country ?? flags.country ?? settings.countryCode).trim().toLowerCase();
  return {
    productId: entry.product,
    to,
    value: entry.value,
    quantity: entry.quantity,
    countryCode,
    brandName: entry.brand ?? flags.brand,
  };
}
