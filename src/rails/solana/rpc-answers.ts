/** What a Solana node answers, read from its JSON. Every reader throws CHAIN_UNREACHABLE for anything else. */

import { ScripError } from '../../domain/message/errors.ts';
import { type Message, t } from '../../domain/message/message.ts';
import { asList, asText, field, unreadable } from '../rpc-transport.ts';
import { encodeBase58, TOKEN_PROGRAM } from './address.ts';

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

/** What to ask `getTransaction` for a confirmed transaction in JSON, with its balances. */
export function inJson(signature: string): readonly unknown[] {
  const config = { commitment: 'confirmed', encoding: 'json', maxSupportedTransactionVersion: 0 };
  return [signature, config];
}

/** What token accounts of the mint held before or after a transaction in JSON. */
export function tokensHeld(found: unknown, when: 'pre' | 'post', mint: string) {
  const keys = keysOf(found);
  return asList(field(field(found, 'meta'), `${when}TokenBalances`), t`token balances`)
    .filter((balance) => field(balance, 'mint') === mint)
    .map((balance) => {
      const index = asCount(field(balance, 'accountIndex'), t`an account index`);
      const amount = asText(field(field(balance, 'uiTokenAmount'), 'amount'), t`a token amount`);
      if (!/^\d{1,20}$/.test(amount)) return unreadable(t`a token amount`);
      const [account, owner] = [asText(keys[index], t`an account`), field(balance, 'owner')];
      return { account, owner, amount: BigInt(amount) };
    });
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

/**
 * Returns a count, height or slot.
 * @throws {ScripError} CHAIN_UNREACHABLE if it is not a safe integer from 0
 */
export function asCount(value: unknown, what: Message): number {
  return Number.isSafeInteger(value) && Number(value) >= 0 ? Number(value) : unreadable(what);
}

/** Returns lamports. JSON parsing already rounds values above 2^53; that is accepted. */
export function asLamports(value: unknown, what: Message): bigint {
  return Number.isInteger(value) && Number(value) >= 0 ? BigInt(Number(value)) : unreadable(what);
}

/** Decodes a `[base64, "base64"]` pair. @throws {ScripError} CHAIN_UNREACHABLE */
function asBytes(value: unknown, what: Message): Uint8Array {
  const [text, encoding] = asList(value, what);
  if (encoding !== 'base64') return unreadable(what);
  return Uint8Array.from(Buffer.from(asText(text, what), 'base64'));
}

/** The Token program's layout: mint, owner, amount, 36 bytes of delegate, state, …, 165 in all. */
const ACCOUNT_BYTES = 165;
const AMOUNT_OFFSET = 64;
const STATE_OFFSET = 108;
const FROZEN = 2;

export interface TokenAccount {
  readonly mint: string;
  readonly owner: string;
  /** Atomic units. */
  readonly amount: bigint;
  readonly isFrozen: boolean;
}

/** Returns null if the bytes are not an initialized token account of the classic program. */
export function readTokenAccount(account: {
  readonly owner: string;
  readonly data: Uint8Array;
}): TokenAccount | null {
  const { owner, data } = account;
  const state = data[STATE_OFFSET] ?? 0;
  if (owner !== TOKEN_PROGRAM || data.length !== ACCOUNT_BYTES || state === 0) return null;
  return {
    mint: encodeBase58(data.subarray(0, 32)),
    owner: encodeBase58(data.subarray(32, AMOUNT_OFFSET)),
    amount: new DataView(data.buffer, data.byteOffset).getBigUint64(AMOUNT_OFFSET, true),
    isFrozen: state === FROZEN,
  };
}
