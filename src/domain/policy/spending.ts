/** Decides from policy, history and terms whether a payment may be signed. Pure. */

import { t } from '../message/message.ts';
import { type Atomic, atomic } from '../money/money.ts';
import { type Policy, usdcText } from './policy.ts';
import type { Refusal } from './refusal.ts';
import { checkRules, type SpendRequest } from './spend-rules.ts';

/** One payment that counts: made, in progress, or reserved. */
export interface Spent {
  /** Undefined for money that another program sent from the wallet: it counts against every merchant. */
  readonly merchant: string | undefined;
  readonly amountAtomic: Atomic;
  readonly atMs: number;
}

export interface SpendHistory {
  readonly spent: readonly Spent[];
  /** Purchases with a payment whose outcome is open. */
  readonly openIntents: number;
  /** What those and the reservations may still take from the wallet. */
  readonly pendingAtomic: Atomic;
}

type SpendDecision = { readonly kind: 'allowed'; readonly remainingAtomic: Atomic } | Refusal;

export const DAY_MS = 24 * 60 * 60 * 1_000;

/**
 * Decides whether a payment may be signed. The day is the last 24 hours; payments dated later than now count
 * too, so that setting the clock back does not free the limit.
 * @returns what remains of the day afterwards, or the first rule that refuses, with a way to change it
 */
export function checkSpending(
  policy: Policy,
  history: SpendHistory,
  request: SpendRequest,
): SpendDecision {
  const refusal = checkRules(policy, request);
  if (refusal !== undefined) return refusal;
  const { amountAtomic } = request;
  if (amountAtomic === undefined) return checkUnmeasured(policy, history, request);
  return (
    checkAmounts(policy, history, { ...request, amountAtomic }) ?? {
      kind: 'allowed',
      remainingAtomic: less(headroom(policy, history, request), amountAtomic),
    }
  );
}

/**
 * Returns what may still be spent at a merchant in these 24 hours while keeping the reserve; 0 if nothing.
 */
export function headroom(
  policy: Policy,
  history: SpendHistory,
  { merchant, nowMs, balanceAtomic }: Pick<SpendRequest, 'merchant' | 'nowMs' | 'balanceAtomic'>,
): Atomic {
  const ofDay = less(policy.perDay, spentSince(history, nowMs - DAY_MS));
  const ofMerchant = less(policy.perMerchantPerDay, spentSince(history, nowMs - DAY_MS, merchant));
  const ofLimits = ofDay < ofMerchant ? ofDay : ofMerchant;
  if (policy.minReserve === 0n || balanceAtomic === undefined) return ofLimits;
  const ofWallet = aboveReserve(policy, history, balanceAtomic);
  return ofWallet < ofLimits ? ofWallet : ofLimits;
}

/** The balance minus the reserve and minus what payments in progress may still take. */
function aboveReserve({ minReserve }: Policy, { pendingAtomic }: SpendHistory, balance: Atomic) {
  return less(balance, atomic(pendingAtomic + minReserve));
}

/**
 * Returns the sum spent after an instant.
 * @param merchant count only spending at this merchant, or at an unknown one
 */
export function spentSince({ spent }: SpendHistory, fromMs: number, merchant?: string): Atomic {
  const isCounted = ({ merchant: at }: Spent): boolean =>
    merchant === undefined || at === undefined || at === merchant;
  return atomic(
    spent
      .filter((one) => one.atMs > fromMs && isCounted(one))
      .reduce((sum, { amountAtomic }) => sum + amountAtomic, 0n),
  );
}

type Measured = SpendRequest & { readonly amountAtomic: Atomic };

function checkAmounts(
  policy: Policy,
  history: SpendHistory,
  request: Measured,
): Refusal | undefined {
  const { amountAtomic, merchant, channel, nowMs } = request;
  const ofOrder = request.ofOrderAtomic ?? atomic(0n);
  const fromMs = nowMs - DAY_MS;
  const limits: readonly Limit[] = [
    { rule: 'perOrder', limit: policy.perOrder, spent: ofOrder, period: 'order' },
    ...(channel === 'terminal' ? [] : [unattendedLimit(policy, ofOrder)]),
    {
      rule: 'perMerchantPerDay',
      limit: policy.perMerchantPerDay,
      spent: spentSince(history, fromMs, merchant),
      period: '24h',
    },
    { rule: 'perDay', limit: policy.perDay, spent: spentSince(history, fromMs), period: '24h' },
  ];
  const over = limits.find(({ limit, spent }) => spent + amountAtomic > limit);
  if (over !== undefined) return overLimit(over, amountAtomic);
  return checkOpen(policy, history) ?? checkReserve(policy, history, request);
}

interface Limit {
  readonly rule: string;
  readonly limit: Atomic;
  readonly spent: Atomic;
  readonly period: 'order' | '24h';
}

function unattendedLimit({ nonInteractive }: Policy, spent: Atomic): Limit {
  const { perOrder: limit } = nonInteractive;
  return { rule: 'nonInteractive.perOrder', limit, spent, period: 'order' };
}

function overLimit({ rule, limit, spent, period }: Limit, amount: Atomic): Refusal {
  const remainingAtomic = less(limit, spent);
  const most = `${usdcText(limit)} USDC`;
  const ofOrder =
    spent === 0n
      ? t`${usdcText(amount)} USDC is more than the per-order limit of ${most}`
      : t`${usdcText(amount)} USDC is more than the ${usdcText(remainingAtomic)} left of the per-order limit of ${most}`;
  const reason =
    period === 'order'
      ? ofOrder
      : t`${usdcText(amount)} USDC is more than the ${usdcText(remainingAtomic)} left of the 24-hour limit of ${most}`;
  return {
    kind: 'refused',
    code: 'SPENDING_LIMIT',
    rule,
    reason,
    limitAtomic: limit,
    spentAtomic: spent,
    remainingAtomic,
    period,
  };
}

function checkOpen(policy: Policy, { openIntents }: SpendHistory): Refusal | undefined {
  if (openIntents < policy.maxOpenIntents) return undefined;
  const reason = t`Payments in progress: ${openIntents}; the policy allows ${policy.maxOpenIntents} at once`;
  return { kind: 'refused', code: 'SPENDING_LIMIT', rule: 'maxOpenIntents', reason };
}

function checkReserve(
  policy: Policy,
  history: SpendHistory,
  request: Measured,
): Refusal | undefined {
  const { minReserve } = policy;
  const { pendingAtomic } = history;
  if (minReserve === 0n) return undefined;
  const { amountAtomic, balanceAtomic = atomic(0n) } = request;
  if (balanceAtomic >= pendingAtomic + amountAtomic + minReserve) return undefined;
  const underWay =
    pendingAtomic === 0n ? '' : t`, ${usdcText(pendingAtomic)} of it for payments in progress`;
  return {
    kind: 'refused',
    code: 'SPENDING_LIMIT',
    rule: 'minReserve',
    reason: t`The policy keeps ${usdcText(minReserve)} USDC in the wallet, which holds ${usdcText(balanceAtomic)}${underWay}`,
    limitAtomic: minReserve,
    remainingAtomic: aboveReserve(policy, history, balanceAtomic),
  };
}

/** Limits are in USDC, and this program trusts no exchange rate: other coins need test money. */
function checkUnmeasured(
  policy: Policy,
  history: SpendHistory,
  request: SpendRequest,
): SpendDecision {
  if (request.isPlayMoney) {
    const open = checkOpen(policy, history);
    return open ?? { kind: 'allowed', remainingAtomic: headroom(policy, history, request) };
  }
  const reason = t`The limits are in USDC, and the value of this coin is unknown`;
  return { kind: 'refused', code: 'POLICY_REFUSED', rule: 'perOrder', reason };
}

function less(amount: Atomic, by: Atomic): Atomic {
  return atomic(amount > by ? amount - by : 0n);
}
