/** Surface B, orders: interface, "Order request", "Validation request" and "Order response". */
import { z } from 'zod';
import { otherFields } from './checkout.ts';
import { ORDER_STATES, PAYMENT_STATES, PROBLEM_CODES, SUSPENSION_CODES } from './codes.ts';
import { endpoint, type Infer, lazy } from './endpoint.ts';
import { object, strictObject } from './object.ts';
import { openObject } from './partner-catalog.ts';

export const MAX_DELIVERIES_PER_ORDER = 10;

const keysOf = <T extends Record<string, unknown>>(table: T) =>
  Object.keys(table) as [keyof T & string, ...(keyof T & string)[]];

export const payment = lazy(() =>
  z.discriminatedUnion('type', [
    z.strictObject({
      type: z.literal('via'),
      payment_via: z.string().min(1),
      coin: z.string().min(1),
      network: z.string().min(1),
    }),
    z.strictObject({ type: z.literal('binance_pay'), coin: z.string().min(1) }),
  ]),
);
export type WirePayment = Infer<typeof payment>;

export const user = strictObject(() => ({
  email: z.email().max(254),
  has_accepted_newsletter: z.boolean().optional(),
  referral_code: z.string().max(100).nullish(),
}));

export const nftCode = object(() => ({
  tokenId: z.string(),
  contract_address: z.string(),
  network: z.string(),
  permit: z.object({ signature: z.string(), deadline: z.number().int() }).nullish(),
}));

export const acquisition = object(() => ({
  gclid: z.string().nullish(),
  cid: z.string().nullish(),
  utm_source: z.string().nullish(),
  utm_campaign: z.string().nullish(),
  utm_medium: z.string().nullish(),
  utm_term: z.string().nullish(),
  utm_content: z.string().nullish(),
  click_id: z.string().nullish(),
  referer: z.string().nullish(),
  session_id: z.string().nullish(),
  conversion_flow: z.string().nullish(),
}));

const nullableText = lazy(() => z.string().nullish());

export const productDeliverable = object(() => ({
  /** The listed denomination of a fixed product; the literal `range` for a range product. */
  denomination: z.string().min(1),
  product_value: z.union([z.string(), z.number()]).nullish(),
  brand_name: z.string().min(1),
  beneficiary_account: z.string().min(1).max(254),
  country_code: z.string().regex(/^[A-Za-z]{2}$/),
  localized_denomination: z.string().optional(),
  family: z.string().optional(),
  brand_logo: z.string().optional(),
  brand_bg_color: z.string().optional(),
  error_description: nullableText(),
  failure_reason: nullableText(),
  /** Redemption code, or an address to open if it starts with http. */
  pin_code: z.string().optional(),
  pin_serial: nullableText(),
  security_code: nullableText(),
  /** HTML. */
  pin_usage_instructions: nullableText(),
  barcode_image_url: nullableText(),
  qr_image_url: nullableText(),
  delivery_type: z.string().optional(),
  points: z.string().optional(),
  coin_amount: z.string().optional(),
  original_coin_amount: z.string().optional(),
  original_price: z.string().optional(),
  currency_code: nullableText(),
  redeem_instructions: nullableText(),
  terms_and_conditions: nullableText(),
  promotion: openObject().nullish(),
}));
export type WireDeliverable = Infer<typeof productDeliverable>;

/** A delivery as requested: bare, or in the older wrapped form. */
export const requestedDelivery = lazy(() =>
  z.union([
    z.object({
      kind: z.string().optional(),
      quantity: z.number().int().min(1).max(MAX_DELIVERIES_PER_ORDER).optional(),
      deliverable: productDeliverable(),
    }),
    productDeliverable(),
  ]),
);
export type WireRequestedDelivery = Infer<typeof requestedDelivery>;

const orderFields = lazy(() => ({
  payment: payment(),
  deliveries: z.array(requestedDelivery()).min(1).max(100),
  coupon_code: nullableText(),
  promo_code: nullableText(),
  nft_codes: z.array(nftCode()).nullish(),
  acquisition: acquisition().nullish(),
  lang: z.string().optional(),
  time_zone: z.string().optional(),
  binance_sku: nullableText(),
  external_store: z.object({ coin_name: z.string(), coin_amount: z.number() }).nullish(),
  state_transition_notification_url: z.url().max(2048).nullish(),
  refund_wallet_address: nullableText(),
}));

export const createOrderRequest = strictObject(() => ({ user: user(), ...orderFields() }));
export type WireCreateOrder = Infer<typeof createOrderRequest>;

export const validationRequest = strictObject(() => ({ user: user().nullish(), ...orderFields() }));
export type WireValidationRequest = Infer<typeof validationRequest>;

/** A delivery in a response. Its request fields may be empty, since the client knows them. */
export const deliveredGoods = lazy(() =>
  productDeliverable().extend({
    denomination: z.string(),
    brand_name: z.string(),
    beneficiary_account: z.string(),
    country_code: z.string(),
    other_fields: otherFields().optional(),
  }),
);

export const partnerDelivery = object(() => ({
  id: z.string(),
  delivery_state: z.string(),
  kind: z.string(),
  deliverable: deliveredGoods(),
  sandbox_mode: z.boolean().nullish(),
}));
export type WirePartnerDelivery = Infer<typeof partnerDelivery>;

export const orderSummary = object(() => ({
  coin_amount_before_discount: z.string(),
  coin_amount_after_discount: z.string(),
  coin_amount_to_pay_in_crypto: z.string(),
  coin_amount_to_pay_via_nft: z.string(),
  coin_amount_to_pay_via_coupon: z.string(),
}));

export const orderProblem = lazy(() =>
  z.looseObject({
    problem: z.union([z.enum(keysOf(PROBLEM_CODES)), z.string()]),
    moreDetails: z.unknown().optional(),
  }),
);
export type WireProblem = Infer<typeof orderProblem>;

export const validationResponse = object(() => ({
  coin: z.string(),
  coin_amount: z.string(),
  original_coin_amount: z.string(),
  deliveries: z.array(partnerDelivery()),
  payment_fee: openObject(),
  points: openObject(),
  summary: orderSummary(),
  is_payment_processor_external: z.boolean(),
  coupon_code: nullableText(),
  nft_codes: openObject().optional(),
  problems: z.array(orderProblem()).optional(),
}));
export type WireValidation = Infer<typeof validationResponse>;

export const partnerOrder = object(() => ({
  order_id: z.uuid(),
  /** Unix seconds. */
  created_at: z.number().int(),
  /** Accept unknown states as they are: a new one must not hide a paid order. */
  payment_state: z.union([z.enum(keysOf(PAYMENT_STATES)), z.string()]),
  order_state: z.union([z.enum(keysOf(ORDER_STATES)), z.string()]),
  is_payment_processor_external: z.boolean(),
  wallet_address: z.string().optional(),
  payment_method: z.string().optional(),
  payment_via: z.string().optional(),
  payment_method_protocol: z.string().optional(),
  payment_id: z.string().optional(),
  payment_value: z.string().optional(),
  network: z.string().optional(),
  coin: z.string().optional(),
  coin_amount: z.string().optional(),
  original_price: z.string().optional(),
  /** Payment URI of the network: Solana Pay, BIP21, EIP-681. */
  qr_text: z.string().optional(),
  qr_url: z.url().optional(),
  sent_coin_amount: nullableText(),
  received_amount: nullableText(),
  missing_amount: nullableText(),
  missing_amount_qr_text: nullableText(),
  missing_amount_qr_url: z.url().nullish(),
  checkout_url: z.url().nullish(),
  deliveries: z.array(partnerDelivery()).optional(),
  nft_codes: openObject().optional(),
  summary: orderSummary().optional(),
  user: user().optional(),
  payment_requested_at: z.number().int().nullish(),
  payment_transactions: z.array(z.string()).optional(),
  campaign_rewards: z
    .array(
      z.object({
        campaign_name: z.string(),
        campaign_description: z.string().optional(),
        reward: openObject(),
      }),
    )
    .nullish(),
  state_transition_notification_url: nullableText(),
  sandbox_mode: z.boolean().nullish(),
  store_type: nullableText(),
}));
export type WirePartnerOrder = Infer<typeof partnerOrder>;

/** An error of the whole request: the interface has those for suspensions, the others are ours. */
export const topLevelError = object(() => ({
  status: z.union([z.number(), z.string()]),
  detail: z.union([z.enum(keysOf(SUSPENSION_CODES)), z.string()]),
  moreDetails: z.unknown().optional(),
  /** Ours: the problems of a refused creation. */
  problems: z.array(orderProblem()).optional(),
}));
export type WireTopLevelError = Infer<typeof topLevelError>;

const orderId = object(() => ({ order_id: z.uuid() }));

export const validateOrder = endpoint({
  name: 'validateOrder',
  method: 'POST',
  path: '/v5/orders/validations',
  summary: 'Checks and prices an order without creating it',
  input: validationRequest,
  output: validationResponse,
  hints: { readOnly: true, idempotent: true },
});

export const createOrder = endpoint({
  name: 'createOrder',
  method: 'POST',
  path: '/v5/orders',
  summary: 'Creates an order; the reply says where and how much to pay',
  input: createOrderRequest,
  output: partnerOrder,
  hints: { destructive: true },
});

export const getOrderStatus = endpoint({
  name: 'getOrderStatus',
  method: 'GET',
  path: '/v5/orders/{order_id}',
  summary: 'State of an order, with its deliveries',
  input: orderId,
  output: partnerOrder,
});

/** Answers with server-sent events; each default message is an order. */
export const subscribeOrder = endpoint({
  name: 'subscribeOrder',
  method: 'GET',
  path: '/v5/orders/{order_id}/subscribe',
  summary: 'Stream of an order: a message per change, `stop` at the end',
  input: orderId,
  output: partnerOrder,
});
