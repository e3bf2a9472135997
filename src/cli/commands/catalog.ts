/** `scrip catalog`: the products of a brand or of a family. */

import type { Command } from 'commander';
import type { CatalogStreams, ListedProduct, Section } from '../../api/catalog.ts';
import { openCatalog } from '../../api/merchants.ts';
import { commandText, wordList } from '../../domain/command-text.ts';
import { ScripError } from '../../domain/errors.ts';
import { type Message, t } from '../../domain/message.ts';
import { addListingOptions, choose, type ListingFlags, ofName } from '../browsing/listing.ts';
import { NO_PRODUCT, noteOf, productColumns, rememberedOf } from '../browsing/product-list.ts';
import { streamedAs, writeRows, written } from '../browsing/row-stream.ts';
import type { Bind } from '../command.ts';
import type { RememberedProduct } from '../completion/remembered.ts';
import type { With } from '../context.ts';
import { addExamples } from '../examples.ts';
import { wantedLanguage } from '../i18n/language.ts';
import type { RowFormatName } from '../output/row-text.ts';
import { documentsView, type View } from '../output/view.ts';
import {
  addCoinOption,
  addSurfaceOption,
  merchantMeant,
  type SurfaceFlags,
  surfaceWords,
} from '../parsing/surface.ts';
import { scripDeps } from '../scrip-deps.ts';

interface CatalogOptions extends SurfaceFlags, ListingFlags {
  readonly country: string;
  readonly brand?: string;
  readonly family?: string;
  readonly search?: string;
}

export function register(command: Command, bind: Bind): void {
  addListingOptions(
    addCoinOption(addSurfaceOption(command))
      .requiredOption('--country <code>', 'two-letter country code, such as us')
      .option('--brand <name>', 'products of this brand')
      .option('--family <name>', 'products of this family, such as "Mobile Recharge"')
      .option('--search <text>', 'products whose name is like this'),
    // A product has no category of its own.
    ['name', 'min', 'max'],
  ).action((options: CatalogOptions) => bind((context) => run(context, options)));
  addExamples(command, [
    'catalog --country us --brand "Amazon.com"',
    'catalog --country us --brand "Amazon.com" --coin BTC',
    'catalog --country us --brand "Steam" --min 20 --max 50 --sort min',
    'catalog --country us --family "Gift Cards" --search "xbox" --max 25',
    'catalog --country br --family "Mobile Recharge" --json',
  ]);
}

async function run(
  context: With<'version' | 'settings' | 'io' | 'parts' | 'system'>,
  options: CatalogOptions,
): Promise<View> {
  const { country, brand, family, coin, search } = options;
  if (brand === undefined && family === undefined) {
    throw new ScripError('USAGE', t`name a brand or a family: the whole catalog is too much`, {
      hint: t`Add --brand <name> or --family <name>; scrip brands lists both.`,
    });
  }
  const section = { country, brand, family, coin, language: wantedLanguage(context.settings) };
  const catalog = await openCatalog(scripDeps(context), merchantMeant(options));
  const format = search === undefined ? streamedAs(context, options) : undefined;
  if (catalog.streams !== undefined && format !== undefined) {
    return streamProducts(context, catalog.streams, { ...options, section, format });
  }
  const found = await catalog.products(section);
  const { records: rows, cut } = choose(await ofName(found, search), options);
  return documentsView({
    rows,
    learned: { products: found.map((product) => rememberedOf(product, country)) },
    columns: productColumns(rows[0]?.coin ?? coin),
    empty: NO_PRODUCT,
    ...noteOf(cut, quotedRemark(rows, options)),
  });
}

function quotedRemark(
  rows: readonly ListedProduct[],
  options: CatalogOptions,
): Message | undefined {
  const range = rows.find(({ isRange }) => isRange);
  if (range === undefined) return undefined;
  const place = ['--country', options.country, '--brand', range.brand, ...surfaceWords(options)];
  return commandText`A variable price is quoted for a value: scrip price ${wordList([range.id, ...place], ' ')} --value <n>`;
}

async function streamProducts(
  context: With<'io' | 'system'>,
  streams: CatalogStreams,
  {
    section,
    format,
    ...flags
  }: CatalogOptions & { readonly section: Section; readonly format: RowFormatName },
): Promise<View> {
  const products: RememberedProduct[] = [];
  const see = (product: ListedProduct) => products.push(rememberedOf(product, section.country));
  const rows = (startOver?: () => void) => streams.products(section, startOver);
  await writeRows(context, { format, rows, see }, flags);
  return written({ products });
}
