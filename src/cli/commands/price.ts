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
import { addExamples, type Bind } from '../command.ts';
import type { BuyerContext } from '../context.ts';
import { wantedLanguage } from '../i18n/localize.ts';
import { clockTime } from '../output/instant.ts';
import type { Line, View } from '../output/view.ts';
import {
  addCoinOption,
  addCountryOption,
  addSurfaceOption,
  merchantMeant,
  type NamedProduct,
  productWords,
  type SurfaceFlags,
  typedOptions,
} from '../parsing/order-options.ts';
import { scripDeps } from '../scrip-deps.ts';

interface PriceOptions extends SurfaceFlags {
  readonly country?: string;
  readonly brand?: string;
  readonly value?: string;
}

export function register(command: Command, bind: Bind): void {
  addCoinOption(addCountryOption(addSurfaceOption(command)))
    .argument('<product...>', 'brand and face value, such as: amazon 25; or an id of scrip catalog')
    .option('--brand <name>', 'brand of the product, if you give a product id')
    .option('--value <amount>', 'face value, for products with a variable value')
    .action((words: readonly string[], options: PriceOptions) => {
      const { product = '', value } = productWords(words, options.value);
      const rest = typedOptions(command);
      return bind((context) => run(context, { ...options, product, value, rest }));
    });
  addExamples(command, [
    'price amazon 25 --country us',
    'price <product_id> --country us --json',
    'price <product_id> --country us --brand "Amazon.com" --value 25 --coin BTC',
  ]);
}

interface PriceWords extends SurfaceFlags, NamedProduct {
  /** An id, a brand, or the name of a product. */
  readonly product: string;
  readonly country?: string;
  /** With a brand, the words are a product id. */
  readonly brand?: string;
  /** The other options, as typed. */
  readonly rest: readonly string[];
}

async function run(
  context: BuyerContext,
  { product, value, brand, rest, ...options }: PriceWords,
): Promise<View> {
  if (value !== undefined) checkDecimal(value);
  const country = await countryFor(context, options.country, product);
  const merchant = merchantMeant(options);
  const wanted = await priceQuestion(context, { words: product, value, country, brand, merchant }, [
    'price',
    ...rest,
  ]);
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
    lines: linesOf(priced, { instant: (text) => text, price: (text) => text }),
    screen: [
      linesOf(priced, {
        instant: (text) => clockTime(text, reader),
        price: (text) => priceText(text, priced.coin),
      }),
    ],
  };
}

interface Told {
  instant(text: string): Line[1];
  price(text: string): string;
}

/** @param told how instants and prices are written */
function linesOf(priced: PricedProduct, told: Told): readonly Line[] {
  const { productId, brand, faceValue, bounds, price, coin } = priced;
  const { expiresAt, paymentMethod, points } = priced;
  return [
    [t`Product`, productId],
    [t`Brand`, brand],
    [t`Face value`, faceValue],
    ...lineOf(t`Range`, bounds),
    [t`Price`, t`${price === undefined ? t`unknown` : told.price(price)} ${coin}`],
    ...lineOf(t`Valid until`, expiresAt && told.instant(expiresAt)),
    ...lineOf(t`Payment method`, paymentMethod),
    ...lineOf(t`Points`, points),
  ];
}

function lineOf(label: Line[0], value: Line[1] | undefined): readonly Line[] {
  return value === undefined ? [] : [[label, value]];
}
