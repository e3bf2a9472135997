/** A list of products, of whichever merchant. */

import type { ListedProduct } from '../../api/catalog-reader.ts';
import { countryCode } from '../../domain/country.ts';
import { joined, type Message, t } from '../../domain/message.ts';
import { DEFAULT_COIN } from '../../domain/payment-means.ts';
import type { RememberedProduct } from '../completion/remembered.ts';
import type { Column } from '../output/view.ts';

/** @param coin that the prices are in */
export function productColumns(coin: string = DEFAULT_COIN): readonly Column<ListedProduct>[] {
  return [
    // Brand and value say what one buys; at 80 columns there is room for the id as well.
    { header: t`PRODUCT ID`, cell: ({ id }) => id, isWhole: true, dropOrder: 1 },
    { header: t`BRAND`, cell: ({ brand }) => brand, dropOrder: 2, usefulWidth: 12 },
    { header: t`VALUE`, cell: ({ valueText }) => valueText, usefulWidth: 16 },
    {
      header: t`PRICE ${coin}`,
      cell: ({ price }) => price ?? 'variable',
      align: 'right',
      isWhole: true,
    },
  ];
}

/** @param typed the country, as it was typed */
export function rememberedOf(
  { id, brand, valueText }: ListedProduct,
  typed: string,
): RememberedProduct {
  const country = countryCode(typed) ?? typed.trim().toLowerCase();
  return { id, brand, country, label: String(valueText) };
}

export const NO_PRODUCT = t`No product matches. Leave --search, --kind, --min and --max out for all.`;

/** The remarks that apply, as one note. */
export function noteOf(...remarks: readonly (Message | undefined)[]): {
  readonly note?: Message;
} {
  const said = remarks.filter((remark) => remark !== undefined);
  return said.length === 0 ? {} : { note: joined(said, ' ') };
}
