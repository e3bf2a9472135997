/** The policy file, parsed strictly. */

import { USDC_DECIMALS } from '../../contract/usdc.ts';
import { isEvmAddress, isSolanaAddress } from '../address/chain-address.ts';
import { readStrictJson } from '../canonical-json.ts';
import { REQUEST_KIND } from '../journal/paid-request.ts';
import { ScripError } from '../message/errors.ts';
import { type Message, type Said, t } from '../message/message.ts';
import { type Atomic, parseDecimal } from '../money/money.ts';
import { PRODUCT_KINDS } from '../product/product.ts';
import {
  AGENT_PAY,
  DEFAULT_RULE,
  type HostRule,
  PLAY_MONEY,
  type Policy,
  REAL_MONEY,
  usdcText,
} from './policy.ts';

/** The keys that the file sets; the others have their defaults. */
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
  readonly mcp?: Partial<Policy['mcp']>;
}

/** The user's own policy file. */
export interface PolicyFileAccess {
  readonly path: string;
  /** Returns undefined when there is no file. @throws {ScripError} POLICY_INVALID */
  read(): Promise<string | undefined>;
  /** Replaces the whole file. @throws {ScripError} OUTPUT_UNWRITABLE */
  write(text: string): Promise<void>;
}

const MAX_LIST = 1_000;
const MAX_TEXT = 254;
const MAX_OPEN = 1_000_000;

/** Returns the effective policy; real and test money differ in the defaults. */
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

/** Products, and the answers of other hosts. */
const KINDS = [...PRODUCT_KINDS, REQUEST_KIND];

/** Position of a value, for error messages. */
interface Spot {
  readonly source: Said;
  readonly key: string;
}

/**
 * Parses a policy file.
 * @throws {ScripError} POLICY_INVALID on anything else, including unknown keys: a misspelled limit would
 * otherwise not apply
 */
export function parsePolicy(text: string, source: Said): PolicyFile {
  return readPolicy(parsePolicyJson(text, source), { source, key: '' });
}

/** Reads a policy from parsed JSON. @throws {ScripError} POLICY_INVALID */
export const readPolicy: Read<PolicyFile> = (value, at) =>
  fields<PolicyFile>(value, at, {
    perOrder: amount,
    perDay: amount,
    perMerchantPerDay: amount,
    maxOpenIntents: count,
    minReserve: amount,
    hosts,
    recipients: texts,
    kinds: (list, spot) => texts(list, spot).map((kind) => oneOf(KINDS, kind, spot)),
    nonInteractive: (part, spot) => fields(part, spot, { enabled: flag, perOrder: amount }),
    mcp: (part, spot) =>
      fields(part, spot, {
        pay: (pay, here) => oneOf(AGENT_PAY, pay, here),
        revealCodes: flag,
        askAbove: amount,
      }),
  });

const hosts: Read<ReadonlyMap<string, HostRule>> = (value, at) =>
  new Map(
    Object.entries(record(value, at)).map(([host, rule]) => {
      const spot = { ...at, key: `${at.key}.${host}` };
      if (!isHost(host)) throw invalid(spot, t`is not a host such as x402.example`);
      return [host, hostRule(rule, spot)];
    }),
  );

/** Whether it is a host as in a URL: lowercase, without the scheme. */
function isHost(text: string): boolean {
  if (text.length > MAX_TEXT || /[\s/@?#\\]/.test(text)) return false;
  return URL.canParse(`https://${text}`) && new URL(`https://${text}`).host === text;
}

const hostRule: Read<HostRule> = (value, at) => ({
  ...DEFAULT_RULE,
  ...fields<HostRule>(value, at, {
    network: text,
    mint: text,
    payTo: (to, spot) =>
      Array.isArray(to) ? addresses(to, spot) : oneOf(['any', 'manifest'] as const, to, spot),
    feePayers: texts,
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
  // Each key's own reader checked its value above.
  return Object.fromEntries(entries) as Partial<T>;
}

const amount: Read<Atomic> = (value, at) => {
  if (typeof value !== 'string') throw invalid(at, t`is not an amount in quotes, such as "50"`);
  try {
    return parseDecimal(value, USDC_DECIMALS);
  } catch (cause) {
    throw invalid(at, t`is "${value.slice(0, 40)}", not an amount such as "50"`, cause);
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

function text(value: unknown, at: Spot): string {
  if (typeof value === 'string' && value.length > 0 && value.length <= MAX_TEXT) return value;
  throw invalid(at, t`is not a string`);
}

function texts(value: unknown, at: Spot): readonly string[] {
  if (!Array.isArray(value) || value.length > MAX_LIST)
    throw invalid(at, t`is not a list of strings`);
  return value.map((one) => text(one, at));
}

/** Any other text matches no payment, so it must be a mistake. */
const addresses: Read<readonly string[]> = (value, at) => {
  const found = texts(value, at);
  const stranger = found.find((one) => !isSolanaAddress(one) && !isEvmAddress(one));
  if (stranger === undefined) return found;
  const shown = stranger.slice(0, 64);
  throw invalid(
    at,
    t`has "${shown}", which is not an address on Solana or Base; use any, manifest or addresses`,
  );
};

function oneOf<T extends string>(known: readonly T[], value: unknown, at: Spot): T {
  const found = known.find((one) => one === value);
  if (found !== undefined) return found;
  throw invalid(at, t`is not one of ${known.join(', ')}`);
}

function record(value: unknown, at: Spot): Readonly<Record<string, unknown>> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  throw invalid(at, t`is not an object`);
}

/** Parses JSON without a key that is written twice. @throws {ScripError} POLICY_INVALID */
export function parsePolicyJson(json: string, source: Said): unknown {
  const read = readStrictJson(json);
  if (read.problem === undefined) return read.value;
  throw invalid({ source, key: '' }, read.problem, read.cause);
}

function invalid({ source, key }: Spot, problem: Message, cause?: unknown): ScripError {
  const where = key === '' ? source : t`${source}: ${key}`;
  return new ScripError('POLICY_INVALID', t`${where} ${problem}`, { cause });
}

/** Formats the policy as JSON, indented by two spaces. */
export function formatPolicy(file: PolicyFile): string {
  return `${JSON.stringify(policyRecord(file), undefined, 2)}\n`;
}

/** Returns the policy as plain data: amounts are decimal strings. */
export function policyRecord(file: PolicyFile | Policy): Readonly<Record<string, unknown>> {
  return plainFields(file);
}

function plain(value: unknown): unknown {
  if (typeof value === 'bigint') return usdcText(value as Atomic);
  if (value instanceof Map) return plain(Object.fromEntries(value));
  if (Array.isArray(value) || typeof value !== 'object' || value === null) return value;
  return plainFields(value);
}

/** Omits undefined fields, as JSON does. */
function plainFields(value: object): Readonly<Record<string, unknown>> {
  const stated = Object.entries(value).filter(([, part]) => part !== undefined);
  return Object.fromEntries(stated.map(([key, part]) => [key, plain(part)]));
}
