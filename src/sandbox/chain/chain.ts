/**
 * A Solana chain in a store: a real VM, a clock of slots, and a ledger. Every execution is one
 * store transaction, so that several processes may use one chain at once and a restart loses nothing.
 */

import { randomBytes } from 'node:crypto';
import type { Clock } from '../../domain/clock.ts';
import { ScripError } from '../../domain/errors.ts';
import { t } from '../../domain/message.ts';
import { decodeBase58 } from '../../rails/solana/base58.ts';
import { decodeTransaction } from '../../rails/solana/message.ts';
import type { ChainAccountRow, ChainStore } from '../../storage/chain-records.ts';
import { addLamports, faucetSigner, mintUsdc, provisionUsdc, signAirdrop } from './faucet.ts';
import { createGenesis } from './genesis.ts';
import {
  type Ledger,
  noteRow,
  type Outcome,
  openLedger,
  type SignedTransaction,
  transactionId,
} from './ledger.ts';
import { type ChainReads, type Confirmations, createReads } from './reads.ts';
import { openSlots, type Slots } from './slots.ts';
import type { TransactionError } from './transaction-error.ts';
import { loadVm, type Vm } from './vm.ts';

export type { Commitment } from './reads.ts';

export interface Simulation {
  readonly error: TransactionError | null;
  readonly logs: readonly string[];
  readonly computeUnits: number;
  readonly returnData: { readonly programId: string; readonly data: Uint8Array } | null;
  /** The accounts that the transaction names, as they would be; null where there would be none. */
  readonly accounts: ReadonlyMap<string, ChainAccountRow | null>;
}

export interface Chain extends ChainReads {
  /**
   * Executes at once and records; gives the transaction id. Without `skipPreflight` a transaction
   * that would fail is refused and leaves no trace; with it a failing one pays its fee and is
   * recorded, and one that cannot even be run is dropped in silence, as a validator does it.
   * @throws {ScripError} PAYMENT_MALFORMED; TRANSACTION_REFUSED, whose details are the chain's
   *   `error` and `logs`
   */
  send(wire: Uint8Array, options?: { readonly skipPreflight?: boolean }): Promise<string>;
  /** Runs without effect. Signatures count only with `sigVerify`. @throws {ScripError} PAYMENT_MALFORMED */
  simulate(
    wire: Uint8Array,
    options?: { readonly sigVerify?: boolean; readonly replaceRecentBlockhash?: boolean },
  ): Promise<Simulation>;
  /** Writes an account as it is given, without a transaction. */
  setAccount(row: ChainAccountRow): Promise<void>;
  /** Adds lamports without a transaction. @throws {ScripError} INPUT_INVALID, AMOUNT_INVALID */
  airdrop(address: string, lamports: bigint): Promise<void>;
  /** Transfers lamports by a transaction of the faucet's; gives its id. @throws {ScripError} as `send` */
  requestAirdrop(address: string, lamports: bigint): Promise<string>;
  /** Mints USDC, in atomic units, into the owner's token account, made when missing. */
  fundUsdc(owner: string, amountAtomic: bigint): Promise<void>;
  /** Makes the owner's USDC account when missing; gives its address. */
  provisionTokenAccount(owner: string): Promise<string>;
  /** Gives a wallet that was funded without a transaction one that names it, unless it has any. */
  noteFunding(owner: string): Promise<void>;
}

export interface ChainOptions {
  readonly store: ChainStore;
  readonly clock: Clock;
  readonly slotMs?: number;
  /** Slots after which a transaction counts as confirmed and as finalized. */
  readonly confirmations?: Confirmations;
  /** Draws the seed of a new chain. */
  random?(length: number): Uint8Array;
}

const DEFAULT_SLOT_MS = 400;
const DEFAULT_CONFIRMATIONS: Confirmations = { confirmed: 1, finalized: 32 };

/**
 * Opens the store's chain; the first to open it makes it. The VM is loaded when a transaction
 * first needs it.
 * @throws {ScripError} STORE_UNUSABLE here; PLATFORM_UNSUPPORTED from `send` and `simulate`
 */
export async function openChain(options: ChainOptions): Promise<Chain> {
  const { store, clock, slotMs = DEFAULT_SLOT_MS } = options;
  const { confirmations = DEFAULT_CONFIRMATIONS, random = randomBytes } = options;
  const slots = await openSlots({ store, clock, slotMs, random });
  await createGenesis(store);
  const machine: Machine = { store, clock, slots, ledger: openLedger(sharedVm, slots) };
  return {
    ...createReads({ store, slots, confirmations }),
    send: (wire, { skipPreflight = false } = {}) => send(machine, wire, skipPreflight),
    simulate: (wire, asked = {}) => simulate(machine, wire, asked),
    requestAirdrop: (address, lamports) => requestAirdrop(machine, address, lamports),
    ...createFunding(store),
    noteFunding: (owner) => noteFunding(machine, owner, confirmations),
  };
}

interface Machine {
  readonly store: ChainStore;
  readonly clock: Clock;
  readonly slots: Slots;
  readonly ledger: Ledger;
}

/** One VM serves every chain of a process: a run leaves nothing behind in it. */
const sharedVm = once(loadVm);

function once(make: () => Vm): () => Vm {
  let made: Vm | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

function read(wire: Uint8Array): SignedTransaction {
  return { wire, decoded: decodeTransaction(wire) };
}

async function send(machine: Machine, wire: Uint8Array, skipPreflight: boolean): Promise<string> {
  const transaction = read(wire);
  const { clock, slots, ledger, store } = machine;
  // Loaded before the store is locked, not while.
  sharedVm();
  const outcome = await store.write(async (tables) => {
    const at = { slot: await slots.record(tables), atMs: clock.now() };
    const options = { ...at, mustBeSigned: true, mustBeFresh: true };
    const ran = await ledger.dryRun(tables, transaction, options);
    const isKept = ran.kind === 'ran' && (skipPreflight || ran.result.error === null);
    if (isKept) await ledger.commit(tables, transaction, ran, at);
    return ran;
  });
  if (!skipPreflight) refuseFailed(outcome);
  return transactionId(transaction.decoded);
}

function refuseFailed(outcome: Outcome): void {
  const error = outcome.kind === 'refused' ? outcome.error : outcome.result.error;
  if (error === null) return;
  const { logs, computeUnits } =
    outcome.kind === 'ran' ? outcome.result : { logs: [], computeUnits: 0 };
  throw new ScripError(
    'TRANSACTION_REFUSED',
    t`The chain refused the transaction: ${JSON.stringify(error)}`,
    { details: { error, logs, computeUnits } },
  );
}

async function simulate(
  { store, clock, slots, ledger }: Machine,
  wire: Uint8Array,
  asked: { readonly sigVerify?: boolean; readonly replaceRecentBlockhash?: boolean },
): Promise<Simulation> {
  const transaction = read(wire);
  const outcome = await ledger.dryRun(store.tables, transaction, {
    slot: await slots.current(),
    atMs: clock.now(),
    mustBeSigned: asked.sigVerify === true,
    mustBeFresh: asked.replaceRecentBlockhash !== true,
  });
  if (outcome.kind === 'refused') {
    const { error } = outcome;
    return { error, logs: [], computeUnits: 0, returnData: null, accounts: new Map() };
  }
  const { error, logs, computeUnits, returnData, after } = outcome.result;
  const accounts = new Map(
    transaction.decoded.accountKeys.map((address, index) => [
      address,
      rowOf(address, after[index] ?? null),
    ]),
  );
  return { error, logs, computeUnits, returnData, accounts };
}

function rowOf(
  address: string,
  account: { lamports: bigint; owner: string; data: Uint8Array; isExecutable: boolean } | null,
): ChainAccountRow | null {
  if (account === null) return null;
  const { lamports, owner, data, isExecutable } = account;
  return { address, lamports: lamports.toString(), owner, data, executable: isExecutable };
}

/** Lamports that the faucet keeps beyond each transfer: its fee and its own rent. */
const FAUCET_RESERVE = 10_000_000n;

async function requestAirdrop(
  machine: Machine,
  address: string,
  lamports: bigint,
): Promise<string> {
  const { store, slots } = machine;
  // The hash of a slot that never was: known to this chain alone.
  const faucet = faucetSigner(slots.blockhash(0));
  const slot = await slots.current();
  const memo = await store.write(async ({ chain, facts }) => {
    await addLamports(chain, faucet.address, lamports + FAUCET_RESERVE);
    const count = Number((await facts.get(AIRDROPS)) ?? '0') + 1;
    await facts.set(AIRDROPS, String(count));
    return `airdrop ${count}`;
  });
  const blockhash = decodeBase58(slots.blockhash(slot));
  return send(
    machine,
    await signAirdrop(faucet, { to: address, lamports, blockhash, memo }),
    false,
  );
}

const AIRDROPS = 'chain.airdrops';

/** On a chain nothing comes to be without a transaction: what the faucet wrote down has one too, long final. */
async function noteFunding(
  { store, slots }: Machine,
  owner: string,
  { finalized }: Confirmations,
): Promise<void> {
  const slot = Math.max(0, (await slots.current()) - finalized);
  const wire = await signAirdrop(faucetSigner(slots.blockhash(0)), {
    to: owner,
    lamports: 0n,
    blockhash: decodeBase58(slots.blockhash(slot)),
    memo: `wallet ${owner}`,
  });
  const note = read(wire);
  const row = noteRow(note, { slot, atMs: await slots.startedAtMs(slot) });
  await store.write(async ({ chain }) => {
    const known = await chain.signaturesOf(owner, { limit: 1 });
    if (known.length === 0) await chain.putTransaction(row, note.decoded.accountKeys);
  });
}

function createFunding(
  store: ChainStore,
): Pick<Chain, 'setAccount' | 'airdrop' | 'fundUsdc' | 'provisionTokenAccount'> {
  return {
    setAccount: (row) => store.write(({ chain }) => chain.putAccount(row)),
    airdrop: (address, lamports) =>
      store.write(({ chain }) => addLamports(chain, address, lamports)),
    fundUsdc: (owner, amountAtomic) =>
      store.write(({ chain }) => mintUsdc(chain, owner, amountAtomic)),
    provisionTokenAccount: async (owner) =>
      (await store.write(({ chain }) => provisionUsdc(chain, owner))).address,
  };
}
