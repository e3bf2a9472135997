/**
 * Creates a partner API order at most once (docs/inside/partner-orders.md): the intent is on disk before the
 * request is sent, and a lost reply never leads to a second order.
 */

import {
  IDEMPOTENCY_KEY_HEADER,
  KEY_USE_HEADER,
  ORDER_IS_OVER,
  orderOver,
  USED_ONCE,
} from '../../contract/order-key.ts';
import {
  createOrder,
  type WireCreateOrder,
  type WirePartnerOrder,
} from '../../contract/partner-orders.ts';
import { canonicalJson } from '../../domain/canonical-json.ts';
import type { FailPoint } from '../../domain/journal/fail-points.ts';
import { type Entry, eventOf, type Intent, type Journal } from '../../domain/journal/journal.ts';
import { commandText } from '../../domain/message/command-text.ts';
import { type Code, ScripError } from '../../domain/message/errors.ts';
import { t } from '../../domain/message/message.ts';
import { isMomentAgo } from '../../domain/order/ordered-products.ts';
import { backoffMs } from '../../domain/payment/retry.ts';
import type { Vault } from '../../wallet/vault.ts';
import { MAKING_TIMEOUT_MS } from '../http/call.ts';
import { pause } from '../http/pause.ts';
import { type IntentDeps, type IntentInput, newIntent, openIntent } from '../payment/intent.ts';
import { orderNameOf } from '../payment/payment-tag.ts';
import { callPartner, type PartnerHost } from './partner.ts';
import { createdOrder } from './partner-journal.ts';
import { suspensionOf } from './validate.ts';

export interface PartnerOrderDeps extends PartnerHost {
  /** The merchant's name in the journal. */
  readonly hostName: string;
  readonly journal: Journal;
  /** Address of the journal's wallet. */
  readonly payer: string;
  /** CAIP-2 id of the wallet's network. */
  readonly walletNetwork: string;
  /** Random bytes from the system. */
  random(length: number): Uint8Array;
  /**
   * The wallet's vault, if there is a wallet: derives the id sent to the host from a key that the user chose.
   */
  readonly vault?: (() => Promise<Vault>) | undefined;
  /**
   * Whether the host honours `Idempotency-Key`, as scrip's own service does, so that a request can be
   * repeated after a lost reply.
   */
  readonly honoursIdempotencyKey: boolean;
  readonly failPoint?: (name: FailPoint) => void;
}

export interface PartnerOrderRequest extends IntentInput {
  readonly body: Omit<WireCreateOrder, 'acquisition'>;
  /** Decimals of the coin of the payment. */
  readonly decimals: number;
}

const TRIES = 3;

/** After these errors it is unknown whether the order was created. */
const UNCLEAR: ReadonlySet<Code> = new Set([
  'NETWORK_UNREACHABLE',
  'MERCHANT_ERROR',
  'MERCHANT_REPLY_INVALID',
  'REDIRECT_REFUSED',
  'INTERRUPTED',
]);
/** System errors after which nothing has left this machine. */
const UNSENT: ReadonlySet<unknown> = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN']);

/**
 * Creates the order, or returns the one that the same key or request created earlier: it is not new.
 * @throws {ScripError} DUPLICATE_PURCHASE; ORDER_PROBLEMS with `details.problems`; OUTCOME_UNKNOWN when the
 * reply was lost; IDEMPOTENCY_KEY_REUSED, JOURNAL_UNUSABLE, and what `callPartner` throws
 */
export async function makeOrder(deps: PartnerOrderDeps, request: PartnerOrderRequest) {
  const entry = await openOrder(deps, request);
  deps.failPoint?.('intent-written');
  const known = createdOrder(entry);
  if (known !== undefined) return { order: known, entry, isNew: false };
  const order = await create(deps, entry, request.body);
  deps.failPoint?.('created');
  // Another machine may have created it with this key, and it may show codes already: don't record those
  // unencrypted.
  const { deliveries: _, ...terms } = order;
  const event = { fact: 'created', orderId: order.order_id, order: JSON.stringify(terms) } as const;
  await deps.journal.addFact(entry.intent, event);
  deps.failPoint?.('created-recorded');
  return { order, entry: { ...entry, facts: [...entry.facts, event] }, isNew: true };
}

/** Journals the purchase. @throws what `openIntent` does */
function openOrder(deps: PartnerOrderDeps, request: PartnerOrderRequest): Promise<Entry> {
  const { clock } = deps;
  return openIntent(intentDeps(deps), request, {
    body: canonicalJson(request.body),
    // An unpaid order costs nothing: later, the same request means a new order.
    isStillMeant: (begun) => isMomentAgo(begun, clock.now()),
    terms: async () => ({ partner: { ...meansOf(request), ...(await nameFor(deps, request)) } }),
  });
}

function intentDeps(deps: PartnerOrderDeps): IntentDeps {
  return { ...deps, host: deps.hostName, network: deps.walletNetwork };
}

/**
 * Derives the id sent to the host for a key that the user chose; every machine with the wallet derives the
 * same one.
 */
async function nameFor(
  { hostName: host, vault }: PartnerOrderDeps,
  { key }: PartnerOrderRequest,
): Promise<{ readonly name?: string }> {
  if (key === undefined || vault === undefined) return {};
  return { name: orderNameOf(await vault(), { host, key }) };
}

type OrderMeans = Pick<PartnerOrderRequest, 'decimals'> & {
  readonly body: Pick<PartnerOrderRequest['body'], 'payment' | 'refund_wallet_address'>;
};

/** Returns how an order is paid, for the journal. */
function meansOf({ body, decimals }: OrderMeans): NonNullable<Intent['partner']> {
  const { payment, refund_wallet_address } = body;
  return {
    coin: payment.coin,
    network: payment.type === 'via' ? payment.network : payment.type,
    decimals,
    refundAddress: refund_wallet_address ?? null,
  };
}

/** Returns the intent for an order created elsewhere. `body` distinguishes it from all others. */
export function strangeIntent(
  deps: PartnerOrderDeps,
  input: IntentInput & OrderMeans,
  body: string,
): Intent {
  return newIntent(intentDeps(deps), input, { body, partner: meansOf(input) });
}

async function create(
  deps: PartnerOrderDeps,
  { intent }: Entry,
  body: PartnerOrderRequest['body'],
): Promise<WirePartnerOrder> {
  // Records of older versions have no name of their own.
  const name = intent.partner?.name ?? intent.intentId;
  // The journaled body has no language, so that the same order in another language counts as the same.
  const request = deps.lang === undefined ? body : { ...body, lang: deps.lang };
  const headers = { [IDEMPOTENCY_KEY_HEADER]: name, [KEY_USE_HEADER]: USED_ONCE };
  const options = { headers, isOnce: true, timeoutMs: MAKING_TIMEOUT_MS };
  for (let tried = 1; ; tried += 1) {
    try {
      return await callPartner(deps, createOrder, request, options);
    } catch (error) {
      if (!(error instanceof ScripError)) throw error;
      if (!isUnclear(error)) throw await refused(deps, intent, error);
      const mayRepeat = deps.honoursIdempotencyKey && error.code !== 'INTERRUPTED';
      if (!mayRepeat || tried === TRIES) throw unknown(intent, error);
      await pause(deps.clock, backoffMs(tried), deps.signal);
    }
  }
}

function isUnclear(error: ScripError): boolean {
  return UNCLEAR.has(error.code) && !UNSENT.has(error.details.cause);
}

/** Handles a refusal: no order was created. Closes the entry unless the same request may succeed later. */
async function refused(
  { journal }: PartnerOrderDeps,
  intent: Intent,
  error: ScripError,
): Promise<ScripError> {
  if (!error.retryable) await journal.addFact(intent, { fact: 'closed', reason: error.message });
  const over = overError(intent, error);
  if (over !== undefined) return over;
  const problems = problemsOf(error);
  if (problems.length === 0) return error;
  return new ScripError('ORDER_PROBLEMS', t`The merchant did not accept the order`, {
    cause: error,
    details: { problems },
  });
}

/** Returns the error when this key's order exists in another journal and has ended; no new one is created. */
function overError({ key, intentId }: Intent, cause: ScripError): ScripError | undefined {
  const { detail, more } = cause.details;
  const over = orderOver().safeParse(Object(more).details).data;
  if (detail !== ORDER_IS_OVER || over === undefined) return undefined;
  const { order_id, order_state } = over;
  return new ScripError(
    OVER.get(order_state) ?? 'ORDER_FAILED',
    t`Order ${order_id} of the idempotency key "${key}" has ended (${order_state}); nothing was paid this time`,
    {
      cause,
      fundsAtRisk: 'none',
      hint: t`To order again, use another --idempotency-key.`,
      details: { intent_id: intentId, idempotency_key: key, order_id, order_state },
    },
  );
}

const OVER: ReadonlyMap<string, Code> = new Map([
  ['Expired', 'ORDER_EXPIRED'],
  ['Canceled', 'ORDER_CANCELED'],
  ['Refunded', 'ORDER_REFUNDED'],
]);

/** Returns the problems in a refused creation; a suspension counts as one. */
function problemsOf(error: ScripError): readonly unknown[] {
  const suspension = suspensionOf(error);
  if (suspension !== undefined) return [suspension];
  const { more } = error.details;
  const problems =
    typeof more === 'object' && more !== null && 'problems' in more ? more.problems : [];
  return Array.isArray(problems) ? problems : [];
}

function unknown({ key, intentId }: Intent, cause: ScripError): ScripError {
  return new ScripError(
    'OUTCOME_UNKNOWN',
    t`The reply to the order was lost; an unpaid order may exist (${cause.sentence})`,
    {
      cause,
      fundsAtRisk: 'none',
      hint: commandText`Nothing was paid. Run the same command with --idempotency-key ${key}: it repeats this order and never makes a second one.`,
      details: { intent_id: intentId, idempotency_key: key },
    },
  );
}

/** Closes the entry of an order that will not be paid, so that the same request creates a new one. */
export async function giveUpOrder(journal: Journal, entry: Entry, reason: string): Promise<void> {
  if (eventOf(entry, 'closed') === undefined) {
    await journal.addFact(entry.intent, { fact: 'closed', reason });
  }
}
