/**
 * The one place that signs: a payment is measured by the policy, its amount reserved for all
 * processes to see, and only then signed and put into the journal (reliability 2.2, 4.4).
 */

import type { Clock } from '../../domain/clock.ts';
import { ScripError } from '../../domain/errors.ts';
import { recipientsOf } from '../../domain/goods.ts';
import type { Attempt, Intent, Journal } from '../../domain/journal.ts';
import { type Message, t, verbatim } from '../../domain/message.ts';
import { type Atomic, atomic } from '../../domain/money.ts';
import { type Policy, ruleFor } from '../../domain/policy.ts';
import { refusalError } from '../../domain/refusal.ts';
import {
  expectedTransactions,
  historyOf,
  knownTransactions,
  type Outflow,
  type Slot,
  type SpendLog,
} from '../../domain/spend-log.ts';
import { dayEnd, spendTime } from '../../domain/spend-time.ts';
import {
  type Channel,
  checkRules,
  checkSpending,
  DAY_MS,
  headroom,
  type PaymentTerms,
  type SpendHistory,
  type SpendRequest,
} from '../../domain/spending.ts';
import type { PayerRail, RailInsight, SignedPayment, Signer } from '../../rails/rail.ts';

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

export interface SigningDeps {
  readonly spending: Spending;
  readonly journal: Pick<Journal, 'all' | 'addAttempt'>;
  readonly rail: PayerRail;
  readonly signer: Signer;
  readonly clock: Clock;
  readonly failPoint?: ((name: 'reserved' | 'signed') => void) | undefined;
}

/** What a payment is measured with before it is one. */
export type MeasuringDeps = Pick<SigningDeps, 'spending' | 'journal' | 'clock' | 'rail' | 'signer'>;

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
  /** USDC that was paid for the same order before, where it is paid in parts. */
  readonly ofOrderAtomic?: Atomic | undefined;
  /** Every address that the goods and the receipt go to, where the intent does not name all of them. */
  readonly recipients?: readonly string[];
  /** Where the merchant was told to send money back to. */
  readonly refundsTo?: string | undefined;
  /** The last look before the signature: what was paid for it elsewhere, and is in the journal by now. */
  lastLook?(): Promise<Attempt | undefined>;
  /** The record of the signed payment; whatever it throws speaks against sending it. */
  toAttempt(signed: SignedPayment): Omit<Attempt, 'createdAtMs'>;
}

/** The attempt that stands now, and how it came about. */
export interface Authorized {
  readonly attempt: Attempt;
  /** Signed here; by another process with the same purchase, which was first; or paid elsewhere. */
  readonly origin: 'ours' | 'theirs' | 'elsewhere';
}

/**
 * Signs one payment and puts it into the journal; nothing has been sent when this returns. Of two
 * processes with one purchase the second is given the first one's attempt, and a process that finds it
 * paid elsewhere that one.
 * @throws {ScripError} SPENDING_LIMIT, POLICY_REFUSED, HOST_NOT_ALLOWED, RECIPIENT_NOT_ALLOWED,
 * UNATTENDED_OFF; CHAIN_UNREACHABLE, SPENDING_UNKNOWN; JOURNAL_UNUSABLE; what the rail's `sign` throws
 */
export async function authorizePayment(deps: SigningDeps, payment: Payment): Promise<Authorized> {
  const { journal, spending } = deps;
  const { number, datedMs } = await reserve(deps, payment);
  deps.failPoint?.('reserved');
  try {
    const elsewhere = await payment.lastLook?.();
    if (elsewhere !== undefined) {
      await giveBack(spending.log, number);
      return { attempt: elsewhere, origin: 'elsewhere' };
    }
    const signed = payment.toAttempt(await sign(deps.rail, payment.order));
    const attempt = { ...signed, createdAtMs: datedMs };
    deps.failPoint?.('signed');
    const standing = await journal.addAttempt(payment.intent, attempt);
    const isOurs = standing.transaction === attempt.transaction;
    return { attempt: standing, origin: isOurs ? 'ours' : 'theirs' };
  } catch (error) {
    await giveBack(spending.log, number);
    throw error;
  }
}

/** Nothing else may call these two. */
function sign(rail: PayerRail, order: Order): Promise<SignedPayment> {
  if (order.way === 'x402') return rail.sign(order.input);
  if (rail.direct === undefined) {
    throw new ScripError('INTERNAL', verbatim(`The rail ${rail.network} knows no transfers`));
  }
  return rail.direct.sign(order.input);
}

/** Of processes that decide at once each sees what the others reserved: one place, one winner. */
async function reserve(
  deps: SigningDeps,
  payment: Payment,
): Promise<{ readonly number: number; readonly datedMs: number }> {
  const { spending, clock } = deps;
  const { intent, terms, usdcAtomic, ofOrderAtomic, recipients, refundsTo } = payment;
  const slot = { intentId: intent.intentId, attempt: payment.number };
  const { policy } = spending;
  const full = { ...terms, listed: await listedAt(spending, intent.host) };
  const intention = { ...intent, usdcAtomic, ofOrderAtomic, recipients, refundsTo, terms: full };
  const measured = (now: Now): SpendRequest => requestOf(deps, intention, now);
  checkFirst(policy, measured({ nowMs: clock.now() }));
  for (;;) {
    const { last, history, datedMs, ...now } = await takeStock(deps, slot);
    const request = measured(now);
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

/** Recipients of the host's manifest, where its rule goes by them. */
async function listedAt({ policy, listed }: Spending, host: string) {
  return ruleFor(policy, host)?.payTo === 'manifest' ? await listed() : undefined;
}

/** Before the chain is asked for what cannot matter. @throws {ScripError} the refusal */
function checkFirst(policy: Policy, request: SpendRequest): void {
  const refusal = checkRules(policy, request);
  if (refusal !== undefined) throw refusalError(refusal, request);
}

function newestOf({ spent }: SpendHistory): number | undefined {
  return spent.length === 0 ? undefined : Math.max(...spent.map(({ atMs }) => atMs));
}

/** What the wallet has spent and holds, as a payment is measured by it now. */
export interface Stock {
  /** Newest place of the spend log. */
  readonly last: number;
  readonly history: SpendHistory;
  readonly nowMs: number;
  readonly datedMs: number;
  /** Read where the policy keeps a reserve. */
  readonly balanceAtomic: Atomic | undefined;
}

type Now = Pick<Stock, 'nowMs'> & Partial<Pick<Stock, 'balanceAtomic'>>;

/**
 * Reads the reservations, the journal (see `SpendLog.read`), what left the wallet on the chain, and what
 * it holds; in this order, so that what moves meanwhile is counted in both places and in none left out.
 * @throws {ScripError} JOURNAL_UNUSABLE; of real money CHAIN_UNREACHABLE, SPENDING_UNKNOWN
 */
export async function takeStock(deps: MeasuringDeps, own?: Slot): Promise<Stock> {
  const { spending, journal, clock, rail, signer } = deps;
  const { last, held } = await spending.log.read();
  const entries = await journal.all();
  const chainMs = (await rail.insight?.timeMs()) ?? null;
  const clocks = { clockMs: clock.now(), chainMs, isPlayMoney: spending.isPlayMoney };
  const nowMs = dayEnd(clocks);
  const sinceMs = nowMs - DAY_MS;
  const span = { sinceMs, nowMs, known: knownTransactions(entries) };
  const isKept = spending.policy.minReserve > 0n;
  const counted = spending.isPlayMoney
    ? { settled: isKept ? await readSettled(deps, span) : [] }
    : {
        outflows: await readOutflows(deps, {
          ...span,
          expected: expectedTransactions(entries, span),
        }),
      };
  const history = historyOf({ entries, held, ...counted, nowMs, own });
  const balanceAtomic = isKept ? await balanceOf(rail, signer.address) : undefined;
  const newestMs = newestOf(history);
  return { last, history, balanceAtomic, ...spendTime({ ...clocks, newestMs }) };
}

/** Of play money: what the balance lacks already. A chain that does not tell leaves it as under way. */
async function readSettled(...asked: Parameters<typeof readOutflows>): Promise<readonly Outflow[]> {
  try {
    return await readOutflows(...asked);
  } catch (error) {
    if (error instanceof ScripError) return [];
    throw error;
  }
}

/**
 * Real money is counted by the chain too: another state folder, another machine and another program
 * spend from the same wallet.
 * @throws {ScripError} CHAIN_UNREACHABLE, SPENDING_UNKNOWN
 */
async function readOutflows(
  { rail, signer }: Pick<SigningDeps, 'rail' | 'signer'>,
  span: Parameters<RailInsight['outflows']>[1],
): Promise<readonly Outflow[]> {
  const { insight } = rail;
  try {
    if (insight !== undefined) return await insight.outflows(signer.address, span);
  } catch (cause) {
    if (!(cause instanceof ScripError) || cause.code !== 'CHAIN_UNREACHABLE') throw cause;
    throw unmeasured(cause.sentence, cause);
  }
  throw unmeasured(t`transfers on ${rail.network} cannot be listed`);
}

function unmeasured(why: Message, cause?: ScripError): ScripError {
  return new ScripError(
    'CHAIN_UNREACHABLE',
    t`what left the wallet in the last 24 hours is not known, and limits are measured by it: ${why}; nothing was signed`,
    { cause, ...(cause === undefined ? {} : { details: cause.details }) },
  );
}

async function balanceOf(rail: PayerRail, address: string): Promise<Atomic> {
  return (await rail.balances(address)).usdcAtomic ?? ZERO;
}

/** A purchase that is thought of. */
export interface Intention extends Pick<Intent, 'host' | 'body' | 'summary' | 'kinds'> {
  readonly usdcAtomic: Atomic | undefined;
  /** As of a payment. */
  readonly ofOrderAtomic?: Atomic | undefined;
  /** Every address that the goods and the receipt go to, where the body does not name all of them. */
  readonly recipients?: readonly string[] | undefined;
  /** Where the merchant is told to send money back to. */
  readonly refundsTo?: string | undefined;
  /** What the merchant asks for, once it has. */
  readonly terms?: PaymentTerms | undefined;
}

/** What the policy leaves of the 24 hours, before and after a payment that it would allow. */
export interface Forecast {
  readonly leftAtomic: Atomic;
  readonly remainingAtomic: Atomic;
}

/**
 * What the policy would say now; reserves and signs nothing.
 * @throws {ScripError} the refusal; JOURNAL_UNUSABLE; of real money CHAIN_UNREACHABLE, SPENDING_UNKNOWN
 */
export async function forecast(deps: MeasuringDeps, intention: Intention): Promise<Forecast> {
  const { spending, clock } = deps;
  const { policy } = spending;
  const { host, terms } = intention;
  const full = terms && { ...terms, listed: await listedAt(spending, host) };
  const measured = (now: Now): SpendRequest => requestOf(deps, { ...intention, terms: full }, now);
  checkFirst(policy, measured({ nowMs: clock.now() }));
  const { history, ...now } = await takeStock(deps);
  const request = measured(now);
  const decision = checkSpending(policy, history, request);
  if (decision.kind === 'refused') throw refusalError(decision, request);
  const { remainingAtomic } = decision;
  return { leftAtomic: headroom(policy, history, request), remainingAtomic };
}

/**
 * Measures several purchases as if each were paid before the next.
 * @returns what is left of the day before any of them
 * @throws {ScripError} the refusal of the first that the policy would not let be paid
 */
export async function forecastAll(
  deps: MeasuringDeps,
  intentions: readonly Intention[],
): Promise<Atomic> {
  const { spending } = deps;
  const { policy } = spending;
  const { history, ...now } = await takeStock(deps);
  const spent = [...history.spent];
  let { pendingAtomic } = history;
  for (const intention of intentions) {
    const request = requestOf(deps, intention, now);
    const decision = checkSpending(policy, { ...history, spent, pendingAtomic }, request);
    if (decision.kind === 'refused') throw refusalError(decision, request);
    const amountAtomic = intention.usdcAtomic ?? ZERO;
    spent.push({ merchant: intention.host, amountAtomic, atMs: now.nowMs });
    pendingAtomic = atomic(pendingAtomic + amountAtomic);
  }
  const merchant = intentions[0]?.host ?? '';
  return headroom(policy, history, { ...now, merchant });
}

/** What is left of the 24 hours for a merchant. @throws {ScripError} as `forecast` */
export async function leftOfDay(deps: MeasuringDeps, merchant: string): Promise<Atomic> {
  const { history, ...now } = await takeStock(deps);
  return headroom(deps.spending.policy, history, { ...now, merchant });
}

function requestOf(
  { spending: { isPlayMoney, channel }, signer }: Pick<MeasuringDeps, 'spending' | 'signer'>,
  intention: Intention,
  { nowMs, balanceAtomic }: Now,
): SpendRequest {
  return {
    amountAtomic: intention.usdcAtomic,
    ofOrderAtomic: intention.ofOrderAtomic,
    merchant: intention.host,
    isPlayMoney,
    channel,
    kinds: intention.kinds ?? [],
    recipients: intention.recipients ?? recipientsOf(intention),
    // Money that comes back to the wallet that pays goes to nobody else.
    refundsTo: intention.refundsTo === signer.address ? undefined : intention.refundsTo,
    terms: intention.terms,
    nowMs,
    balanceAtomic,
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
