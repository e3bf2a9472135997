/** The table of brands, for any merchant. */

import type { ListedBrand } from '../../api/catalog-reader.ts';
import { listCountries, readCountry } from '../../api/in-country.ts';
import { countryCode } from '../../domain/country.ts';
import { t } from '../../domain/message.ts';
import type { Learned } from '../completion/remembered.ts';
import type { Column } from '../output/view.ts';
import { type ScripContext, scripDeps } from '../scrip-deps.ts';

/** Returns the columns. @param currency of MIN and MAX; undefined if unknown */
export function brandColumns(
  brands: readonly ListedBrand[],
  currency: string | undefined,
): readonly Column<ListedBrand>[] {
  const tellsStock = brands.some(({ isOutOfStock }) => isOutOfStock !== undefined);
  return [
    { header: t`BRAND`, cell: ({ name }) => name, isWhole: true },
    { header: t`FAMILY`, cell: ({ family }) => family, dropOrder: 1 },
    { header: t`CATEGORY`, cell: ({ category }) => category, dropOrder: 2 },
    {
      header: currency === undefined ? t`MIN` : t`MIN ${currency}`,
      cell: ({ min }) => min ?? '',
      align: 'right',
      isWhole: true,
    },
    {
      header: currency === undefined ? t`MAX` : t`MAX ${currency}`,
      cell: ({ max }) => max ?? '',
      align: 'right',
      isWhole: true,
    },
    ...(tellsStock ? [IN_STOCK] : []),
  ];
}

const IN_STOCK: Column<ListedBrand> = {
  header: t`IN STOCK`,
  cell: ({ isOutOfStock }) => (isOutOfStock ? t`no` : t`yes`),
  dropOrder: 3,
};

/** Brands to save for completion: every brand of the country, including those not shown. */
export function learnedOf(
  typed: string,
  brands: readonly Pick<ListedBrand, 'name' | 'family'>[],
): Learned {
  const country = countryCode(typed) ?? typed.trim().toLowerCase();
  return {
    brands: { country, names: brands.map(({ name }) => name) },
    families: { country, names: brands.map(({ family }) => family) },
  };
}

/**
 * Returns the currency of a country, for a table's headers. Undefined if the output has no headers or the
 * host does not say; never throws for a missing currency.
 * @param country as typed
 */
export async function headerCurrency(
  context: ScripContext,
  country: string,
): Promise<string | undefined> {
  const { output } = context.settings;
  const isTable =
    context.io.stdout.isTerminal && output.format === 'text' && output.fields === undefined;
  if (!isTable) return undefined;
  const { ScripError } = await import('../../domain/errors.ts');
  try {
    const deps = scripDeps(context);
    const code = await readCountry(deps, country);
    return (await listCountries(deps)).find((one) => one.code === code)?.currency;
  } catch (error) {
    if (error instanceof ScripError && error.code !== 'INTERRUPTED') return undefined;
    throw error;
  }
}
