/**
 * Pays an order of the partner API from the local wallet (reliability 2.8): the gate is asked right
 * before signing, every signed byte is on disk before it is sent, and nothing is signed while
 * something that was signed may still land.
 */
import { getOrderStatus, type WirePartnerOrder } from '../contract/partner-orders.ts';
import { ScripError } from '../domain/errors.ts';
import type { Attempt, Entry, Journal } from '../domain/journal.ts';
import { type Atomic, atomic, formatDecimal, parseDecimal } from '../domain/money.ts';
import { isPaid } from '../domain/order-states.ts';
import { type PayGateRefusal, payGate } from '../domain/pay-gate.ts';
import type { DirectAsset, Signer } from '../rails/rail.ts';
import { callPartner, type PartnerHost } from './partner.ts';
import {
  type Books,
  entryForTransfer,
  landedTransactions,
  lastPaidAtMs,
  liveTransfer,
  nextNumber,
  readBooks,
} from './partner-journal.ts';
import { pause } from './pause.ts';
import { settleTransfer, type TransferTools } from './settle-transfer.ts';
import { startStopwatch } from './stopwatch.ts';

export interface PayTools
  extends PartnerHost,
    Omit<TransferTools, 'clock' | 'signal' | 'failPoint'> {
  /** As the journal names the merchant. */
  readonly hostName: string;
  readonly journal: Journal;
  readonly signer: Signer;
  /** Random bytes from the system. */
  random(length: number): Uint8Array;
  /** How long to wait for the merchant to see the payment. */
  readonly waitMs: number;
  /** Between readings of the order; 30 s by the interface. */
  readonly pollMs?: number;
  readonly failPoint?: (
    name: 'signed' | 'attempt-written' | 'submitted' | 'landed-recorded',
  ) => void;
}

/** What is about to be signed for. */
export interface PayOffer {
  readonly order: WirePartnerOrder;
  readonly amountAtomic: Atomic;
  readonly decimals: number;
  readonly coin: string;
  readonly network: string;
  readonly payTo: string;
  /** What opening the recipient's account takes, in the chain's own coin; 0n when it is there (D12). */
  readonly openingCost: bigint;
}

export interface PayRequest {
  readonly orderId: string;
  /** Only this much of what is left to pay. */
  readonly partAtomic?: Atomic | undefined;
  /** Pays what the merchant misses although a part of the amount came from elsewhere. */
  readonly trustsMissing?: boolean;
  /** Asks the buyer; whoever does not agree throws. */
  agree(offer: PayOffer): Promise<void>;
}

export type PayOutcome =
  /** Everything that was to be sent now is final, or the merchant counts it as received. */
  | {
      readonly kind: 'paid';
      readonly order: WirePartnerOrder;
      readonly transactions: readonly string[];
    }
  | {
      readonly kind: 'refused';
      readonly order: WirePartnerOrder;
      readonly refusal: PayGateRefusal;
      readonly transactions: readonly string[];
    }
  /** Final, and the merchant has not said so within the wait. */
  | {
      readonly kind: 'unseen';
      readonly order: WirePartnerOrder;
      readonly isOverdue: boolean;
      readonly transactions: readonly string[];
    }
  /** Signed and sent, and not decided: nobody may pay again before it is. */
  | { readonly kind: 'unknown'; readonly reason: string };

const POLL_MS = 30_000;
/** From then on a person has to look (D6). */
const UNSEEN_MS = 30 * 60 * 1_000;
/** The first signature and, each after proof that the one before is dead, two more. */
const MAX_SIGNATURES = 3;

interface Run {
  readonly signatures: number;
  /** What landed before this run: a part is measured from there. */
  readonly startAtomic: Atomic | undefined;
  readonly isAgreed: boolean;
}

/**
 * Pays what is left of an order, or finishes a payment that was begun.
 * @throws {ScripError} ORDER_UNKNOWN, whatever `agree` throws, FUNDS_TOO_LOW and what else speaks
 * against signing (fundsAtRisk `none`); INTERRUPTED
 */
export async function payOrder(tools: PayTools, request: PayRequest): Promise<PayOutcome> {
  const watch = startStopwatch(tools.clock);
  let run: Run = { signatures: 0, startAtomic: undefined, isAgreed: false };
  for (;;) {
    const books = await readBooks(tools.journal, tools.hostName, request.orderId);
    const live = liveTransfer(books);
    if (live !== undefined) {
      const end = await settleOrExplain(tools, request.orderId, live);
      if (end.kind === 'open') return { kind: 'unknown', reason: end.reason };
      if (end.kind === 'received') {
        const order = await readOrder(tools, request.orderId);
        return {
          kind: 'paid',
          order,
          transactions: [...landedTransactions(books), end.transaction],
        };
      }
      continue;
    }
    run = { ...run, startAtomic: run.startAtomic ?? books.landedAtomic };
    const fresh = await readOrder(tools, request.orderId);
    const step = await decide(tools, request, { books, fresh, run });
    if (step.kind === 'end') return step.outcome;
    if (step.kind === 'wait') {
      const waitMs = tools.pollMs ?? POLL_MS;
      if (watch.elapsedMs() + waitMs > tools.waitMs) return step.otherwise;
      tools.progress?.step(step.reason);
      await pause(tools.clock, waitMs, tools.signal);
      watch.waited(waitMs);
    }
    if (step.kind === 'agreed') run = { ...run, isAgreed: true };
    if (step.kind === 'signed') run = { ...run, signatures: run.signatures + 1 };
  }
}

type Step =
  | { readonly kind: 'end'; readonly outcome: PayOutcome }
  | { readonly kind: 'wait'; readonly reason: string; readonly otherwise: PayOutcome }
  | { readonly kind: 'agreed' }
  | { readonly kind: 'signed' };

interface Situation {
  readonly books: Books;
  readonly fresh: WirePartnerOrder;
  readonly run: Run;
}

async function decide(tools: PayTools, request: PayRequest, now: Situation): Promise<Step> {
  const { books, fresh, run } = now;
  const transactions = landedTransactions(books);
  const paid: Step = { kind: 'end', outcome: { kind: 'paid', order: fresh, transactions } };
  if (books.landedAtomic > 0n && isPaid({ paymentState: fresh.payment_state })) return paid;
  const means = meansOf(books, fresh);
  const asset = tools.rail.direct.asset(means);
  if (asset === undefined) throw cannotSend(means);
  const decision = payGate(gateInput(tools, now, { asset, means, request }));
  if ('refusal' in decision) return refusedStep(tools, decision.refusal, now);
  const left = partOf(request, run, books, decision.pay);
  if (left === 0n) return paid;
  const offer = await offerOf(tools, fresh, { asset, means, amountAtomic: left });
  if (!run.isAgreed) {
    await request.agree(offer);
    // The buyer took their time: everything is read again before it is signed.
    return { kind: 'agreed' };
  }
  if (run.signatures === MAX_SIGNATURES) {
    throw new ScripError(
      'CHALLENGE_EXPIRED',
      'The chain did not take the payment in time; nothing was charged',
    );
  }
  await signTransfer(tools, books, { offer, asset });
  return { kind: 'signed' };
}

/** A part is paid once in a run; without one, everything that is left is. */
function partOf({ partAtomic }: PayRequest, run: Run, books: Books, left: Atomic): Atomic {
  if (partAtomic === undefined) return left;
  const sent = books.landedAtomic - (run.startAtomic ?? books.landedAtomic);
  if (sent >= partAtomic) return atomic(0n);
  return partAtomic < left ? partAtomic : left;
}

interface Means {
  readonly coin: string;
  readonly network: string;
}

function meansOf({ main }: Books, fresh: WirePartnerOrder): Means {
  const agreed = main?.intent.partner;
  return {
    coin: agreed?.coin ?? fresh.coin ?? '',
    network: agreed?.network ?? fresh.network ?? '',
  };
}

function cannotSend({ coin, network }: Means): ScripError {
  return new ScripError('ORDER_NOT_PAYABLE', `This wallet cannot send ${coin} on ${network}`, {
    hint: 'Pay it from a wallet that can: scrip pay <order_id> --show prints amount, address and QR code.',
    details: { coin, network },
  });
}

function gateInput(
  tools: PayTools,
  { books, fresh }: Situation,
  terms: { readonly asset: DirectAsset; readonly means: Means; readonly request: PayRequest },
): Parameters<typeof payGate>[0] {
  const { created } = books;
  const foreign =
    terms.request.trustsMissing === true ? foreignPart(books, fresh, terms.asset) : 0n;
  return {
    created,
    fresh,
    means: terms.means,
    decimals: terms.asset.decimals,
    landedAtomic: atomic(books.landedAtomic + foreign),
    liveAtomic: books.liveAtomic,
    nowSeconds: Math.floor(tools.clock.now() / 1_000),
    ownAddress: tools.signer.address,
    isDestinationOnCurve: tools.rail.direct.isOnCurve(created?.wallet_address ?? ''),
    refundAddress: books.main?.intent.partner?.refundAddress ?? undefined,
  };
}

/** What others paid by the merchant's count; never so much that more than the price would be signed for. */
function foreignPart(books: Books, fresh: WirePartnerOrder, { decimals }: DirectAsset): bigint {
  const { created, landedAtomic } = books;
  const missing = fresh.missing_amount;
  if (created?.coin_amount === undefined || missing === undefined || missing === null) return 0n;
  const price = parseDecimal(created.coin_amount, decimals);
  const foreign = price - parseDecimal(missing, decimals) - landedAtomic;
  return foreign > 0n ? foreign : 0n;
}

function refusedStep(
  tools: PayTools,
  refusal: PayGateRefusal,
  { books, fresh, run }: Situation,
): Step {
  const transactions = landedTransactions(books);
  const outcome: PayOutcome =
    refusal.row === 'D6'
      ? { kind: 'unseen', order: fresh, isOverdue: isOverdue(tools, books), transactions }
      : { kind: 'refused', order: fresh, refusal, transactions };
  const isPartSent = run.startAtomic !== undefined && books.landedAtomic > run.startAtomic;
  // Held by compliance for up to days: that is not waited for here.
  if (refusal.outcome !== 'wait' || refusal.row === 'D10') return { kind: 'end', outcome };
  if (outcome.kind === 'unseen' && outcome.isOverdue) return { kind: 'end', outcome };
  const otherwise: PayOutcome =
    isPartSent && refusal.row === 'D7' ? { kind: 'paid', order: fresh, transactions } : outcome;
  return { kind: 'wait', reason: refusal.reason, otherwise };
}

function isOverdue({ clock }: PayTools, books: Books): boolean {
  const paidAtMs = lastPaidAtMs(books);
  return paidAtMs !== undefined && clock.now() - paidAtMs >= UNSEEN_MS;
}

async function offerOf(
  { rail }: PayTools,
  order: WirePartnerOrder,
  terms: { readonly asset: DirectAsset; readonly means: Means; readonly amountAtomic: Atomic },
): Promise<PayOffer> {
  const payTo = order.wallet_address ?? '';
  const openingCost = await rail.direct.openingCost(payTo, terms.asset);
  const { amountAtomic, means, asset } = terms;
  return { order, amountAtomic, decimals: asset.decimals, ...means, payTo, openingCost };
}

/** Signs and puts the attempt into the journal; nothing has been sent when this returns. */
async function signTransfer(
  tools: PayTools,
  books: Books,
  { offer, asset }: { readonly offer: PayOffer; readonly asset: DirectAsset },
): Promise<void> {
  const { clock, rail, signer, journal } = tools;
  const { amountAtomic, payTo } = offer;
  const entry = await entryForTransfer(journal, books, { amountAtomic, nowMs: clock.now() });
  tools.progress?.step(`Signing for ${formatDecimal(amountAtomic, offer.decimals)} ${offer.coin}`);
  const payment = await rail.direct.sign({
    asset,
    payTo,
    amountAtomic,
    signer,
    nonce: nonceOf(tools.random(2)),
    mayOpenAccount: offer.openingCost > 0n,
  });
  tools.failPoint?.('signed');
  const attempt: Attempt = {
    ...payment,
    number: nextNumber(entry),
    header: '',
    sessionId: null,
    requirement: JSON.stringify({
      order_id: offer.order.order_id,
      coin: offer.coin,
      network: offer.network,
    }),
    amountAtomic: amountAtomic.toString(),
    asset: asset.asset,
    payTo,
    createdAtMs: clock.now(),
  };
  // Whoever comes second is given the first one's attempt, and settles that.
  const written = await journal.addAttempt(entry.intent, attempt);
  await recordOrder(tools, entry, written, offer.order.order_id);
  tools.failPoint?.('attempt-written');
}

async function recordOrder(
  tools: PayTools,
  entry: Entry,
  attempt: Attempt,
  orderId: string,
): Promise<void> {
  await tools.journal.addFact(entry.intent, {
    fact: 'accepted',
    attempt: attempt.number,
    orderId,
    // The wallet is the fee payer: its own signature is the transaction's id.
    transaction: attempt.signature,
  });
}

/** Makes equal transfers in one block differ; 13 bits keep the fee small. */
function nonceOf(random: Uint8Array): number {
  return (((random[0] ?? 0) << 8) | (random[1] ?? 0)) & 0x1fff;
}

function readOrder(tools: PayTools, orderId: string): Promise<WirePartnerOrder> {
  return callPartner(tools, getOrderStatus, { order_id: orderId });
}

/** Nothing is signed on this word; a merchant that cannot be asked leaves it to the chain. */
async function isReceived(tools: PayTools, orderId: string): Promise<boolean> {
  try {
    const { payment_state } = await readOrder(tools, orderId);
    return isPaid({ paymentState: payment_state });
  } catch (error) {
    if (error instanceof ScripError && error.code !== 'INTERRUPTED') return false;
    throw error;
  }
}

async function settleOrExplain(
  tools: PayTools,
  orderId: string,
  live: { readonly entry: Entry; readonly attempt: Attempt },
) {
  try {
    return await settleTransfer({ ...tools, isReceived: () => isReceived(tools, orderId) }, live);
  } catch (error) {
    if (!(error instanceof ScripError) || error.code !== 'INTERRUPTED') throw error;
    throw new ScripError('INTERRUPTED', 'Stopped after the payment was signed', {
      cause: error,
      hint: `A payment may be under way. Run: scrip pay ${orderId}`,
      fundsAtRisk: 'possible',
      details: { order_id: orderId, transaction: live.attempt.signature },
    });
  }
}
