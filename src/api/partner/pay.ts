/**
 * Pays an order of the partner API from the local wallet (reliability 2.8): the gate is asked right
 * before signing, every signed byte is on disk before it is sent, and nothing is signed while
 * something that was signed may still land.
 */

import { getOrderStatus, type WirePartnerOrder } from '../../contract/partner-orders.ts';
import { commandText } from '../../domain/command-text.ts';
import { ScripError } from '../../domain/errors.ts';
import { orderContacts, orderedLines, orderRecipients } from '../../domain/goods.ts';
import { type Attempt, type Entry, factOf, nextNumber } from '../../domain/journal.ts';
import { type Said, t } from '../../domain/message.ts';
import { type Atomic, atomic, formatDecimal } from '../../domain/money.ts';
import { isPaid, isTerminal } from '../../domain/order-states.ts';
import { type PayGateRefusal, payGate } from '../../domain/pay-gate.ts';
import type { DirectAsset } from '../../rails/rail.ts';
import { pause } from '../http/pause.ts';
import { startStopwatch } from '../http/stopwatch.ts';
import { authorizePayment, forecast } from '../payment/authorize.ts';
import { MAX_SIGNATURES } from '../payment/limits.ts';
import { isNamed, type KeyWatch, paymentTag, watchKey } from '../payment/payment-tag.ts';
import { settleTransfer } from '../payment/transfer-transport.ts';
import { openTurns, type Turn, type Turns } from '../payment/turn.ts';
import { adoptTransfers } from '../recovery/adopt.ts';
import { callPartner } from './partner.ts';
import {
  type Books,
  entryForTransfer,
  landedTransactions,
  lastPaidAtMs,
  liveTransfer,
  readBooks,
  transferTerms,
} from './partner-journal.ts';
import {
  cannotSend,
  gateInput,
  type Means,
  meansOf,
  type PayDeps,
  type PayOffer,
  type PayOutcome,
  type PayRequest,
  partOf,
  type Run,
  refundsTo,
  type Situation,
  withNamedTerms,
} from './pay-terms.ts';

const POLL_MS = 30_000;
/** From then on a person has to look (D6). */
const UNSEEN_MS = 30 * 60 * 1_000;

/**
 * Pays what is left of an order, or finishes a payment that was begun.
 * @throws {ScripError} ORDER_UNKNOWN, whatever `agree` throws, FUNDS_TOO_LOW and what else speaks
 * against signing (fundsAtRisk `none`); INTERRUPTED
 */
export async function payOrder(deps: PayDeps, request: PayRequest): Promise<PayOutcome> {
  const watch = startStopwatch(deps.clock);
  const others = { watch: watchKey(deps), turns: openTurns(deps) };
  let run: Run = { signatures: 0, startAtomic: undefined, agreedOn: undefined };
  for (;;) {
    const books = await readBooks(deps.journal, deps.hostName, request.orderId);
    const live = liveTransfer(books);
    if (live !== undefined) {
      const end = await settleOrExplain(deps, request.orderId, live);
      if (end.kind === 'open') return { kind: 'unknown', reason: end.reason };
      if (end.kind === 'received') {
        const order = await readOrder(deps, request.orderId);
        return {
          kind: 'paid',
          order,
          transactions: [...landedTransactions(books), end.transaction],
          signatures: run.signatures,
        };
      }
      continue;
    }
    run = { ...run, startAtomic: run.startAtomic ?? books.landedAtomic };
    const fresh = await readOrder(deps, request.orderId);
    const named = withNamedTerms(books, fresh, run);
    const step = await decide(deps, request, { books: named, fresh, run, others });
    if (step.kind === 'end') return step.outcome;
    if (step.kind === 'wait') {
      const patienceMs = step.isEarly ? (deps.setupMs ?? deps.waitMs) : deps.waitMs;
      const waitMs = Math.min(deps.pollMs ?? POLL_MS, patienceMs - watch.elapsedMs());
      if (waitMs <= 0) return step.otherwise;
      deps.progress?.step(t`${step.reason}`);
      await pause(deps.clock, waitMs, deps.signal);
      watch.waited(waitMs);
    }
    if (step.kind === 'agreed') run = { ...run, agreedOn: fresh };
    if (step.kind === 'signed') run = { ...run, signatures: run.signatures + 1 };
  }
}

type Step =
  | { readonly kind: 'end'; readonly outcome: PayOutcome }
  | {
      readonly kind: 'wait';
      readonly reason: Said;
      readonly otherwise: PayOutcome;
      /** The order cannot be paid yet. */
      readonly isEarly: boolean;
    }
  | { readonly kind: 'agreed' }
  | { readonly kind: 'signed' }
  /** The journal has learned something: looked at again. */
  | { readonly kind: 'again' };

/** What other machines with the same wallet and key may have done, or be about to do. */
interface Others {
  readonly watch: KeyWatch;
  readonly turns: Turns;
}

async function decide(
  deps: PayDeps,
  request: PayRequest,
  now: Situation & { readonly others: Others },
): Promise<Step> {
  const { books, fresh, run, others } = now;
  const transactions = landedTransactions(books);
  const { signatures } = run;
  const paid: Step = {
    kind: 'end',
    outcome: { kind: 'paid', order: fresh, transactions, signatures },
  };
  // Whoever paid it: there is nothing left to sign for.
  if (isPaid({ paymentState: fresh.payment_state }) || fresh.order_state === 'Done') return paid;
  const adopt = async () => (await adoptTransfers(deps, others.watch, books)) !== undefined;
  if (!isTerminal({ orderState: fresh.order_state }) && (await adopt())) return { kind: 'again' };
  const means = meansOf(books, fresh);
  const asset = deps.rail.direct.asset(means);
  if (asset === undefined) throw cannotSend(means, request.orderId);
  const decision = payGate(gateInput(deps, now, { asset, means, request }));
  if ('refusal' in decision) return refusedStep(deps, decision.refusal, now);
  const left = partOf(request, run, books, decision.pay);
  if (left === 0n) return paid;
  const offer = {
    ...(await offerOf(deps, now, { asset, means, amountAtomic: left })),
    refundsTo: refundsTo(books),
    emails: books.main && orderContacts(books.main.intent, [books.created, fresh]),
    ordered: books.main === undefined ? [] : orderedLines(books.main.intent),
  };
  if (run.agreedOn === undefined) {
    // A person is not asked what the policy will refuse.
    if (deps.spending.channel === 'agent') await measure(deps, books, { offer, asset });
    await request.agree(offer);
    // The buyer took their time: everything is read again before it is signed.
    return { kind: 'agreed' };
  }
  if (run.signatures === MAX_SIGNATURES) {
    throw new ScripError(
      'CHALLENGE_EXPIRED',
      t`The chain did not take the payment in time; nothing was charged`,
    );
  }
  const turn = await turnOf(others.turns, books);
  if (turn.kind === 'wait') {
    const { reason } = turn;
    const otherwise = { kind: 'elsewhere', order: fresh, reason, transactions } as const;
    return { kind: 'wait', reason, otherwise, isEarly: false };
  }
  const isOurs = await signTransfer(deps, books, { offer, asset, turn, watch: others.watch });
  return { kind: isOurs ? 'signed' : 'again' };
}

/** A key that this journal drew is known nowhere else: nobody waits for a turn. */
async function turnOf(turns: Turns, { main }: Books): Promise<Turn> {
  if (main === undefined || !isNamed(main.intent)) return { kind: 'mine', check: () => undefined };
  const orderId = factOf(main, 'created')?.orderId ?? '';
  return turns.ask({ orderId, holder: main.intent.intentId });
}

function refusedStep(
  deps: PayDeps,
  refusal: PayGateRefusal,
  { books, fresh, run }: Situation,
): Step {
  const transactions = landedTransactions(books);
  const outcome: PayOutcome =
    refusal.row === 'D6'
      ? { kind: 'unseen', order: fresh, isOverdue: isOverdue(deps, books), transactions }
      : { kind: 'refused', order: fresh, refusal, transactions };
  const { signatures } = run;
  const isPartSent = run.startAtomic !== undefined && books.landedAtomic > run.startAtomic;
  // Held by compliance for up to days: that is not waited for here.
  if (refusal.outcome !== 'wait' || refusal.row === 'D10') return { kind: 'end', outcome };
  if (outcome.kind === 'unseen' && outcome.isOverdue) return { kind: 'end', outcome };
  const otherwise: PayOutcome =
    isPartSent && refusal.row === 'D7'
      ? { kind: 'paid', order: fresh, transactions, signatures }
      : outcome;
  return { kind: 'wait', reason: refusal.reason, otherwise, isEarly: refusal.row === 'D8' };
}

function isOverdue({ clock }: PayDeps, books: Books): boolean {
  const paidAtMs = lastPaidAtMs(books);
  return paidAtMs !== undefined && clock.now() - paidAtMs >= UNSEEN_MS;
}

async function offerOf(
  { rail }: PayDeps,
  { books: { created }, fresh: order }: Situation,
  terms: { readonly asset: DirectAsset; readonly means: Means; readonly amountAtomic: Atomic },
): Promise<Omit<PayOffer, 'refundsTo'>> {
  // The gate has compared it with what the order says now, as far as that repeats it.
  const payTo = created?.wallet_address ?? '';
  const openingCost = await rail.direct.openingCost(payTo, terms.asset);
  const { amountAtomic, means, asset } = terms;
  return { order, amountAtomic, decimals: asset.decimals, ...means, payTo, openingCost };
}

/** @throws {ScripError} the refusal */
async function measure(
  deps: PayDeps,
  books: Books,
  { offer, asset }: Pick<Signing, 'offer' | 'asset'>,
): Promise<void> {
  const { main } = books;
  if (main === undefined) return;
  await forecast(deps, { ...main.intent, ...measuredBy(deps, books, { offer, asset }) });
}

/** What the policy looks at, whichever payment of the order it is. */
function measuredBy(
  { rail }: PayDeps,
  { main, created, landedAtomic, liveAtomic }: Books,
  { offer, asset }: Pick<Signing, 'offer' | 'asset'>,
) {
  const { coin, amountAtomic, payTo, order, refundsTo: refunds } = offer;
  return {
    terms: { network: rail.network, asset: asset.asset, payTo },
    ...(coin === 'USDC'
      ? { usdcAtomic: amountAtomic, ofOrderAtomic: atomic(landedAtomic + liveAtomic) }
      : { usdcAtomic: undefined }),
    refundsTo: refunds,
    // A further payment has an entry of its own, and goes for the same goods.
    ...(main && { recipients: orderRecipients(main.intent, [created, order]) }),
  };
}

interface Signing {
  readonly offer: PayOffer;
  readonly asset: DirectAsset;
  readonly turn: Extract<Turn, { readonly kind: 'mine' }>;
  readonly watch: KeyWatch;
}

/**
 * Signs and puts the attempt into the journal; nothing has been sent when this returns.
 * @returns whether it is ours that stands
 */
async function signTransfer(
  deps: PayDeps,
  books: Books,
  { offer, asset, turn, watch }: Signing,
): Promise<boolean> {
  const { clock, signer, journal } = deps;
  const { amountAtomic, payTo } = offer;
  const entry = await entryForTransfer(journal, books, { amountAtomic, nowMs: clock.now() });
  deps.progress?.step(t`Signing for ${formatDecimal(amountAtomic, offer.decimals)} ${offer.coin}`);
  const { coin, network, order } = offer;
  const number = nextNumber(entry);
  const nonce = paymentTag(await deps.vault(), entry.intent, number);
  const mayOpenAccount = offer.openingCost > 0n;
  // Whoever comes second is given the first one's attempt, and settles that.
  const { attempt: written, origin } = await authorizePayment(deps, {
    intent: entry.intent,
    number,
    order: {
      way: 'direct',
      input: { asset, payTo, amountAtomic, signer, nonce, mayOpenAccount },
    },
    ...measuredBy(deps, { ...books, main: books.main ?? entry }, { offer, asset }),
    lastLook: () => adoptTransfers(deps, watch, books),
    toAttempt: (payment) => {
      turn.check(payment);
      return {
        ...payment,
        number,
        ...transferTerms(
          { order_id: order.order_id, coin, network },
          { amountAtomic, asset: asset.asset, payTo },
        ),
      };
    },
  });
  if (origin === 'elsewhere') return false;
  await recordOrder(deps, entry, written, offer.order.order_id);
  deps.failPoint?.('attempt-written');
  return origin === 'ours';
}

async function recordOrder(
  deps: PayDeps,
  entry: Entry,
  attempt: Attempt,
  orderId: string,
): Promise<void> {
  await deps.journal.addFact(entry.intent, {
    fact: 'accepted',
    attempt: attempt.number,
    orderId,
    // The wallet is the fee payer: its own signature is the transaction's id.
    transaction: attempt.signature,
  });
}

function readOrder(deps: PayDeps, orderId: string): Promise<WirePartnerOrder> {
  return callPartner(deps, getOrderStatus, { order_id: orderId });
}

/** Nothing is signed on this word; a merchant that cannot be asked leaves it to the chain. */
async function isReceived(deps: PayDeps, orderId: string): Promise<boolean> {
  try {
    const { payment_state } = await readOrder(deps, orderId);
    return isPaid({ paymentState: payment_state });
  } catch (error) {
    if (error instanceof ScripError && error.code !== 'INTERRUPTED') return false;
    throw error;
  }
}

async function settleOrExplain(
  deps: PayDeps,
  orderId: string,
  live: { readonly entry: Entry; readonly attempt: Attempt },
) {
  try {
    return await settleTransfer({ ...deps, isReceived: () => isReceived(deps, orderId) }, live);
  } catch (error) {
    if (!(error instanceof ScripError) || error.code !== 'INTERRUPTED') throw error;
    throw new ScripError('INTERRUPTED', t`Stopped after the payment was signed`, {
      cause: error,
      hint: commandText`A payment may be under way. Run: scrip pay ${orderId}`,
      fundsAtRisk: 'possible',
      details: { order_id: orderId, transaction: live.attempt.signature },
    });
  }
}
