/** Reads payments that left a wallet from the chain, to rebuild a lost journal. */

import { attempt } from '../../domain/attempt.ts';
import { type Message, t } from '../../domain/message/message.ts';
import { atomic } from '../../domain/money/money.ts';
import type { HistoryQuery, OwnHistory, OwnPayment } from '../rail.ts';
import { gapOf, missing, TOO_SHORT } from '../witness.ts';
import {
  associatedTokenAddress,
  COMPUTE_BUDGET_PROGRAM,
  encodeBase58,
  MEMO_PROGRAM,
  SYSTEM_PROGRAM,
  TOKEN_PROGRAM,
} from './address.ts';
import { historyPages, isFromBeginning } from './history.ts';
import {
  type DecodedTransaction,
  decodeTransaction,
  encodeWire,
  readComputeUnitLimit,
  readComputeUnitPrice,
  readMemo,
  readSystemTransfer,
  readTransferChecked,
  withSignature,
} from './message.ts';
import type { SolanaRpc } from './rpc.ts';
import type { LandedTransaction, SignatureEntry } from './rpc-answers.ts';
import { BLOCKHASH_LIFE, type SolanaPayment } from './seal.ts';
import { nonceOf, nonceOfTag } from './transfer.ts';

const SIGNATURE_BYTES = 64;
/** The journal's name for the chain's own coin. */
export const LAMPORTS = 'SOL';

export interface HistoryOptions {
  readonly rpc: SolanaRpc;
  readonly mint: string;
  /** Final transactions already read, by id; each is read once per rail. */
  readonly read: Map<string, OwnPayment | null>;
}

/**
 * See `PayerRail.ownPayments`. Reads the history of the wallet's own address, which signs all its
 * payments in any coin; transfers by strangers to its token accounts are not in it.
 */
export async function readOwnPayments(
  options: HistoryOptions,
  owner: string,
  query: HistoryQuery,
): Promise<OwnHistory> {
  const { rpc, mint } = options;
  const { known, mostReads } = query;
  // Read before the list, so everything in it that is not final was signed by then.
  const tip = query.isTip === true ? await readTip(rpc) : undefined;
  const listed = await listHistory(rpc, owner, { ...query, tip });
  const { entries } = listed;
  const isCut = listed.gap !== undefined && !(await isFromBeginning(rpc, entries, { owner, mint }));
  const wrong = isCut ? listed.gap : await contradiction(rpc, listed, { owner, mint, ...query });
  const unread = entries.filter(({ signature, error }) => error === null && !known.has(signature));
  const payments = await readPayments(options, unread.slice(0, mostReads), { owner, tip });
  const gap = wrong ?? gapOf(new Set(), unread.length, { mostReads });
  const newest = entries.find(({ isFinal }) => isFinal)?.signature;
  return {
    payments,
    isWhole: gap === undefined,
    ...{ gap, newest },
  };
}

async function readPayments(
  { rpc, mint, read }: HistoryOptions,
  entries: readonly SignatureEntry[],
  where: Pick<Where, 'owner' | 'tip'>,
): Promise<readonly OwnPayment[]> {
  const unread = entries.filter(({ signature }) => !read.has(signature));
  const landed = await rpc.transactions(unread.map(({ signature }) => signature));
  const found = new Map(
    unread.map((entry, index) => {
      const transaction = landed[index];
      if (transaction === null || transaction === undefined) throw missing(entry.signature);
      const isVoid = transaction.error !== null;
      const payment = isVoid ? undefined : paymentIn(transaction, { ...where, entry, mint });
      return [entry.signature, payment ?? null];
    }),
  );
  const payments = await withOwners(rpc, found);
  for (const { signature, isFinal } of unread) {
    if (isFinal) read.set(signature, payments.get(signature) ?? null);
  }
  return entries.flatMap(({ signature }) => payments.get(signature) ?? read.get(signature) ?? []);
}

/** The tip of the chain: nothing signed by now can land after `lastValidBlockHeight`. */
type Tip = Awaited<ReturnType<typeof readTip>>;

async function readTip(rpc: SolanaRpc) {
  const { slot } = await rpc.height('finalized');
  const height = await rpc.blockHeight('processed');
  return { slot, lastValidBlockHeight: height + BLOCKHASH_LIFE };
}

interface Listed {
  readonly entries: readonly SignatureEntry[];
  /** Why older history may be missing. */
  readonly gap: Message | undefined;
  /** True if the node lists no transaction at all. */
  readonly isEmpty: boolean;
}

interface Believed {
  readonly owner: string;
  readonly mint: string;
  readonly expected?: ReadonlySet<string> | undefined;
}

/**
 * Returns why a node's history of the owner is wrong, even if the node claims to keep all of it: a
 * transaction must have created each existing account, and each transaction that this machine saw
 * land must be listed. Opening a USDC account names its owner.
 */
export async function contradiction(
  rpc: SolanaRpc,
  { entries, isEmpty }: Listed,
  { owner, mint, expected }: Believed,
): Promise<Message | undefined> {
  if (expected === undefined) return undefined;
  if (isEmpty) {
    for (const address of [owner, associatedTokenAddress(owner, mint)]) {
      const account = await rpc.accountInfo(address);
      if (account !== null) return t`the RPC shows ${address} but no transaction that created it`;
    }
  }
  const done = entries.filter(({ error }) => error === null);
  return gapOf(new Set(done.map(({ signature }) => signature)), 0, { expected });
}

interface Range extends Pick<HistoryQuery, 'sinceMs' | 'until'> {
  /** If set, confirmed transactions are listed too, by a node that has reached this slot. */
  readonly tip: Pick<Tip, 'slot'> | undefined;
}

/** Lists transactions that name an address, newest first. */
export async function listHistory(
  rpc: SolanaRpc,
  address: string,
  { tip, sinceMs, until }: Range,
): Promise<Listed> {
  const commitment = tip === undefined ? 'finalized' : 'confirmed';
  // A node behind the first one that answered would hide the newest transactions.
  const fresh = tip === undefined ? {} : { minContextSlot: tip.slot };
  const pages = historyPages(rpc, address, { commitment, until, ...fresh });
  const entries: SignatureEntry[] = [];
  for await (const page of pages) {
    const young = page.filter((entry) => !isBefore(entry, sinceMs));
    entries.push(...young);
    if (young.length < page.length) return { entries, gap: undefined, isEmpty: false };
  }
  const isKept = until !== undefined || (await reachesBack(rpc, sinceMs));
  const gap = isKept ? undefined : TOO_SHORT;
  return { entries, gap, isEmpty: entries.length === 0 && until === undefined };
}

function isBefore({ timeMs }: SignatureEntry, sinceMs: number | undefined): boolean {
  return sinceMs !== undefined && timeMs !== undefined && timeMs < sinceMs;
}

/** Whether the node's history reaches back to an instant, or to the first block if none is given. */
async function reachesBack(rpc: SolanaRpc, sinceMs: number | undefined): Promise<boolean> {
  const first = await rpc.firstAvailableSlot();
  if (first === null) return false;
  if (first <= 1) return true;
  if (sinceMs === undefined) return false;
  const seconds = await rpc.request('getBlockTime', [first]);
  return typeof seconds === 'number' && seconds * 1_000 <= sinceMs;
}

interface Where {
  readonly owner: string;
  readonly entry: SignatureEntry;
  readonly mint: string;
  readonly tip: Tip | undefined;
}

/** Returns undefined for anything but a transfer that the owner signed. */
function paymentIn(
  { wire, slot, timeMs }: LandedTransaction,
  { owner, entry, mint, tip }: Where,
): OwnPayment | undefined {
  const transaction = attempt(
    () => decodeTransaction(wire),
    () => undefined,
  );
  const transfer = transaction && transferIn(transaction, { owner, mint });
  if (transaction === undefined || transfer === undefined) return undefined;
  const { accountKeys, signatures } = transaction;
  const signature = signatures[accountKeys.indexOf(owner)];
  const feePayer = accountKeys[0];
  if (signature === undefined || feePayer === undefined) return undefined;
  // The owner handed it over without the fee payer's signature, unless it paid the fee itself.
  const bytes = feePayer === owner ? wire : withSignature(wire, 0, new Uint8Array(SIGNATURE_BYTES));
  const { source, asset, amountAtomic, destination, payTo, blockhash } = transfer;
  const memo = memoIn(transaction);
  const nonce = nonceIn(transaction, memo !== undefined);
  const isFinal = entry.isFinal || tip === undefined;
  const signed: SolanaPayment = {
    transaction: encodeWire(bytes),
    messageHash: transaction.messageHash,
    signature: encodeBase58(signature),
    blockhash,
    lastValidBlockHeight: isFinal ? 0 : tip.lastValidBlockHeight,
    // A fork may include it in an earlier slot, but never before the finalized one.
    baseline: { sourceAccount: source, signature: null, slot: isFinal ? slot : tip.slot },
    payer: owner,
  };
  return {
    transactionId: entry.signature,
    slot,
    isFinal,
    timeMs,
    asset,
    amountAtomic,
    destination,
    payTo,
    isDirect: feePayer === owner,
    extra: { feePayer, ...(memo === undefined ? {} : { memo }) },
    carries: (tag) => nonce === nonceOfTag(tag),
    signed,
  };
}

/** Adds the owners of the credited token accounts, if the chain still has them. */
async function withOwners(
  rpc: SolanaRpc,
  found: ReadonlyMap<string, OwnPayment | null>,
): Promise<ReadonlyMap<string, OwnPayment>> {
  const payments = [...found.values()].filter((payment) => payment !== null);
  const asked = [
    ...new Set(
      payments.filter(({ payTo }) => payTo === null).map(({ destination }) => destination),
    ),
  ];
  const accounts = await rpc.tokenAccounts(asked);
  const owners = new Map(asked.map((address, index) => [address, accounts[index]?.owner]));
  return new Map(
    payments.map((payment) => {
      const payTo = payment.payTo ?? owners.get(payment.destination) ?? null;
      return [payment.transactionId, { ...payment, payTo }];
    }),
  );
}

/**
 * Returns the transfer that the owner makes in a transaction, if any. `source` is the account that is debited; its
 * history shows the payment.
 */
export function transferIn(
  { instructions, accountKeys, recentBlockhash: blockhash }: DecodedTransaction,
  { owner, mint }: { readonly owner: string; readonly mint: string },
) {
  const account = associatedTokenAddress(owner, mint);
  for (const { programIndex, accounts, data } of instructions) {
    const program = accountKeys[programIndex];
    const [source, second, third] = accounts.map((index) => accountKeys[index]);
    if (program === TOKEN_PROGRAM && source === account && third !== undefined) {
      const amount = readTransferChecked(data)?.amount;
      const paid = { source, asset: mint, destination: third, payTo: null, blockhash };
      if (amount !== undefined) return { ...paid, amountAtomic: atomic(amount) };
    }
    if (program === SYSTEM_PROGRAM && source === owner && second !== undefined) {
      const amount = readSystemTransfer(data);
      const paid = { source, asset: LAMPORTS, destination: second, payTo: second, blockhash };
      if (amount !== undefined) return { ...paid, amountAtomic: atomic(amount) };
    }
  }
  return undefined;
}

function memoIn({ instructions, accountKeys }: DecodedTransaction): string | undefined {
  const memo = instructions.find(({ programIndex }) => accountKeys[programIndex] === MEMO_PROGRAM);
  return memo === undefined ? undefined : readMemo(memo.data);
}

function nonceIn(
  { instructions, accountKeys }: DecodedTransaction,
  hasMemo: boolean,
): number | undefined {
  const [limit, price] = instructions.filter(
    ({ programIndex }) => accountKeys[programIndex] === COMPUTE_BUDGET_PROGRAM,
  );
  const units = limit && readComputeUnitLimit(limit.data);
  const steps = price && readComputeUnitPrice(price.data);
  if (units === undefined || steps === undefined || steps > 1_000_000n) return undefined;
  return nonceOf({ units, price: Number(steps) }, { hasMemo });
}
