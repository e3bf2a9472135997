/** Decides from policy, history and terms whether a payment may be signed. Pure. */
import { type Message, t } from './message.ts';
import { type Atomic, atomic } from './money.ts';
import {
  type HostRule,
  hostKey,
  isEmbeddedMerchant,
  isRecipient,
  type Policy,
  ruleFor,
  usdcText,
} from './policy.ts';
import type { Refusal } from './refusal.ts';

/** Who decides on a payment: a person at a terminal, a script, or an agent's tool call. */
export type Channel = 'terminal' | 'unattended' | 'agent';

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

/** The merchant's terms, about to be signed. */
export interface PaymentTerms {
  readonly network: string;
  readonly asset: string;
  readonly payTo: string;
  /** Undefined when the wallet itself pays the network fee. */
  readonly feePayer?: string | undefined;
  readonly memo?: string | undefined;
  /** Payment addresses in the host's manifest, if the policy requires it. */
  readonly listed?: readonly string[] | undefined;
}

export interface SpendRequest {
  /** In atomic units of USDC; undefined for another coin, which limits cannot be compared with. */
  readonly amountAtomic: Atomic | undefined;
  /** Amount paid earlier for the same order, if it is paid in parts. */
  readonly ofOrderAtomic?: Atomic | undefined;
  /** The merchant's name in the journal: an origin, or `embedded:<profile>`. */
  readonly merchant: string;
  readonly isPlayMoney: boolean;
  readonly channel: Channel;
  /** Kinds of the goods; empty when unknown. */
  readonly kinds: readonly string[];
  readonly recipients: readonly string[];
  /** Refund address, unless it is the paying wallet. */
  readonly refundsTo?: string | undefined;
  readonly nowMs: number;
  /** Undefined before the merchant has named its terms. */
  readonly terms?: PaymentTerms | undefined;
  /** USDC in the wallet; required when the policy keeps a reserve. */
  readonly balanceAtomic?: Atomic | undefined;
}

export type SpendDecision =
  | { readonly kind: 'allowed'; readonly remainingAtomic: Atomic }
  | Refusal;

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

/** Checks the rules that do not depend on other payments. */
export function checkRules(policy: Policy, request: SpendRequest): Refusal | undefined {
  return checkParty(policy, request) ?? checkPurpose(policy, request);
}

/** Who is paid and who decides: known before any request is sent. */
export type Party = Pick<SpendRequest, 'merchant' | 'isPlayMoney' | 'channel' | 'terms'>;

/** Checks whether the policy allows this decider to pay this host. */
export function checkParty(policy: Policy, party: Party): Refusal | undefined {
  return checkHost(policy, party) ?? checkChannel(policy, party);
}

function checkHost(policy: Policy, { merchant, isPlayMoney, terms }: Party): Refusal | undefined {
  const rule = ruleFor(policy, merchant);
  const host = hostKey(merchant);
  if (rule === undefined) {
    // The embedded service has no host, and test money without a host list may go to any sandbox.
    if (isPlayMoney && (policy.hosts === undefined || isEmbeddedMerchant(merchant))) {
      return undefined;
    }
    const reason = isEmbeddedMerchant(merchant)
      ? t`The built-in sandbox accepts only test money, and this wallet is not marked as test money`
      : t`The policy does not list the host ${host}`;
    return { kind: 'refused', code: 'HOST_NOT_ALLOWED', rule: `hosts.${host}`, reason };
  }
  const problem = terms === undefined ? undefined : termsProblem(rule, terms);
  if (problem === undefined) return undefined;
  return {
    kind: 'refused',
    code: 'POLICY_REFUSED',
    rule: `hosts.${host}.${problem.key}`,
    reason: t`${host} asks for ${problem.what}, which the policy does not allow`,
  };
}

function termsProblem(
  rule: HostRule,
  terms: PaymentTerms,
): { readonly key: keyof HostRule; readonly what: Message } | undefined {
  const { network, asset, payTo, feePayer, memo } = terms;
  if (network !== rule.network) return { key: 'network', what: t`the network ${network}` };
  if (asset !== rule.mint) return { key: 'mint', what: t`the asset ${asset}` };
  const allowed = rule.payTo === 'manifest' ? (terms.listed ?? []) : rule.payTo;
  if (allowed !== 'any' && !allowed.includes(payTo)) {
    return { key: 'payTo', what: t`a payment to ${payTo}` };
  }
  if (feePayer !== undefined && rule.feePayers?.includes(feePayer) === false) {
    return { key: 'feePayers', what: t`the fee payer ${feePayer}` };
  }
  if (memo !== undefined && rule.memo === 'off') return { key: 'memo', what: t`a memo` };
  return undefined;
}

function checkPurpose(policy: Policy, request: SpendRequest): Refusal | undefined {
  const { kinds, recipients } = policy;
  const isKindFine =
    kinds === undefined ||
    (request.kinds.length > 0 && request.kinds.every((kind) => kinds.includes(kind)));
  if (!isKindFine) {
    const what =
      request.kinds.length === 0 ? t`a product of an unknown kind` : request.kinds.join(', ');
    const reason = t`The policy allows ${kinds.join(', ') || 'nothing'}, not ${what}`;
    return { kind: 'refused', code: 'POLICY_REFUSED', rule: 'kinds', reason };
  }
  if (recipients === undefined) return undefined;
  const stranger = request.recipients.find(
    (to) => !recipients.some((pattern) => isRecipient(pattern, to)),
  );
  if (stranger === undefined && request.recipients.length > 0) {
    return request.refundsTo === undefined
      ? undefined
      : checkRefundAddress(policy, request.refundsTo);
  }
  const reason = t`The policy does not allow purchases for ${stranger || t`an unknown recipient`}`;
  return { kind: 'refused', code: 'RECIPIENT_NOT_ALLOWED', rule: 'recipients', reason };
}

/** Whether refunds may go to an address that is not the paying wallet's own. */
export function checkRefundAddress({ recipients }: Policy, to: string): Refusal | undefined {
  if (recipients === undefined || recipients.some((one) => isRecipient(one, to))) return undefined;
  const reason = t`The policy does not allow refunds to ${to}`;
  return { kind: 'refused', code: 'RECIPIENT_NOT_ALLOWED', rule: 'recipients', reason };
}

function checkChannel(policy: Policy, { channel }: Party): Refusal | undefined {
  if (channel === 'agent' && policy.mcp.pay === 'off') {
    const reason = t`The policy does not allow agents to pay`;
    return { kind: 'refused', code: 'POLICY_REFUSED', rule: 'mcp.pay', reason };
  }
  if (channel !== 'unattended' || policy.nonInteractive.enabled) return undefined;
  return {
    kind: 'refused',
    code: 'UNATTENDED_OFF',
    rule: 'nonInteractive.enabled',
    reason: t`The policy does not allow payments without a confirmation`,
  };
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
