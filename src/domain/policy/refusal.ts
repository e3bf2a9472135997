/** Why the policy refuses a payment, and the error for it. */

import { isLoopbackHost } from '../address/loopback.ts';
import { commandText } from '../message/command-text.ts';
import { type Code, ScripError } from '../message/errors.ts';
import { type Message, t } from '../message/message.ts';
import type { Atomic } from '../money/money.ts';
import { isEmbeddedMerchant, usdcText } from './policy.ts';

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
  /** The policy key that refuses it. */
  readonly rule: string;
  readonly reason: Message;
  /** Set only for limits on amounts. */
  readonly limitAtomic?: Atomic;
  readonly spentAtomic?: Atomic;
  readonly remainingAtomic?: Atomic;
  readonly period?: 'order' | '24h';
}

interface Refused {
  /** The merchant's name in the journal. */
  readonly merchant: string;
  readonly isPlayMoney: boolean;
}

/** Converts the refusal to an error with a hint how to change the policy. Nothing was signed. */
export function refusalError(refusal: Refusal, request: Refused): ScripError {
  const { code, rule, reason, limitAtomic, spentAtomic, remainingAtomic, period } = refusal;
  const text = (amount: Atomic | undefined) =>
    amount === undefined ? undefined : usdcText(amount);
  const details = {
    rule,
    merchant: request.merchant,
    limit: text(limitAtomic),
    spent: text(spentAtomic),
    remaining: text(remainingAtomic),
    period,
  };
  return new ScripError(code, t`${reason}; nothing was signed`, {
    hint: hintFor(refusal, request),
    details: Object.fromEntries(Object.entries(details).filter(([, value]) => value !== undefined)),
  });
}

function hintFor({ rule, code }: Refusal, request: Refused): Message {
  if (code === 'HOST_NOT_ALLOWED') return hostHint(rule, request);
  if (rule === 'maxOpenIntents') return t`Finish the open purchases: scrip orders resume`;
  // `policy set` changes a host's rule as a whole, so name the host without the field.
  const key = rule.startsWith('hosts.') ? rule.replace(/\.[a-zA-Z]+$/, '') : rule;
  return commandText`See scrip policy show. To change it, run in a terminal: scrip policy set ${key} <value>`;
}

/** The embedded service has no host to allow; a server on this machine may be a sandbox. */
function hostHint(rule: string, { merchant, isPlayMoney }: Refused): Message {
  if (isEmbeddedMerchant(merchant)) {
    return t`If the wallet holds only test money, run in a terminal: scrip wallet mark-play`;
  }
  const isNear = URL.canParse(merchant) && isLoopbackHost(new URL(merchant).hostname);
  return isNear && !isPlayMoney
    ? commandText`If you trust this host: scrip policy set ${rule} any. If it is a sandbox and the wallet holds only test money: scrip wallet mark-play`
    : commandText`If you trust this host: scrip policy set ${rule} any`;
}
