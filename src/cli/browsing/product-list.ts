/** The table of products, for any merchant. */

import type { ListedProduct } from '../../api/catalog-reader.ts';
import { countryCode } from '../../domain/country.ts';
import { joined, type Message, t } from '../../domain/message.ts';
import { DEFAULT_COIN } from '../../domain/payment-means.ts';
import type { RememberedProduct } from '../completion/remembered.ts';
import type { Column } from '../output/view.ts';

/** Returns the columns. @param coin of the prices @param told how a price is written */
export function productColumns(
  coin: string = DEFAULT_COIN,
  told: (price: string, coin: string) => string = (price) => price,
): readonly Column<ListedProduct>[] {
  return [
    // Brand and value identify a product; at 80 columns the id fits too.
    { header: t`PRODUCT ID`, cell: ({ id }) => id, isWhole: true, dropOrder: 1 },
    { header: t`BRAND`, cell: ({ brand }) => brand, dropOrder: 2, usefulWidth: 12 },
    { header: t`VALUE`, cell: ({ valueText }) => valueText, usefulWidth: 16 },
    {
      header: t`PRICE ${coin}`,
      cell: ({ price }) => (price === undefined ? 'variable' : told(price, coin)),
      align: 'right',
      isWhole: true,
    },
  ];
}

/** Returns what completion remembers of a product. @param typed the country, as typed */
export function rememberedOf(
  { id, brand, valueText }: ListedProduct,
  typed: string,
): RememberedProduct {
  const country = countryCode(typed) ?? typed.trim().toLowerCase();
  return { id, brand, country, label: String(valueText) };
}

export const NO_PRODUCT = {
  unmatched: t`No product matches.`,
  unsold: t`No product is listed there.`,
};

/** Joins the remarks that apply into one note. */
export function noteOf(...remarks: readonly (Message | undefined)[]): {
  readonly note?: Message;
} {
  const said = remarks.filter((remark) => remark !== undefined);
  return said.length === 0 ? {} : { note: joined(said, ' ') };
}
