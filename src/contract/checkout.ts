/** Surface A, the pay-per-request checkout host: interface, "Checkout host resources". */
import { z } from 'zod';
import { endpoint, type Infer, lazy } from './endpoint.ts';
import { object } from './object.ts';
import { plainSchema } from './plain.ts';

/** Lowercase ISO 3166-1 alpha-2, or the user-assigned `xk`. */
const COUNTRY = {
  country_code: {
    pattern: /^[a-z]{2}$/,
    rule: 'a country code is two lowercase letters, such as us',
  },
} as const;
export const countryCode = lazy(() => plainSchema(COUNTRY).shape.country_code);

/** A decimal on the wire: a JSON number, or the same number in a string. */
const wireDecimal = lazy(() =>
  z.union([
    z.number().nonnegative(),
    z
      .string()
      .regex(/^(0|[1-9]\d{0,14})(\.\d{1,8})?$/, 'a plain decimal number, such as 25 or 25.50'),
  ]),
);

const BRAND = {
  brand_name: 'text',
  family: 'text',
  category: 'text',
  min: 'text?',
  max: 'text?',
} as const;
export const brand = lazy(() => plainSchema(BRAND));
export type WireBrand = Infer<typeof brand>;

export const catalogItem = object(() => ({
  product_id: z.string(),
  product_name: z.string().optional(),
  brand_name: z.string(),
  denomination: z.string().optional(),
  denomination_label: z.string().optional(),
  currency: z.string().optional(),
  is_range: z.boolean(),
  face_value_usd: wireDecimal().optional(),
  /** Decimal USDC, or the literal `variable` for range products. */
  price_usdc: z.string(),
  country_code: z.string(),
  type: z.string().optional(),
  min_value: wireDecimal().optional(),
  max_value: wireDecimal().optional(),
}));
export type WireCatalogItem = Infer<typeof catalogItem>;

export const priceQuote = object(() => ({
  product_id: z.string(),
  product_name: z.string().optional(),
  brand_name: z.string(),
  country_code: z.string().optional(),
  is_range: z.boolean(),
  face_value: wireDecimal().optional(),
  currency: z.string(),
  /** Indicative; the binding amount is in the payment requirement. */
  price_usdc: z.string(),
  min_value: wireDecimal().optional(),
  max_value: wireDecimal().optional(),
  quote_expires_at: z.iso.datetime({ offset: true }),
}));
export type WirePriceQuote = Infer<typeof priceQuote>;

/** The interface requires at least one item and sets no maximum. Ours: ten. */
export const MAX_ITEMS_PER_ORDER = 10;

export const orderItem = object(() => ({
  product_id: z.string().min(1).max(64),
  beneficiary_account: z.string().min(1).max(254),
  product_value: wireDecimal().optional(),
  /** Ours: orders this item so many times, like `quantity` in older requests of the partner API. */
  quantity: z.number().int().min(1).max(MAX_ITEMS_PER_ORDER).optional(),
}));
export type WireOrderItem = Infer<typeof orderItem>;

export const orderRequest = object(() => ({
  email: z.email().max(254),
  items: z.array(orderItem()).min(1).max(MAX_ITEMS_PER_ORDER),
  callback_url: z.url().max(2048).optional(),
}));
export type WireOrderRequest = Infer<typeof orderRequest>;

export const ORDER_STATUSES = ['processing', 'completed', 'failed', 'expired'] as const;
export const DELIVERY_STATES = ['pending', 'completed', 'failed'] as const;
export const DELIVERY_TYPES = ['by_email', 'by_sms', 'inline'] as const;
export type OrderStatus = (typeof ORDER_STATUSES)[number];

/**
 * Ours, never on the wire: texts and numbers of a delivery whose names are not in the interface. A
 * merchant may send redemption data in them.
 */
export const otherFields = lazy(() => z.record(z.string(), z.string()));

export const delivery = object(() => ({
  id: z.string().optional(),
  delivery_state: z.enum(DELIVERY_STATES).optional(),
  brand_name: z.string().optional(),
  product_name: z.string().optional(),
  denomination: z.string().optional(),
  face_value: z.string().optional(),
  currency: z.string().optional(),
  voucher_code: z.string().optional(),
  pin_serial: z.string().optional(),
  security_code: z.string().optional(),
  redeem_instructions: z.string().optional(),
  terms_and_conditions: z.string().optional(),
  url: z.url().optional(),
  barcode_image_url: z.url().optional(),
  qr_image_url: z.url().optional(),
  beneficiary_account: z.string().optional(),
  country_code: z.string().optional(),
  delivery_type: z.enum(DELIVERY_TYPES).optional(),
  failure_reason: z.string().optional(),
  other_fields: otherFields().optional(),
}));
export type WireDelivery = Infer<typeof delivery>;

export const orderReceipt = object(() => ({
  order_id: z.string().min(1),
  status: z.enum(ORDER_STATUSES),
  email: z.string().optional(),
  estimated_delivery_seconds: z.number().int().nonnegative().optional(),
  poll_url: z.string(),
  deliveries: z.array(delivery()).optional(),
}));
export type WireOrderReceipt = Infer<typeof orderReceipt>;

export const orderStatus = object(() => ({
  order_id: z.string(),
  status: z.enum(ORDER_STATUSES),
  deliveries: z.array(delivery()).optional(),
}));
export type WireOrderStatus = Infer<typeof orderStatus>;

export const errorBody = object(() => ({ error: z.string(), message: z.string().optional() }));
export type WireError = Infer<typeof errorBody>;

/** Ours: other hosts give the facilitator's reason beside the message. */
export const reasonBody = object(() => ({ reason: z.string() }));

export const getBrands = endpoint({
  name: 'getBrands',
  method: 'GET',
  path: '/v1/brands',
  summary: 'Brands sold in a country',
  input: lazy(() => plainSchema(COUNTRY)),
  output: lazy(() => z.array(brand())),
  plain: { input: COUNTRY, row: BRAND },
});

export const getCatalog = endpoint({
  name: 'getCatalog',
  method: 'GET',
  path: '/v1/catalog',
  summary: 'Products of a brand or of a family in a country',
  input: object(() => ({
    country_code: countryCode(),
    brand_name: z.string().min(1).max(200).optional(),
    family_name: z.string().min(1).max(200).optional(),
  })),
  output: lazy(() => z.array(catalogItem())),
});

export const getPrice = endpoint({
  name: 'getPrice',
  method: 'GET',
  path: '/v1/price',
  summary: 'Indicative price of a product; required before a range product is ordered',
  input: object(() => ({
    product_id: z.string().min(1).max(64),
    country_code: countryCode(),
    brand_name: z.string().min(1).max(200),
    product_value: wireDecimal().optional(),
  })),
  output: priceQuote,
});

export const postOrder = endpoint({
  name: 'postOrder',
  method: 'POST',
  path: '/v1/orders',
  summary:
    'Paid order in two phases: 402 with a payment requirement, then the same body with a payment',
  input: orderRequest,
  output: orderReceipt,
  hints: { destructive: true },
});

export const getOrder = endpoint({
  name: 'getOrder',
  method: 'GET',
  path: '/v1/orders/{order_id}',
  summary: 'Status of an order, with its deliveries',
  input: object(() => ({ order_id: z.string().min(1).max(1024) })),
  output: orderStatus,
});
