/**
 * Pays a partner API order from the local wallet: the pay gate checks right before signing, every signed byte
 * is on disk before it is sent, and nothing is signed while an earlier payment may still land
 * (docs/inside/partner-orders.md).
 */

import { getOrderStatus, type WirePartnerOrder } from '../../contract/partner-orders.ts';
import { USDC_DECIMALS } from '../../contract/usdc.ts';
import { unlessInterrupted } from '../../domain/attempt.ts';
import { type Attempt, eventOf } from '../../domain/journal/journal.ts';
import { commandText } from '../../domain/message/command-text.ts';
import { ScripError } from '../../domain/message/errors.ts';
import { type Said, t } from '../../domain/message/message.ts';
import { type Atomic, formatDecimal, parseAtomic } from '../../domain/money/money.ts';
import { priceText } from '../../domain/money/shown-amount.ts';
import { isPaid, isTerminal } from '../../domain/order/order-states.ts';
import { orderContacts, orderedLines } from '../../domain/order/ordered-products.ts';
import { type PayGateRefusal, payGate } from '../../domain/payment/pay-gate.ts';
import type { Asset } from '../../rails/rail.ts';
import { paidText } from '../payment/outcome.ts';
import {
  type Ended,
  type Learned,
  type LivePayment,
  type PaymentSide,
  payOnce,
  type Signed,
  type Step,
  type Waiting,
} from '../payment/pay-loop.ts';
import { isNamed, type KeyWatch, watchKey } from '../payment/payment-tag.ts';
import { forecastTransfer, type QuotedTransfer, signTransfer } from '../payment/sign-transfer.ts';
import { settleTransfer } from '../payment/transfer-transport.ts';
import { openTurns, type Turn, type Turns } from '../payment/turn.ts';
import { adoptTransfers } from '../recovery/adopt.ts';
import { callPartner } from './partner.ts';
import {
  landedTransactions,
  lastPaidAtMs,
  liveTransfer,
  type OrderJournal,
  readOrderJournal,
} from './partner-journal.ts';
import {
  cannotSend,
  gateInput,
  type Known,
  type Means,
  meansOf,
  type PayDeps,
  type PayEnd,
  type PaymentQuote,
  type PayOutcome,
  type PayRequest,
  partOf,
  refundsTo,
  type Situation,
  withNamedTerms,
} from './pay-terms.ts';

const POLL_MS = 30_000;
/** After this, a person has to ask about a payment that the merchant does not see. */
const UNSEEN_MS = 30 * 60 * 1_000;

/**
 * Pays what is left of an order, or completes a payment in progress.
 * @throws {ScripError} ORDER_UNKNOWN, the errors of `agree`, FUNDS_TOO_LOW and other reasons not to sign
 * (fundsAtRisk `none`); INTERRUPTED
 */
export async function payOrder(deps: PayDeps, request: PayRequest): Promise<PayOutcome> {
  const start = await readKnown(deps, request, {});
  return payOnce(deps, start, partnerSide(deps, request));
}

function partnerSide(deps: PayDeps, request: PayRequest): PaymentSide<Known, PayEnd> {
  const others = { watch: watchKey(deps), turns: openTurns(deps) };
  const { orderId } = request;
  return {
    read: (known) => readKnown(deps, request, known),
    liveOf: ({ orderJournal }) => liveTransfer(orderJournal),
    settle: (live, known) => settleLive(deps, live, { orderId, known }),
    decide: (known) => decide(deps, request, known, others),
    stopped: async ({ attempt }) => ({
      hint: commandText`A payment may be in progress. Run: scrip pay ${orderId}`,
      details: { order_id: orderId, transaction: attempt.signature },
    }),
  };
}

async function readKnown(
  { journal, hostName }: PayDeps,
  { orderId }: PayRequest,
  known: Partial<Known>,
): Promise<Known> {
  const orderJournal = await readOrderJournal(journal, hostName, orderId);
  // While a transfer may still land, the amount at the start of this run is unknown.
  const landedAtomic =
    liveTransfer(orderJournal) === undefined ? orderJournal.landedAtomic : undefined;
  return { ...known, orderJournal, startAtomic: known.startAtomic ?? landedAtomic };
}

async function settleLive(
  deps: PayDeps,
  live: LivePayment,
  { orderId, known }: { readonly orderId: string; readonly known: Known },
): Promise<Ended<PayEnd> | Learned<Known>> {
  const isReceived = () => isSeenPaid(deps, orderId, live.attempt);
  const settled = await settleTransfer({ ...deps, isReceived }, live);
  if (settled.kind === 'open') {
    return { kind: 'end', end: { kind: 'unknown', reason: settled.reason } };
  }
  if (settled.kind !== 'dead') tellPaid(deps, live, settled.transaction);
  if (settled.kind !== 'received') {
    return { kind: 'learned', known, isDead: settled.kind === 'dead' };
  }
  const order = await readOrder(deps, orderId);
  const transactions = [...landedTransactions(known.orderJournal), settled.transaction];
  return { kind: 'end', end: { kind: 'paid', order, transactions } };
}

function tellPaid(
  { progress, clock }: PayDeps,
  { entry: { intent }, attempt }: LivePayment,
  transaction: string,
): void {
  const { coin, decimals } = intent.partner ?? { coin: 'USDC', decimals: USDC_DECIMALS };
  const paid = formatDecimal(parseAtomic(attempt.amountAtomic), decimals, 2);
  const amount = `${priceText(paid, coin)} ${coin}`;
  progress?.done(paidText({ amount, transaction }, clock.now() - attempt.createdAtMs));
}

/** Detects what other machines with the same wallet and key have done or are about to do. */
interface Others {
  readonly watch: KeyWatch;
  readonly turns: Turns;
}

async function decide(
  deps: PayDeps,
  request: PayRequest,
  known: Known,
  others: Others,
): Promise<Step<Known, PayEnd>> {
  const fresh = await readOrder(deps, request.orderId);
  const orderJournal = withNamedTerms(known, fresh);
  const now: Situation = { ...known, orderJournal, fresh };
  const transactions = landedTransactions(orderJournal);
  const paid = { kind: 'end', end: { kind: 'paid', order: fresh, transactions } } as const;
  // Already paid, here or elsewhere: nothing left to sign.
  if (isPaid({ paymentState: fresh.payment_state }) || fresh.order_state === 'Done') return paid;
  const adopt = async () => (await adoptTransfers(deps, others.watch, orderJournal)) !== undefined;
  if (!isTerminal({ orderState: fresh.order_state }) && (await adopt())) {
    return { kind: 'learned', known };
  }
  const means = meansOf(orderJournal, fresh);
  const asset = deps.rail.asset(means);
  if (asset === undefined) throw cannotSend(means, request.orderId);
  const decision = payGate(gateInput(deps, now, { asset, means, request }));
  if ('refusal' in decision) return refusedStep(deps, decision.refusal, now);
  const left = partOf(request, now, decision.pay);
  if (left === 0n) return paid;
  const quote = await offerOf(deps, now, { asset, means, amountAtomic: left });
  if (known.agreedOn === undefined) {
    // Don't ask a person to confirm what the policy will refuse.
    if (deps.spending.channel === 'agent')
      await forecastTransfer(deps, orderJournal, { quote, asset });
    await request.agree(quote);
    // Confirming took time, so everything is read again before signing.
    return { kind: 'learned', known: { ...known, agreedOn: fresh } };
  }
  return {
    kind: 'sign',
    signNext: () => signInTurn(deps, orderJournal, { quote, asset, others }),
    giveUp: async () => {
      throw new ScripError(
        'CHALLENGE_EXPIRED',
        t`The payment was not confirmed in time; nothing was charged`,
      );
    },
  };
}

/** Signs when it is this machine's turn. */
async function signInTurn(
  deps: PayDeps,
  orderJournal: OrderJournal,
  { quote, asset, others }: QuotedTransfer & { readonly others: Others },
): Promise<Signed | Waiting<PayEnd>> {
  const turn = await turnOf(others.turns, orderJournal);
  if (turn.kind === 'wait') {
    const { reason } = turn;
    const transactions = landedTransactions(orderJournal);
    return waiting(deps, reason, { kind: 'elsewhere', order: quote.order, reason, transactions });
  }
  const { watch } = others;
  const isOurs = await signTransfer(deps, orderJournal, { quote, asset, turn, watch });
  return { kind: 'signed', isOurs };
}

/** Asks for the turn to pay. A key that this journal generated is used nowhere else, so it needs no turn. */
async function turnOf(turns: Turns, { main }: OrderJournal): Promise<Turn> {
  if (main === undefined || !isNamed(main.intent)) return { kind: 'mine', check: () => undefined };
  const orderId = eventOf(main, 'created')?.orderId ?? '';
  return turns.ask({ orderId, holder: main.intent.intentId });
}

function refusedStep(
  deps: PayDeps,
  refusal: PayGateRefusal,
  { orderJournal, fresh, startAtomic = orderJournal.landedAtomic }: Situation,
): Step<Known, PayEnd> {
  const transactions = landedTransactions(orderJournal);
  const end: PayEnd =
    refusal.reason === 'paid'
      ? { kind: 'unseen', order: fresh, isOverdue: isOverdue(deps, orderJournal), transactions }
      : { kind: 'refused', order: fresh, refusal, transactions };
  // Don't wait for a compliance check, which may take days.
  if (refusal.outcome !== 'wait' || refusal.reason === 'on-hold') return { kind: 'end', end };
  if (end.kind === 'unseen' && end.isOverdue) return { kind: 'end', end };
  const isPartSent = refusal.reason === 'part-paid' && orderJournal.landedAtomic > startAtomic;
  const otherwise: PayEnd = isPartSent ? { kind: 'paid', order: fresh, transactions } : end;
  const budgetMs = refusal.reason === 'not-payable' ? (deps.setupMs ?? deps.waitMs) : deps.waitMs;
  return waiting({ ...deps, waitMs: budgetMs }, refusal.sentence, otherwise);
}

/** Waits for the merchant or another machine. */
function waiting(
  { pollMs = POLL_MS, waitMs }: Pick<PayDeps, 'pollMs' | 'waitMs'>,
  reason: Said,
  otherwise: PayEnd,
): Waiting<PayEnd> {
  return { kind: 'wait', reason, paceMs: pollMs, budgetMs: waitMs, otherwise };
}

function isOverdue({ clock }: PayDeps, orderJournal: OrderJournal): boolean {
  const paidAtMs = lastPaidAtMs(orderJournal);
  return paidAtMs !== undefined && clock.now() - paidAtMs >= UNSEEN_MS;
}

async function offerOf(
  { rail }: PayDeps,
  { orderJournal, fresh: order }: Situation,
  terms: { readonly asset: Asset; readonly means: Means; readonly amountAtomic: Atomic },
): Promise<PaymentQuote> {
  const { main, created } = orderJournal;
  // The gate has compared this address with the fresh order, if that repeats it.
  const payTo = created?.wallet_address ?? '';
  const openingCost = await rail.openingCost(payTo, terms.asset);
  const { amountAtomic, means, asset } = terms;
  return {
    order,
    amountAtomic,
    decimals: asset.decimals,
    ...means,
    payTo,
    openingCost,
    refundsTo: refundsTo(orderJournal),
    emails: main && orderContacts(main.intent, [created, order]),
    product: main?.intent.summary.productName,
    ordered: main === undefined ? [] : orderedLines(main.intent),
  };
}

function readOrder(deps: PayDeps, orderId: string): Promise<WirePartnerOrder> {
  return callPartner(deps, getOrderStatus, { order_id: orderId });
}

/**
 * Whether the merchant sees the payment, and names no others in its place. Nothing is signed because of this;
 * if the merchant is unreachable, the chain decides.
 */
function isSeenPaid(deps: PayDeps, orderId: string, { signature }: Attempt): Promise<boolean> {
  return readOrder(deps, orderId).then(
    ({ payment_state, payment_transactions: named = [] }) =>
      isPaid({ paymentState: payment_state }) && (named.length === 0 || named.includes(signature)),
    unlessInterrupted(() => false),
  );
}
