/** The columns of the least and the most that a brand is sold at, with their currency. */

import { listCountries, readCountry } from '../../api/in-country.ts';
import { t } from '../../domain/message.ts';
import type { Column } from '../output/view.ts';
import { type ScripContext, scripDeps } from '../scrip-deps.ts';

/**
 * The currency of a country, as the host lists it, for the headers of a table. Undefined where there
 * are no headers, and where the host does not say: nothing fails for want of it.
 * @param country as it was typed
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

interface Bounded {
  readonly min?: string | null | undefined;
  readonly max?: string | null | undefined;
}

/** @param currency of the bounds; undefined where it is not known */
export function boundsColumns<Row extends Bounded>(
  currency: string | undefined,
): readonly Column<Row>[] {
  return [
    {
      header: currency === undefined ? t`MIN` : t`MIN ${currency}`,
      cell: ({ min }) => min ?? '',
      align: 'right',
    },
    {
      header: currency === undefined ? t`MAX` : t`MAX ${currency}`,
      cell: ({ max }) => max ?? '',
      align: 'right',
    },
  ];
}
