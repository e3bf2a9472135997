/** Whether a payment may be signed: decided from policy, history and terms. Pure. */
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

/** Whose decision a payment is: a person at a terminal, a script, or an agent's tool call. */
export type Channel = 'terminal' | 'unattended' | 'agent';

/** One payment that counts: made, under way, or reserved for. */
export interface Spent {
  /** Undefined for money that left the wallet by another program: it may have gone to any of them. */
  readonly merchant: string | undefined;
  readonly amountAtomic: Atomic;
  readonly atMs: number;
}

export interface SpendHistory {
  readonly spent: readonly Spent[];
  /** Purchases that hold a payment which is not decided yet. */
  readonly openIntents: number;
  /** What these and reservations may still take out of the wallet. */
  readonly pendingAtomic: Atomic;
}

/** What the merchant asks for, as it is about to be signed. */
export interface PaymentTerms {
  readonly network: string;
  readonly asset: string;
  readonly payTo: string;
  /** Undefined where the wallet itself pays the network fee. */
  readonly feePayer?: string | undefined;
  readonly memo?: string | undefined;
  /** Recipients that the host's manifest lists, where the policy wants it read. */
  readonly listed?: readonly string[] | undefined;
}

export interface SpendRequest {
  /** In atomic units of USDC; undefined for a coin that limits cannot be compared with. */
  readonly amountAtomic: Atomic | undefined;
  /** What was paid for the same order before, where it is paid in parts. */
  readonly ofOrderAtomic?: Atomic | undefined;
  /** As the journal names it: an origin, or `embedded:<profile>`. */
  readonly merchant: string;
  readonly isPlayMoney: boolean;
  readonly channel: Channel;
  /** Kinds of the goods; empty when they are not known. */
  readonly kinds: readonly string[];
  readonly recipients: readonly string[];
  /** Where money comes back to, unless that is the wallet that pays. */
  readonly refundsTo?: string | undefined;
  readonly nowMs: number;
  /** Undefined before the merchant has asked. */
  readonly terms?: PaymentTerms | undefined;
  /** USDC in the wallet; needed where a reserve is kept. */
  readonly balanceAtomic?: Atomic | undefined;
}

export type SpendDecision =
  | { readonly kind: 'allowed'; readonly remainingAtomic: Atomic }
  | Refusal;

export const DAY_MS = 24 * 60 * 60 * 1_000;

/**
 * Whether a payment may be signed. A day is the 24 hours before; what is dated later than now
 * counts too, so that a clock set back frees nothing.
 * @returns what is left of the day after it, or the first rule that refuses it, with a way to fix it
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

/** What may still be spent at a merchant in these 24 hours, and leaves the reserve; 0 when nothing. */
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

/** What the wallet holds beside its reserve and what payments under way may still take. */
function aboveReserve({ minReserve }: Policy, { pendingAtomic }: SpendHistory, balance: Atomic) {
  return less(balance, atomic(pendingAtomic + minReserve));
}

/** The sum of what was spent after an instant. @param merchant what may have been spent at one of them */
export function spentSince({ spent }: SpendHistory, fromMs: number, merchant?: string): Atomic {
  const isCounted = ({ merchant: at }: Spent): boolean =>
    merchant === undefined || at === undefined || at === merchant;
  return atomic(
    spent
      .filter((one) => one.atMs > fromMs && isCounted(one))
      .reduce((sum, { amountAtomic }) => sum + amountAtomic, 0n),
  );
}

/** The rules that look at no other payment. */
export function checkRules(policy: Policy, request: SpendRequest): Refusal | undefined {
  return checkParty(policy, request) ?? checkPurpose(policy, request);
}

/** Who is paid, and who decides it: what can be checked before any request is sent. */
export type Party = Pick<SpendRequest, 'merchant' | 'isPlayMoney' | 'channel' | 'terms'>;

/** Whether the policy allows payments to this host, decided by this party. */
export function checkParty(policy: Policy, party: Party): Refusal | undefined {
  return checkHost(policy, party) ?? checkChannel(policy, party);
}

function checkHost(policy: Policy, { merchant, isPlayMoney, terms }: Party): Refusal | undefined {
  const rule = ruleFor(policy, merchant);
  const host = hostKey(merchant);
  if (rule === undefined) {
    // The embedded service is no host, and test money that is held to none goes to any sandbox.
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
    reason: t`${host} asks to be paid at ${problem.what}, which the policy does not allow`,
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
  const isStrange = (to: string) => !recipients.some((pattern) => isRecipient(pattern, to));
  const stranger = request.recipients.find(isStrange);
  const { refundsTo } = request;
  const isRefundFine = refundsTo === undefined || !isStrange(refundsTo);
  const isKnown = stranger === undefined && request.recipients.length > 0;
  if (isKnown && isRefundFine) return undefined;
  const reason = isKnown
    ? t`The policy does not allow refunds to ${refundsTo ?? ''}`
    : t`The policy does not allow purchases for ${stranger || t`an unknown buyer`}`;
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

/** Limits are in USDC and no rate is trusted: another coin is paid with test money alone. */
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
