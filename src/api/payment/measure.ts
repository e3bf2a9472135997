/** Checks payments against the policy: what this wallet has spent and holds, and what remains allowed. */

import { expected } from '../../domain/attempt.ts';
import type { Clock } from '../../domain/clock.ts';
import type { Intent, Journal } from '../../domain/journal/journal.ts';
import { ScripError } from '../../domain/message/errors.ts';
import { t } from '../../domain/message/message.ts';
import { type Atomic, atomic } from '../../domain/money/money.ts';
import { recipientsOf } from '../../domain/order/ordered-products.ts';
import { type Policy, ruleFor } from '../../domain/policy/policy.ts';
import { refusalError } from '../../domain/policy/refusal.ts';
import {
  expectedTransactions,
  historyOf,
  knownTransactions,
  type Outflow,
  type Slot,
  type SpendLog,
} from '../../domain/policy/spend-log.ts';
import {
  type Channel,
  checkRules,
  type PaymentTerms,
  type SpendRequest,
} from '../../domain/policy/spend-rules.ts';
import { dayEnd, spendTime } from '../../domain/policy/spend-time.ts';
import { checkSpending, DAY_MS, headroom } from '../../domain/policy/spending.ts';
import type { PayerRail, PayingRail, Signer } from '../../rails/rail.ts';

/** The policy and log for payments of this run. */
export interface Spending {
  /** The policy in force: for real or for test money. */
  readonly policy: Policy;
  readonly isPlayMoney: boolean;
  readonly channel: Channel;
  readonly log: SpendLog;
  /** Reads the payment addresses in the merchant's manifest; called only if the policy requires it. */
  readonly listed: () => Promise<readonly string[]>;
}

/** What checking a payment needs. */
export interface MeasuringDeps {
  readonly spending: Spending;
  readonly journal: Pick<Journal, 'recent'>;
  readonly rail: PayerRail;
  readonly signer: Signer;
  /** The wallet’s other networks: what left it there counts too. */
  others(): Promise<readonly PayingRail[]>;
  readonly clock: Clock;
}

const ZERO = atomic(0n);

/** A purchase to check against the policy. */
export interface Intention extends Pick<Intent, 'host' | 'body' | 'summary' | 'kinds'> {
  readonly usdcAtomic: Atomic | undefined;
  /** USDC paid earlier for the same order, if it is paid in parts. */
  readonly ofOrderAtomic?: Atomic | undefined;
  /** Every address that receives goods or the receipt, if the body does not name them all. */
  readonly recipients?: readonly string[] | undefined;
  /** Refund address for the merchant. */
  readonly refundsTo?: string | undefined;
  /** The merchant's terms, once known. */
  readonly terms?: PaymentTerms | undefined;
}

/**
 * Returns a function that checks the payment on each call, since spending may change meanwhile, and returns
 * the data that it was checked with.
 * @param own the payment's own reservation, which does not count
 * @throws {ScripError} the refusal; the returned function also throws JOURNAL_UNUSABLE and, with real money,
 * CHAIN_UNREACHABLE, SPENDING_UNKNOWN
 */
export async function measureBy(deps: MeasuringDeps, intention: Intention, own?: Slot) {
  const { spending, clock } = deps;
  const { policy } = spending;
  const { host, terms } = intention;
  const isListed = ruleFor(policy, host)?.payTo === 'manifest';
  const full = terms && { ...terms, listed: isListed ? await spending.listed() : undefined };
  const asked = (now: Now): SpendRequest => requestOf(deps, { ...intention, terms: full }, now);
  // Check the rules that need no chain first.
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

/**
 * Returns what the policy would leave of the 24 hours now, before and after the payment; reserves and signs
 * nothing.
 * @throws {ScripError} the refusal; JOURNAL_UNUSABLE; with real money CHAIN_UNREACHABLE, SPENDING_UNKNOWN
 */
export async function forecast(deps: MeasuringDeps, intention: Intention) {
  const measure = await measureBy(deps, intention);
  const { history, request, remainingAtomic } = await measure();
  return { leftAtomic: headroom(deps.spending.policy, history, request), remainingAtomic };
}

/**
 * Checks several purchases as if each were paid before the next.
 * @returns what the policy leaves of the day before any of them
 * @throws {ScripError} the refusal of the first one that the policy would refuse
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

/** Returns what the policy leaves of the 24 hours for a merchant. @throws {ScripError} as `forecast` */
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

type Now = Pick<SpendRequest, 'nowMs' | 'balanceAtomic'>;

/** Read this much beyond the day: a payment may land later than its date. */
const MARGIN_MS = DAY_MS;

/**
 * Reads the time, the reservations, the journal (see `SpendLog.read`), what left the wallet on the chain, and
 * its balance; in this order, so that money that moves meanwhile is counted twice rather than not at all.
 * @returns `last` is the latest number in the spend log; the balance is read only if the policy keeps a reserve
 * @throws {ScripError} JOURNAL_UNUSABLE; with real money CHAIN_UNREACHABLE, SPENDING_UNKNOWN
 */
export async function takeStock(deps: MeasuringDeps, slot?: Slot) {
  const { spending, journal, clock, rail, signer } = deps;
  const own = { rail, address: signer.address };
  const chainMs = await rail.timeMs();
  const clocks = { clockMs: clock.now(), chainMs, isPlayMoney: spending.isPlayMoney };
  const nowMs = dayEnd(clocks);
  const sinceMs = nowMs - DAY_MS;
  const { last, held } = await spending.log.read(sinceMs - MARGIN_MS);
  const entries = await journal.recent(sinceMs - MARGIN_MS);
  const span = { sinceMs, nowMs, known: knownTransactions(entries) };
  const isKept = spending.policy.minReserve > 0n;
  // Payments of test money that the balance already lacks count as pending if the chain cannot be read.
  const settled = () => readOutflows(own, span).catch(expected(() => []));
  const allOutflows = async () => {
    const found: Outflow[] = [];
    for (const one of [own, ...(await deps.others())]) {
      const expected = expectedTransactions(entries, one.rail.network, span);
      found.push(...(await readOutflows(one, { ...span, expected })));
    }
    return found;
  };
  const counted = spending.isPlayMoney
    ? { settled: isKept ? await settled() : [] }
    : { outflows: await allOutflows() };
  const history = historyOf({ entries, held, ...counted, nowMs, own: slot });
  const balances = isKept ? await rail.balances(signer.address) : undefined;
  const balanceAtomic = balances && (balances.usdcAtomic ?? ZERO);
  const { spent } = history;
  const newestMs = spent.length === 0 ? undefined : Math.max(...spent.map(({ atMs }) => atMs));
  return { last, history, balanceAtomic, ...spendTime({ ...clocks, newestMs }) };
}

/**
 * Reads what left the wallet on the chain. Real money is counted there too, because other state folders,
 * machines and programs may spend from the same wallet.
 * @throws {ScripError} CHAIN_UNREACHABLE, SPENDING_UNKNOWN
 */
function readOutflows(
  { rail, address }: PayingRail,
  span: Parameters<PayerRail['outflows']>[1],
): Promise<readonly Outflow[]> {
  return rail.outflows(address, span).catch(expected(unmeasured, 'CHAIN_UNREACHABLE'));
}

function unmeasured(cause: ScripError): never {
  throw new ScripError(
    'CHAIN_UNREACHABLE',
    t`The payments of the last 24 hours are unknown, so the limits cannot be checked: ${cause.sentence}; nothing was signed`,
    { cause, details: cause.details },
  );
}
