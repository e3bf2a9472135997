/** What a merchant sells: its lists and its prices. */

import type { WireBrand, WireCatalogItem, WirePriceQuote } from '../contract/checkout.ts';
import type { WirePartnerBrand, WirePartnerProduct } from '../contract/partner-catalog.ts';
import { ScripError } from '../domain/errors.ts';
import type { Facets } from '../domain/listing.ts';
import type { Said } from '../domain/message.ts';
import { type Atomic, FACE_DECIMALS, parseDecimal } from '../domain/money.ts';
import type { ProductKind } from '../domain/product.ts';
import type { Sold } from '../domain/product-match.ts';

export interface ListedBrand {
  readonly name: string;
  readonly family: string;
  readonly category: string;
  /** The least and the most that it is sold at, as the merchant writes it. */
  readonly min: string | null | undefined;
  readonly max: string | null | undefined;
  /** Undefined where the merchant does not say it. */
  readonly isOutOfStock: boolean | undefined;
  /** Read where it is asked for: lists may be long. */
  facets(): Facets;
  /** As the merchant lists it. */
  readonly document: WireBrand | WirePartnerBrand;
}

/** A product of a partner API with its brand's name beside it. */
export type PartnerListing = WirePartnerProduct & {
  readonly brand: string;
  readonly country_code: string;
};

/** A product of a list, whichever merchant it is of. */
export interface ListedProduct extends Sold {
  /** Two letters, lowercase. */
  readonly countryCode: string;
  /** Undefined where the merchant does not say it. */
  readonly kind: ProductKind | undefined;
  readonly currency: string | undefined;
  /** Its value is chosen within bounds. */
  readonly isRange: boolean;
  /** Its value or its bounds, with their currency. */
  readonly valueText: Said;
  /** Decimal, in the coin; undefined where it depends on the value. */
  readonly price: string | undefined;
  readonly coin: string;
  /** Read where it is asked for: lists may be long. */
  facets(): Facets;
  /** As the merchant lists it. */
  readonly document: WireCatalogItem | PartnerListing;
}

/** What of a country's catalog is asked for. */
export interface Section {
  /** As typed, in any case. */
  readonly country: string;
  readonly brand?: string | undefined;
  readonly family?: string | undefined;
  /** Prices are asked for in it, where the merchant takes more than USDC. */
  readonly coin?: string | undefined;
  /** Of names and texts; the merchant's own without it. */
  readonly language?: string | undefined;
}

/** A product whose price is asked for. */
export interface PriceQuestion {
  readonly productId: string;
  /** As typed, in any case. */
  readonly country: string;
  readonly brand: string;
  /** Face value, for products that let it be chosen. */
  readonly value?: string | undefined;
  readonly coin?: string | undefined;
  readonly language?: string | undefined;
}

/** What a product costs now. */
export interface PricedProduct {
  readonly productId: string;
  readonly name: string;
  /** The name with the value that is priced, such as `Amazon.com 25 USD`. */
  readonly title: string;
  readonly brand: string;
  /** That is priced, without its currency; undefined where the merchant does not say it. */
  readonly value: string | undefined;
  readonly currency: string | undefined;
  /** With its currency. */
  readonly faceValue: Said;
  /** With their currency; undefined of a fixed product. */
  readonly bounds: Said | undefined;
  /** Decimal, in the coin. */
  readonly price: string | undefined;
  readonly coin: string;
  /** Until when it holds, ISO 8601; undefined where the merchant does not say. */
  readonly expiresAt: string | undefined;
  /** Coin and network as the merchant names them, where it does. */
  readonly paymentMethod?: string | undefined;
  /** What the merchant gives for buying it, where it does. */
  readonly points?: string | undefined;
  /** As the merchant answered. */
  readonly document: WirePriceQuote | WirePartnerProduct;
}

/** What a merchant says of a product before it is bought. Undefined or empty where it says nothing. */
export interface ProductDetails {
  /** Words of the merchant, such as `online`. */
  readonly redeemMethods: readonly string[];
  readonly howToRedeem: string | undefined;
  /** Codes of countries, or names of regions as the merchant writes them. */
  readonly regions: readonly string[];
  /** How long it can be redeemed, or used. */
  readonly validity: string | undefined;
  readonly terms: string | undefined;
  readonly note: string | undefined;
  /** How it comes, such as `by_email`. */
  readonly deliveryType: string | undefined;
  readonly isOutOfStock: boolean | undefined;
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
};

/** A merchant's lists and prices: nothing that pays. */
export interface CatalogReader {
  /** Who sells in a country. @throws {ScripError} COUNTRY_UNKNOWN, COUNTRY_NOT_SOLD and the codes of a call */
  brands(country: string): Promise<readonly ListedBrand[]>;
  /** @throws {ScripError} as `brands`; BRAND_UNKNOWN, FAMILY_UNKNOWN with details.nearest */
  products(section: Section): Promise<readonly ListedProduct[]>;
  /**
   * What a product costs now; nothing is reserved.
   * @throws {ScripError} as `products`; PRODUCT_UNKNOWN, VALUE_REQUIRED and its like
   */
  price(wanted: PriceQuestion): Promise<PricedProduct>;
  /**
   * What is said of a product beside its price.
   * @throws {ScripError} as `products`; a product that is not sold there has no details
   */
  details(product: Pick<PriceQuestion, 'productId' | 'country' | 'brand'>): Promise<ProductDetails>;
}

/** Bounds as a merchant tells them; undefined where there are none that can be read. */
export function boundsOf(
  min: string | number | null | undefined,
  max: string | number | null | undefined,
): Facets['values'] {
  const low = readValue(min);
  const high = readValue(max) ?? low;
  return low === undefined || high === undefined ? undefined : { min: low, max: high };
}

/** A face value, whose currency may stand after it; undefined where it cannot be read. */
export function readValue(told: string | number | null | undefined): Atomic | undefined {
  if (told === null || told === undefined) return undefined;
  try {
    return parseDecimal(String(told).split(' ')[0] ?? '', FACE_DECIMALS);
  } catch (error) {
    if (error instanceof ScripError) return undefined;
    throw error;
  }
}
