/**
 * Finds USDC that left a wallet since an instant, moved by any program: transfers of any kind,
 * burns, accounts given away. It compares the wallet's balances before and after each transaction,
 * not instructions.
 */

import { t } from '../../domain/message/message.ts';
import { atomic } from '../../domain/money/money.ts';
import type { Outflow } from '../../domain/policy/spend-log.ts';
import type { PayerRail } from '../rail.ts';
import { asList, asText, field } from '../rpc-transport.ts';
import { gapOf, missing, untold } from '../witness.ts';
import { associatedTokenAddress } from './address.ts';
import { contradiction, listHistory } from './own-history.ts';
import type { SolanaRpc } from './rpc.ts';
import { inJson, type SignatureEntry, tokensHeld } from './rpc-answers.ts';

/** Includes transactions newer than finalized, so a payment made a moment ago counts. */
const COMMITMENT = 'confirmed';
/** Maximum number of transactions read per account; a busier wallet is refused. */
const MOST_READS = 500;

export interface OutflowOptions {
  readonly rpc: SolanaRpc;
  readonly mint: string;
  /** Transactions read so far; this function adds to it. */
  readonly read: Map<string, Move>;
}

/** Effect of a transaction on the wallet. */
interface Move {
  readonly signatures: readonly string[];
  /** Negative for incoming money. */
  readonly lost: bigint;
  /** Token accounts that the wallet owned before it. */
  readonly accounts: readonly string[];
}

type Span = Parameters<PayerRail['outflows']>[1];

/** See `PayerRail.outflows`. */
export async function readOutflows(
  options: OutflowOptions,
  owner: string,
  span: Span,
): Promise<readonly Outflow[]> {
  const { rpc, mint, read } = options;
  const { slot } = await rpc.height('finalized');
  const listed = new Map<string, SignatureEntry>();
  const own = associatedTokenAddress(owner, mint);
  /** Accounts named by the transactions read so far. */
  const touched = new Set<string>();
  const addresses = new Set([owner, own, ...(await accountsOf(options, owner))]);
  // The loop adds accounts that transactions name, so it also reads those closed since.
  for (const address of addresses) {
    const range = { sinceMs: span.sinceMs, until: undefined, tip: { slot } };
    const history = await listHistory(rpc, address, range);
    const { entries, isEmpty } = history;
    const { expected } = span;
    const believed = { owner, mint, expected };
    const gap =
      history.gap ??
      (address === owner ? await contradiction(rpc, history, believed) : undefined) ??
      (isEmpty && expected !== undefined && touched.has(address)
        ? t`the RPC lists only the owner’s transactions of ${address}`
        : undefined);
    if (gap !== undefined) throw untold(gap);
    const done = entries.filter(({ error }) => error === null);
    for (const entry of done) listed.set(entry.signature, entry);
    await readMoves(options, owner, unreadOf(options, done, span));
    const moves = done.flatMap(({ signature }) => read.get(signature) ?? []);
    for (const account of moves.flatMap(({ accounts }) => accounts)) {
      addresses.add(account);
      touched.add(account);
    }
  }
  return [...listed.values()].flatMap((entry) => outflowOf(options, entry, span));
}

function unreadOf(
  { read }: OutflowOptions,
  entries: readonly SignatureEntry[],
  { known }: Span,
): readonly string[] {
  const ids = entries.map(({ signature }) => signature);
  const unread = ids.filter((id) => !known.has(id) && !read.has(id));
  const gap = gapOf(new Set(), unread.length, { mostReads: MOST_READS });
  if (gap === undefined) return unread;
  throw untold(gap, t`Pay from a wallet that no other program uses, or wait a day.`);
}

function outflowOf(
  { read }: OutflowOptions,
  { signature: transactionId, timeMs }: SignatureEntry,
  { known, nowMs }: Span,
): readonly Outflow[] {
  // Without a block time, assume it was made just now.
  const common = { transactionId, atMs: timeMs ?? nowMs };
  const move = read.get(transactionId);
  if (known.has(transactionId) || move === undefined) {
    return [{ ...common, signatures: [], amountAtomic: undefined }];
  }
  const { signatures, lost } = move;
  return lost <= 0n ? [] : [{ ...common, signatures, amountAtomic: atomic(lost) }];
}

/** Lists the token accounts of the mint that the wallet owns now. */
async function accountsOf(
  { rpc, mint }: OutflowOptions,
  owner: string,
): Promise<readonly string[]> {
  const config = { encoding: 'base64', commitment: COMMITMENT };
  const result = await rpc.request('getTokenAccountsByOwner', [owner, { mint }, config]);
  const found = asList(field(result, 'value'), t`token accounts`);
  return found.map((account) => asText(field(account, 'pubkey'), t`a token account`));
}

async function readMoves(
  { rpc, mint, read }: OutflowOptions,
  owner: string,
  ids: readonly string[],
): Promise<void> {
  const found = await rpc.requestAll('getTransaction', ids.map(inJson));
  const own = associatedTokenAddress(owner, mint);
  for (const [at, id] of ids.entries()) {
    const transaction = found[at] ?? undefined;
    if (transaction === undefined) throw missing(id);
    // Old records name no owner; recognize the wallet's own account by its address.
    const heldIn = (when: 'pre' | 'post') =>
      tokensHeld(transaction, when, mint).filter((held) =>
        typeof held.owner === 'string' ? held.owner === owner : held.account === own,
      );
    read.set(id, moveIn(transaction, heldIn('pre'), heldIn('post')));
  }
}

type Held = Pick<ReturnType<typeof tokensHeld>[number], 'account' | 'amount'>;

function moveIn(found: unknown, before: readonly Held[], after: readonly Held[]): Move {
  const signatures = asList(field(field(found, 'transaction'), 'signatures'), t`signatures`);
  return {
    signatures: signatures.map((one) => asText(one, t`a signature`)),
    lost: sum(before) - sum(after),
    accounts: before.map(({ account }) => account),
  };
}

function sum(held: readonly Held[]): bigint {
  return held.reduce((total, { amount }) => total + amount, 0n);
}
