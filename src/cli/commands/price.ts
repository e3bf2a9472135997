/** `scrip price`: what a product costs now. */

import type { Command } from 'commander';
import type { PricedProduct } from '../../api/catalog.ts';
import { openCatalog } from '../../api/merchants.ts';
import { t } from '../../domain/message.ts';
import type { Bind } from '../command.ts';
import { addExamples } from '../examples.ts';
import { wantedLanguage } from '../i18n/language.ts';
import { instantText } from '../output/instant.ts';
import type { Line, View } from '../output/view.ts';
import {
  addCoinOption,
  addSurfaceOption,
  merchantMeant,
  type SurfaceFlags,
} from '../parsing/surface.ts';
import { type ScripContext, scripDeps } from '../scrip-deps.ts';

interface PriceOptions extends SurfaceFlags {
  readonly country: string;
  readonly brand: string;
  readonly value?: string;
}

export function register(command: Command, bind: Bind): void {
  addCoinOption(addSurfaceOption(command))
    .argument('<product_id>', 'from scrip catalog')
    .requiredOption('--country <code>', 'two-letter country code, such as us')
    .requiredOption('--brand <name>', 'brand of the product')
    .option('--value <amount>', 'face value, for products that let you choose it')
    .action((productId: string, options: PriceOptions) =>
      bind((context) => run(context, productId, options)),
    );
  addExamples(command, [
    'price <product_id> --country us --brand "Amazon.com"',
    'price <product_id> --country us --brand "Amazon.com" --value 25 --json',
    'price <product_id> --country us --brand "Amazon.com" --value 25 --coin BTC',
  ]);
}

async function run(context: ScripContext, productId: string, options: PriceOptions): Promise<View> {
  const { checkDecimal } = await import('../amount.ts');
  const { country, brand, value, coin } = options;
  if (value !== undefined) checkDecimal(value);
  const catalog = await openCatalog(scripDeps(context), merchantMeant(options));
  const language = wantedLanguage(context.settings);
  const priced = await catalog.price({ productId, country, brand, value, coin, language });
  return {
    kind: 'record',
    record: priced.document,
    title: priced.title,
    lines: linesOf(priced, (instant) => instant),
    screen: [linesOf(priced, instantText)],
  };
}

/** @param told how an instant is written */
function linesOf(priced: PricedProduct, told: (instant: string) => Line[1]): readonly Line[] {
  const { productId, brand, faceValue, bounds, price, coin } = priced;
  const { expiresAt, paymentMethod, points } = priced;
  return [
    [t`Product`, productId],
    [t`Brand`, brand],
    [t`Face value`, faceValue],
    ...lineOf(t`Range`, bounds),
    [t`Price`, t`${price ?? t`unknown`} ${coin}`],
    ...lineOf(t`Valid until`, expiresAt && told(expiresAt)),
    ...lineOf(t`Payment method`, paymentMethod),
    ...lineOf(t`Points`, points),
  ];
}

function lineOf(label: Line[0], value: Line[1] | undefined): readonly Line[] {
  return value === undefined ? [] : [[label, value]];
}
