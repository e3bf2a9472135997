/** Credits to an account per transaction, from a node's history. */

import { ScripError } from '../../domain/message/errors.ts';
import { t } from '../../domain/message/message.ts';
import { type Atomic, atomic } from '../../domain/money/money.ts';
import type { BalanceChange } from '../merchant-rail.ts';
import type { Received } from '../rail.ts';
import { asList, asText, field } from '../rpc-transport.ts';
import { historyPages, oldestFirst, READ_AT_ONCE } from './history.ts';
import type { SolanaRpc } from './rpc.ts';
import {
  asCount,
  asLamports,
  inJson,
  keysOf,
  type SignatureEntry,
  tokensHeld,
} from './rpc-answers.ts';

export interface Credit {
  /** Base58 id of the transaction. */
  readonly signature: string;
  readonly amountAtomic: Atomic;
  /** Whether it is finalized. */
  readonly isFinal: boolean;
}

/** Keeps what was read of long histories, by account; each node has its own. */
export interface CreditMemory {
  get(account: string): Promise<string | undefined>;
  set(account: string, value: string): Promise<void>;
}

/** The oldest part of an account's history, once it is final. */
interface ReadCredits {
  /** Where the reading began; another lease begins elsewhere. */
  readonly since: string | null;
  /** Id of the last transaction read. */
  readonly last: string;
  /** Ids and amounts. */
  readonly credits: readonly (readonly [signature: string, amount: string])[];
}

export type CreditHistory = Awaited<ReturnType<typeof creditsTo>>;

interface CreditQuery {
  /** Without it the lamports of the account count. */
  readonly mint: string | undefined;
  /** Id of the last transaction not to list. */
  readonly until?: string | undefined;
  readonly memory: CreditMemory;
}

/** Transactions read in one call; the next one goes on from there. */
const MOST_READS = 1_000;
/** Fewer final transactions than this are read again each time, and nothing is kept. */
const KEPT_FROM = 100;

/**
 * Lists confirmed transactions that credited the account, however many strangers added. A transaction that the
 * node lists but cannot return yet is left for the next call: no amount is reported without its id.
 * @returns oldest first, and whether the node showed each transaction that it lists, and all were read
 * @throws {ScripError} CHAIN_UNREACHABLE
 */
export async function creditsTo(
  rpc: SolanaRpc,
  account: string,
  { mint, until, memory }: CreditQuery,
) {
  const known = readKept(await memory.get(account), until);
  const range = { commitment: 'confirmed', until: known?.last ?? until } as const;
  const entries = await oldestFirst(historyPages(rpc, account, range));
  const now = entries.slice(0, MOST_READS);
  const found: (Credit | undefined)[] = [];
  for (let at = 0; at < now.length; at += READ_AT_ONCE) {
    found.push(...(await readCredits(rpc, now.slice(at, at + READ_AT_ONCE), { account, mint })));
  }
  const kept = (known?.credits ?? []).map(([signature, amount]) => ({
    signature,
    amountAtomic: atomic(BigInt(amount)),
    isFinal: true,
  }));
  const open = found.findIndex((one) => one?.isFinal !== true);
  const final = open < 0 ? now.length : open;
  const last = now[final - 1]?.signature;
  if (final >= KEPT_FROM && last !== undefined) {
    const credits = [...kept, ...paying(found.slice(0, final))];
    const rows = credits.map(({ signature, amountAtomic }) => [signature, String(amountAtomic)]);
    await memory.set(account, JSON.stringify({ since: until ?? null, last, credits: rows }));
  }
  return {
    credits: [...kept, ...paying(found)],
    isWhole: now.length === entries.length && !found.includes(undefined),
  };
}

function readKept(text: string | undefined, until: string | undefined): ReadCredits | undefined {
  const kept: ReadCredits | undefined = text === undefined ? undefined : JSON.parse(text);
  return kept?.since === (until ?? null) ? kept : undefined;
}

function paying(found: readonly (Credit | undefined)[]): readonly Credit[] {
  return found.filter((one) => one !== undefined).filter(({ amountAtomic }) => amountAtomic > 0n);
}

/** In the order of the entries; undefined where the node does not return one yet. */
async function readCredits(
  rpc: SolanaRpc,
  entries: readonly SignatureEntry[],
  { account, mint }: { readonly account: string; readonly mint: string | undefined },
): Promise<readonly (Credit | undefined)[]> {
  const landed = entries.filter(({ error }) => error === null);
  const asked = landed.map(({ signature }) => inJson(signature));
  const told = await rpc.requestAll('getTransaction', asked);
  const amounts = new Map(
    landed.map(({ signature }, at) => {
      const transaction = told[at] ?? undefined;
      return [signature, transaction && creditOf(transaction, account, mint)];
    }),
  );
  return entries.map(({ signature, isFinal, error }) => {
    const amountAtomic = error === null ? amounts.get(signature) : atomic(0n);
    return amountAtomic === undefined ? undefined : { signature, isFinal, amountAtomic };
  });
}

/**
 * What one transaction credited to the account: 0 if it does not name the account; undefined if the node does not
 * have it, or it failed.
 */
export async function receivedIn(
  rpc: SolanaRpc,
  signature: string,
  { account, mint }: { readonly account: string; readonly mint: string },
): Promise<Received | undefined> {
  const [status] = await rpc.signatureStatuses([signature]);
  if (!status || status.error !== null) return undefined;
  const transaction = await rpc.request('getTransaction', inJson(signature));
  const isNamed = transaction != null && keysOf(transaction).includes(account);
  const amountAtomic = isNamed ? creditOf(transaction, account, mint) : atomic(0n);
  return { amountAtomic, isFinal: status.commitment === 'finalized' };
}

/** What a final transaction cost, in lamports; undefined if the node does not have it. */
export async function feeIn(rpc: SolanaRpc, signature: string): Promise<bigint | undefined> {
  const transaction = await rpc.request('getTransaction', inJson(signature));
  if (transaction == null) return undefined;
  return asLamports(field(field(transaction, 'meta'), 'fee'), t`a fee`);
}

/**
 * What one final transaction changed of the accounts' balances, in their order; undefined if the node does not have
 * it as final, or it failed.
 */
export async function changesIn(
  rpc: SolanaRpc,
  signature: string,
  { accounts, mint }: { readonly accounts: readonly string[]; readonly mint: string },
): Promise<readonly BalanceChange[] | undefined> {
  const [status] = await rpc.signatureStatuses([signature]);
  if (status?.error !== null || status.commitment !== 'finalized') return undefined;
  const transaction = await rpc.request('getTransaction', inJson(signature));
  if (transaction == null) return undefined;
  const keys = new Set(keysOf(transaction));
  const atMs = asCount(field(transaction, 'blockTime') ?? 0, t`the time of a block`) * 1_000;
  return accounts.map((account) => {
    const change = keys.has(account) ? changeOf(transaction, account, mint) : 0n;
    return { transaction: signature, change, atMs, feePayer: feePayerOf(transaction) };
  });
}

/**
 * All changes of a token account, oldest first.
 * @param sinceMs what its blocks say is older is not read
 * @throws {ScripError} CHAIN_UNREACHABLE, also when the node no longer has a transaction that it lists
 */
export async function changesOf(
  rpc: SolanaRpc,
  account: string,
  mint: string,
  sinceMs = 0,
): Promise<readonly BalanceChange[]> {
  const pages = historyPages(rpc, account, { commitment: 'confirmed' });
  const entries = await oldestFirst(pages, (entry) => isOlder(entry, sinceMs));
  const landed = entries.filter(({ error }) => error === null);
  const changes: BalanceChange[] = [];
  for (let at = 0; at < landed.length; at += READ_AT_ONCE) {
    const some = landed.slice(at, at + READ_AT_ONCE);
    const asked = some.map(({ signature }) => inJson(signature));
    const told = await rpc.requestAll('getTransaction', asked);
    for (const [index, { signature, timeMs = 0 }] of some.entries()) {
      const transaction = told[index];
      if (transaction == null) {
        throw new ScripError('CHAIN_UNREACHABLE', t`The RPC no longer has ${signature}`, {
          hint: t`Use a node that keeps the history of the shop.`,
        });
      }
      const change = changeOf(transaction, account, mint);
      changes.push({
        ...{ transaction: signature, change, atMs: timeMs },
        feePayer: feePayerOf(transaction),
      });
    }
  }
  return changes.filter(({ change }) => change !== 0n);
}

/** A block without a time is read. */
function isOlder({ timeMs }: SignatureEntry, sinceMs: number): boolean {
  return timeMs !== undefined && timeMs < sinceMs;
}

function creditOf(transaction: unknown, account: string, mint: string | undefined): Atomic {
  const gained = changeOf(transaction, account, mint);
  return atomic(gained > 0n ? gained : 0n);
}

function changeOf(transaction: unknown, account: string, mint: string | undefined): bigint {
  const index = keysOf(transaction).indexOf(account);
  if (index < 0) {
    throw new ScripError('CHAIN_UNREACHABLE', t`The RPC shows a transaction without ${account}`);
  }
  const at = (when: 'pre' | 'post'): bigint => {
    if (mint === undefined) return lamportsAt(field(transaction, 'meta'), when, index);
    // Zero before the account existed.
    return (
      tokensHeld(transaction, when, mint).find((held) => held.account === account)?.amount ?? 0n
    );
  };
  return at('post') - at('pre');
}

function feePayerOf(transaction: unknown): string {
  return asText(keysOf(transaction)[0], t`a fee payer`);
}

function lamportsAt(meta: unknown, when: 'pre' | 'post', index: number): bigint {
  return asLamports(asList(field(meta, `${when}Balances`), t`balances`)[index], t`a balance`);
}
