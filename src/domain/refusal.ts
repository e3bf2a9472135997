/** Why the policy lets a payment not be signed, and how that is told. */
import { type Code, ScripError } from './errors.ts';
import type { Atomic } from './money.ts';
import { usdcText } from './policy.ts';

export interface Refusal {
  readonly kind: 'refused';
  readonly code: Extract<
    Code,
    | 'SPENDING_LIMIT'
    | 'POLICY_REFUSED'
    | 'HOST_NOT_ALLOWED'
    | 'RECIPIENT_NOT_ALLOWED'
    | 'UNATTENDED_OFF'
  >;
  /** The key of the policy that speaks against it. */
  readonly rule: string;
  readonly reason: string;
  /** Set for limits on amounts. */
  readonly limitAtomic?: Atomic;
  readonly spentAtomic?: Atomic;
  readonly remainingAtomic?: Atomic;
  readonly period?: 'order' | '24h';
}

/** The refusal as it is told, with what would mend it. Nothing was signed. */
export function refusalError(
  refusal: Refusal,
  { merchant }: { readonly merchant: string },
): ScripError {
  const { code, rule, reason, limitAtomic, spentAtomic, remainingAtomic, period } = refusal;
  const text = (amount: Atomic | undefined) =>
    amount === undefined ? undefined : usdcText(amount);
  const details = {
    rule,
    merchant,
    limit: text(limitAtomic),
    spent: text(spentAtomic),
    remaining: text(remainingAtomic),
    period,
  };
  return new ScripError(code, `${reason}; nothing was signed`, {
    hint: hintFor(refusal),
    details: Object.fromEntries(Object.entries(details).filter(([, value]) => value !== undefined)),
  });
}

function hintFor({ rule, code }: Refusal): string {
  if (code === 'HOST_NOT_ALLOWED') return `If you trust this host: scrip policy set ${rule} any`;
  if (rule === 'maxOpenIntents') return 'Finish what is under way: scrip orders resume';
  // A rule of a host is one value.
  const key = rule.startsWith('hosts.') ? rule.replace(/\.[a-zA-Z]+$/, '') : rule;
  return `See scrip policy show. To change it, at a terminal: scrip policy set ${key} <value>`;
}
