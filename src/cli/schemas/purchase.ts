/** JSON of products and purchases: our own lists, and what `order`, `orders`, `track` and related commands print. */

import { z } from 'zod';
import { delivery, orderStatus } from '../../contract/checkout.ts';
import { type Infer, lazy } from '../../contract/endpoint.ts';
import { object, strictObject } from '../../contract/object.ts';
import { publicJwk } from '../../contract/offer-receipt.ts';
import { provenRefund } from '../../contract/order-refunds.ts';
import { partnerProduct } from '../../contract/partner-catalog.ts';
import { smartContract } from '../../contract/partner-market.ts';
import {
  orderProblem,
  partnerDelivery,
  partnerOrder,
  validationResponse,
} from '../../contract/partner-orders.ts';
import { ownOrder } from '../../contract/sign-in.ts';
import { LINE_STATUSES, PURCHASE_STATUSES } from '../../domain/order/order-states.ts';

/** A product of the partner API, with its brand's name added. */
export const listedProduct = object(() => ({
  ...partnerProduct().shape,
  brand: z.string(),
  country_code: z.string(),
}));

/** A coin on a network, with the interface's field names. */
export const viaRow = strictObject(() => ({
  payment_via: z.string(),
  coin: z.string(),
  network: z.string().nullable(),
  is_suspended: z.boolean(),
  threshold: z.string().nullable(),
  chain_id: z.number().int().nullable(),
  smart_contract: smartContract().nullable(),
}));
export type ViaRow = Infer<typeof viaRow>;

/** The answer of a request; its body is text, base64, or in the file named by --output. */
export const fetched = strictObject(() => ({
  status: z.number().int(),
  content_type: z.string().nullable(),
  body: z.string().optional(),
  body_base64: z.string().optional(),
  output: z.string().optional(),
  payment: strictObject(() => ({
    intent_id: z.string(),
    amount: z.string(),
    amount_atomic: z.string(),
    network: z.string(),
    pay_to: z.string(),
    transaction: z.string().nullable(),
  }))().nullable(),
}));
export type FetchedRecord = Infer<typeof fetched>;

/** A product's details before it is bought; null if the merchant does not give one. */
export const productDocument = strictObject(() => ({
  product_id: z.string(),
  name: z.string(),
  brand: z.string(),
  country_code: z.string(),
  kind: z.string().nullable(),
  currency: z.string().nullable(),
  face_value: z.string().nullable(),
  min_value: z.string().nullable(),
  max_value: z.string().nullable(),
  price: z.string().nullable(),
  coin: z.string(),
  is_out_of_stock: z.boolean().nullable(),
  delivery_type: z.string().nullable(),
  redeem_method: z.array(z.string()).readonly(),
  how_to_redeem: z.string().nullable(),
  regions: z.array(z.string()).readonly(),
  validity: z.string().nullable(),
  terms: z.string().nullable(),
  note: z.string().nullable(),
}));
export type ProductDocument = Infer<typeof productDocument>;

export const purchase = strictObject(() => ({
  order_id: z
    .string()
    .nullable()
    .describe('our own id if the merchant’s contains unusual characters'),
  merchant_order_id: z.string().optional().describe('if it differs from order_id'),
  status: z.enum(PURCHASE_STATUSES),
  amount: z
    .string()
    .nullable()
    .describe(
      'decimal, in the coin; null before a payment; the price, if it was paid from elsewhere',
    ),
  coin: z.string(),
  amount_atomic: z.string().nullable().describe('smallest units of the coin'),
  asset: z.string().nullable(),
  network: z.string(),
  transaction: z.string().nullable(),
  payer: z
    .string()
    .describe('address that paid, or of the wallet; no-wallet for an order created without one'),
  host: z.string(),
  product_id: z.string(),
  product_name: z.string(),
  brand_name: z.string(),
  country_code: z.string(),
  face_value: z.string(),
  currency: z.string(),
  beneficiary: z.string(),
  created_at: z.iso.datetime(),
  intent_id: z.string(),
  idempotency_key: z.string(),
  note: z.string().nullable().describe('your own note (--note)'),
  refunded: z
    .string()
    .optional()
    .describe('what the chain proved to have come back, in the coin; not counted as spent'),
}));
export type PurchaseRecord = Infer<typeof purchase>;

/** `scrip orders export`. */
export const exportedPurchase = strictObject(() => ({
  ...purchase().shape,
  pay_to: z.string().nullable(),
  payment: z.enum(['made', 'unknown', 'none']).describe('whether money left the wallet'),
  paid_atomic: z.string().nullable().describe('what left the wallet; null while unknown'),
  transaction_url: z.string().nullable(),
  refunded_atomic: z
    .string()
    .describe('what the chain proved to have come back; subtract it from paid_atomic'),
}));
export type ExportedPurchase = Infer<typeof exportedPurchase>;

/** What a paid merchant who does not deliver needs to find the payment. */
const bundle = strictObject(() => ({
  host: z.string(),
  session_id: z.string().nullable(),
  order_id: z.string().nullable(),
  transaction: z.string().nullable(),
  slot: z.number().int().nullable(),
  amount_atomic: z.string(),
  asset: z.string(),
  pay_to: z.string(),
  body_sha256: z.string(),
}));

/** A finished purchase with its codes. */
export const receipt = strictObject(() => ({
  ...purchase().shape,
  deliveries: z.array(delivery()),
  resumed: z.boolean().describe('continues a purchase that an earlier run began, without a key'),
  already_bought: z.boolean().describe('paid by an earlier run: this one paid nothing'),
}));

/** An order of the partner API. */
export const printedOrder = object(() => ({
  ...partnerOrder().shape,
  status: z.enum(PURCHASE_STATUSES).describe('the state in the word of scrip orders'),
  payment_simulated: z
    .boolean()
    .describe('a sandbox simulates the payment (scrip sandbox pay): no coin can pay the order'),
}));
export type PrintedOrder = Infer<typeof printedOrder>;

/** An order of the partner API, after creation or payment. */
export const paidOrder = object(() => ({
  ...printedOrder().shape,
  already_bought: z
    .boolean()
    .optional()
    .describe(
      'paid earlier or by another run: this run paid nothing; false for an order that was only created',
    ),
}));

/** A masked URL is no valid URL. */
const maskedDelivery = strictObject(() => ({
  ...delivery().shape,
  url: z.string().optional(),
  barcode_image_url: z.string().optional(),
  qr_image_url: z.string().optional(),
}));

export const refunds = lazy(() =>
  z.array(provenRefund()).optional().describe('only if something is owed back, or was sent back'),
);

/** An order that its merchant describes, with its refunds. */
export const followedOrder = object(() => ({ ...printedOrder().shape, refunds: refunds() }));

/** `scrip orders refund`. */
export const namedRefund = strictObject(() => ({
  order_id: z.string(),
  recipient: z.string().describe('where refunds of the order go'),
  refunds: z.array(provenRefund()),
}));

export const shownPurchase = strictObject(() => ({
  ...purchase().shape,
  deliveries: z.array(maskedDelivery()),
  refunds: refunds(),
  order: printedOrder()
    .optional()
    .describe('of the partner API, as the merchant tells it now, its codes masked'),
  bundle: bundle().optional().describe('for the merchant, if nothing was delivered'),
  reason: z.string().optional(),
}));

const anyDeliveries = lazy(() => z.union([z.array(delivery()), z.array(partnerDelivery())]));

export const resumedPurchase = strictObject(() => ({
  ...purchase().shape,
  deliveries: anyDeliveries().optional(),
}));

export const revealedPurchase = lazy(() =>
  z.union([
    z.strictObject({ order_id: z.string().nullable(), deliveries: anyDeliveries() }),
    z.strictObject({
      order_id: z.string().nullable(),
      output: z.string().describe('the file that was written'),
      deliveries: z.number().int().nonnegative(),
    }),
  ]),
);

export const forgottenPurchase = strictObject(() => ({
  order_id: z.string().nullable(),
  intent_id: z.string(),
  codes: z.null(),
}));

/** A line of `scrip order --cart`. */
export const cartLine = strictObject(() => ({
  line: z.number().int(),
  status: z.enum(LINE_STATUSES),
  product_id: z.string().nullable(),
  country: z.string().nullable(),
  brand: z.string().nullable(),
  value: z.string().nullable(),
  to: z.string().nullable(),
  quantity: z.number().int().nullable(),
  note: z.string().nullable(),
  amount: z.string().nullable().describe('its share of the price of its orders, in USDC'),
  order_id: z.string().nullable().describe('several are separated by spaces'),
  transaction: z.string().nullable(),
  code: z.string().nullable().describe('in CSV and templates masked without --reveal'),
  already_bought: z.boolean().describe('paid by an earlier run: this one paid nothing'),
  field: z.string().nullable(),
  error_code: z.string().nullable(),
  error: z.string().nullable(),
  serial: z.string().nullable().describe('beside the code, masked like it'),
  security_code: z.string().nullable().describe('beside the code, masked like it'),
}));
export type CartLineRecord = Infer<typeof cartLine>;

/** `scrip order --dry-run`. */
export const rehearsal = strictObject(() => ({
  dry_run: z.literal(true),
  product_id: z.string(),
  brand_name: z.string(),
  face_value: z.string(),
  currency: z.string(),
  beneficiary: z.string(),
  beneficiary_country: z
    .string()
    .nullable()
    .describe(
      'two letters, of a phone number; it is bought for another country with --allow-other-country',
    ),
  email: z.string(),
  price_usdc: z.string(),
  max_amount_usdc: z.string(),
  quote_expires_at: z.iso.datetime({ offset: true }),
  network: z.string(),
  payer: z.string(),
  balance_usdc: z.string(),
  policy_left_usdc: z.string().describe('what the spending policy still allows today'),
}));
export type Rehearsal = Infer<typeof rehearsal>;

/** `scrip validate`, and an order of the partner API with `--dry-run`. */
export const checkedOrder = strictObject(() => ({
  valid: z.boolean(),
  coin: z.string(),
  network: z.string(),
  coin_amount: z.string().nullable(),
  problems: z.array(
    z.strictObject({
      problem: orderProblem().shape.problem,
      meaning: z.string(),
      remedy: z.string(),
      moreDetails: z.unknown().optional(),
    }),
  ),
  validation: validationResponse().nullable(),
}));
export type CheckedOrder = Infer<typeof checkedOrder>;

const checks = lazy(() =>
  z.array(
    z.strictObject({
      check: z.string(),
      state: z.enum(['pass', 'fail', 'skipped']),
      detail: z.string(),
    }),
  ),
);

/** `scrip orders recover`. */
export const recoveredOrder = strictObject(() => ({
  ...ownOrder().shape,
  deliveries: z.array(delivery()).optional().describe('with --reveal'),
}));
export type RecoveredOrder = Infer<typeof recoveredOrder>;

/** `scrip receipt show`, and what `scrip receipt verify --file` reads. */
export const signedReceipt = strictObject(() => ({
  host: z.string(),
  network: z.string(),
  payer: z.string(),
  asset: z.string(),
  pay_to: z.string(),
  amount_atomic: z.string(),
  transaction: z.string().nullable(),
  offer: z.string().nullable().describe('signed by the host before the payment; a compact JWS'),
  receipt: z.string().nullable().describe('signed by the host after it; a compact JWS'),
  key: publicJwk().nullable().describe('public key of the host when it was paid; a JWK'),
}));

/** `scrip receipt verify`. */
export const verifiedReceipt = strictObject(() => ({
  ok: z.boolean(),
  ...signedReceipt().shape,
  checks: checks(),
}));

/** `scrip inspect`. */
export const inspection = strictObject(() => ({
  target: z.string(),
  ok: z.boolean(),
  amount: z.string().nullable(),
  amount_atomic: z.string().nullable(),
  quoted: z.string().nullable(),
  drift_atomic: z.string().nullable().describe('difference to the quote; negative if below it'),
  max_amount: z.string().nullable(),
  token_account: z.string().nullable(),
  dialect: z.enum(['amount', 'maxAmountRequired', 'both', 'none']),
  has_session: z.boolean(),
  expires_at: z.iso.datetime().nullable(),
  offers: z.number().int(),
  requirement: z.record(z.string(), z.unknown()).describe('as the host sent it'),
  checks: checks(),
}));
export type InspectionRecord = Infer<typeof inspection>;

/** A page of an order. The URL of a redemption page may hold the code. */
export const openedPage = strictObject(() => ({
  order_id: z.string(),
  kind: z.enum(['transaction', 'redemption']),
  host: z.string(),
  url: z.string(),
  opened: z.boolean(),
}));
export type OpenedPage = Infer<typeof openedPage>;

/** An order of the checkout host, with the id that we print for it. */
export const calledOrder = lazy(() =>
  orderStatus().extend({
    merchant_order_id: z.string().optional().describe('if it differs from order_id'),
    refunds: refunds(),
  }),
);

export const trackedOrder = strictObject(() => ({
  at: z.iso.datetime().describe('when this state was seen'),
  order_id: z.string(),
  surface: z.enum(['checkout', 'partner']),
  host: z.string(),
  product_name: z.string(),
  status: z
    .string()
    .describe('the merchant’s own state; unknown if the merchant could not be reached'),
  payment_state: z.string().nullable(),
  ended: z.boolean().describe('whether the order has reached its final state'),
  error: z.string().nullable().describe('error code if it is not delivered'),
  refunds: refunds(),
}));
export type TrackedOrder = Infer<typeof trackedOrder>;
