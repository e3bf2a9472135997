/**
 * The Solana VM: LiteSVM with its real programs. Each run sets the accounts that one transaction
 * names and removes them afterwards, so only the store holds state. LiteSVM checks signatures and
 * executes; the ledger handles time, blockhashes and replays.
 */

import { addressBytes, encodeBase58 } from '../../rails/solana/address.ts';
import { checkNativePart, requireNativePart } from '../../store/native-part.ts';
import type { ChainAccountRow } from '../../store/tables/chain.ts';
import { noAccount } from './accounts.ts';

interface VmRun {
  /** Must decode: the VM aborts the process on bytes that it cannot parse. */
  readonly wire: Uint8Array;
  readonly keys: readonly string[];
  /** The chain's accounts by key. */
  readonly accounts: ReadonlyMap<string, ChainAccountRow>;
  readonly slot: number;
  readonly atMs: number;
  readonly mustBeSigned: boolean;
}

export interface InnerInstruction {
  readonly programIdIndex: number;
  readonly accounts: readonly number[];
  /** Base58. */
  readonly data: string;
  readonly stackHeight: number;
}

export interface VmResult {
  readonly error: TransactionError | null;
  readonly logs: readonly string[];
  readonly computeUnits: number;
  readonly returnData: { readonly programId: string; readonly data: Uint8Array } | null;
  /** Per top-level instruction; empty where it made no inner calls. */
  readonly innerInstructions: readonly (readonly InnerInstruction[])[];
  /** Per key, before and after; null where there is no account. */
  readonly before: readonly (ChainAccountRow | null)[];
  readonly after: readonly (ChainAccountRow | null)[];
}

export interface Vm {
  run(run: VmRun): VmResult;
}

/** The part of LiteSVM's native package used here. It is private there, hence the pinned version. */
interface Internal {
  readonly LiteSvm: new () => LiteSvm;
  readonly Account: new (
    lamports: bigint,
    data: Uint8Array,
    owner: Uint8Array,
    executable: boolean,
    rentEpoch: bigint,
  ) => LiteAccount;
  readonly Clock: new (
    slot: bigint,
    epochStart: bigint,
    epoch: bigint,
    leaderEpoch: bigint,
    unixTime: bigint,
  ) => object;
}

interface LiteSvm {
  setBlockhashCheck(check: boolean): void;
  setTransactionHistory(capacity: bigint): void;
  setSigverify(verify: boolean): void;
  setClock(clock: object): void;
  getAccount(address: Uint8Array): LiteAccount | null;
  setAccount(address: Uint8Array, account: LiteAccount): void;
  sendVersionedTransaction(wire: Uint8Array): LiteMeta | FailedRun;
}

/** Its text begins with the error: `FailedTransactionMetadata { err: …, meta: … }`. */
interface FailedRun {
  err(): unknown;
  meta(): LiteMeta;
  toString(): string;
}

interface LiteAccount {
  lamports(): bigint;
  data(): Uint8Array;
  owner(): Uint8Array;
  executable(): boolean;
}

interface LiteMeta {
  logs(): string[];
  computeUnitsConsumed(): bigint;
  returnData(): { programId(): Uint8Array; data(): Uint8Array };
  innerInstructions(): {
    instruction(): { programIdIndex(): number; accounts(): Uint8Array; data(): Uint8Array };
    stackHeight(): number;
  }[][];
}

/** Slots of an epoch on mainnet. */
export const SLOTS_PER_EPOCH = 432_000;
/** Rent epoch of rent-exempt accounts: they never owe rent. */
const RENT_EXEMPT_EPOCH = 2n ** 64n - 1n;

/**
 * Loads the native VM, which takes tens of milliseconds and about 30 MB.
 * @throws {ScripError} PLATFORM_UNSUPPORTED when its build for this machine is not installed
 */
export function loadVm(): Vm {
  // Typed by hand, since LiteSVM's JavaScript wrapper is not used.
  const internal = requireNativePart('litesvm-') as Internal;
  const svm = new internal.LiteSvm();
  svm.setBlockhashCheck(false);
  svm.setTransactionHistory(0n);
  const machine: Machine = { internal, svm, programs: new Map() };
  return { run: (run) => execute(machine, run) };
}

/**
 * Checks that the VM is installed, so a service fails at start and not at its first settlement.
 * @throws {ScripError} PLATFORM_UNSUPPORTED when the VM's build for this machine is not installed
 */
export function checkVm(): void {
  checkNativePart('litesvm-');
}

interface Machine {
  readonly internal: Internal;
  readonly svm: LiteSvm;
  /** Programs never change, and reading one copies all of its code. */
  readonly programs: Map<string, ChainAccountRow>;
}

function execute(machine: Machine, run: VmRun): VmResult {
  const { internal, svm } = machine;
  const named = run.keys.map((name) => lookUp(machine, name, run.accounts.get(name)));
  for (const { key, given } of named) {
    if (given) svm.setAccount(key, toLite(internal, given));
  }
  svm.setClock(clockAt(internal, run));
  svm.setSigverify(run.mustBeSigned);
  const outcome = svm.sendVersionedTransaction(run.wire);
  const after = named.map(
    ({ name, key, program }) => program ?? fromLite(name, svm.getAccount(key)),
  );
  for (const [index, { name, key, program, pristine }] of named.entries()) {
    // Setting a program loads it again.
    if (program || pristine?.executable()) continue;
    if (pristine || after[index])
      svm.setAccount(key, pristine ?? toLite(internal, noAccount(name)));
  }
  const before = named.map(
    ({ name, given, program, pristine }) => given ?? program ?? fromLite(name, pristine),
  );
  return { ...readOutcome(outcome), before, after };
}

interface Named {
  readonly name: string;
  readonly key: Uint8Array;
  /** The chain's account. */
  readonly given: ChainAccountRow | undefined;
  /** The VM's own account, if it is a program. */
  readonly program: ChainAccountRow | undefined;
  /** The VM's own account otherwise. */
  readonly pristine: LiteAccount | null;
}

function lookUp(
  { svm, programs }: Machine,
  name: string,
  given: ChainAccountRow | undefined,
): Named {
  const key = addressBytes(name);
  const known = given ? undefined : programs.get(name);
  if (known) return { name, key, given, program: known, pristine: null };
  const pristine = svm.getAccount(key);
  if (given || !pristine?.executable()) return { name, key, given, program: undefined, pristine };
  const program = fromLite(name, pristine) ?? undefined;
  if (program) programs.set(name, program);
  return { name, key, given, program, pristine: null };
}

function toLite(
  internal: Internal,
  { lamports, data, owner, executable }: Omit<ChainAccountRow, 'address'>,
): LiteAccount {
  const [amount, program] = [BigInt(lamports), addressBytes(owner)];
  return new internal.Account(amount, data, program, executable, RENT_EXEMPT_EPOCH);
}

function fromLite(address: string, account: LiteAccount | null): ChainAccountRow | null {
  return (
    account && {
      address,
      lamports: String(account.lamports()),
      owner: ownerOf(account),
      data: account.data(),
      executable: account.executable(),
    }
  );
}

/** A cache: nearly all accounts belong to three programs. */
const OWNERS = new Map<string, string>();
const MOST_OWNERS = 100;

function ownerOf(account: LiteAccount): string {
  const bytes = account.owner();
  const key = Buffer.from(bytes).toString('latin1');
  const known = OWNERS.get(key) ?? encodeBase58(bytes);
  if (OWNERS.size >= MOST_OWNERS) OWNERS.clear();
  OWNERS.set(key, known);
  return known;
}

function clockAt(internal: Internal, { slot, atMs }: VmRun): object {
  const epoch = BigInt(Math.floor(slot / SLOTS_PER_EPOCH));
  const seconds = BigInt(Math.floor(atMs / 1000));
  return new internal.Clock(BigInt(slot), seconds, epoch, epoch + 1n, seconds);
}

function readOutcome(outcome: LiteMeta | FailedRun): Omit<VmResult, 'before' | 'after'> {
  const meta = 'err' in outcome ? outcome.meta() : outcome;
  const returned = meta.returnData();
  const hasReturned = returned.data().length > 0;
  return {
    error: 'err' in outcome ? errorOf(outcome) : null,
    logs: meta.logs(),
    computeUnits: Number(meta.computeUnitsConsumed()),
    returnData: hasReturned
      ? { programId: encodeBase58(returned.programId()), data: returned.data() }
      : null,
    innerInstructions: meta.innerInstructions().map((calls) =>
      calls.map((call) => ({
        programIdIndex: call.instruction().programIdIndex(),
        accounts: [...call.instruction().accounts()],
        data: encodeBase58(call.instruction().data()),
        stackHeight: call.stackHeight(),
      })),
    ),
  };
}

// Why a transaction failed, in the shape that Solana's JSON-RPC uses.

/** `"AlreadyProcessed"`, or an object such as `{ "InstructionError": [2, { "Custom": 1 }] }`. */
export type TransactionError = string | { readonly [name: string]: unknown };

function errorOf(failed: FailedRun): TransactionError {
  const [, error = 'Unknown'] = /err: (.*?), meta: TransactionMetadata/s.exec(String(failed)) ?? [];
  return transactionError(error);
}

/** Converts an error as the VM spells it, such as `InstructionError(2, Custom(1))`. */
function transactionError(text: string): TransactionError {
  const [, at, inner = ''] = /^InstructionError\((\d+), (.*)\)$/s.exec(text) ?? [];
  if (at !== undefined) return { InstructionError: [Number(at), transactionError(inner)] };
  const [, numbered, number] = /^(\w+)\((\d+)\)$/.exec(text) ?? [];
  if (numbered !== undefined) return { [numbered]: Number(number) };
  const [, ofAccount, account] = /^(\w+) \{ account_index: (\d+) \}$/.exec(text) ?? [];
  if (ofAccount !== undefined) return { [ofAccount]: { account_index: Number(account) } };
  return text;
}
