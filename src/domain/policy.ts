/** The spending policy: limits, merchants and purposes that a wallet's payments keep to. */
import { SOLANA_MAINNET, USDC_DECIMALS, USDC_MINT } from '../contract/usdc.ts';
import { type Atomic, formatDecimal, parseDecimal } from './money.ts';

/** What one merchant may ask for. */
export interface HostRule {
  /** CAIP-2 id, and the address of the asset on it. */
  readonly network: string;
  readonly mint: string;
  /** Allowed recipients of payments; `manifest`: those that the host lists in `/.well-known/x402.json`. */
  readonly payTo: 'any' | 'manifest' | readonly string[];
  /** Undefined for any. */
  readonly feePayers: readonly string[] | undefined;
  /** Whether a memo may be asked for. */
  readonly memo: 'on' | 'off';
}

/** All amounts in atomic units of USDC. */
export interface Policy {
  readonly perOrder: Atomic;
  /** In any 24 hours: of all merchants, and of one. */
  readonly perDay: Atomic;
  readonly perMerchantPerDay: Atomic;
  /** Payments that may be under way at once. */
  readonly maxOpenIntents: number;
  /** What stays in the wallet. */
  readonly minReserve: Atomic;
  /** By host as in an address, with the port where it has one; undefined for any, of test money. */
  readonly hosts: ReadonlyMap<string, HostRule> | undefined;
  /** Patterns with `*`; undefined allows everyone. */
  readonly recipients: readonly string[] | undefined;
  /** Undefined for every kind. */
  readonly kinds: readonly string[] | undefined;
  readonly nonInteractive: { readonly enabled: boolean; readonly perOrder: Atomic };
  readonly mcp: {
    readonly pay: AgentPay;
    /** `scrip mcp --reveal-codes` is taken; without that flag no codes are told. */
    readonly revealCodes: boolean;
  };
}

export const AGENT_PAY = ['off', 'confirm', 'auto'] as const;
/** Whether an agent's tool may pay: never, after a person's word at a terminal, by itself. */
export type AgentPay = (typeof AGENT_PAY)[number];

const usdc = (text: string): Atomic => parseDecimal(text, USDC_DECIMALS);

/** Merchants' own guidance for what an agent should be given. */
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

/** Ours: test money is for trying things out. What the policy file states holds for it too. */
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

export const DEFAULT_RULE: HostRule = {
  network: SOLANA_MAINNET,
  mint: USDC_MINT,
  payTo: 'any',
  feePayers: undefined,
  memo: 'on',
};

/** The rule for a merchant; undefined for a stranger. */
export function ruleFor({ hosts }: Policy, merchant: string): HostRule | undefined {
  return hosts?.get(hostKey(merchant));
}

/** The embedded service of a profile, by the journal's name: a part of this program, and no host. */
export function isEmbeddedMerchant(merchant: string): boolean {
  return merchant.startsWith('embedded:');
}

/** What the policy calls a merchant: the host of its address. */
export function hostKey(merchant: string): string {
  return URL.canParse(merchant) && merchant.includes('://') ? new URL(merchant).host : merchant;
}

/**
 * Whether a recipient is what a pattern says. One that begins with + and has no @ means phone numbers: an
 * e-mail address may begin like one.
 */
export function isRecipient(pattern: string, recipient: string): boolean {
  const isForPhones = pattern.startsWith('+') && !pattern.includes('@');
  if (isForPhones && !/^\+[0-9][0-9 ().-]*$/.test(recipient)) return false;
  return isMatch(pattern, recipient);
}

/** `*` stands for anything, case does not count. */
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
