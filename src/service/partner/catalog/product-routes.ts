/** Routes for a country's products with prices in a coin, and for the price of a face value. */

import type { Hono } from 'hono';
import {
  getProductPrice,
  listProductsForCountry,
  type WireProductsForBrand,
} from '../../../contract/partner-catalog.ts';
import { ScripError } from '../../../domain/message/errors.ts';
import type { Coin, CoinNetwork } from '../../../domain/money/coin.ts';
import type { Atomic } from '../../../domain/money/money.ts';
import { findPaymentMethod, paymentMethodLabel } from '../../../domain/payment/payment-means.ts';
import { acceptFaceValue, type Product } from '../../../domain/product/product.ts';
import { DEFAULT_COIN, type Market } from '../../catalog/market.ts';
import { quoteReply } from '../../http/ready.ts';
import { type Refusal, refuse } from '../../http/replies.ts';
import { type Answer, serve } from '../../http/route.ts';
import { failure } from '../failure.ts';
import { inCountry, lifeOf, noLanguage, pageOf, type Shop } from './shop.ts';
import {
  createLocalise,
  type PriceContext,
  pricedProductView,
  productsForBrandView,
} from './views.ts';

export function productRoutes(app: Hono, shop: Shop): void {
  serve(app, listProductsForCountry, shop.routing, (query, request) =>
    inCountry(shop, query.country_code, (code) => listProducts(shop, code, query, request)),
  );
  serve(app, getProductPrice, shop.routing, (query) =>
    inCountry(shop, query.country_code, (code) => price(shop, code, query)),
  );
}

type ProductsQuery = ReturnType<ReturnType<typeof listProductsForCountry.input>['parse']>;

/** Ours: there are no promotions, so a promo code changes nothing. */
function listProducts(
  shop: Shop,
  code: string,
  query: ProductsQuery,
  request: Request,
): Answer | Promise<Answer> {
  const context = priceContext(shop, query);
  if ('status' in context) return context;
  const unknown = unknownFilter(shop, code, query);
  if (unknown) return unknown;
  const render = () => productsByBrand(shop, code, query, context);
  const { paymentMethod, isPriced, localise } = context;
  const { brand_name = '', family_name = '' } = query;
  const parts = [code, paymentMethod, isPriced, localise.lang, brand_name, family_name];
  const pages = brand_name === '' ? shop.pages : shop.brandPages;
  return pageOf(shop, `products ${JSON.stringify(parts)}`, request, render, pages);
}

function productsByBrand(
  { catalog, baseUrl }: Shop,
  code: string,
  { brand_name, family_name }: Pick<ProductsQuery, 'brand_name' | 'family_name'>,
  context: PriceContext,
): readonly WireProductsForBrand[] {
  const products = catalog.products(code, {
    ...(brand_name !== undefined && { brandName: brand_name }),
    ...(family_name !== undefined && { family: family_name }),
  });
  const byBrand = new Map<string, [Product, ...Product[]]>();
  for (const product of products) {
    const others = byBrand.get(product.brand.brandId);
    if (others) others.push(product);
    else byBrand.set(product.brand.brandId, [product]);
  }
  return [...byBrand.values()].map((members) =>
    productsForBrandView(baseUrl, members[0].brand, members, context),
  );
}

type PriceQuery = ReturnType<ReturnType<typeof getProductPrice.input>['parse']>;

function price(shop: Shop, code: string, query: PriceQuery): Answer {
  const context = priceContext(shop, query);
  if ('status' in context) return context;
  const unknown = unknownFilter(shop, code, query);
  if (unknown) return unknown;
  const products = shop.catalog.products(code, { brandName: query.brand_name });
  const { product, faceValue } = productOfValue(products, String(query.face_value));
  const text = JSON.stringify(pricedProductView(product, faceValue, context));
  return quoteReply(() => text, lifeOf(shop));
}

/**
 * Finds the product for a face value: ranges that contain it first, then fixed ones.
 * @throws {ScripError} of the first range, else of the first product, if none has it
 */
function productOfValue(
  products: readonly Product[],
  value: string,
): { readonly product: Product; readonly faceValue: Atomic } {
  const ranges = products.filter(({ denomination }) => denomination.isRange);
  const others = products.filter(({ denomination }) => !denomination.isRange);
  let fault: unknown;
  for (const product of [...ranges, ...others]) {
    try {
      return { product, faceValue: acceptFaceValue(product, value) };
    } catch (error) {
      if (!(error instanceof ScripError)) throw error;
      fault ??= error;
    }
  }
  throw fault;
}

function unknownFilter(
  { catalog }: Shop,
  code: string,
  {
    brand_name,
    family_name,
  }: { readonly brand_name?: string | undefined; readonly family_name?: string | undefined },
): Refusal | undefined {
  const country = code.toUpperCase();
  const isSold = (filter: { readonly brandName?: string; readonly family?: string }) =>
    catalog.products(code, filter).length > 0;
  if (brand_name !== undefined && !isSold({ brandName: brand_name })) {
    return refuse('unknown_brand', `No brand of this name is sold in ${country}.`);
  }
  if (family_name !== undefined && !isSold({ family: family_name })) {
    return refuse('unknown_family', `No family of this name is sold in ${country}.`);
  }
  return undefined;
}

/** The coin and language of a list; a refusal if one of them is unknown. */
function priceContext(
  { market, rates, marginBps }: Shop,
  query: {
    readonly coin?: string | undefined;
    readonly payment_method?: string | undefined;
    readonly lang?: string | undefined;
  },
): PriceContext | Response | Refusal {
  const choice = choosePayment(market, query);
  if (choice instanceof Response) return choice;
  const localise = createLocalise(query.lang);
  if (localise === undefined) return noLanguage(query.lang ?? '');
  return {
    market,
    rates,
    ...(marginBps !== undefined && { marginBps }),
    coin: choice.coin,
    paymentMethod: choice.paymentMethod,
    isPriced: choice.isChosen,
    localise,
  };
}

// Chooses the coin and network that a list is priced in.

interface PaymentChoice {
  readonly coin: Coin;
  readonly paymentMethod: string;
  /** Whether the caller named one; prices are shown only then. */
  readonly isChosen: boolean;
}

/**
 * Ours, where the interface is silent: a payment method alone implies its coin, a coin alone uses
 * its recommended network, and neither means USDC on Solana without prices.
 */
function choosePayment(
  market: Market,
  {
    coin,
    payment_method,
  }: { readonly coin?: string | undefined; readonly payment_method?: string | undefined },
): PaymentChoice | Response {
  if (payment_method !== undefined) return chooseMethod(market, payment_method, coin);
  const name = coin ?? DEFAULT_COIN;
  const found = market.coin(name);
  if (found === undefined) return unknownCoin(market, name);
  const network = recommendedNetwork(market, found);
  return {
    coin: found,
    paymentMethod: network ? paymentMethodLabel(found, network) : found.name,
    isChosen: coin !== undefined,
  };
}

function chooseMethod(
  market: Market,
  label: string,
  coin: string | undefined,
): PaymentChoice | Response {
  const method = findPaymentMethod(market.currencies, label);
  if (method === undefined) {
    return failure('UNKNOWN_PAYMENT_METHOD', `${label} is not a payment method.`, {
      payment_methods: listMethods(market),
    });
  }
  if (coin !== undefined && market.coin(coin)?.name !== method.coin.name) {
    return failure('COIN_MISMATCH', `${label} is not paid in ${coin}.`);
  }
  const paymentMethod = paymentMethodLabel(method.coin, method.network);
  return { coin: method.coin, paymentMethod, isChosen: true };
}

/** The first network that is not suspended. */
function recommendedNetwork(market: Market, { networks }: Coin): CoinNetwork | undefined {
  return networks.find(({ name }) => !market.isSuspendedNetwork(name)) ?? networks[0];
}

function unknownCoin(market: Market, coin: string): Response {
  const coins = market.currencies.map(({ name }) => name);
  return failure('UNKNOWN_COIN', `${coin} is not a coin of this service.`, { coins });
}

function listMethods({ currencies }: Market): readonly string[] {
  return currencies.flatMap((coin) =>
    coin.networks.map((network) => paymentMethodLabel(coin, network)),
  );
}
