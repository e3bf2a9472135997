/** Runs transactions against the accounts in the store, and records the results. */

import { encodeBase58, LOOKUP_TABLE_PROGRAM } from '../../rails/solana/address.ts';
import type { DecodedTransaction } from '../../rails/solana/message.ts';
import type {
  ChainAccountRow,
  ChainTables,
  ChainTransactionRow,
} from '../../store/tables/chain.ts';
import {
  decodeMint,
  decodeTokenAccount,
  isSameAccount,
  SLOT_HASHES_SYSVAR,
  slotHashesRow,
} from './accounts.ts';
import { isWithinWindow, type Slots } from './slots.ts';
import type { InnerInstruction, TransactionError, Vm, VmResult } from './vm.ts';

/** A token balance for JSON-RPC, before its amounts are formatted. */
export interface TokenBalance {
  readonly accountIndex: number;
  readonly mint: string;
  readonly owner: string;
  readonly programId: string;
  /** Atomic units, as decimal digits. */
  readonly amount: string;
  readonly decimals: number;
}

/** What is stored of an executed transaction beside its bytes; lamports as decimal digits. */
export interface TransactionMeta {
  readonly fee: string;
  readonly logs: readonly string[];
  readonly computeUnits: number;
  readonly accounts: readonly string[];
  readonly preBalances: readonly string[];
  readonly postBalances: readonly string[];
  readonly preTokenBalances: readonly TokenBalance[];
  readonly postTokenBalances: readonly TokenBalance[];
  readonly innerInstructions: readonly {
    readonly index: number;
    readonly instructions: readonly InnerInstruction[];
  }[];
}

/** The result of a run, or why the transaction was not run. */
export type Outcome =
  | { readonly kind: 'refused'; readonly error: TransactionError }
  | { readonly kind: 'ran'; readonly result: VmResult; readonly fee: bigint };

interface At {
  readonly slot: number;
  readonly atMs: number;
}

interface RunOptions extends At {
  readonly mustBeSigned: boolean;
  /** False skips the checks of blockhash and replay. */
  readonly mustBeFresh: boolean;
}

export interface SignedTransaction {
  readonly wire: Uint8Array;
  readonly decoded: DecodedTransaction;
}

export function openLedger(vm: () => Vm, slots: Slots) {
  return {
    /** Runs a transaction without recording it. */
    async dryRun(
      tables: ChainTables,
      transaction: SignedTransaction,
      options: RunOptions,
    ): Promise<Outcome> {
      const refusal = await refusalOf(tables, slots, transaction.decoded, options);
      if (refusal !== undefined) return { kind: 'refused', error: refusal };
      return run({ tables, vm: vm(), slots }, transaction, options);
    },
    /**
     * Writes back the accounts that a run changed and records the transaction. Call it in the store
     * transaction that made the run.
     */
    async commit(
      tables: ChainTables,
      transaction: SignedTransaction,
      { result, fee }: Extract<Outcome, { kind: 'ran' }>,
      at: At,
    ): Promise<void> {
      const { accountKeys } = transaction.decoded;
      await writeBack(tables, accountKeys, result);
      const meta = await metaOf(tables, accountKeys, result, fee);
      await tables.chain.putTransaction(rowOf(transaction, at, meta, result.error), accountKeys);
    },
  };
}

export type Ledger = ReturnType<typeof openLedger>;

/** A validator's checks before it runs a transaction, in the same order. */
async function refusalOf(
  tables: ChainTables,
  slots: Slots,
  transaction: DecodedTransaction,
  { slot, mustBeFresh }: RunOptions,
): Promise<TransactionError | undefined> {
  // Ours: lookup tables can be made, but no transaction can name accounts by one.
  if (transaction.lookupTables > 0) return 'AddressLookupTableNotFound';
  if (!mustBeFresh) return undefined;
  const named = slots.slotOf(transaction.recentBlockhash, slot);
  if (named === undefined || !isWithinWindow(named, slot)) return 'BlockhashNotFound';
  // By message, not by signature: the fee payer could sign the same message twice with different
  // signatures.
  const isExecuted = await tables.chain.hasMessage(transaction.messageHash);
  return isExecuted ? 'AlreadyProcessed' : undefined;
}

async function run(
  { tables, vm, slots }: { tables: ChainTables; vm: Vm; slots: Slots },
  { wire, decoded }: SignedTransaction,
  { slot, atMs, mustBeSigned }: RunOptions,
): Promise<Outcome> {
  const keys = decoded.accountKeys;
  const rows = [...(await tables.chain.accounts(keys))];
  // The program of lookup tables reads this sysvar without naming it.
  const unnamed = keys.includes(LOOKUP_TABLE_PROGRAM) ? [SLOT_HASHES_SYSVAR] : [];
  if (unnamed.length > 0) rows.push(slotHashesRow(slots, slot));
  const accounts = new Map(rows.map((row) => [row.address, row]));
  const ran = vm.run({
    wire,
    keys: [...new Set([...keys, ...unnamed])],
    accounts,
    slot,
    atMs,
    mustBeSigned,
  });
  const before = ran.before.slice(0, keys.length);
  const after = ran.after.slice(0, keys.length);
  const result = { ...ran, before, after };
  // Lamports move only between the named accounts; the rest is the fee.
  const fee = lamportsIn(result.before) - lamportsIn(result.after);
  if (result.error !== null && fee === 0n) return { kind: 'refused', error: result.error };
  return { kind: 'ran', result, fee };
}

function lamportsIn(accounts: VmResult['before']): bigint {
  return accounts.reduce((sum, account) => sum + BigInt(account?.lamports ?? 0), 0n);
}

async function writeBack(
  tables: ChainTables,
  keys: readonly string[],
  result: VmResult,
): Promise<void> {
  const changed: ChainAccountRow[] = [];
  for (const [index, address] of keys.entries()) {
    const after = result.after[index] ?? null;
    if (isSameAccount(result.before[index] ?? null, after)) continue;
    if (after === null) await tables.chain.removeAccount(address);
    else changed.push(after);
  }
  await tables.chain.putAccount(...changed);
}

/** Builds the record of a transaction that moved nothing and was not run. */
export function noteRow(transaction: SignedTransaction, at: At): ChainTransactionRow {
  const accounts = transaction.decoded.accountKeys;
  const balances = accounts.map(() => '0');
  const meta: TransactionMeta = {
    fee: '0',
    logs: [],
    computeUnits: 0,
    accounts,
    preBalances: balances,
    postBalances: balances,
    preTokenBalances: [],
    postTokenBalances: [],
    innerInstructions: [],
  };
  return rowOf(transaction, at, meta, null);
}

function rowOf(
  { wire, decoded }: SignedTransaction,
  { slot, atMs }: At,
  meta: TransactionMeta,
  error: TransactionError | null,
): ChainTransactionRow {
  return {
    signature: transactionId(decoded),
    messageHash: decoded.messageHash,
    slot,
    blockTimeMs: atMs,
    error: error === null ? null : JSON.stringify(error),
    wire,
    meta: JSON.stringify(meta),
  };
}

/** The fee payer's signature, base58. */
export function transactionId(transaction: DecodedTransaction): string {
  return encodeBase58(transaction.signatures[0] ?? new Uint8Array());
}

async function metaOf(
  tables: ChainTables,
  keys: readonly string[],
  result: VmResult,
  fee: bigint,
): Promise<TransactionMeta> {
  const decimals = await decimalsOf(tables, keys, result);
  return {
    fee: fee.toString(),
    logs: result.logs,
    computeUnits: result.computeUnits,
    accounts: keys,
    preBalances: result.before.map((account) => account?.lamports ?? '0'),
    postBalances: result.after.map((account) => account?.lamports ?? '0'),
    preTokenBalances: tokenBalances(result.before, decimals),
    postTokenBalances: tokenBalances(result.after, decimals),
    innerInstructions: result.innerInstructions.flatMap((instructions, index) =>
      instructions.length === 0 ? [] : [{ index, instructions }],
    ),
  };
}

/** Decimals of every mint of a run's token accounts; most runs name the mint too. */
async function decimalsOf(
  tables: ChainTables,
  keys: readonly string[],
  { before, after }: VmResult,
): Promise<ReadonlyMap<string, number>> {
  const accounts = [...before, ...after];
  const mints = accounts.flatMap((account) => (account && decodeTokenAccount(account)?.mint) || []);
  const read = new Map(
    after.flatMap((account, index) => (account ? [[keys[index] ?? '', account]] : [])),
  );
  const others = [...new Set(mints)].filter((mint) => !read.has(mint));
  for (const row of await tables.chain.accounts(others)) read.set(row.address, row);
  return new Map(
    mints.map((mint) => {
      const account = read.get(mint);
      return [mint, (account && decodeMint(account)?.decimals) ?? 0];
    }),
  );
}

function tokenBalances(
  accounts: VmResult['before'],
  decimals: ReadonlyMap<string, number>,
): TokenBalance[] {
  return accounts.flatMap((account, accountIndex) => {
    const token = account && decodeTokenAccount(account);
    if (!account || !token) return [];
    return [
      {
        accountIndex,
        mint: token.mint,
        owner: token.owner,
        programId: account.owner,
        amount: token.amount.toString(),
        decimals: decimals.get(token.mint) ?? 0,
      },
    ];
  });
}
