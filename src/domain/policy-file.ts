/** The policy as it is written down, read strictly. */

import { USDC_DECIMALS } from '../contract/usdc.ts';
import { ScripError } from './errors.ts';
import { type Message, type Said, t } from './message.ts';
import { type Atomic, parseDecimal } from './money.ts';
import {
  AGENT_PAY,
  type AgentPay,
  DEFAULT_RULE,
  type HostRule,
  PLAY_MONEY,
  type Policy,
  REAL_MONEY,
  usdcText,
} from './policy.ts';
import { PRODUCT_KINDS } from './product.ts';
import { isSolanaAddress } from './solana-address.ts';

/** What a file states; what it leaves out has its default. */
export interface PolicyFile {
  readonly perOrder?: Atomic;
  readonly perDay?: Atomic;
  readonly perMerchantPerDay?: Atomic;
  readonly maxOpenIntents?: number;
  readonly minReserve?: Atomic;
  readonly hosts?: ReadonlyMap<string, HostRule>;
  readonly recipients?: readonly string[];
  readonly kinds?: readonly string[];
  readonly nonInteractive?: { readonly enabled?: boolean; readonly perOrder?: Atomic };
  readonly mcp?: { readonly pay?: AgentPay; readonly revealCodes?: boolean };
}

/** The user's own policy file. */
export interface PolicyFileAccess {
  readonly path: string;
  /** Undefined where there is none. @throws {ScripError} POLICY_INVALID */
  read(): Promise<string | undefined>;
  /** Replaces it whole. @throws {ScripError} OUTPUT_UNWRITABLE */
  write(text: string): Promise<void>;
}

const MAX_LIST = 1_000;
const MAX_TEXT = 254;
const MAX_OPEN = 1_000_000;

/** The policy that holds for real or for test money: they differ in what the file leaves out. */
export function policyOf(file: PolicyFile, isPlayMoney: boolean): Policy {
  const base = isPlayMoney ? PLAY_MONEY : REAL_MONEY;
  return {
    ...base,
    ...file,
    nonInteractive: { ...base.nonInteractive, ...file.nonInteractive },
    mcp: { ...base.mcp, ...file.mcp },
  };
}

type Read<T> = (value: unknown, at: Spot) => T;

/** Where a value stands, for the message. */
interface Spot {
  readonly source: Said;
  readonly key: string;
}

/**
 * Reads a policy file.
 * @throws {ScripError} POLICY_INVALID on anything else; an unknown key is an error, since a
 * misspelt limit would silently be none
 */
export function parsePolicy(text: string, source: Said): PolicyFile {
  return readPolicy(parsePolicyJson(text, source), { source, key: '' });
}

/** Reads it from plain data. @throws {ScripError} POLICY_INVALID */
export const readPolicy: Read<PolicyFile> = (value, at) =>
  fields<PolicyFile>(value, at, {
    perOrder: amount,
    perDay: amount,
    perMerchantPerDay: amount,
    maxOpenIntents: count,
    minReserve: amount,
    hosts,
    recipients: (list, spot) => texts(list, spot, MAX_TEXT),
    kinds: (list, spot) =>
      texts(list, spot, MAX_TEXT).map((kind) => oneOf(PRODUCT_KINDS, kind, spot)),
    nonInteractive: (part, spot) => fields(part, spot, { enabled: flag, perOrder: amount }),
    mcp: (part, spot) =>
      fields(part, spot, { pay: (pay, here) => oneOf(AGENT_PAY, pay, here), revealCodes: flag }),
  });

const hosts: Read<ReadonlyMap<string, HostRule>> = (value, at) =>
  new Map(
    Object.entries(record(value, at)).map(([host, rule]) => {
      const spot = { ...at, key: `${at.key}.${host}` };
      if (!isHost(host)) throw invalid(spot, t`is not a host such as x402.example`);
      return [host, hostRule(rule, spot)];
    }),
  );

/** As it stands in an address, in lower case; the scheme is not part of it. */
function isHost(text: string): boolean {
  if (text.length > MAX_TEXT || /[\s/@?#\\]/.test(text)) return false;
  return URL.canParse(`https://${text}`) && new URL(`https://${text}`).host === text;
}

const hostRule: Read<HostRule> = (value, at) => ({
  ...DEFAULT_RULE,
  ...fields<HostRule>(value, at, {
    network: (name, spot) => text(name, spot, MAX_TEXT),
    mint: (address, spot) => text(address, spot, MAX_TEXT),
    payTo: (to, spot) =>
      Array.isArray(to) ? addresses(to, spot) : oneOf(['any', 'manifest'] as const, to, spot),
    feePayers: (list, spot) => texts(list, spot, MAX_TEXT),
    memo: (memo, spot) => oneOf(['on', 'off'] as const, memo, spot),
  }),
});

function fields<T>(
  value: unknown,
  at: Spot,
  readers: { readonly [Key in keyof T]-?: Read<unknown> },
): Partial<T> {
  const entries = Object.entries(record(value, at)).map(([key, field]) => {
    const spot = { ...at, key: at.key === '' ? key : `${at.key}.${key}` };
    const reader = Object.entries<Read<unknown>>(readers).find(([name]) => name === key)?.[1];
    if (reader === undefined) throw invalid(spot, t`is not a policy key`);
    return [key, reader(field, spot)];
  });
  // Every key was read by its own reader just above.
  return Object.fromEntries(entries) as Partial<T>;
}

const amount: Read<Atomic> = (value, at) => {
  if (typeof value !== 'string') throw invalid(at, t`is not an amount in quotes, such as "50"`);
  try {
    return parseDecimal(value, USDC_DECIMALS);
  } catch (cause) {
    throw invalid(at, t`is not an amount such as "50": "${value.slice(0, 40)}"`, cause);
  }
};

const count: Read<number> = (value, at) => {
  const isCount = typeof value === 'number' && Number.isSafeInteger(value);
  if (isCount && value >= 0 && value <= MAX_OPEN) return value;
  throw invalid(at, t`is not a whole number up to ${MAX_OPEN}`);
};

const flag: Read<boolean> = (value, at) => {
  if (typeof value === 'boolean') return value;
  throw invalid(at, t`is not true or false`);
};

function text(value: unknown, at: Spot, most: number): string {
  if (typeof value === 'string' && value.length > 0 && value.length <= most) return value;
  throw invalid(at, t`is not a string`);
}

function texts(value: unknown, at: Spot, most: number): readonly string[] {
  if (!Array.isArray(value) || value.length > MAX_LIST)
    throw invalid(at, t`is not a list of strings`);
  return value.map((one) => text(one, at, most));
}

/** Any other word matches no payment, so it must be a mistake. */
const addresses: Read<readonly string[]> = (value, at) => {
  const found = texts(value, at, MAX_TEXT);
  const stranger = found.find((one) => !isSolanaAddress(one));
  if (stranger === undefined) return found;
  const shown = stranger.slice(0, 64);
  throw invalid(
    at,
    t`has "${shown}", which is not a Solana address; use any, manifest or addresses`,
  );
};

function oneOf<T extends string>(known: readonly T[], value: unknown, at: Spot): T {
  const found = known.find((one) => one === value);
  if (found !== undefined) return found;
  throw invalid(at, t`is none of ${known.join(', ')}`);
}

function record(value: unknown, at: Spot): Readonly<Record<string, unknown>> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  throw invalid(at, t`is not an object`);
}

/** @throws {ScripError} POLICY_INVALID */
export function parsePolicyJson(json: string, source: Said): unknown {
  try {
    return JSON.parse(json);
  } catch (cause) {
    throw invalid({ source, key: '' }, t`is not JSON`, cause);
  }
}

function invalid({ source, key }: Spot, problem: Message, cause?: unknown): ScripError {
  const where = key === '' ? source : t`${source}: ${key}`;
  return new ScripError('POLICY_INVALID', t`${where} ${problem}`, { cause });
}

/** The policy as JSON with two spaces, such as a person would write it. */
export function formatPolicy(file: PolicyFile): string {
  return `${JSON.stringify(policyRecord(file), undefined, 2)}\n`;
}

/** The same as plain data: amounts are decimals in text. */
export function policyRecord(file: PolicyFile | Policy): Readonly<Record<string, unknown>> {
  return plainFields(file);
}

function plain(value: unknown): unknown {
  if (typeof value === 'bigint') return usdcText(value as Atomic);
  if (value instanceof Map) return plain(Object.fromEntries(value));
  if (Array.isArray(value) || typeof value !== 'object' || value === null) return value;
  return plainFields(value);
}

/** What is undefined is left out, as JSON does. */
function plainFields(value: object): Readonly<Record<string, unknown>> {
  const stated = Object.entries(value).filter(([, part]) => part !== undefined);
  return Object.fromEntries(stated.map(([key, part]) => [key, plain(part)]));
}
