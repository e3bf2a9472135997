/** The spending policy: which payments a wallet may make, to whom and how much. */

import { USDC_DECIMALS } from '../../contract/usdc.ts';
import { type Atomic, formatDecimal, parseDecimal } from '../money/money.ts';

/** What one merchant's payment requests may contain. */
export interface HostRule {
  /** CAIP-2 id; undefined: each network that a wallet of this program pays on. */
  readonly network: string | undefined;
  /** The asset's address; undefined: USDC. */
  readonly mint: string | undefined;
  /** Allowed payment addresses; `manifest`: those that the host lists in `/.well-known/x402.json`. */
  readonly payTo: 'any' | 'manifest' | readonly string[];
  /** Undefined: any fee payer. */
  readonly feePayers: readonly string[] | undefined;
  /** Whether the merchant may ask for a memo. */
  readonly memo: 'on' | 'off';
}

/** All amounts in atomic units of USDC. */
export interface Policy {
  readonly perOrder: Atomic;
  /** In any 24 hours: over all merchants, and per merchant. */
  readonly perDay: Atomic;
  readonly perMerchantPerDay: Atomic;
  /** Maximum number of payments in progress at once. */
  readonly maxOpenIntents: number;
  /** Minimum that stays in the wallet. */
  readonly minReserve: Atomic;
  /** By host as in a URL, with a port if it has one; undefined allows every host (test money only). */
  readonly hosts: ReadonlyMap<string, HostRule> | undefined;
  /** Patterns with `*`; undefined allows every recipient. */
  readonly recipients: readonly string[] | undefined;
  /** Undefined allows every kind. */
  readonly kinds: readonly string[] | undefined;
  readonly nonInteractive: { readonly enabled: boolean; readonly perOrder: Atomic };
  readonly mcp: {
    readonly pay: AgentPay;
    /** Whether `scrip mcp --reveal-codes` is allowed; without that flag, agents never see codes. */
    readonly revealCodes: boolean;
    /** With `auto`: above this a person is asked. Undefined asks for nothing. */
    readonly askAbove?: Atomic;
  };
}

export const AGENT_PAY = ['off', 'confirm', 'auto'] as const;
/** Whether an agent's tool may pay: never, after a person confirms, or on its own up to `askAbove`. */
export type AgentPay = (typeof AGENT_PAY)[number];

const usdc = (text: string): Atomic => parseDecimal(text, USDC_DECIMALS);

/** Defaults for real money, after merchants' own guidance on budgets for agents. */
export const REAL_MONEY: Policy = {
  perOrder: usdc('50'),
  perDay: usdc('100'),
  perMerchantPerDay: usdc('100'),
  maxOpenIntents: 3,
  minReserve: usdc('0'),
  hosts: new Map(),
  recipients: undefined,
  kinds: undefined,
  nonInteractive: { enabled: false, perOrder: usdc('20') },
  mcp: { pay: 'off', revealCodes: true },
};

/**
 * Defaults for test money. Ours: they are generous, since test money is for trying things out. Settings in
 * the policy file apply to it too.
 */
export const PLAY_MONEY: Policy = {
  ...REAL_MONEY,
  perOrder: usdc('10000'),
  perDay: usdc('100000'),
  perMerchantPerDay: usdc('100000'),
  maxOpenIntents: 1_000,
  hosts: undefined,
  nonInteractive: { enabled: true, perOrder: usdc('10000') },
  mcp: { pay: 'confirm', revealCodes: true },
};

/** The most that one merchant may be paid in 24 hours. */
export function dayLimit({ perDay, perMerchantPerDay }: Policy): Atomic {
  return perMerchantPerDay < perDay ? perMerchantPerDay : perDay;
}

export const DEFAULT_RULE: HostRule = {
  network: undefined,
  mint: undefined,
  payTo: 'any',
  feePayers: undefined,
  memo: 'on',
};

/** Returns the rule for a merchant; undefined for an unlisted one. */
export function ruleFor({ hosts }: Policy, merchant: string): HostRule | undefined {
  return hosts?.get(hostKey(merchant));
}

/**
 * Whether the merchant is the embedded service of a profile, which is part of this program and has no host.
 */
export function isEmbeddedMerchant(merchant: string): boolean {
  return merchant.startsWith('embedded:');
}

/** Returns the policy's name for a merchant: the host of its address. */
export function hostKey(merchant: string): string {
  return URL.canParse(merchant) && merchant.includes('://') ? new URL(merchant).host : merchant;
}

/**
 * Whether a recipient matches a pattern. A pattern that begins with + and has no @ matches only phone
 * numbers, because an e-mail address may begin with + too.
 */
export function isRecipient(pattern: string, recipient: string): boolean {
  const isForPhones = pattern.startsWith('+') && !pattern.includes('@');
  if (isForPhones && !/^\+[0-9][0-9 ().-]*$/.test(recipient)) return false;
  return isMatch(pattern, recipient);
}

/** `*` matches any text; case is ignored. */
function isMatch(pattern: string, text: string): boolean {
  const [first = '', ...rest] = pattern.toLowerCase().split('*');
  const wanted = text.toLowerCase();
  const last = rest.pop();
  if (last === undefined) return wanted === first;
  if (!wanted.startsWith(first)) return false;
  let from = first.length;
  for (const part of rest) {
    const at = wanted.indexOf(part, from);
    if (at === -1) return false;
    from = at + part.length;
  }
  return wanted.length - last.length >= from && wanted.endsWith(last);
}

export function usdcText(amount: Atomic): string {
  return formatDecimal(amount, USDC_DECIMALS, 2);
}
