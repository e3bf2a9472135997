/** The payment header of phase 2: its fields, its signed bytes, and the order it pays. */
import { firstFault } from '../../contract/plain-issues.ts';
import {
  decodeHeader,
  extensionIn,
  PAYMENT_IDENTIFIER,
  type PaymentPayload,
  paymentIdentifier,
  paymentPayload,
} from '../../contract/x402.ts';
import type { CheckoutRail, PaymentFacts } from '../../rails/merchant-rail.ts';
import { type Refusal, refuse } from '../http/replies.ts';
import { isStorable } from '../http/route.ts';

/** Ours: a payment header is about 1 kB; no list of extensions makes it larger than this. */
const MAX_HEADER_CHARACTERS = 8192;

export interface Payment {
  readonly payload: PaymentPayload;
  readonly facts: PaymentFacts;
  /** The one that it is made on. */
  readonly rail: CheckoutRail;
  /** Sessions that the caller named, in the echoed requirement and in the header. */
  readonly sessionIds: readonly string[];
  /** The buyer's id of the payment (x402 extension `payment-identifier`). */
  readonly paymentId: string | null;
}

export interface PaymentRequest {
  readonly signature: string;
  readonly sessionId: string | null;
  /** Address of the caller's socket. */
  readonly address: string | undefined;
}

/** Decodes the header and inspects the signed bytes. */
export function readPayment(
  rails: readonly CheckoutRail[],
  { signature, sessionId }: Pick<PaymentRequest, 'signature' | 'sessionId'>,
): Payment | Refusal {
  const decoded =
    signature.length > MAX_HEADER_CHARACTERS
      ? undefined
      : paymentPayload().safeParse(decodeHeader(signature));
  if (!decoded?.success) {
    return refuse('payment_malformed', 'PAYMENT-SIGNATURE is not an x402 payment payload.');
  }
  const payload = decoded.data;
  const terms = [payload.accepted, payload].filter((side) => side?.network !== undefined);
  if (terms.length === 0) {
    return refuse('payment_malformed', 'The payment names no network.');
  }
  const rail = rails.find(({ network }) =>
    terms.every((side) => side?.network === network && (side.scheme ?? 'exact') === 'exact'),
  );
  if (rail === undefined) {
    const networks = rails.map(({ network }) => network).join(' or ');
    return refuse('network_not_supported', `Payments are taken on ${networks}, scheme exact.`);
  }
  const paymentId = readPaymentId(payload);
  if (typeof paymentId === 'object' && paymentId !== null) return paymentId;
  const sessionIds = [sessionIn(payload.accepted), sessionId].filter(
    (id) => typeof id === 'string',
  );
  if (!sessionIds.every(isStorable)) {
    return refuse('payment_malformed', 'The payment names a session that cannot exist.');
  }
  return { payload, facts: rail.inspect(payload), rail, sessionIds, paymentId };
}

/** Reads the session from an echoed requirement; its other fields are ignored. */
export function sessionIn(terms: object | undefined): string | undefined {
  const extra = terms && 'extra' in terms ? terms.extra : undefined;
  const named =
    typeof extra === 'object' && extra !== null && 'sessionId' in extra
      ? extra.sessionId
      : undefined;
  return typeof named === 'string' ? named : undefined;
}

/** Clients that only echo the extension send no id. */
function readPaymentId({ extensions }: PaymentPayload): string | null | Refusal {
  const extension = extensionIn(extensions, PAYMENT_IDENTIFIER);
  if (extension === undefined) return null;
  const parsed = paymentIdentifier().safeParse(extension);
  if (parsed.success) return parsed.data.info.id ?? null;
  const fault = firstFault(paymentIdentifier(), extension);
  return refuse('payment_malformed', `${PAYMENT_IDENTIFIER}: ${fault}`);
}
