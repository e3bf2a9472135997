/** `scrip show`: a product's details, before buying it. */

import type { Command } from 'commander';
import type { ProductDetails } from '../../api/catalog-reader.ts';
import { openCatalog } from '../../api/merchants.ts';
import { readDetails } from '../../api/product-details.ts';
import { type Said, t } from '../../domain/message/message.ts';
import { priceText } from '../../domain/money/shown-amount.ts';
import { formatFaceValue } from '../../domain/product/product.ts';
import { checkDecimal } from '../amount.ts';
import { countryFor } from '../browsing/country.ts';
import { lineOf, type OfferedProduct, orNearestValues } from '../browsing/offered-product.ts';
import { productMeant } from '../browsing/product-choice.ts';
import { detailLines } from '../browsing/product-details.ts';
import { addExamples, addOptions, type Bind, type FlagsOf } from '../command.ts';
import type { BuyerContext } from '../context.ts';
import type { Line, View } from '../output/view.ts';
import {
  COUNTRY_OPTIONS,
  merchantMeant,
  SURFACE_OPTIONS,
  type TypedProduct,
  typedProduct,
} from '../parsing/order-options.ts';
import type { ProductDocument } from '../schemas/purchase.ts';
import { scripDeps } from '../scrip-deps.ts';

const OPTIONS = {
  ...SURFACE_OPTIONS,
  ...COUNTRY_OPTIONS,
  '--value <amount>': 'face value, for products with a variable value',
} as const;

type ShowFlags = FlagsOf<typeof OPTIONS>;

export function register(command: Command, bind: Bind): void {
  addOptions(command, OPTIONS)
    .argument('<product...>', 'brand and face value, such as: amazon 25; or an id of scrip catalog')
    .action((words: readonly string[], flags: ShowFlags) => {
      const typed = typedProduct(command, words, flags.value);
      return bind((context) => run(context, typed, flags));
    });
  addExamples(command, [
    'show amazon 25 --country us',
    'show <product_id> --country us --json',
    'show "Claro Credits" 50 --country br',
  ]);
}

/** The longest wait for product details, which are optional. */
const DETAILS_MS = 10_000;

async function run(
  context: BuyerContext,
  { product: words = '', value, rest }: TypedProduct,
  flags: ShowFlags,
): Promise<View> {
  if (value !== undefined) checkDecimal(value);
  const country = await countryFor(context, flags.country, words);
  const merchant = merchantMeant(flags);
  const wanted = { words, value, country, merchant };
  const offer = await productMeant(context, wanted, ['show', ...rest]);
  const deps = scripDeps(context);
  const { id: productId, brand, countryCode } = offer.product;
  const catalog = await openCatalog(deps, merchant);
  const named = { productId, brand, country: countryCode };
  const [details, brands, priced] = await Promise.all([
    readDetails(deps, named, DETAILS_MS),
    catalog.brands(countryCode),
    offer.value === undefined
      ? undefined
      : orNearestValues(
          context,
          { ...named, value: offer.value, merchant },
          (one) => lineOf('show', one, rest),
          () => catalog.price({ ...named, value: offer.value }),
        ),
  ]);
  const isOutOfStock =
    details.isOutOfStock ?? brands.find(({ name }) => name === brand)?.isOutOfStock;
  const shown = {
    offer: { ...offer, priceUsdc: priced?.price ?? offer.priceUsdc },
    details: { ...details, isOutOfStock },
  };
  const [facts, told] = [factLines(shown, (price) => price), detailLines(details, deps.toldIn)];
  return {
    kind: 'record',
    record: documentOf(shown),
    title: offer.product.name,
    lines: [...facts, ...told],
    screen: [factLines(shown, priceText), told],
  };
}

interface Shown {
  readonly offer: OfferedProduct;
  readonly details: ProductDetails;
}

/** @param priced writes the price, of the coin */
function factLines(
  { offer, details: { isOutOfStock } }: Shown,
  priced: typeof priceText,
): readonly Line[] {
  const { product, value, priceUsdc } = offer;
  const { id, brand, valueText, currency = '', coin } = product;
  const chosen: Said = value === undefined ? valueText : `${value} ${currency}`.trim();
  const stock = isOutOfStock ? t`out of stock` : t`in stock`;
  return [
    [t`Product`, id],
    [t`Brand`, brand],
    [t`Face value`, chosen],
    [
      t`Price`,
      priceUsdc === undefined ? t`depends on the face value` : `${priced(priceUsdc, coin)} ${coin}`,
    ],
    [t`Stock`, isOutOfStock === undefined ? t`not provided` : stock],
  ];
}

function documentOf({ offer, details }: Shown): ProductDocument {
  const { product, value, priceUsdc } = offer;
  const [min, max] = [product.values?.min, product.values?.max].map((edge) =>
    edge === undefined ? null : formatFaceValue(edge),
  );
  return {
    product_id: product.id,
    name: product.name,
    brand: product.brand,
    country_code: product.countryCode,
    kind: product.kind ?? null,
    currency: product.currency ?? null,
    face_value: value ?? (product.isRange ? null : (min ?? null)),
    min_value: min ?? null,
    max_value: max ?? null,
    price: priceUsdc ?? null,
    coin: product.coin,
    is_out_of_stock: details.isOutOfStock ?? null,
    delivery_type: details.deliveryType ?? null,
    redeem_method: details.redeemMethods,
    how_to_redeem: details.howToRedeem ?? null,
    regions: details.regions,
    validity: details.validity ?? null,
    terms: details.terms ?? null,
    note: details.note ?? null,
  };
}
