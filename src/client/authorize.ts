/**
 * The one place that signs: a payment is measured by the policy, its amount reserved for all
 * processes to see, and only then signed and put into the journal (reliability 2.2, 4.4).
 */
import type { Clock } from '../domain/clock.ts';
import { ScripError } from '../domain/errors.ts';
import { recipientsOf } from '../domain/goods.ts';
import type { Attempt, Intent, Journal } from '../domain/journal.ts';
import { type Atomic, atomic } from '../domain/money.ts';
import { type Policy, ruleFor } from '../domain/policy.ts';
import { refusalError } from '../domain/refusal.ts';
import { historyOf, type Slot, type SpendLog } from '../domain/spend-log.ts';
import { spendTime } from '../domain/spend-time.ts';
import {
  type Channel,
  checkSpending,
  headroom,
  type PaymentTerms,
  type SpendDecision,
  type SpendHistory,
  type SpendRequest,
} from '../domain/spending.ts';
import type { PayerRail, SignedPayment, Signer } from '../rails/rail.ts';

/** What payments of this run are measured by. */
export interface Spending {
  /** The policy that holds for the money at stake. */
  readonly policy: Policy;
  readonly isPlayMoney: boolean;
  readonly channel: Channel;
  readonly log: SpendLog;
  /** The recipients that the merchant's manifest lists; asked where the policy wants it. */
  readonly listed: () => Promise<readonly string[]>;
}

export interface SigningTools {
  readonly spending: Spending;
  readonly journal: Pick<Journal, 'all' | 'addAttempt'>;
  readonly rail: PayerRail;
  readonly signer: Signer;
  readonly clock: Clock;
  readonly failPoint?: ((name: 'reserved' | 'signed') => void) | undefined;
}

const ZERO = atomic(0n);

type DirectInput = Parameters<NonNullable<PayerRail['direct']>['sign']>[0];

/** What is signed: a merchant's requirement, or a transfer from the wallet. */
type Order =
  | { readonly way: 'x402'; readonly input: Parameters<PayerRail['sign']>[0] }
  | { readonly way: 'direct'; readonly input: DirectInput };

export interface Payment {
  readonly intent: Intent;
  /** Number of the attempt. */
  readonly number: number;
  readonly order: Order;
  readonly terms: PaymentTerms;
  /** In atomic units of USDC; undefined for another coin. */
  readonly usdcAtomic: Atomic | undefined;
  /** The last look before the signature: what was paid for it elsewhere, and is in the journal by now. */
  lastLook?(): Promise<Attempt | undefined>;
  /** The record of the signed payment; whatever it throws speaks against sending it. */
  toAttempt(signed: SignedPayment): Omit<Attempt, 'createdAtMs'>;
}

/**
 * Signs one payment and puts it into the journal; nothing has been sent when this returns. Of two
 * processes with one purchase the second is given the first one's attempt, and who finds that it was
 * paid elsewhere that one.
 * @throws {ScripError} SPENDING_LIMIT, POLICY_REFUSED, HOST_NOT_ALLOWED, RECIPIENT_NOT_ALLOWED,
 * UNATTENDED_OFF; JOURNAL_UNUSABLE; what the rail's `sign` throws
 */
export async function authorizePayment(tools: SigningTools, payment: Payment): Promise<Attempt> {
  const { journal, spending } = tools;
  const { number, datedMs } = await reserve(tools, payment);
  tools.failPoint?.('reserved');
  try {
    const elsewhere = await payment.lastLook?.();
    if (elsewhere !== undefined) {
      await giveBack(spending.log, number);
      return elsewhere;
    }
    const signed = payment.toAttempt(await sign(tools.rail, payment.order));
    const attempt = { ...signed, createdAtMs: datedMs };
    tools.failPoint?.('signed');
    return await journal.addAttempt(payment.intent, attempt);
  } catch (error) {
    await giveBack(spending.log, number);
    throw error;
  }
}

/** Nothing else may call these two. */
function sign(rail: PayerRail, order: Order): Promise<SignedPayment> {
  if (order.way === 'x402') return rail.sign(order.input);
  if (rail.direct === undefined) {
    throw new ScripError('INTERNAL', `The rail ${rail.network} knows no transfers`);
  }
  return rail.direct.sign(order.input);
}

/** Of processes that decide at once each sees what the others reserved: one place, one winner. */
async function reserve(
  tools: SigningTools,
  payment: Payment,
): Promise<{ readonly number: number; readonly datedMs: number }> {
  const { spending, clock, rail, signer } = tools;
  const { intent, terms, usdcAtomic } = payment;
  const slot = { intentId: intent.intentId, attempt: payment.number };
  const { policy } = spending;
  const balanceAtomic = policy.minReserve > 0n ? await balanceOf(rail, signer.address) : undefined;
  const isListed = ruleFor(policy, intent.host)?.payTo === 'manifest';
  const listed = isListed ? await spending.listed() : undefined;
  const chainMs = (await rail.insight?.timeMs()) ?? null;
  for (;;) {
    const clockMs = clock.now();
    const { last, history } = await readHistory(tools, { own: slot, nowMs: chainMs ?? clockMs });
    const { nowMs, datedMs } = spendTime({ clockMs, chainMs, newestMs: newestOf(history) });
    const request = {
      ...requestOf(spending, intent, usdcAtomic, nowMs),
      terms: { ...terms, listed },
      balanceAtomic,
    };
    const decision = checkSpending(policy, history, request);
    if (decision.kind === 'refused') throw refusalError(decision, request);
    const number = last + 1;
    const isFirst = await spending.log.reserve({
      ...slot,
      number,
      merchant: intent.host,
      amountAtomic: (usdcAtomic ?? 0n).toString(),
      atMs: datedMs,
    });
    if (isFirst) return { number, datedMs };
  }
}

function newestOf({ spent }: SpendHistory): number | undefined {
  return spent.length === 0 ? undefined : Math.max(...spent.map(({ atMs }) => atMs));
}

async function readHistory(
  { spending, journal, clock }: Pick<SigningTools, 'spending' | 'journal' | 'clock'>,
  { own, nowMs = clock.now() }: { readonly own?: Slot; readonly nowMs?: number } = {},
): Promise<{ readonly last: number; readonly history: SpendHistory }> {
  // In this order: see SpendLog.read.
  const { last, held } = await spending.log.read();
  const entries = await journal.all();
  return { last, history: historyOf({ entries, held, nowMs, own }) };
}

async function balanceOf(rail: PayerRail, address: string): Promise<Atomic | undefined> {
  return (await rail.balances(address)).usdcAtomic ?? undefined;
}

/** A purchase that is thought of. */
export interface Intention extends Pick<Intent, 'host' | 'body' | 'summary' | 'kinds'> {
  readonly usdcAtomic: Atomic | undefined;
}

/** What the policy would say now; reserves and signs nothing. @throws {ScripError} JOURNAL_UNUSABLE */
export async function forecast(
  tools: Pick<SigningTools, 'spending' | 'journal' | 'clock'>,
  intention: Intention,
): Promise<{
  readonly decision: SpendDecision;
  readonly history: SpendHistory;
  readonly request: SpendRequest;
}> {
  const { spending, clock } = tools;
  const { history } = await readHistory(tools);
  const request = requestOf(spending, intention, intention.usdcAtomic, clock.now());
  // What stays in the wallet is for the chain to say, when it is signed.
  const policy = { ...spending.policy, minReserve: ZERO };
  return { decision: checkSpending(policy, history, request), history, request };
}

/**
 * Measures several purchases as if each were paid before the next.
 * @returns what is left of the day before any of them
 * @throws {ScripError} the refusal of the first that the policy would not let be paid
 */
export async function forecastAll(
  tools: Pick<SigningTools, 'spending' | 'journal' | 'clock'>,
  intentions: readonly Intention[],
): Promise<Atomic> {
  const { spending, clock } = tools;
  const { history } = await readHistory(tools);
  const policy = { ...spending.policy, minReserve: ZERO };
  const nowMs = clock.now();
  const spent = [...history.spent];
  for (const intention of intentions) {
    const request = requestOf(spending, intention, intention.usdcAtomic, nowMs);
    const decision = checkSpending(policy, { ...history, spent }, request);
    if (decision.kind === 'refused') throw refusalError(decision, request);
    spent.push({
      merchant: intention.host,
      amountAtomic: intention.usdcAtomic ?? ZERO,
      atMs: nowMs,
    });
  }
  return headroom(policy, history, { merchant: intentions[0]?.host ?? '', nowMs });
}

/** What is left of the 24 hours for a merchant. @throws {ScripError} JOURNAL_UNUSABLE */
export async function leftOfDay(
  tools: Pick<SigningTools, 'spending' | 'journal' | 'clock'>,
  merchant: string,
): Promise<Atomic> {
  const { history } = await readHistory(tools);
  return headroom(tools.spending.policy, history, { merchant, nowMs: tools.clock.now() });
}

function requestOf(
  { isPlayMoney, channel }: Spending,
  intent: Pick<Intent, 'host' | 'body' | 'summary' | 'kinds'>,
  amountAtomic: Atomic | undefined,
  nowMs: number,
): SpendRequest {
  return {
    amountAtomic,
    merchant: intent.host,
    isPlayMoney,
    channel,
    kinds: intent.kinds ?? [],
    recipients: recipientsOf(intent),
    nowMs,
  };
}

/** What cannot be given back is free when this process has ended. */
async function giveBack(log: SpendLog, number: number): Promise<void> {
  try {
    await log.release(number);
  } catch (error) {
    if (!(error instanceof ScripError)) throw error;
  }
}
