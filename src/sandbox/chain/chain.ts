/**
 * A Solana chain in a store: a real VM, a slot clock and a ledger. Each execution is one store
 * transaction, so several processes can share a chain and a restart loses nothing.
 */

import { randomBytes } from 'node:crypto';
import type { Clock } from '../../domain/clock.ts';
import { ScripError } from '../../domain/errors.ts';
import { t } from '../../domain/message.ts';
import { decodeBase58 } from '../../rails/solana/address.ts';
import { decodeTransaction } from '../../rails/solana/message.ts';
import type { ChainStore } from '../../store/store.ts';
import type { ChainAccountRow } from '../../store/tables/chain.ts';
import { addLamports, faucetSigner, mintUsdc, openForPayments, signAirdrop } from './faucet.ts';
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
import { chainIdOf, openSlots, type Slots } from './slots.ts';
import type { TransactionError } from './transaction-error.ts';
import { loadVm, type Vm } from './vm.ts';

export type { Commitment } from './reads.ts';

export interface Simulation {
  readonly error: TransactionError | null;
  readonly logs: readonly string[];
  readonly computeUnits: number;
  readonly returnData: { readonly programId: string; readonly data: Uint8Array } | null;
  /** Accounts that the transaction names, as they would be afterwards; null where none would exist. */
  readonly accounts: ReadonlyMap<string, ChainAccountRow | null>;
}

export interface Chain extends ChainReads {
  /** Tells this chain from all others. */
  id(): Promise<string | undefined>;
  /**
   * Executes and records a transaction at once; returns its id. Without `skipPreflight` it refuses
   * a transaction that would fail and records nothing. With it, a failing transaction pays its fee
   * and is recorded, and one that cannot run is dropped silently, as a validator does.
   * @throws {ScripError} PAYMENT_MALFORMED; TRANSACTION_REFUSED, whose details are the chain's
   * `error` and `logs`
   */
  send(wire: Uint8Array, options?: { readonly skipPreflight?: boolean }): Promise<string>;
  /**
   * Runs a transaction without recording it. Verifies signatures only with `sigVerify`.
   * @throws {ScripError} PAYMENT_MALFORMED
   */
  simulate(
    wire: Uint8Array,
    options?: { readonly sigVerify?: boolean; readonly replaceRecentBlockhash?: boolean },
  ): Promise<Simulation>;
  /** Writes an account as given, without a transaction. */
  setAccount(row: ChainAccountRow): Promise<void>;
  /** Adds lamports without a transaction. @throws {ScripError} INPUT_INVALID, AMOUNT_INVALID */
  airdrop(address: string, lamports: bigint): Promise<void>;
  /** Transfers lamports from the faucet by a transaction; returns its id. @throws {ScripError} as `send` */
  requestAirdrop(address: string, lamports: bigint): Promise<string>;
  /** Mints USDC (atomic units) into the owner's token account; creates the account if missing. */
  fundUsdc(owner: string, amountAtomic: bigint): Promise<void>;
  /** Creates USDC accounts of these owners, and gives them the least SOL, if missing. */
  openForPayments(...owners: readonly string[]): Promise<void>;
  /** Records a memo transaction that names a wallet funded without one, unless the chain has one already. */
  noteFunding(owner: string): Promise<void>;
}

export interface ChainOptions {
  readonly store: ChainStore;
  readonly clock: Clock;
  readonly slotMs?: number;
  /** Slots after which a transaction counts as finalized. */
  readonly finalSlots?: number | undefined;
  /** Generates the seed of a new chain. */
  random?(length: number): Uint8Array;
}

const DEFAULT_SLOT_MS = 400;
const CONFIRMED_SLOTS = 1;
const DEFAULT_FINAL_SLOTS = 32;

/**
 * Opens the store's chain, or creates it. The VM loads when a transaction first needs it.
 * @throws {ScripError} STORE_UNUSABLE here; PLATFORM_UNSUPPORTED from `send` and `simulate`
 */
export async function openChain(options: ChainOptions): Promise<Chain> {
  const { store, clock, slotMs = DEFAULT_SLOT_MS } = options;
  const { finalSlots = DEFAULT_FINAL_SLOTS, random = randomBytes } = options;
  const confirmations: Confirmations = { confirmed: CONFIRMED_SLOTS, finalized: finalSlots };
  const slots = await openSlots({ store, clock, slotMs, random });
  await createGenesis(store);
  const machine: Machine = { store, clock, slots, ledger: openLedger(sharedVm, slots) };
  return {
    ...createReads({ store, slots, confirmations }),
    id: () => chainIdOf(store.tables.facts),
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

/** All chains of a process share one VM: a run leaves no state in it. */
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
  // Load the VM before the store is locked.
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

/** Lamports that the faucet keeps beyond each transfer, for its fee and rent. */
const FAUCET_RESERVE = 10_000_000n;

async function requestAirdrop(
  machine: Machine,
  address: string,
  lamports: bigint,
): Promise<string> {
  const { store, slots } = machine;
  // The hash of slot 0, which no transaction uses: a secret of this chain.
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

/**
 * On Solana every balance comes from a transaction. Record one, long final, for what the faucet
 * wrote directly.
 */
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
): Pick<Chain, 'setAccount' | 'airdrop' | 'fundUsdc' | 'openForPayments'> {
  return {
    setAccount: (row) => store.write(({ chain }) => chain.putAccount(row)),
    airdrop: (address, lamports) =>
      store.write(({ chain }) => addLamports(chain, address, lamports)),
    fundUsdc: (owner, amountAtomic) =>
      store.write(({ chain }) => mintUsdc(chain, owner, amountAtomic)),
    openForPayments: (...owners) => store.write(({ chain }) => openForPayments(chain, owners)),
  };
}
