/** Read-only queries of the chain. */

import { TOKEN_PROGRAM } from '../../rails/solana/address.ts';
import type { ChainStore } from '../../store/store.ts';
import type { ChainOutcome, ChainTransactionRow } from '../../store/tables/chain.ts';
import { builtinProgram, decodeTokenAccount, openSysvars, type TokenAccount } from './accounts.ts';
import type { TransactionMeta } from './ledger.ts';
import { BLOCKHASH_WINDOW, heightOf, isWithinWindow, type Slots } from './slots.ts';
import type { TransactionError } from './vm.ts';

export type Commitment = 'processed' | 'confirmed' | 'finalized';

/** Slots after which a transaction counts as confirmed, and as finalized. */
export interface Confirmations {
  readonly confirmed: number;
  readonly finalized: number;
}

export interface SignatureStatus {
  readonly slot: number;
  /** Slots since; null once finalized. */
  readonly confirmations: number | null;
  readonly error: TransactionError | null;
  readonly commitment: Commitment;
}

export interface ChainTransaction {
  readonly signature: string;
  readonly slot: number;
  readonly blockTimeMs: number;
  readonly error: TransactionError | null;
  readonly wire: Uint8Array;
  readonly meta: TransactionMeta;
  readonly commitment: Commitment;
}

interface Source {
  readonly store: ChainStore;
  readonly slots: Slots;
  readonly confirmations: Confirmations;
}

/** A Solana node's maximum per call. */
export const MAX_SIGNATURES = 1000;

/**
 * Balances are always those of the newest slot. Slots, heights, blockhashes, statuses and histories
 * follow the given commitment, by default `finalized`.
 */
export function createReads(source: Source) {
  return { ...slotReads(source), ...historyReads(source), ...accountReads(source) };
}

function lagOf({ confirmations }: Source, commitment: Commitment): number {
  return commitment === 'processed' ? 0 : confirmations[commitment];
}

async function slotAt(source: Source, commitment: Commitment = 'finalized'): Promise<number> {
  return (await source.slots.current()) - lagOf(source, commitment);
}

function slotReads(source: Source) {
  const { slots } = source;
  return {
    slot: (commitment?: Commitment) => slotAt(source, commitment),
    blockHeight: async (commitment?: Commitment) => heightOf(await slotAt(source, commitment)),
    latestBlockhash: async (commitment?: Commitment) => {
      const slot = await slotAt(source, commitment);
      const blockhash = slots.blockhash(slot);
      return { blockhash, lastValidBlockHeight: heightOf(slot) + BLOCKHASH_WINDOW, slot };
    },
    /** Whether a transaction that names this blockhash could still be executed. */
    isBlockhashValid: async (blockhash: string, commitment?: Commitment) => {
      const current = await slots.current();
      const named = slots.slotOf(blockhash, current);
      // At a commitment, a node knows no blockhash newer than its slot.
      const bank = current - lagOf(source, commitment ?? 'finalized');
      return named !== undefined && named <= bank && isWithinWindow(named, bank);
    },
    /** Roughly when the slot began. */
    slotTimeMs: (slot: number) => slots.startedAtMs(slot),
  };
}

const PAGE = 100;

interface HistoryPage {
  readonly limit?: number | undefined;
  readonly before?: string | undefined;
  readonly until?: string | undefined;
  readonly commitment?: Commitment | undefined;
}

function historyReads(source: Source) {
  const { chain } = source.store.tables;
  return {
    /** Statuses in the order of `signatures`; null where no transaction was executed. */
    statuses: async (signatures: readonly string[]) => {
      const current = await source.slots.current();
      const rows = await Promise.all(signatures.map((signature) => chain.outcomeOf(signature)));
      return rows.map((row) => (row ? statusOf(source, row, current) : null));
    },
    transaction: async (signature: string, commitment?: Commitment) => {
      const row = await chain.transaction(signature);
      const current = await source.slots.current();
      const newest = current - lagOf(source, commitment ?? 'finalized');
      return row && row.slot <= newest ? readRow(source, row, current) : undefined;
    },
    /** Returns transactions, newest first; `before` and `until` are signatures, both exclusive. */
    signaturesForAddress: async (address: string, page: HistoryPage = {}) => {
      const { before, until, limit = MAX_SIGNATURES } = page;
      const current = await source.slots.current();
      const maxSlot = current - lagOf(source, page.commitment ?? 'finalized');
      const rows = await chain.signaturesOf(address, { limit, before, until, maxSlot });
      return rows.map((row) => readRow(source, row, current));
    },
    transactionCount: () => chain.transactionCount(),
    /** Returns transactions after the position that have the commitment: oldest first, a page at most. */
    transactionsAfter: async (position: number, commitment: Commitment) => {
      const rows = await chain.transactionsAfter(position, PAGE);
      const current = await source.slots.current();
      const newest = current - lagOf(source, commitment);
      const tooNew = rows.findIndex((row) => row.slot > newest);
      return rows
        .slice(0, tooNew < 0 ? rows.length : tooNew)
        .map((row) => ({ ...readRow(source, row, current), position: row.position }));
    },
    /** Returns undefined where the slot has no block with this commitment. */
    block: async (slot: number, commitment: Commitment) => {
      const { slots } = source;
      const current = await slots.current();
      // The hash of slot 0 is a secret of this chain: no block shows it, also not as its parent's.
      if (slot > current - lagOf(source, commitment) || heightOf(slot) < 0) return undefined;
      const rows = await chain.transactionsOfSlot(slot);
      return {
        blockhash: slots.blockhash(slot),
        previousBlockhash: slots.blockhash(slot - 1),
        height: heightOf(slot),
        atMs: await slots.startedAtMs(slot),
        transactions: rows.map((row) => readRow(source, row, current)),
      };
    },
  };
}

function commitmentOf({ confirmations }: Source, age: number): Commitment {
  if (age >= confirmations.finalized) return 'finalized';
  return age >= confirmations.confirmed ? 'confirmed' : 'processed';
}

function errorOf(row: Pick<ChainOutcome, 'error'>): TransactionError | null {
  return row.error === null ? null : JSON.parse(row.error);
}

function statusOf(source: Source, row: ChainOutcome, current: number): SignatureStatus {
  const age = current - row.slot;
  const commitment = commitmentOf(source, age);
  const confirmations = commitment === 'finalized' ? null : age;
  return { slot: row.slot, confirmations, error: errorOf(row), commitment };
}

function readRow(source: Source, row: ChainTransactionRow, current: number): ChainTransaction {
  const { signature, slot, blockTimeMs, wire } = row;
  const meta: TransactionMeta = JSON.parse(row.meta);
  const commitment = commitmentOf(source, current - slot);
  return { signature, slot, blockTimeMs, wire, meta, commitment, error: errorOf(row) };
}

function accountReads({ store, slots }: Source) {
  const { chain } = store.tables;
  const sysvar = openSysvars(slots);
  const given = async (address: string) => builtinProgram(address) ?? (await sysvar(address));
  return {
    account: async (address: string) =>
      (await sysvar(address)) ?? (await chain.account(address)) ?? builtinProgram(address),
    /** Accounts in the order of `addresses`. */
    accounts: async (addresses: readonly string[]) => {
      const rows = await chain.accounts([...new Set(addresses)]);
      const byAddress = new Map(rows.map((row) => [row.address, row]));
      return Promise.all(
        addresses.map(async (address) => byAddress.get(address) ?? (await given(address))),
      );
    },
    programAccounts: (program: string) => chain.ownedBy(program),
    /** Token accounts whose parts are all that are named. */
    tokenAccounts: async (parts: Partial<Pick<TokenAccount, 'owner' | 'delegate' | 'mint'>>) => {
      const rows = await chain.ownedBy(TOKEN_PROGRAM);
      return rows.filter((row) => {
        const token = decodeTokenAccount(row);
        const { owner = token?.owner, delegate = token?.delegate, mint = token?.mint } = parts;
        return token && token.owner === owner && token.delegate === delegate && token.mint === mint;
      });
    },
  };
}
