/** `scrip price`: what a product costs now. */

import type { Command } from 'commander';
import type { PricedProduct } from '../../api/catalog-reader.ts';
import { openCatalog } from '../../api/merchants.ts';
import { t } from '../../domain/message/message.ts';
import { priceText } from '../../domain/money/shown-amount.ts';
import { checkDecimal } from '../amount.ts';
import { countryFor } from '../browsing/country.ts';
import { lineOf as commandFor, orNearestValues } from '../browsing/offered-product.ts';
import { priceQuestion } from '../browsing/product-choice.ts';
import { addExamples, addOptions, type Bind, type FlagsOf } from '../command.ts';
import type { BuyerContext } from '../context.ts';
import { wantedLanguage } from '../i18n/localize.ts';
import { clockTime } from '../output/instant.ts';
import type { Line, View } from '../output/view.ts';
import {
  COIN_OPTIONS,
  COUNTRY_OPTIONS,
  merchantMeant,
  SURFACE_OPTIONS,
  type TypedProduct,
  typedProduct,
} from '../parsing/order-options.ts';
import { scripDeps } from '../scrip-deps.ts';

const OPTIONS = {
  ...SURFACE_OPTIONS,
  ...COUNTRY_OPTIONS,
  ...COIN_OPTIONS,
  '--brand <name>': 'brand of the product, if you give a product id',
  '--value <amount>': 'face value, for products with a variable value',
} as const;

type PriceOptions = FlagsOf<typeof OPTIONS>;

export function register(command: Command, bind: Bind): void {
  addOptions(command, OPTIONS)
    .argument('<product...>', 'brand and face value, such as: amazon 25; or an id of scrip catalog')
    .action((words: readonly string[], options: PriceOptions) => {
      const typed = typedProduct(command, words, options.value);
      return bind((context) => run(context, typed, options));
    });
  addExamples(command, [
    'price amazon 25 --country us',
    'price <product_id> --country us --json',
    'price <product_id> --country us --brand "Amazon.com" --value 25 --coin BTC',
  ]);
}

async function run(
  context: BuyerContext,
  { product: words = '', value, rest }: TypedProduct,
  options: PriceOptions,
): Promise<View> {
  if (value !== undefined) checkDecimal(value);
  const country = await countryFor(context, options.country, words);
  const merchant = merchantMeant(options);
  const named = { words, value, country, brand: options.brand, merchant };
  const wanted = await priceQuestion(context, named, ['price', ...rest]);
  const catalog = await openCatalog(scripDeps(context), merchant);
  const language = wantedLanguage(context.settings);
  const priced = await orNearestValues(
    context,
    { ...wanted, merchant },
    (one) => commandFor('price', one, rest),
    () => catalog.price({ ...wanted, coin: options.coin, language }),
  );
  const reader = { nowMs: context.parts.clock.now(), lang: context.settings.lang };
  return {
    kind: 'record',
    record: priced.document,
    title: priced.title,
    lines: linesOf(priced),
    screen: [
      linesOf({
        ...priced,
        expiresAt: priced.expiresAt && clockTime(priced.expiresAt, reader),
        price: priced.price && priceText(priced.price, priced.coin),
      }),
    ],
  };
}

function linesOf(priced: PricedProduct): readonly Line[] {
  const { productId, brand, faceValue, bounds, price, coin } = priced;
  const { expiresAt, paymentMethod, points } = priced;
  return [
    [t`Product`, productId],
    [t`Brand`, brand],
    [t`Face value`, faceValue],
    ...lineOf(t`Range`, bounds),
    [t`Price`, t`${price ?? t`unknown`} ${coin}`],
    ...lineOf(t`Valid until`, expiresAt),
    ...lineOf(t`Payment method`, paymentMethod),
    ...lineOf(t`Points`, points),
  ];
}

function lineOf(label: Line[0], value: Line[1] | undefined): readonly Line[] {
  return value === undefined ? [] : [[label, value]];
}
