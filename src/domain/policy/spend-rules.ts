/** Rules of the policy that do not depend on earlier spending: who is paid, for what, and who decides. Pure. */

import { USDC_ADDRESSES } from '../../contract/usdc.ts';
import { type Message, t } from '../message/message.ts';
import type { Atomic } from '../money/money.ts';
import { isSameAddress } from '../payment/payment.ts';
import {
  type HostRule,
  hostKey,
  isEmbeddedMerchant,
  isRecipient,
  type Policy,
  ruleFor,
} from './policy.ts';
import type { Refusal } from './refusal.ts';

/** Who decides on a payment: a person at a terminal, a script, or an agent's tool call. */
export type Channel = 'terminal' | 'unattended' | 'agent';

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

/** Checks the rules that do not depend on other payments. */
export function checkRules(policy: Policy, request: SpendRequest): Refusal | undefined {
  return checkParty(policy, request) ?? checkPurpose(policy, request);
}

/** Who is paid and who decides: known before any request is sent. */
type Party = Pick<SpendRequest, 'merchant' | 'isPlayMoney' | 'channel' | 'terms'>;

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
  const ourUsdc: Readonly<Record<string, string | undefined>> = USDC_ADDRESSES;
  if (network !== (rule.network ?? network) || (ourUsdc[network] ?? rule.mint) === undefined) {
    return { key: 'network', what: t`the network ${network}` };
  }
  const mint = rule.mint ?? ourUsdc[network] ?? '';
  if (!isSameAddress(asset, mint)) return { key: 'mint', what: t`the asset ${asset}` };
  const allowed = rule.payTo === 'manifest' ? (terms.listed ?? []) : rule.payTo;
  if (allowed !== 'any' && !allowed.some((one) => isSameAddress(payTo, one))) {
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
