/** The facilitator over HTTP, with the three calls and bodies of x402 v2. */
import type { Hono } from 'hono';
import { firstFault } from '../../contract/plain-issues.ts';
import { getSupported, settlePayment, verifyPayment } from '../../contract/surfaces.ts';
import {
  decodeHeader,
  encodeHeader,
  type FacilitatorRequest,
  facilitatorRequest,
  PAYMENT_RESPONSE_HEADER,
  type SettleResponse,
  type SupportedResponse,
  settleResponse,
} from '../../contract/x402.ts';
import { ScripError } from '../../domain/message/errors.ts';
import type { CheckoutRail } from '../../rails/merchant-rail.ts';
import type { SessionRow } from '../../store/tables/sessions.ts';
import { ownPagesOnly } from '../http/cross-origin.ts';
import { isRefusal, jsonReply, PRIVATE_HEADERS, type Refusal, refuse } from '../http/replies.ts';
import type { Caller } from '../http/route.ts';
import { type Answer, answer, callerOf, isStorable, readJson } from '../http/route.ts';
import type { Limits } from '../options.ts';
import { type Checkout, railOn, requirementOn } from './challenge.ts';
import { pay } from './payment.ts';
import { sessionIn } from './payment-header.ts';

/** A refusal by the facilitator has status 200 and its reason, as in the reference; 400 means a bad body. */
export function facilitatorRoutes(app: Hono, checkout: Checkout): void {
  const { limits, baseUrl, report } = checkout;
  for (const { path } of [getSupported, verifyPayment, settlePayment]) {
    app.use(`${path}/*`, ownPagesOnly(baseUrl));
  }
  app.get(getSupported.path, () =>
    answer(async () => jsonReply(await supportedBy(checkout)), { report }),
  );
  app.post(verifyPayment.path, ({ req }) =>
    answer(
      async () => {
        const request = await readRequest(req.raw, limits);
        if (isRefusal(request)) return request;
        const { paymentPayload, paymentRequirements } = request;
        const { facilitator } = railOf(checkout, request);
        const verdict = await facilitator.verify(paymentPayload, paymentRequirements);
        return jsonReply(verdict, 200, PRIVATE_HEADERS);
      },
      { report },
    ),
  );
  app.post(settlePayment.path, (context) =>
    answer(
      async () => {
        const { req } = context;
        const request = await readRequest(req.raw, limits);
        if (isRefusal(request)) return request;
        const session = await sessionOf(checkout, request);
        if (session) return settleSession(checkout, session, { request, ...callerOf(context) });
        return strangerReply(request.paymentRequirements);
      },
      { report },
    ),
  );
}

/** What the facilitators settle that can be used. @throws {ScripError} FACILITATOR_UNAVAILABLE if none can */
async function supportedBy({ rails }: Checkout): Promise<SupportedResponse> {
  const asked = await Promise.allSettled(rails.map(({ facilitator }) => facilitator.supported()));
  const told = asked.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
  if (told.length === 0 && asked[0]?.status === 'rejected') throw asked[0].reason;
  return {
    kinds: told.flatMap(({ kinds }) => kinds),
    extensions: told.flatMap(({ extensions = [] }) => extensions),
    signers: Object.assign({}, ...told.map(({ signers }) => signers)),
  };
}

/** Of another network, the first rail says that it takes nothing there. */
function railOf(checkout: Checkout, { paymentRequirements }: FacilitatorRequest): CheckoutRail {
  return railOn(checkout, paymentRequirements.network) ?? checkout.rails[0];
}

async function readRequest(
  request: Request,
  limits: Limits,
): Promise<FacilitatorRequest | Refusal> {
  const body = await readJson(request, limits);
  if (isRefusal(body)) return body;
  const parsed = facilitatorRequest().safeParse(body.value);
  return parsed.success
    ? parsed.data
    : refuse('invalid_request', firstFault(facilitatorRequest(), body.value));
}

/**
 * Finds the session that has this payment on record, or that is named in the terms: the buyer had it from the 402.
 * The rest of the request proves nothing.
 */
async function sessionOf(
  checkout: Checkout,
  request: FacilitatorRequest,
): Promise<SessionRow | undefined> {
  const { paymentPayload, paymentRequirements } = request;
  try {
    const { messageHash } = railOf(checkout, request).inspect(paymentPayload);
    const { sessions, settlements } = checkout.store.tables;
    const taken = await settlements.byMessage(messageHash);
    const named =
      taken?.sessionId ?? sessionIn(paymentPayload.accepted) ?? sessionIn(paymentRequirements);
    return named === undefined || !isStorable(named) ? undefined : await sessions.byId(named);
  } catch (error) {
    if (error instanceof ScripError && error.code === 'PAYMENT_MALFORMED') return undefined;
    throw error;
  }
}

/**
 * Phase 2 without the buyer's request: checks the payment against the stored requirement and makes
 * it the session's order, so no money arrives without an order.
 */
async function settleSession(
  checkout: Checkout,
  session: SessionRow,
  { request, address }: Caller & { readonly request: FacilitatorRequest },
): Promise<Answer> {
  const { x402Version, payload } = request.paymentPayload;
  const { sessionId, body } = session;
  const { network } = railOf(checkout, request);
  const accepted = requirementOn(session, network) ?? { scheme: 'exact', network };
  const signature = encodeHeader({ x402Version, accepted, payload });
  const reply = await pay(checkout, JSON.parse(body), { signature, sessionId, address });
  if (isRefusal(reply) && reply.status === RATE_LIMITED) return reply;
  return jsonReply(await verdictOf(network, reply), 200, PRIVATE_HEADERS);
}

const RATE_LIMITED = 429;

/** Converts the answer of phase 2 to a settlement. */
async function verdictOf(network: string, reply: Answer): Promise<SettleResponse> {
  if (isRefusal(reply)) return unsettled(network, reply.refusal, reply.message);
  const header = decodeHeader(reply.headers.get(PAYMENT_RESPONSE_HEADER) ?? '');
  const settled = settleResponse().safeParse(header);
  if (settled.success) return settled.data;
  const { error, reason, message }: PaymentRefusal = JSON.parse(await reply.text());
  return unsettled(network, reason ?? error, message);
}

/** The body of a 402 in answer to a payment. */
interface PaymentRefusal {
  readonly error: string;
  readonly reason?: string;
  readonly message: string;
}

/**
 * The fee payer pays nothing for others. They get 401, since the payment is not at fault; the body
 * is still a settlement's, where the reference client reads the reason.
 */
function strangerReply({ network }: FacilitatorRequest['paymentRequirements']): Response {
  const body = unsettled(
    network,
    'caller_unauthorized',
    'This host settles only payments for its own sessions.',
  );
  return jsonReply(body, 401, { ...PRIVATE_HEADERS, 'WWW-Authenticate': 'Bearer' });
}

function unsettled(network: string, errorReason: string, errorMessage: string): SettleResponse {
  return { success: false, transaction: '', network, errorReason, errorMessage };
}
