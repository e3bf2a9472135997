/** Counts requests before routing, by caller and endpoint. */

import type { Context, Hono, MiddlewareHandler } from 'hono';
import { PAYMENT_SIGNATURE_HEADER, SESSION_HEADER } from '../../contract/x402.ts';
import { firstAddress } from '../../domain/address/forwarded-for.ts';
import type { Clock } from '../../domain/clock.ts';
import { RATE_LIMITS } from '../../domain/rate-limit.ts';
import { createRecent } from '../../domain/recent.ts';
import { PAGE_ID, refundFormPath, transactionPath } from '../page/path.ts';
import { partnerRefusal } from '../partner/failure.ts';
import { applicationOf, type PartnerGate } from '../partner/partner-gate.ts';
import {
  createRateGate,
  type RateGate,
  type RateLimits,
  type RateName,
  type RateSharing,
  type Taken,
  type TrafficOptions,
} from './rate-limits.ts';
import { errorReply, type Refusal } from './replies.ts';
import { callerOf } from './route.ts';

type Write = (refusal: Refusal) => Response;

/** The gates that count callers. */
interface Gates {
  readonly challenges: ChallengeGate;
  readonly gate: RateGate;
  readonly users: RateGate;
  /** Knows the limits of partners. */
  readonly partners: Pick<PartnerGate, 'ordersPerMinute'> | undefined;
}

/**
 * Adds the limits. Phase 2 is not limited here: a caller with a signed payment is served (guesses:
 * `guesses.ts`). A partner's users have their own gate: the partner can claim any number of them,
 * and they must not push out other callers.
 */
export function limitTraffic(app: Hono, { challenges, gate, users, partners }: Gates): void {
  app.post('/v1/orders', async (context, next) => {
    const address = addressOf(context);
    const isPaid = context.req.header(PAYMENT_SIGNATURE_HEADER) !== undefined;
    if (isPaid || address === undefined) return next();
    const place = challenges.take(address);
    const refused = await passOn(context, next, { taken: place, write: errorReply });
    if (refused) return refused;
    const sessionId = context.res.headers.get(SESSION_HEADER);
    if (sessionId !== null) place.opened(sessionId);
    return undefined;
  });
  app.get('/v1/orders/:order_id', reads(gate, errorReply));
  app.post('/v5/orders', async (context, next) => {
    const application = applicationOf(context.req.raw.headers);
    const user = userOf(context, application);
    const byUser = user === undefined ? undefined : users.take('ordersByUser', user);
    if (byUser?.refusal) return partnerRefusal(byUser.refusal);
    const own = partners?.ordersPerMinute(application);
    const taken = gate.take('ordersByPartner', application, own);
    return passOn(context, next, { taken, write: partnerRefusal });
  });
  app.get('/v5/orders/:order_id', reads(gate, partnerRefusal));
  app.get('/v1/orders/:order_id/refunds', reads(gate, errorReply));
  app.get('/v5/orders/:order_id/refunds', reads(gate, partnerRefusal));
  app.post('/v5/orders/:order_id/refund_address', orderKeys(gate, partnerRefusal));
  app.post(refundFormPath(PAGE_ID), orderKeys(gate, errorReply));
  app.post(transactionPath(PAGE_ID), transactions(gate));
  app.post('/v5/orders/:order_id/payment_lease', (context, next) => {
    const taken = gate.take('leasesByOrder', context.req.param('order_id'));
    return passOn(context, next, { taken, write: partnerRefusal });
  });
}

/** Counts reads per order id; unknown ids also count per address, as guesses. */
function reads(gate: RateGate, write: Write): MiddlewareHandler {
  return async (context, next) => {
    const taken = gate.take('readsByOrder', context.req.param('order_id') ?? '');
    const refused = await passOn(context, next, { taken, write });
    if (refused) return refused;
    const address = addressOf(context);
    if (context.res.status !== 404 || address === undefined) return undefined;
    const name: RateName = 'unknownOrdersByAddress';
    const { refusal } = gate.take(name, address);
    if (refusal) context.res = write(refusal);
    return undefined;
  };
}

/** The fee payer signs for each; a wallet needs one or two. */
function transactions(gate: RateGate): MiddlewareHandler {
  return async (context, next) => {
    const address = addressOf(context);
    const byAddress =
      address === undefined ? undefined : gate.take('transactionsByAddress', address);
    if (byAddress?.refusal) return errorReply(byAddress.refusal);
    const taken = gate.take('transactionsByOrder', context.req.param('page_id') ?? '');
    return passOn(context, next, { taken, write: errorReply });
  };
}

/** Counted before the key is compared, right or wrong: no other address is locked out by it. */
function orderKeys(gate: RateGate, write: Write): MiddlewareHandler {
  return async (context, next) => {
    const address = addressOf(context);
    if (address === undefined) return next();
    const taken = gate.take('orderKeysByAddress', address);
    return passOn(context, next, { taken, write });
  };
}

/** A partner's claim about its user can only restrict what the user may do. */
function userOf(context: Pick<Context, 'req' | 'env'>, application: string): string | undefined {
  const claims = callerOf(context).claims ?? context.req.header('X-Forwarded-For') ?? '';
  const user = firstAddress(claims);
  return user === undefined ? undefined : `${application} ${user}`;
}

function addressOf(context: Pick<Context, 'env'>): string | undefined {
  return callerOf(context).address;
}

async function passOn(
  context: Pick<Context, 'res'>,
  next: () => Promise<void>,
  { taken, write }: { readonly taken: Taken; readonly write: Write },
): Promise<Response | undefined> {
  if (taken.refusal) return write(taken.refusal);
  await next();
  for (const [name, value] of Object.entries(taken.headers)) context.res.headers.set(name, value);
  return undefined;
}

// Limits unpaid sessions per address. An unpaid session costs a row; a payment gives its
// place back. When very many addresses open sessions at once, those that have not paid
// share the host's limit, but each gets at least one, so no address is refused because of others.

export interface ChallengeGate {
  /** Takes a place for one session, or refuses. */
  take(address: string): Place;
  /** Gives a session's place back, and remembers its address as a payer. */
  paid(sessionId: string): void;
}

interface Place extends Taken {
  /** Records the session that the place was taken for. */
  opened(sessionId: string): void;
}

/** Ours: how long an address counts as a payer. */
const PAYER_MS = 24 * 3_600_000;

interface Opened {
  readonly address: string;
  /** How much of the bucket the place gives back. */
  readonly tokenMs: number;
}

export function createChallengeGate(
  clock: Pick<Clock, 'now'>,
  traffic: TrafficOptions = {},
  sharing?: RateSharing,
): ChallengeGate {
  const rates: RateLimits = { ...RATE_LIMITS, ...traffic.rates };
  const { challengesByAddress: own, challengesOfHost: host } = rates;
  // Of its own: mostly addresses that opened sessions in the last window.
  const gate = createRateGate(clock, traffic, sharing);
  const payers = createRecent<number>();
  const sessions = createRecent<Opened>();

  function countOf(address: string): number {
    if ((payers.get(address) ?? 0) > clock.now()) return own.count;
    const share = Math.floor(host.count / (gate.others('challengesByAddress', address) + 1));
    return Math.max(1, Math.min(own.count, share));
  }

  return {
    take(address) {
      const count = countOf(address);
      const taken = gate.take('challengesByAddress', address, count);
      const tokenMs = own.windowMs / count;
      return { ...taken, opened: (sessionId) => sessions.set(sessionId, { address, tokenMs }) };
    },
    paid(sessionId) {
      const opened = sessions.get(sessionId);
      if (!opened) return;
      sessions.delete(sessionId);
      payers.set(opened.address, clock.now() + PAYER_MS);
      gate.giveBack('challengesByAddress', opened.address, opened.tokenMs);
    },
  };
}
