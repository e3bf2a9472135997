/** Every endpoint that a service serves, by surface, with its answers besides a success. */
import { z } from 'zod';
import { elicitationResponse, purchaseElicitation } from './agent.ts';
import * as checkout from './checkout.ts';
import { type Endpoint, endpoint, type Lazy, lazy } from './endpoint.ts';
import { object } from './object.ts';
import { getDidDocument } from './offer-receipt.ts';
import { IDEMPOTENCY_KEY_HEADER, KEY_USE_HEADER, takePaymentLease } from './order-key.ts';
import { getCheckoutRefunds, getPartnerRefunds, nameRefundAddress } from './order-refunds.ts';
import * as catalog from './partner-catalog.ts';
import { getCurrencies, getPaymentVias } from './partner-market.ts';
import * as orders from './partner-orders.ts';
import { getOwnOrders, SIGN_IN, signInOffer } from './sign-in.ts';
import { getAvailableCountries } from './site.ts';
import * as x402 from './x402.ts';

export const getSupported = endpoint({
  name: 'getSupported',
  method: 'GET',
  path: '/supported',
  summary: 'What the facilitator settles (x402 v2)',
  input: object(() => ({})),
  output: x402.supportedResponse,
});

export const verifyPayment = endpoint({
  name: 'verifyPayment',
  method: 'POST',
  path: '/verify',
  summary: 'Checks a payment without sending it (x402 v2)',
  input: x402.facilitatorRequest,
  output: x402.verifyResponse,
  hints: { readOnly: true, idempotent: true },
});

export const settlePayment = endpoint({
  name: 'settlePayment',
  method: 'POST',
  path: '/settle',
  summary: 'Settles a payment, once per message (x402 v2)',
  input: x402.facilitatorRequest,
  output: x402.settleResponse,
  hints: { destructive: true, idempotent: true },
});

/** A 402 as this service sends it: all that it accepts is of its own kind. */
export const ownPaymentRequired = lazy(() =>
  x402.paymentRequired().extend({ accepts: z.array(x402.paymentRequirement()).min(1) }),
);

/** Asks for no payment, but for a sign-in with a wallet. */
const signInRequired = lazy(() => {
  const extensions = z.looseObject({ [SIGN_IN]: signInOffer() });
  return x402.paymentRequired().extend({ accepts: z.array(z.unknown()).max(0), extensions });
});

/** An endpoint with what is not in its schemas. */
export interface Served {
  readonly row: Endpoint;
  /** Statuses of its refusals, besides those of its surface. */
  readonly failures: readonly number[];
  /** Bodies of answers that are neither the row's output nor the surface's refusal, by status. */
  readonly bodies?: Readonly<Record<number, Lazy<z.ZodType>>>;
  /** Headers that it reads. */
  readonly headers?: readonly string[];
  /** Headers of its answers, by status. */
  readonly replyHeaders?: Readonly<Record<number, readonly string[]>>;
  /** What it asks of strangers with a 402. */
  readonly asks?: 'payment' | 'signIn';
  /** Whether its answers have an ETag: a client that has the content is answered 304. */
  readonly isKept?: boolean;
  /** Of its success; JSON if omitted. */
  readonly mediaType?: string;
}

export interface Surface {
  readonly name: 'checkout' | 'facilitator' | 'partner' | 'agent';
  readonly title: string;
  /** Body of its refusals. */
  readonly refusal: Lazy<z.ZodType>;
  /** Statuses of refusals that each of its endpoints has. */
  readonly failures: readonly number[];
  /** Whether callers name their partner id. */
  readonly isOfPartners: boolean;
  readonly served: readonly Served[];
}

const served = (row: Endpoint, ...failures: readonly number[]): Served => ({ row, failures });
const plain = (...rows: readonly Endpoint[]) => rows.map((row) => served(row));
const kept = (row: Endpoint): Served => ({ ...served(row), isKept: true });
/** Reads are counted by the order's id. */
const ofOrder = (row: Endpoint): Served => served(row, 404, 429);

export const SURFACES: readonly Surface[] = [
  {
    name: 'checkout',
    title: 'Checkout host: pay per request with x402',
    refusal: checkout.errorBody,
    failures: [400, 500],
    isOfPartners: false,
    served: [
      ...[checkout.getBrands, checkout.getCatalog].map(kept),
      served(checkout.getPrice, 404),
      {
        ...served(checkout.postOrder, 402, 409, 429, 502, 503),
        asks: 'payment',
        bodies: { 402: lazy(() => z.union([ownPaymentRequired(), checkout.errorBody()])) },
        headers: [x402.PAYMENT_SIGNATURE_HEADER, x402.SESSION_HEADER],
        replyHeaders: {
          200: [x402.PAYMENT_RESPONSE_HEADER],
          402: [x402.PAYMENT_REQUIRED_HEADER, x402.SESSION_HEADER],
        },
      },
      {
        ...served(getOwnOrders, 402),
        asks: 'signIn',
        bodies: { 402: signInRequired },
        replyHeaders: { 402: [x402.PAYMENT_REQUIRED_HEADER] },
      },
      ...[checkout.getOrder, getCheckoutRefunds].map(ofOrder),
      kept(getAvailableCountries),
      served(getDidDocument),
    ],
  },
  {
    name: 'facilitator',
    title: 'Facilitator (x402 v2)',
    refusal: checkout.errorBody,
    failures: [400, 403, 500, 503],
    isOfPartners: false,
    served: [
      ...plain(getSupported, verifyPayment),
      { ...served(settlePayment, 401, 429), bodies: { 401: x402.settleResponse } },
    ],
  },
  {
    name: 'partner',
    title: 'Partner API: order first, then pay in any coin',
    refusal: orders.topLevelError,
    failures: [400, 401, 403, 500],
    isOfPartners: true,
    served: [
      ...[getCurrencies, getPaymentVias, catalog.listBrands, catalog.getHomepage].map(kept),
      kept(catalog.listProductsForCountry),
      ...plain(catalog.searchProducts, catalog.getProductPrice),
      served(orders.validateOrder),
      {
        ...served(orders.createOrder, 409, 429, 503),
        headers: [IDEMPOTENCY_KEY_HEADER, KEY_USE_HEADER],
      },
      ofOrder(orders.getOrderStatus),
      { ...served(orders.subscribeOrder, 404, 429, 503), mediaType: 'text/event-stream' },
      ...[takePaymentLease, getPartnerRefunds].map(ofOrder),
      served(nameRefundAddress, 404, 409, 429),
    ],
  },
  {
    name: 'agent',
    title: 'Guided purchase',
    refusal: elicitationResponse,
    failures: [400, 401, 403, 500],
    isOfPartners: true,
    served: [served(purchaseElicitation, 429, 502, 503)],
  },
];

/** Surfaces of a host with or without the partner API. */
export function surfacesOf({ hasPartners }: { readonly hasPartners: boolean }): readonly Surface[] {
  return SURFACES.filter(({ isOfPartners }) => hasPartners || !isOfPartners);
}
