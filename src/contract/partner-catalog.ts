/** Surface B, the catalog: interface, "Partner API resources". */
import { z } from 'zod';
import { endpoint, type Infer, lazy } from './endpoint.ts';
import { object } from './object.ts';

/** ISO 3166-1 alpha-2, or `XK`; the partner API accepts either case. */
export const partnerCountry = lazy(() =>
  z.string().regex(/^[A-Za-z]{2}$/, 'a country code is two letters, such as US'),
);
const text = lazy(() => z.string().min(1).max(200));
/** Objects whose keys the interface does not describe. */
export const openObject = lazy(() => z.record(z.string(), z.unknown()));

export const partnerBrand = object(() => ({
  family: z.string(),
  brand_id: z.string(),
  brand: z.string(),
  /** Not validated as a URL: a relative or empty one must not make the whole list unreadable. */
  logo_url: z.string(),
  category: z.string(),
  is_out_of_stock: z.boolean(),
  country_code: z.string(),
  product_type: z.string(),
  logo_base_url: z.url().optional(),
  bg_color: z.string().optional(),
  kind: z.string().optional(),
  min: z.string().nullish(),
  max: z.string().nullish(),
  additional_categories: z.array(z.string()).optional(),
  promotion: openObject().nullish(),
}));
export type WirePartnerBrand = Infer<typeof partnerBrand>;

export const category = object(() => ({
  kind: z.string(),
  category: z.string().nullish(),
  brands: z.array(partnerBrand()),
  popular_brands: z.array(partnerBrand()),
}));
export type WireCategory = Infer<typeof category>;

export const brandList = object(() => ({
  country_code: z.string(),
  categories: z.array(category()),
  all_brands: z.array(partnerBrand()),
  last_user_purchases: z.array(partnerBrand()),
  suggestions: z.array(partnerBrand()),
}));
export type WireBrandList = Infer<typeof brandList>;

export const richDescription = object(() => ({
  markup: z.string().nullish(),
  description: z.string().nullish(),
  how_to_redeem: z.string().nullish(),
  term_and_conditions: z.string().nullish(),
  country_code: z.string().nullish(),
  locale: z.string().nullish(),
  note: z.string().nullish(),
  redeem_geo: z.string().nullish(),
}));

export const benefit = object(() => ({
  type: z.string(),
  unit_type: z.string(),
  unit: z.string(),
  additional_information: z.string(),
  amount: z.object({
    base: openObject(),
    promotion_bonus: openObject(),
    total_excluding_tax: openObject(),
    total_including_tax: openObject(),
  }),
}));

export const partnerProduct = object(() => ({
  product_id: z.string(),
  /** true: range product; false: fixed denomination. */
  is_dynamic: z.boolean(),
  range: z
    .object({
      min: z.number(),
      max: z.number(),
      currency: z.string(),
      step_size: z.number(),
      default: z.string(),
    })
    .optional(),
  customer_specific: z.object({ account: z.string(), face_value: z.number() }).optional(),
  denomination: z.string().nullish(),
  localized_denomination: z.string().nullish(),
  coin: z.string(),
  /** Exact price in the requested coin. */
  coin_amount: z.string().nullish(),
  original_coin_amount: z.string().nullish(),
  face_value: z
    .object({
      currency_code: z.string(),
      amount: z.union([
        z.object({ price: z.string() }),
        z.object({ min: z.string(), max: z.string() }),
      ]),
    })
    .optional(),
  /** Coin and network label, such as USDC-SOL. */
  payment_method: z.string(),
  delivery_type: z.string(),
  points: z.string(),
  benefits: z.array(benefit()).nullish(),
  additional_details: openObject().nullish(),
  valid_regions: z.array(z.string()).optional(),
  product_type: z.string(),
}));
export type WirePartnerProduct = Infer<typeof partnerProduct>;

export const productsForBrand = object(() => ({
  country_code: z.string(),
  category: z.string(),
  additional_categories: z.array(z.string()),
  kind: z.string(),
  default_denomination: z.string(),
  products: z.array(partnerProduct()),
  family: z.string(),
  brand_id: z.string(),
  brand: z.string(),
  is_out_of_stock: z.boolean(),
  logo_url: z.string(),
  logo_base_url: z.string(),
  product_tc: z.string(),
  redeem_method: z.array(z.string()),
  product_type: z.string(),
  rich_description: richDescription().optional(),
  promotion: openObject().nullish(),
}));
export type WireProductsForBrand = Infer<typeof productsForBrand>;

/** Ours: the interface does not show the body. Sections of brands, like a shop's front page. */
export const homepage = object(() => ({
  country_code: z.string(),
  sections: z.array(
    z.object({ title: z.string(), kind: z.string(), brands: z.array(partnerBrand()) }),
  ),
}));
export type WireHomepage = Infer<typeof homepage>;

/** Ours: the interface does not show the body. Brands, best match first. */
export const searchResult = object(() => ({
  country_code: z.string(),
  query: z.string(),
  brands: z.array(partnerBrand()),
}));
export type WireSearchResult = Infer<typeof searchResult>;

export const listBrands = endpoint({
  name: 'listBrands',
  method: 'GET',
  path: '/v2/brands',
  summary: 'Brands of a country by category',
  input: object(() => ({
    country_code: partnerCountry(),
    cid: z.string().optional(),
    promo_code: z.string().optional(),
  })),
  output: brandList,
});

export const getHomepage = endpoint({
  name: 'getHomepage',
  method: 'GET',
  path: '/v2/homepage',
  summary: 'Front page of a country',
  input: object(() => ({ country_code: partnerCountry().optional() })),
  output: homepage,
});

export const searchProducts = endpoint({
  name: 'searchProducts',
  method: 'GET',
  path: '/v2/search/{country_code}',
  summary: 'Brands of a country by name, typing errors forgiven',
  input: object(() => ({
    country_code: partnerCountry(),
    q: z.string().trim().min(1).max(100),
    lang: text().optional(),
  })),
  output: searchResult,
});

export const listProductsForCountry = endpoint({
  name: 'listProductsForCountry',
  method: 'GET',
  path: '/v5/products/country/{country_code}',
  summary: 'Products of a country; with a coin, fixed products carry their exact price in it',
  input: object(() => ({
    country_code: partnerCountry(),
    brand_name: text().optional(),
    family_name: text().optional(),
    coin: text().optional(),
    payment_method: text().optional(),
    lang: text().optional(),
    promo_code: text().optional(),
  })),
  output: lazy(() => z.array(productsForBrand())),
});

export const getProductPrice = endpoint({
  name: 'getProductPrice',
  method: 'GET',
  path: '/v4/products/price',
  summary: 'Price of a range product for a face value in a coin',
  input: object(() => ({
    brand_name: text(),
    country_code: partnerCountry(),
    face_value: z.union([
      z.number().positive(),
      z
        .string()
        .regex(/^(0|[1-9]\d{0,14})(\.\d{1,8})?$/, 'a plain decimal number, such as 25 or 25.50'),
    ]),
    coin: text(),
    promo_code: text().optional(),
  })),
  output: partnerProduct,
});
