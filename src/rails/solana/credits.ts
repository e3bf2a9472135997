/** Credits to an account per transaction, from a node's history. */

import { ScripError } from '../../domain/errors.ts';
import { t } from '../../domain/message.ts';
import { type Atomic, atomic } from '../../domain/money.ts';
import type { Received } from '../rail.ts';
import { asCount, asLamports, asList, asText, field } from './json.ts';
import type { SolanaRpc } from './rpc.ts';
import type { SignatureEntry } from './rpc-answers.ts';

export interface Credit {
  /** Base58 id of the transaction. */
  readonly signature: string;
  readonly amountAtomic: Atomic;
  /** Whether it is finalized. */
  readonly isFinal: boolean;
}

/** More transactions than one order ever has. */
const HISTORY = 100;

/**
 * Lists confirmed transactions that credited the account, oldest first. A transaction that the node
 * lists but cannot return yet is left for the next call: no amount is reported without its id.
 * Without `mint` the lamports of the account count; `until` is the id of the last transaction not to list.
 * @throws {ScripError} CHAIN_UNREACHABLE
 */
export async function creditsTo(
  rpc: Pick<SolanaRpc, 'request'>,
  account: string,
  { mint, until }: { readonly mint: string | undefined; readonly until?: string | undefined },
): Promise<readonly Credit[]> {
  const config = {
    commitment: 'confirmed',
    limit: HISTORY,
    ...(until === undefined ? {} : { until }),
  };
  const history = asList(
    await rpc.request('getSignaturesForAddress', [account, config]),
    t`a history`,
  );
  const entries = history
    .filter((entry) => (field(entry, 'err') ?? null) === null)
    .map((entry) => ({
      signature: asText(field(entry, 'signature'), t`a signature`),
      isFinal: field(entry, 'confirmationStatus') === 'finalized',
    }))
    .reverse();
  const credits = await Promise.all(
    entries.map(async ({ signature, isFinal }) => ({
      signature,
      isFinal,
      amountAtomic: creditOf(await transactionOf(rpc, signature), account, mint),
    })),
  );
  return credits.filter(({ amountAtomic }) => amountAtomic > 0n);
}

/** What one confirmed transaction credited to the account; 0 if it does not name the account. */
async function creditIn(
  rpc: Pick<SolanaRpc, 'request'>,
  signature: string,
  { account, mint }: { readonly account: string; readonly mint: string },
): Promise<Atomic> {
  const transaction = await transactionOf(rpc, signature);
  const isNamed = transaction != null && keysOf(transaction).includes(account);
  return isNamed ? creditOf(transaction, account, mint) : atomic(0n);
}

/** What one transaction credited to the account; undefined if the node does not have it, or it failed. */
export async function receivedIn(
  rpc: Pick<SolanaRpc, 'request' | 'signatureStatuses'>,
  signature: string,
  account: { readonly account: string; readonly mint: string },
): Promise<Received | undefined> {
  const [status] = await rpc.signatureStatuses([signature]);
  if (!status || status.error !== null) return undefined;
  const amountAtomic = await creditIn(rpc, signature, account);
  return { amountAtomic, isFinal: status.commitment === 'finalized' };
}

/**
 * What one final transaction changed of the accounts' balances, in their order; undefined if the node does not have
 * it as final, or it failed.
 */
export async function changesIn(
  rpc: Pick<SolanaRpc, 'request' | 'signatureStatuses'>,
  signature: string,
  { accounts, mint }: { readonly accounts: readonly string[]; readonly mint: string },
): Promise<readonly BalanceChange[] | undefined> {
  const [status] = await rpc.signatureStatuses([signature]);
  if (status?.error !== null || status.commitment !== 'finalized') return undefined;
  const transaction = await transactionOf(rpc, signature);
  if (transaction == null) return undefined;
  const keys = new Set(keysOf(transaction));
  const atMs = asCount(field(transaction, 'blockTime') ?? 0, t`the time of a block`) * 1_000;
  return accounts.map((account) => {
    const change = keys.has(account) ? changeOf(transaction, account, mint) : 0n;
    return { transaction: signature, change, atMs };
  });
}

function transactionOf(rpc: Pick<SolanaRpc, 'request'>, signature: string): Promise<unknown> {
  const config = { commitment: 'confirmed', encoding: 'json', maxSupportedTransactionVersion: 0 };
  return rpc.request('getTransaction', [signature, config]);
}

/** A change of an account's balance in one confirmed transaction; negative where money left it. */
export interface BalanceChange {
  readonly transaction: string;
  readonly change: bigint;
  readonly atMs: number;
}

const PAGE_SIZE = 1_000;
const AT_ONCE = 8;

/**
 * All changes of a token account, oldest first: two calls for each of its transactions.
 * @param sinceMs what its blocks say is older is not read
 * @throws {ScripError} CHAIN_UNREACHABLE, also when the node no longer has a transaction that it lists
 */
export async function changesOf(
  rpc: Pick<SolanaRpc, 'request' | 'signaturesForAddress'>,
  account: string,
  mint: string,
  sinceMs = 0,
): Promise<readonly BalanceChange[]> {
  const entries: SignatureEntry[] = [];
  for (;;) {
    const before = entries.at(-1)?.signature;
    const page = { commitment: 'confirmed', limit: PAGE_SIZE, before } as const;
    const more = await rpc.signaturesForAddress(account, page);
    entries.push(...more);
    // Nodes may cap a page below its limit: only an empty page is the end.
    if (more.length === 0 || isOlder(more.at(-1), sinceMs)) break;
  }
  const landed = entries
    .filter((entry) => entry.error === null && !isOlder(entry, sinceMs))
    .reverse();
  const changes: BalanceChange[] = [];
  for (let at = 0; at < landed.length; at += AT_ONCE) {
    const some = landed.slice(at, at + AT_ONCE).map(async ({ signature, timeMs = 0 }) => {
      const transaction = await transactionOf(rpc, signature);
      if (transaction == null) {
        throw new ScripError('CHAIN_UNREACHABLE', t`The RPC no longer has ${signature}`, {
          hint: t`Use a node that keeps the history of the shop.`,
        });
      }
      const change = changeOf(transaction, account, mint);
      return { transaction: signature, change, atMs: timeMs };
    });
    changes.push(...(await Promise.all(some)));
  }
  return changes.filter(({ change }) => change !== 0n);
}

/** A block without a time is read. */
function isOlder(entry: SignatureEntry | undefined, sinceMs: number): boolean {
  return entry?.timeMs !== undefined && entry.timeMs < sinceMs;
}

function creditOf(transaction: unknown, account: string, mint: string | undefined): Atomic {
  if (transaction === null || transaction === undefined) return atomic(0n);
  const gained = changeOf(transaction, account, mint);
  return atomic(gained > 0n ? gained : 0n);
}

function changeOf(transaction: unknown, account: string, mint: string | undefined): bigint {
  const index = indexOf(transaction, account);
  const meta = field(transaction, 'meta');
  const at = (when: 'pre' | 'post'): bigint =>
    mint === undefined ? lamportsAt(meta, when, index) : tokensAt(meta, when, { index, mint });
  return at('post') - at('pre');
}

/** The message's keys, followed by those of lookup tables. */
function keysOf(transaction: unknown): readonly unknown[] {
  const message = field(field(transaction, 'transaction'), 'message');
  const loaded = field(field(transaction, 'meta'), 'loadedAddresses');
  const more = (part: string): readonly unknown[] =>
    field(loaded, part) === undefined ? [] : asList(field(loaded, part), t`loaded addresses`);
  return [
    ...asList(field(message, 'accountKeys'), t`the accounts of a transaction`),
    ...more('writable'),
    ...more('readonly'),
  ];
}

function indexOf(transaction: unknown, account: string): number {
  const index = keysOf(transaction).indexOf(account);
  if (index >= 0) return index;
  throw new ScripError('CHAIN_UNREACHABLE', t`The RPC shows a transaction without ${account}`);
}

function lamportsAt(meta: unknown, when: 'pre' | 'post', index: number): bigint {
  return asLamports(asList(field(meta, `${when}Balances`), t`balances`)[index], t`a balance`);
}

/** Zero before the account existed. */
function tokensAt(
  meta: unknown,
  when: 'pre' | 'post',
  { index, mint }: { readonly index: number; readonly mint: string },
): bigint {
  const balances = asList(field(meta, `${when}TokenBalances`), t`token balances`);
  const own = balances.find(
    (entry) =>
      asCount(field(entry, 'accountIndex'), t`an account index`) === index &&
      field(entry, 'mint') === mint,
  );
  if (own === undefined) return 0n;
  const amount = asText(field(field(own, 'uiTokenAmount'), 'amount'), t`a token amount`);
  if (/^\d{1,20}$/.test(amount)) return BigInt(amount);
  throw new ScripError('CHAIN_UNREACHABLE', t`The RPC returned an unreadable token amount`);
}
