/**
 * A Solana chain in a store: a real VM, a slot clock and a ledger. Each execution is one store
 * transaction, so several processes can share a chain and a restart loses nothing.
 */

import { createHash } from 'node:crypto';
import { USDC_MINT } from '../../contract/x402.ts';
import { once } from '../../domain/attempt.ts';
import type { Clock } from '../../domain/clock.ts';
import { ScripError } from '../../domain/message/errors.ts';
import { t, verbatim } from '../../domain/message/message.ts';
import { atomic } from '../../domain/money/money.ts';
import type { Signer } from '../../rails/rail.ts';
import {
  addressBytes,
  associatedTokenAddress,
  decodeBase58,
  MEMO_PROGRAM,
  SYSTEM_PROGRAM,
  TOKEN_PROGRAM,
} from '../../rails/solana/address.ts';
import { signerFromSeed } from '../../rails/solana/ed25519.ts';
import { decodeTransaction } from '../../rails/solana/message.ts';
import { transferData } from '../../rails/solana/open-account.ts';
import type { ChainStore } from '../../store/store.ts';
import type { ChainAccountRow, ChainRecords } from '../../store/tables/chain.ts';
import {
  createGenesis,
  decodeMint,
  decodeTokenAccount,
  encodeMint,
  encodeTokenAccount,
  minimumBalance,
  noAccount,
  TOKEN_ACCOUNT_BYTES,
  withAmount,
} from './accounts.ts';
import {
  type Ledger,
  noteRow,
  type Outcome,
  openLedger,
  type SignedTransaction,
  transactionId,
} from './ledger.ts';
import { type Confirmations, createReads } from './reads.ts';
import { chainIdOf, openSlots, type Slots } from './slots.ts';
import { loadVm, type TransactionError } from './vm.ts';

export type { Commitment } from './reads.ts';

export interface Simulation {
  readonly error: TransactionError | null;
  readonly logs: readonly string[];
  readonly computeUnits: number;
  readonly returnData: { readonly programId: string; readonly data: Uint8Array } | null;
  /** Accounts that the transaction names, as they would be afterwards; null where none would exist. */
  readonly accounts: ReadonlyMap<string, ChainAccountRow | null>;
}

interface ChainOptions {
  readonly store: ChainStore;
  readonly clock: Clock;
  /** Slots after which a transaction counts as finalized. */
  readonly finalSlots?: number | undefined;
}

const CONFIRMED_SLOTS = 1;
const DEFAULT_FINAL_SLOTS = 32;

/**
 * Opens the store's chain, or creates it. The VM loads when a transaction first needs it.
 * @throws {ScripError} STORE_UNUSABLE here; PLATFORM_UNSUPPORTED from `send` and `simulate`
 */
export async function openChain({ store, clock, finalSlots = DEFAULT_FINAL_SLOTS }: ChainOptions) {
  const confirmations: Confirmations = { confirmed: CONFIRMED_SLOTS, finalized: finalSlots };
  const slots = await openSlots(store, clock);
  await createGenesis(store);
  const machine = { store, clock, slots, ledger: openLedger(sharedVm, slots) };
  return {
    ...createReads({ store, slots, confirmations }),
    /** Tells this chain from all others. */
    id: () => chainIdOf(store.tables.facts),
    /**
     * Executes and records a transaction at once; returns its id. Without `skipPreflight` it refuses
     * a transaction that would fail and records nothing. With it, a failing transaction pays its fee
     * and is recorded, and one that cannot run is dropped silently, as a validator does.
     * @throws {ScripError} PAYMENT_MALFORMED; TRANSACTION_REFUSED, whose details are the chain's
     * `error` and `logs`
     */
    send: (wire: Uint8Array, { skipPreflight = false }: SendOptions = {}) =>
      send(machine, wire, skipPreflight),
    /**
     * Runs a transaction without recording it. Verifies signatures only with `sigVerify`.
     * @throws {ScripError} PAYMENT_MALFORMED
     */
    simulate: (wire: Uint8Array, asked: SimulateOptions = {}) => simulate(machine, wire, asked),
    /** Writes an account as given, without a transaction. */
    setAccount: (row: ChainAccountRow) => store.write(({ chain }) => chain.putAccount(row)),
    /** Adds lamports without a transaction. @throws {ScripError} INPUT_INVALID, AMOUNT_INVALID */
    airdrop: (address: string, lamports: bigint) =>
      store.write(({ chain }) => addLamports(chain, address, lamports)),
    /** Transfers lamports from the faucet by a transaction; returns its id. @throws {ScripError} as `send` */
    requestAirdrop: (address: string, lamports: bigint) =>
      requestAirdrop(machine, address, lamports),
    /** Mints USDC (atomic units) into the owner's token account; creates the account if missing. */
    fundUsdc: (owner: string, amountAtomic: bigint) =>
      store.write(({ chain }) => mintUsdc(chain, owner, amountAtomic)),
    /** Creates USDC accounts of these owners, and gives them the least SOL, if missing. */
    openForPayments: (...owners: readonly string[]) =>
      store.write(({ chain }) => openForPayments(chain, owners)),
    /** Records a memo transaction that names a wallet funded without one, unless the chain has one already. */
    noteFunding: (owner: string) => noteFunding(machine, owner, confirmations),
  };
}

export type Chain = Awaited<ReturnType<typeof openChain>>;

interface SendOptions {
  readonly skipPreflight?: boolean;
}

interface SimulateOptions {
  readonly sigVerify?: boolean;
  readonly replaceRecentBlockhash?: boolean;
}

interface Machine {
  readonly store: ChainStore;
  readonly clock: Clock;
  readonly slots: Slots;
  readonly ledger: Ledger;
}

/** All chains of a process share one VM: a run leaves no state in it. */
const sharedVm = once(loadVm);

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
  asked: SimulateOptions,
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
    transaction.decoded.accountKeys.map((address, index) => [address, after[index] ?? null]),
  );
  return { error, logs, computeUnits, returnData, accounts };
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

// Test money: direct changes of accounts, and airdrops signed as transactions.

/** Adds lamports to an account; creates the account if missing. */
async function addLamports(chain: ChainRecords, address: string, lamports: bigint): Promise<void> {
  const account = (await chain.account(address)) ?? emptyAccount(address);
  const total = atomic(BigInt(account.lamports) + lamports);
  await chain.putAccount({ ...account, lamports: total.toString() });
}

function emptyAccount(address: string): ChainAccountRow {
  // Throws for an invalid address before anything is stored.
  addressBytes(address);
  return noAccount(address);
}

/** An owner's USDC account, with its rent and no money. */
function emptyUsdc(owner: string): ChainAccountRow {
  return {
    address: associatedTokenAddress(owner, USDC_MINT),
    lamports: minimumBalance(TOKEN_ACCOUNT_BYTES).toString(),
    owner: TOKEN_PROGRAM,
    data: encodeTokenAccount({ mint: USDC_MINT, owner, amount: 0n }),
    executable: false,
  };
}

/** Returns the owner's USDC account; creates it, with its rent, if missing. */
async function provisionUsdc(chain: ChainRecords, owner: string): Promise<ChainAccountRow> {
  const made = emptyUsdc(owner);
  const known = await chain.account(made.address);
  if (known && decodeTokenAccount(known)) return known;
  await chain.putAccount(made);
  return made;
}

/** Opens addresses for payments as a shop does on a real chain: with a USDC account, and the least SOL. */
async function openForPayments(chain: ChainRecords, owners: readonly string[]): Promise<void> {
  const lamports = minimumBalance(0).toString();
  const made = owners.flatMap((owner) => [emptyUsdc(owner), { ...emptyAccount(owner), lamports }]);
  if (await chain.addAccounts(...made)) return;
  for (const owner of owners) await provisionUsdc(chain, owner);
}

/** Mints into the owner's USDC account and raises the supply by the same amount. */
async function mintUsdc(chain: ChainRecords, owner: string, amount: bigint): Promise<void> {
  const account = await provisionUsdc(chain, owner);
  const balance = decodeTokenAccount(account)?.amount ?? 0n;
  await chain.putAccount({ ...account, data: withAmount(account.data, atomic(balance + amount)) });
  await raiseSupply(chain, amount);
}

async function raiseSupply(chain: ChainRecords, amount: bigint): Promise<void> {
  const account = await chain.account(USDC_MINT);
  const mint = account && decodeMint(account);
  if (!account || !mint)
    throw new ScripError('INTERNAL', verbatim(`the chain has no mint at ${USDC_MINT}`));
  const supply = atomic(mint.supply + amount);
  await chain.putAccount({ ...account, data: encodeMint({ ...mint, supply }) });
}

/** The account that pays airdrops; its key derives from the chain's seed. */
function faucetSigner(seed: string): Signer {
  return signerFromSeed(createHash('sha256').update(`faucet ${seed}`).digest());
}

/** Signs a transfer of lamports; the memo tells two equal transfers apart. */
export async function signAirdrop(
  faucet: Signer,
  transfer: {
    readonly to: string;
    readonly lamports: bigint;
    readonly blockhash: Uint8Array;
    readonly memo: string;
  },
): Promise<Uint8Array> {
  const amount = transferData(atomic(transfer.lamports));
  const memo = Buffer.from(transfer.memo);
  const keys = [faucet.address, transfer.to, SYSTEM_PROGRAM, MEMO_PROGRAM].map(addressBytes);
  const message = Buffer.concat([
    // One signature; the two programs are read-only.
    Uint8Array.of(1, 0, 2, keys.length),
    ...keys,
    transfer.blockhash,
    Uint8Array.of(2, 2, 2, 0, 1, amount.length),
    amount,
    Uint8Array.of(3, 0, memo.length),
    memo,
  ]);
  return Buffer.concat([Uint8Array.of(1), await faucet.sign(message), message]);
}
