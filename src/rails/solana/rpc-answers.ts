/** What a Solana node answers, read from its JSON. Every reader throws CHAIN_UNREACHABLE for anything else. */

import { ScripError } from '../../domain/errors.ts';
import { t } from '../../domain/message.ts';
import { asBytes, asCount, asLamports, asList, asText, field } from './json.ts';

export type Commitment = 'processed' | 'confirmed' | 'finalized';

export interface AccountInfo {
  readonly lamports: bigint;
  /** The program that owns the account. */
  readonly owner: string;
  readonly data: Uint8Array;
  readonly isExecutable: boolean;
}

export interface SignatureEntry {
  readonly signature: string;
  readonly slot: number;
  /** Time of its block, if the node gives it. */
  readonly timeMs?: number;
  /** The transaction's error in the chain's form, or null. */
  readonly error: unknown;
  /** Whether it is final, so it cannot be undone. */
  readonly isFinal: boolean;
}

export interface LandedTransaction {
  readonly slot: number;
  /** Time of its block, if the node gives it. */
  readonly timeMs?: number;
  readonly error: unknown;
  readonly wire: Uint8Array;
}

export interface Simulation {
  /** Null if it would succeed. */
  readonly error: unknown;
  readonly logs: readonly string[];
}

export interface SignatureStatus {
  readonly slot: number;
  readonly error: unknown;
  readonly commitment: Commitment;
}

export function readAccount(value: unknown): AccountInfo {
  return {
    lamports: asLamports(field(value, 'lamports'), t`a balance`),
    owner: asText(field(value, 'owner'), t`an owner`),
    data: asBytes(field(value, 'data'), t`account data`),
    isExecutable: field(value, 'executable') === true,
  };
}

export function readEntry(entry: unknown, asked: string): SignatureEntry {
  const blockTime = field(entry, 'blockTime');
  return {
    signature: asText(field(entry, 'signature'), t`a signature`),
    slot: asCount(field(entry, 'slot'), t`a slot`),
    ...(typeof blockTime === 'number' ? { timeMs: blockTime * 1_000 } : {}),
    error: field(entry, 'err') ?? null,
    isFinal: asked === 'finalized' || field(entry, 'confirmationStatus') === 'finalized',
  };
}

export function readTransaction(result: unknown): LandedTransaction {
  const meta = field(result, 'meta');
  if (typeof meta !== 'object' || meta === null) {
    // Without `meta` it is unknown whether the transaction failed.
    throw new ScripError('CHAIN_UNREACHABLE', t`The RPC returned a transaction without an outcome`);
  }
  const blockTime = field(result, 'blockTime');
  return {
    slot: asCount(field(result, 'slot'), t`a slot`),
    ...(typeof blockTime === 'number' ? { timeMs: blockTime * 1_000 } : {}),
    error: field(meta, 'err') ?? null,
    wire: asBytes(field(result, 'transaction'), t`a transaction`),
  };
}

/** Returns the accounts of a transaction in JSON, in the order of its balances: lookup tables come last. */
export function keysOf(found: unknown): readonly unknown[] {
  const message = field(field(found, 'transaction'), 'message');
  const loaded = field(field(found, 'meta'), 'loadedAddresses');
  const more = (part: string): readonly unknown[] =>
    field(loaded, part) === undefined ? [] : asList(field(loaded, part), t`loaded addresses`);
  return [
    ...asList(field(message, 'accountKeys'), t`the accounts of a transaction`),
    ...more('writable'),
    ...more('readonly'),
  ];
}

export function readSimulation(value: unknown): Simulation {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, 'err')) {
    throw new ScripError('CHAIN_UNREACHABLE', t`The RPC returned a simulation without an outcome`);
  }
  const logs = field(value, 'logs');
  return {
    error: field(value, 'err'),
    logs: Array.isArray(logs) ? logs.filter((line) => typeof line === 'string') : [],
  };
}

export function readStatus(status: unknown): SignatureStatus | null {
  if (status === null) return null;
  return {
    slot: asCount(field(status, 'slot'), t`a slot`),
    error: field(status, 'err') ?? null,
    commitment: readCommitment(field(status, 'confirmationStatus')),
  };
}

/** A missing status counts as the weakest one. */
function readCommitment(value: unknown): Commitment {
  return value === 'finalized' || value === 'confirmed' ? value : 'processed';
}
