/** Brands, products, coins and payment vias on the wire of the partner API. */

import type {
  WireCategory,
  WirePartnerBrand,
  WirePartnerProduct,
  WireProductsForBrand,
} from '../../../contract/partner-catalog.ts';
import type {
  WireCurrency,
  WireCurrencyWithNetwork,
  WirePaymentNetwork,
  WirePaymentVia,
} from '../../../contract/partner-market.ts';
import {
  type Coin,
  type CoinNetwork,
  coinAmount,
  formatCoinAmount,
} from '../../../domain/money/coin.ts';
import { type Atomic, FACE_DECIMALS, formatDecimal } from '../../../domain/money/money.ts';
import { CATEGORIES } from '../../../domain/product/categories.ts';
import {
  type Brand,
  formatFaceValue,
  type Product,
  type ProductKind,
} from '../../../domain/product/product.ts';
import type { Market, PaymentVia } from '../../catalog/market.ts';
import { mostPopular, type Popularity } from '../../catalog/popularity.ts';
import { faceValueUsd, priceUsdc, type Rates } from '../../catalog/pricing.ts';
import { brandLogoBase, colourOf, formatColour, logoUrl } from './pictures.ts';
import type { Shop } from './shop.ts';

/** The denomination for ordering a range product (interface: Rules of surface B). */
export const RANGE = 'range';

const POPULAR_PER_CATEGORY = 6;
const MICROS_PER_POINT = 1_000_000n;

/** How a kind of product is delivered; the beneficiary is an email address or a phone number. */
export const DELIVERY_TYPES: Readonly<Record<ProductKind, string>> = {
  giftcard: 'by_email',
  mobile_topup: 'by_sms',
  esim: 'by_email',
  other: 'by_email',
};

const REDEEM_METHODS: Readonly<Record<ProductKind, readonly string[]>> = {
  giftcard: ['online', 'in_store'],
  mobile_topup: ['direct_topup'],
  esim: ['qr_code'],
  other: ['online'],
};

/** What a price depends on besides the product. */
export interface PriceContext {
  readonly market: Market;
  readonly rates: Rates;
  readonly marginBps?: number;
  readonly coin: Coin;
  /** Label of coin and network, such as `USDC-SOL`. */
  readonly paymentMethod: string;
  /** Whether to show prices: a list without a coin has none. */
  readonly isPriced: boolean;
  readonly localise: Localise;
}

export function brandView(baseUrl: string, brand: Brand): WirePartnerBrand {
  const logoBase = brandLogoBase(baseUrl, brand);
  return {
    family: brand.family,
    brand_id: brand.brandId,
    brand: brand.name,
    logo_url: `${logoBase}.webp`,
    logo_base_url: logoBase,
    bg_color: formatColour(colourOf(brand.brandId)),
    category: brand.category,
    additional_categories: [],
    kind: brand.kind,
    is_out_of_stock: brand.isOutOfStock,
    country_code: brand.countryCode.toUpperCase(),
    product_type: brand.kind,
    min: formatFaceValue(brand.minFaceValue),
    max: formatFaceValue(brand.maxFaceValue),
    promotion: null,
  };
}

/** Categories in display order; those added by an operator's catalog come last. */
export function categoryViews(
  baseUrl: string,
  brands: readonly Brand[],
  popularity: Popularity,
): WireCategory[] {
  const byCategory = new Map<string, Brand[]>();
  for (const brand of brands) {
    byCategory.set(brand.category, [...(byCategory.get(brand.category) ?? []), brand]);
  }
  const view = (brand: Brand) => brandView(baseUrl, brand);
  return [...byCategory]
    .toSorted(([one], [other]) => displayRank(one) - displayRank(other))
    .map(([category, members]) => ({
      kind: members[0]?.kind ?? 'other',
      category,
      brands: members.map(view),
      popular_brands: mostPopular(members, popularity, POPULAR_PER_CATEGORY).map(view),
    }));
}

function displayRank(category: string): number {
  const slugs: readonly string[] = CATEGORIES;
  const rank = slugs.indexOf(category);
  return rank < 0 ? slugs.length : rank;
}

/** A brand with its products. */
export function productsForBrandView(
  baseUrl: string,
  brand: Brand,
  products: readonly Product[],
  context: PriceContext,
): WireProductsForBrand {
  const { logo_url, category, kind = brand.kind } = brandView(baseUrl, brand);
  const [first] = products;
  return {
    country_code: brand.countryCode.toUpperCase(),
    category,
    additional_categories: [],
    kind,
    default_denomination: first ? denominationOf(first) : '',
    products: products.map((product) => productView(product, context)),
    family: brand.family,
    brand_id: brand.brandId,
    brand: brand.name,
    is_out_of_stock: brand.isOutOfStock,
    logo_url,
    logo_base_url: brandLogoBase(baseUrl, brand),
    product_tc: termsOf(brand),
    redeem_method: [...REDEEM_METHODS[brand.kind]],
    product_type: brand.kind,
    rich_description: describe(brand),
    promotion: null,
  };
}

/** A product in a list; fixed ones include their price. */
function productView(product: Product, context: PriceContext): WirePartnerProduct {
  const { denomination } = product;
  if (!denomination.isRange) {
    const { faceValue } = denomination;
    return {
      ...commonView(product, context),
      is_dynamic: false,
      denomination: denominationOf(product),
      localized_denomination: context.localise.denomination(product),
      face_value: { currency_code: product.brand.currency, amount: priceAmount(faceValue) },
      ...priceView(product, faceValue, context),
    };
  }
  const { min, max } = denomination;
  return {
    ...rangeView(product, context),
    face_value: {
      currency_code: product.brand.currency,
      amount: { min: formatFaceValue(min), max: formatFaceValue(max) },
    },
    coin_amount: null,
    original_coin_amount: null,
    points: '0',
  };
}

/** A product at a chosen face value, which it must have. */
export function pricedProductView(
  product: Product,
  faceValue: Atomic,
  context: PriceContext,
): WirePartnerProduct {
  if (!product.denomination.isRange) return productView(product, context);
  return {
    ...rangeView(product, context),
    face_value: { currency_code: product.brand.currency, amount: priceAmount(faceValue) },
    ...priceView(product, faceValue, context),
  };
}

type PriceFields = Pick<WirePartnerProduct, 'coin_amount' | 'original_coin_amount' | 'points'>;
type CommonView = Omit<WirePartnerProduct, 'is_dynamic' | 'points'>;

function commonView(product: Product, { coin, paymentMethod }: PriceContext): CommonView {
  const { brand } = product;
  return {
    product_id: product.productId,
    coin: coin.name,
    payment_method: paymentMethod,
    delivery_type: DELIVERY_TYPES[brand.kind],
    benefits: null,
    additional_details: null,
    valid_regions: [brand.countryCode.toUpperCase()],
    product_type: brand.kind,
  };
}

function rangeView(
  product: Product,
  context: PriceContext,
): CommonView & Pick<WirePartnerProduct, 'is_dynamic'> {
  const { brand, denomination } = product;
  const common = { ...commonView(product, context), is_dynamic: true, denomination: RANGE };
  if (!denomination.isRange) return common;
  const { min, max, step } = denomination;
  return {
    ...common,
    localized_denomination: context.localise.denomination(product),
    range: {
      min: toNumber(min),
      max: toNumber(max),
      currency: brand.currency,
      step_size: toNumber(step),
      default: formatFaceValue(min),
    },
  };
}

/** The original price equals the price, since there are no promotions. */
function priceView(product: Product, faceValue: Atomic, context: PriceContext): PriceFields {
  const { market, rates, coin, isPriced } = context;
  const points = (faceValueUsd(product, faceValue, rates) / MICROS_PER_POINT).toString();
  if (!isPriced) return { points };
  const usdMicros = priceUsdc(product, faceValue, rates, context);
  const amount = coinAmount(usdMicros, market.picoUsdPer(coin), coin.decimals);
  const text = formatCoinAmount(amount, coin);
  return { coin_amount: text, original_coin_amount: text, points };
}

function priceAmount(faceValue: Atomic): { price: string } {
  return { price: formatFaceValue(faceValue) };
}

function denominationOf({ label, denomination }: Product): string {
  return denomination.isRange ? RANGE : label;
}

function termsOf({ name, currency }: Brand): string {
  return `The terms of ${name} apply. The value is in ${currency}; delivered products cannot be returned.`;
}

/** Ours: a catalog has no texts, so these apply to every brand. */
function describe(brand: Brand): WireProductsForBrand['rich_description'] {
  const country = brand.countryCode.toUpperCase();
  return {
    markup: null,
    description: `${brand.name}: ${brand.family}, in ${brand.currency}.`,
    how_to_redeem: HOW_TO_REDEEM[brand.kind],
    term_and_conditions: termsOf(brand),
    country_code: country,
    locale: 'en',
    note: null,
    redeem_geo: country,
  };
}

const HOW_TO_REDEEM: Readonly<Record<ProductKind, string>> = {
  giftcard: 'Enter the code at the brand’s checkout or in its app.',
  mobile_topup: 'The credit is added to the number; there is nothing to redeem.',
  esim: 'Scan the QR code, or open the address, on the device that will use the eSIM.',
  other: 'Follow the instructions in the delivery.',
};

/** The interface requires JSON numbers here; nothing is calculated with them. */
function toNumber(value: Atomic): number {
  return Number(formatDecimal(value, FACE_DECIMALS));
}

// Coins, networks and payment vias on the wire.

export function currencyView({ market, baseUrl }: Shop, coin: Coin): WireCurrency {
  return {
    name: coin.name,
    logo_url: logoUrl(baseUrl, 'coins', coin.name),
    is_suspended: market.isSuspended(coin) || hasNoNetwork(market, coin),
  };
}

/** The wire cannot mark a network as suspended, so a coin with only suspended networks is suspended. */
function hasNoNetwork(market: Shop['market'], { networks }: Coin): boolean {
  return networks.length > 0 && networks.every(({ name }) => market.isSuspendedNetwork(name));
}

export function paymentViaView(shop: Shop, via: PaymentVia): WirePaymentVia {
  return {
    name: via.name,
    logo_url: logoUrl(shop.baseUrl, 'vias', via.name),
    currencies: via.coins.map((coin) => coinView(shop, coin)),
  };
}

function coinView(shop: Shop, coin: Coin): WireCurrencyWithNetwork {
  return {
    ...currencyView(shop, coin),
    networks: coin.networks.map((network) => networkView(shop, network)),
    threshold: coin.threshold,
  };
}

function networkView({ baseUrl }: Shop, network: CoinNetwork): WirePaymentNetwork {
  return {
    name: network.name,
    chain_id: network.chainId,
    logo_url: logoUrl(baseUrl, 'networks', network.name),
    threshold: network.threshold,
    smart_contract_engine: network.engine,
    base_token: network.baseToken,
    smart_contract: network.contract,
    estimated_transfer_cost: network.transferCostUsd,
  };
}

// Formats face values for a language.

interface Localise {
  /** BCP 47 tag in its canonical form. */
  readonly lang: string;
  /** `$25.00`, `$5.00 – $500.00`; plans keep their own label. */
  denomination(product: Product): string;
}

const DEFAULT_LANG = 'en';

/** Returns undefined if the text is not a language tag. */
export function createLocalise(lang: string = DEFAULT_LANG): Localise | undefined {
  const tag = canonicalTag(lang);
  if (tag === undefined) return undefined;
  const formats = new Map<string, Intl.NumberFormat>();
  const formatOf = (currency: string): Intl.NumberFormat => {
    const known = formats.get(currency);
    if (known) return known;
    const format = new Intl.NumberFormat(tag, { style: 'currency', currency });
    formats.set(currency, format);
    return format;
  };
  return { lang: tag, denomination: (product) => write(product, formatOf(product.brand.currency)) };
}

/** Many programs send `en_US` for `en-US`. */
export function canonicalTag(lang: string): string | undefined {
  try {
    return Intl.getCanonicalLocales(lang.replaceAll('_', '-'))[0];
  } catch {
    return undefined;
  }
}

function write({ denomination, label, brand }: Product, format: Intl.NumberFormat): string {
  const text = (value: Atomic) => format.format(Number(formatDecimal(value, FACE_DECIMALS)));
  if (denomination.isRange) return `${text(denomination.min)} – ${text(denomination.max)}`;
  const { faceValue } = denomination;
  const isPlain = label === `${formatFaceValue(faceValue)} ${brand.currency}`;
  return isPlain ? text(faceValue) : label;
}
