/** Payments that left a wallet, read back from finalized history: what a lost record can be rebuilt from. */
import { ScripError } from '../../domain/errors.ts';
import { atomic } from '../../domain/money.ts';
import type { OwnHistory, OwnPayment } from '../rail.ts';
import {
  associatedTokenAddress,
  COMPUTE_BUDGET_PROGRAM,
  MEMO_PROGRAM,
  TOKEN_PROGRAM,
} from './address.ts';
import { encodeBase58 } from './base58.ts';
import {
  readComputeUnitLimit,
  readComputeUnitPrice,
  readMemo,
  readTransferChecked,
} from './instructions.ts';
import {
  type DecodedTransaction,
  decodeTransaction,
  encodeWire,
  withSignature,
} from './message.ts';
import type { LandedTransaction, SignatureEntry, SolanaRpc } from './rpc.ts';
import { nonceOf } from './transfer.ts';

const PAGE_SIZE = 1_000;
const MAX_PAGES = 50;
const SIGNATURE_BYTES = 64;

export interface HistoryOptions {
  readonly rpc: SolanaRpc;
  readonly mint: string;
}

/** See `RailInsight.ownPayments`. */
export async function readOwnPayments(
  { rpc, mint }: HistoryOptions,
  owner: string,
  { known, mostReads }: { readonly known: ReadonlySet<string>; readonly mostReads: number },
): Promise<OwnHistory> {
  const source = associatedTokenAddress(owner, mint);
  const { entries, isWhole } = await listHistory(rpc, source);
  const unread = entries.filter(({ signature, error }) => error === null && !known.has(signature));
  const payments: OwnPayment[] = [];
  for (const entry of unread.slice(0, mostReads)) {
    const landed = await readLanded(rpc, entry);
    const payment =
      landed.error === null ? paymentIn(landed, { owner, source, entry, mint }) : undefined;
    if (payment !== undefined) payments.push(await withOwner(rpc, payment));
  }
  return { payments, isWhole: isWhole && unread.length <= mostReads };
}

async function listHistory(
  rpc: SolanaRpc,
  source: string,
): Promise<{ readonly entries: readonly SignatureEntry[]; readonly isWhole: boolean }> {
  const entries: SignatureEntry[] = [];
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const before = entries.at(-1)?.signature;
    const more = await rpc.signaturesForAddress(source, { limit: PAGE_SIZE, before });
    if (more.length === 0) return { entries, isWhole: true };
    entries.push(...more);
  }
  return { entries, isWhole: false };
}

async function readLanded(
  rpc: SolanaRpc,
  { signature }: SignatureEntry,
): Promise<LandedTransaction> {
  const landed = await rpc.transaction(signature);
  if (landed !== null) return landed;
  throw new ScripError('CHAIN_UNREACHABLE', `The RPC lists ${signature} and does not have it`);
}

interface Where {
  readonly owner: string;
  readonly source: string;
  readonly entry: SignatureEntry;
  readonly mint: string;
}

/** Undefined for whatever is not a transfer out of the account that its owner signed. */
function paymentIn(
  { wire, slot, timeMs }: LandedTransaction,
  { owner, source, entry, mint }: Where,
): OwnPayment | undefined {
  const transaction = tryDecode(wire);
  const transfer = transaction && transferIn(transaction, source);
  if (transaction === undefined || transfer === undefined) return undefined;
  const { accountKeys, signatures } = transaction;
  const signature = signatures[accountKeys.indexOf(owner)];
  const feePayer = accountKeys[0];
  if (signature === undefined || feePayer === undefined) return undefined;
  // What was handed over had no signature of the fee payer, unless that was the owner itself.
  const signed =
    feePayer === owner ? wire : withSignature(wire, 0, new Uint8Array(SIGNATURE_BYTES));
  return {
    transactionId: entry.signature,
    slot,
    timeMs,
    asset: mint,
    amountAtomic: atomic(transfer.amount),
    destination: transfer.destination,
    payTo: null,
    feePayer,
    memo: memoIn(transaction),
    nonce: budgetIn(transaction),
    signed: {
      transaction: encodeWire(signed),
      messageHash: transaction.messageHash,
      signature: encodeBase58(signature),
      blockhash: transaction.recentBlockhash,
      lastValidBlockHeight: 0,
      baseline: { sourceAccount: source, signature: null, slot },
      payer: owner,
    },
  };
}

async function withOwner(rpc: SolanaRpc, payment: OwnPayment): Promise<OwnPayment> {
  const account = await rpc.tokenAccount(payment.destination);
  return { ...payment, payTo: account?.owner ?? null };
}

function tryDecode(wire: Uint8Array): DecodedTransaction | undefined {
  try {
    return decodeTransaction(wire);
  } catch (error) {
    if (error instanceof ScripError) return undefined;
    throw error;
  }
}

function transferIn(
  { instructions, accountKeys }: DecodedTransaction,
  source: string,
): { readonly amount: bigint; readonly destination: string } | undefined {
  for (const { programIndex, accounts, data } of instructions) {
    const [from, , to] = accounts.map((index) => accountKeys[index]);
    const transfer =
      accountKeys[programIndex] === TOKEN_PROGRAM ? readTransferChecked(data) : undefined;
    if (transfer !== undefined && from === source && to !== undefined) {
      return { amount: transfer.amount, destination: to };
    }
  }
  return undefined;
}

function memoIn({ instructions, accountKeys }: DecodedTransaction): string | undefined {
  const memo = instructions.find(({ programIndex }) => accountKeys[programIndex] === MEMO_PROGRAM);
  return memo === undefined ? undefined : readMemo(memo.data);
}

function budgetIn({ instructions, accountKeys }: DecodedTransaction): number | undefined {
  const [limit, price] = instructions.filter(
    ({ programIndex }) => accountKeys[programIndex] === COMPUTE_BUDGET_PROGRAM,
  );
  const units = limit && readComputeUnitLimit(limit.data);
  const steps = price && readComputeUnitPrice(price.data);
  if (units === undefined || steps === undefined || steps > 1_000_000n) return undefined;
  return nonceOf({ units, price: Number(steps) });
}
