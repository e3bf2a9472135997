/** An order as typed on a command line, and its product, by its id or by words. */

import { BESIDE_PRICE_MS, readDetails } from '../../api/product-details.ts';
import { USDC_DECIMALS } from '../../contract/usdc.ts';
import type { Entry } from '../../domain/journal/journal.ts';
import { t } from '../../domain/message/message.ts';
import { defaultCapText } from '../../domain/money/cap.ts';
import { atomic, FACE_DECIMALS, parseDecimal } from '../../domain/money/money.ts';
import { DEFAULT_COIN, isSameName } from '../../domain/payment/payment-means.ts';
import type { ProductKind } from '../../domain/product/product.ts';
import type { WizardHost } from '../../domain/wizard/wizard-step.ts';
import { countryFor } from '../browsing/country.ts';
import type { OfferedProduct } from '../browsing/offered-product.ts';
import type { BuyerContext, With } from '../context.ts';
import { scripDeps } from '../scrip-deps.ts';
import { mayAsk } from './consent.ts';
import type { PlaceOrderInput } from './ordering.ts';

/** The typed parts of one order; settings or questions supply the missing ones. */
export interface OrderWords {
  /** An id, a brand, or the name of a product; undefined to ask for it. */
  readonly product: string | undefined;
  readonly value: string | undefined;
  readonly country: string | undefined;
  /** With a brand, `product` is an id. */
  readonly brand: string | undefined;
  readonly to: string | undefined;
  readonly email: string | undefined;
  readonly quantity: number;
}

export interface OrderRequest {
  readonly words: OrderWords;
  /** Everything else; its item and e-mail come from the words. */
  readonly input: PlaceOrderInput;
  /** The other options as typed, for a suggested command with a product id. */
  readonly options: readonly string[];
}

export interface NamedProduct {
  readonly productId: string;
  readonly country: string;
  readonly brand: string | undefined;
  readonly value: string | undefined;
  /** Undefined if the merchant tells it only later. */
  readonly kind: ProductKind | undefined;
}

export async function nameProduct(
  context: BuyerContext,
  request: OrderRequest,
): Promise<NamedProduct> {
  const { words, input } = request;
  const { product = '', value, brand } = words;
  const isCertain = !mayAsk(context, input);
  const country = await countryFor(context, words.country, product);
  if (brand !== undefined) {
    return { productId: product, country, brand, value, kind: undefined };
  }
  const { chooseProduct } = await import('../browsing/product-choice.ts');
  context.io.progress.step(t`Looking for the product`);
  const offer = await chooseProduct(
    context,
    { words: product, value, country, merchant: input.merchant },
    { isCertain, lineFor: (one) => lineFor(context, request, one) },
  );
  context.io.progress.done();
  const { id, countryCode, kind } = offer.product;
  return {
    productId: id,
    country: countryCode,
    brand: offer.product.brand,
    value: isCertain ? offer.value : await valueFor(context, offer),
    kind,
  };
}

/** The same order with a product id. A script gets a line that asks no question, so it has a maximum. */
export function lineFor(
  { settings: { mayPrompt } }: With<'settings'>,
  { options, input: { orderInput } }: OrderRequest,
  { product: { id }, value, priceUsdc }: OfferedProduct,
): readonly string[] {
  const { coin, maxAmount } = orderInput;
  // The maximum is in the coin of the order, but the lists have prices in USDC.
  const isInUsdc = isSameName(coin ?? DEFAULT_COIN, DEFAULT_COIN);
  const listed =
    mayPrompt || priceUsdc === undefined || !isInUsdc
      ? undefined
      : defaultCapText(parseDecimal(priceUsdc, USDC_DECIMALS), USDC_DECIMALS);
  const cap = maxAmount ?? listed;
  return [
    ...['order', id],
    ...(value === undefined ? [] : [value]),
    ...options,
    ...(mayPrompt ? [] : ['--yes']),
    ...(cap === undefined ? [] : ['--max-amount', cap]),
  ];
}

/** Asks for the value of a range product if none was given, or one that is not sold. */
async function valueFor(
  context: BuyerContext,
  { product, value }: OfferedProduct,
): Promise<string | undefined> {
  const { isRange, values, currency = 'USD', name, brand } = product;
  if (!isRange || values === undefined) return value;
  const { id: productId, countryCode: country } = product;
  const { valueStep } = await readDetails(
    scripDeps(context),
    { productId, country, brand },
    BESIDE_PRICE_MS,
  );
  const denomination = { isRange: true, ...values, step: valueStep ?? VALUE_STEP } as const;
  const shop = await shopFor(context);
  const host = { ...shop, products: async () => [{ label: name, currency, denomination }] };
  const answers = { product_type: 'giftcard', country, brand };
  const { askOne } = await import('../wizard/screen.ts');
  const answer = await askOne(context, host, { key: 'amount', answers, typed: value });
  return answer.split(' ')[0];
}

/** Ours: where the merchant tells no step; it refuses values off its own. */
const VALUE_STEP = atomic(10_000n);

/** The earlier purchase's product, if the words still mean it: the lists may have changed since. */
export async function namedBefore(
  entry: Entry,
  { product = '', value, country, brand }: OrderWords,
): Promise<NamedProduct | undefined> {
  const { productId, productName, brandName, countryCode, faceValue } = entry.intent.summary;
  const at = faceValue === '' ? undefined : parseDecimal(faceValue, FACE_DECIMALS);
  const values = at === undefined ? undefined : { min: at, max: at };
  const sold = { id: productId, name: productName, brand: brandName, values };
  const wanted = value === undefined ? undefined : parseDecimal(value, FACE_DECIMALS);
  const { productsMeant } = await import('../../domain/product/product-match.ts');
  const isMeant = productsMeant([sold], product, wanted).some(({ isExact }) => isExact);
  const isThere = country === undefined || country.trim().toLowerCase() === countryCode;
  const isOfBrand = brand === undefined || brand === brandName;
  const { valueBegun } = await import('../../api/checkout/bought-before.ts');
  const chosen = valueBegun(entry);
  const isWhole = value !== undefined || chosen === undefined;
  if (!isMeant || !isThere || !isOfBrand || !isWhole) return undefined;
  return { productId, country: countryCode, brand: brandName, value: chosen, kind: undefined };
}

export async function shopFor(context: BuyerContext): Promise<WizardHost> {
  const { createWizardCatalog } = await import('../wizard/wizard-catalog.ts');
  return createWizardCatalog(context, async () => undefined);
}
