/** Measures payments by the policy: what this wallet has spent, what it holds, and what the policy leaves of it. */

import type { Clock } from '../../domain/clock.ts';
import { ScripError } from '../../domain/errors.ts';
import type { Intent, Journal } from '../../domain/journal.ts';
import { type Message, t } from '../../domain/message.ts';
import { type Atomic, atomic } from '../../domain/money.ts';
import { recipientsOf } from '../../domain/ordered-products.ts';
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
import type { PayerRail, RailInsight, Signer } from '../../rails/rail.ts';

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

/** What a payment is measured with before it is one. */
export interface MeasuringDeps {
  readonly spending: Spending;
  readonly journal: Pick<Journal, 'recent'>;
  readonly rail: PayerRail;
  readonly signer: Signer;
  readonly clock: Clock;
}

const ZERO = atomic(0n);

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

/** A payment that the policy allows, with what it was measured by. */
interface Measured extends Stock {
  readonly request: SpendRequest;
  readonly remainingAtomic: Atomic;
}

/**
 * Measures a payment as often as it is called: what was spent may move meanwhile.
 * @param own the reservation of the payment itself, which is not counted beside it
 * @throws {ScripError} the refusal; the returned function JOURNAL_UNUSABLE and, of real money,
 * CHAIN_UNREACHABLE, SPENDING_UNKNOWN as well
 */
export async function measureBy(
  deps: MeasuringDeps,
  intention: Intention,
  own?: Slot,
): Promise<() => Promise<Measured>> {
  const { spending, clock } = deps;
  const { policy } = spending;
  const { host, terms } = intention;
  const full = terms && { ...terms, listed: await listedAt(spending, host) };
  const asked = (now: Now): SpendRequest => requestOf(deps, { ...intention, terms: full }, now);
  // Before the chain is asked for what cannot matter.
  const first = asked({ nowMs: clock.now() });
  const refusal = checkRules(policy, first);
  if (refusal !== undefined) throw refusalError(refusal, first);
  return async () => {
    const stock = await takeStock(deps, own);
    const request = asked(stock);
    const decision = checkSpending(policy, stock.history, request);
    if (decision.kind === 'refused') throw refusalError(decision, request);
    return { ...stock, request, remainingAtomic: decision.remainingAtomic };
  };
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
  const measure = await measureBy(deps, intention);
  const { history, request, remainingAtomic } = await measure();
  return { leftAtomic: headroom(deps.spending.policy, history, request), remainingAtomic };
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
    // A refund to the paying wallet itself needs no policy check.
    refundsTo: intention.refundsTo === signer.address ? undefined : intention.refundsTo,
    terms: intention.terms,
    nowMs,
    balanceAtomic,
  };
}

/** Recipients of the host's manifest, where its rule goes by them. */
async function listedAt({ policy, listed }: Spending, host: string) {
  return ruleFor(policy, host)?.payTo === 'manifest' ? await listed() : undefined;
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

/** What was signed may land later than it is dated: so much more than a day is read. */
const MARGIN_MS = DAY_MS;

/**
 * Reads the time, the reservations, the journal (see `SpendLog.read`), what left the wallet on the chain, and what
 * it holds; in this order, so that what moves meanwhile is counted in both places and in none left out.
 * @throws {ScripError} JOURNAL_UNUSABLE; of real money CHAIN_UNREACHABLE, SPENDING_UNKNOWN
 */
export async function takeStock(deps: MeasuringDeps, own?: Slot): Promise<Stock> {
  const { spending, journal, clock, rail, signer } = deps;
  const chainMs = (await rail.insight?.timeMs()) ?? null;
  const clocks = { clockMs: clock.now(), chainMs, isPlayMoney: spending.isPlayMoney };
  const nowMs = dayEnd(clocks);
  const sinceMs = nowMs - DAY_MS;
  const { last, held } = await spending.log.read(sinceMs - MARGIN_MS);
  const entries = await journal.recent(sinceMs - MARGIN_MS);
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

function newestOf({ spent }: SpendHistory): number | undefined {
  return spent.length === 0 ? undefined : Math.max(...spent.map(({ atMs }) => atMs));
}

/** Of test money: what the balance lacks already. A chain that does not tell leaves it as under way. */
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
  { rail, signer }: Pick<MeasuringDeps, 'rail' | 'signer'>,
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
    t`The payments of the last 24 hours are unknown, so the limits cannot be checked: ${why}; nothing was signed`,
    { cause, ...(cause === undefined ? {} : { details: cause.details }) },
  );
}

async function balanceOf(rail: PayerRail, address: string): Promise<Atomic> {
  return (await rail.balances(address)).usdcAtomic ?? ZERO;
}
