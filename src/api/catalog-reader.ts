/** Reads a merchant's lists and prices. */

import type { WireBrand, WireCatalogItem, WirePriceQuote } from '../contract/checkout.ts';
import type { WirePartnerBrand, WirePartnerProduct } from '../contract/partner-catalog.ts';
import { attempt } from '../domain/attempt.ts';
import type { Said } from '../domain/message/message.ts';
import { type Atomic, FACE_DECIMALS, parseDecimal } from '../domain/money/money.ts';
import type { Facets } from '../domain/product/listing.ts';
import type { ProductKind } from '../domain/product/product.ts';
import type { Sold } from '../domain/product/product-match.ts';

export interface ListedBrand {
  readonly name: string;
  readonly family: string;
  readonly category: string;
  /** Lowest and highest face value, as the merchant writes them. */
  readonly min: string | null | undefined;
  readonly max: string | null | undefined;
  /** Undefined when the merchant does not report it. */
  readonly isOutOfStock: boolean | undefined;
  /** Computed on demand, because lists may be long. */
  facets(): Facets;
  /** As the merchant lists it. */
  readonly document: WireBrand | WirePartnerBrand;
}

/** A product of the partner API, with its brand's name. */
export type PartnerListing = WirePartnerProduct & {
  readonly brand: string;
  readonly country_code: string;
};

/** A listed product of either kind of merchant. */
export interface ListedProduct extends Sold {
  /** Two letters, lowercase. */
  readonly countryCode: string;
  /** Undefined when the merchant does not report it. */
  readonly kind: ProductKind | undefined;
  readonly currency: string | undefined;
  /** Whether the buyer chooses the value within bounds. */
  readonly isRange: boolean;
  /** Its value or its bounds, with the currency. */
  readonly valueText: Said;
  /** Decimal, in the coin; undefined when it depends on the chosen value. */
  readonly price: string | undefined;
  readonly coin: string;
  /** Computed on demand, because lists may be long. */
  facets(): Facets;
  /** As the merchant lists it. */
  readonly document: WireCatalogItem | PartnerListing;
}

/** A selection of a country's catalog. */
export interface Section {
  /** As typed, in any case. */
  readonly country: string;
  readonly brand?: string | undefined;
  readonly family?: string | undefined;
  /** Coin of the prices, if the merchant accepts more than USDC. */
  readonly coin?: string | undefined;
  /** Language of names and texts; the merchant's default if absent. */
  readonly language?: string | undefined;
}

/** A request for a product's price. */
export interface PriceQuestion extends Omit<Section, 'family'> {
  readonly productId: string;
  readonly brand: string;
  /** Face value, for range products. */
  readonly value?: string | undefined;
}

/** A product's current price. */
export interface PricedProduct {
  readonly productId: string;
  readonly name: string;
  /** The name with the priced value, such as `Amazon.com 25 USD`. */
  readonly title: string;
  readonly brand: string;
  /** The priced value, without its currency; undefined when the merchant does not report it. */
  readonly value: string | undefined;
  readonly currency: string | undefined;
  /** With its currency. */
  readonly faceValue: Said;
  /** With their currency; undefined for a fixed product. */
  readonly bounds: Said | undefined;
  /** Decimal, in the coin. */
  readonly price: string | undefined;
  readonly coin: string;
  /** When the price expires, ISO 8601; undefined when the merchant does not report it. */
  readonly expiresAt: string | undefined;
  /** Coin and network as the merchant names them, if it does. */
  readonly paymentMethod?: string | undefined;
  /** Bonus points for buying it, if the merchant gives any. */
  readonly points?: string | undefined;
  /** The merchant's response. */
  readonly document: WirePriceQuote | WirePartnerProduct;
}

/** A product's description before purchase. Undefined or empty when the merchant says nothing. */
export interface ProductDetails {
  /** The merchant's words, such as `online`. */
  readonly redeemMethods: readonly string[];
  readonly howToRedeem: string | undefined;
  /** Country codes, or region names as the merchant writes them. */
  readonly regions: readonly string[];
  /** How long it can be redeemed or used. */
  readonly validity: string | undefined;
  readonly terms: string | undefined;
  readonly note: string | undefined;
  /** How it is delivered, such as `by_email`. */
  readonly deliveryType: string | undefined;
  readonly isOutOfStock: boolean | undefined;
  /** The step of a range's values. */
  readonly valueStep: Atomic | undefined;
}

export const NOTHING_SAID: ProductDetails = {
  redeemMethods: [],
  howToRedeem: undefined,
  regions: [],
  validity: undefined,
  terms: undefined,
  note: undefined,
  deliveryType: undefined,
  isOutOfStock: undefined,
  valueStep: undefined,
};

/** Read-only access to a merchant's lists and prices. */
export interface CatalogReader {
  /**
   * Returns the brands sold in a country.
   * @throws {ScripError} COUNTRY_UNKNOWN, COUNTRY_NOT_SOLD and the codes of a call
   */
  brands(country: string): Promise<readonly ListedBrand[]>;
  /**
   * Returns the products of a section.
   * @throws {ScripError} as `brands`; BRAND_UNKNOWN, FAMILY_UNKNOWN with details.nearest
   */
  products(section: Section): Promise<readonly ListedProduct[]>;
  /**
   * Returns a product's current price; reserves nothing.
   * @throws {ScripError} as `products`; PRODUCT_UNKNOWN, VALUE_REQUIRED and the other VALUE codes
   */
  price(wanted: PriceQuestion): Promise<PricedProduct>;
  /**
   * Returns a product's description. A product not sold in the country has none.
   * @throws {ScripError} as `products`
   */
  details(product: Pick<PriceQuestion, 'productId' | 'country' | 'brand'>): Promise<ProductDetails>;
}

/** Parses a merchant's bounds; undefined when they are missing or unreadable. */
export function boundsOf(
  min: string | number | null | undefined,
  max: string | number | null | undefined,
): Facets['values'] {
  const low = readValue(min);
  const high = readValue(max) ?? low;
  return low === undefined || high === undefined ? undefined : { min: low, max: high };
}

/** Parses a face value, which a currency may follow; undefined when unreadable. */
export function readValue(told: string | number | null | undefined): Atomic | undefined {
  if (told === null || told === undefined) return undefined;
  const value = String(told).split(' ')[0] ?? '';
  return attempt(
    () => parseDecimal(value, FACE_DECIMALS),
    () => undefined,
  );
}
