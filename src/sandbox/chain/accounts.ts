/** Accounts of the chain that no transaction made, and the layouts of the Token program's. */

import { USDC_DECIMALS, USDC_MINT } from '../../contract/x402.ts';
import { RECENT_BLOCKHASHES_SYSVAR } from '../../rails/solana/acceptance.ts';
import {
  ASSOCIATED_TOKEN_PROGRAM,
  addressBytes,
  COMPUTE_BUDGET_PROGRAM,
  encodeBase58,
  LOOKUP_TABLE_PROGRAM,
  MEMO_PROGRAM,
  SYSTEM_PROGRAM,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
} from '../../rails/solana/address.ts';
import type { ChainStore } from '../../store/store.ts';
import type { ChainAccountRow } from '../../store/tables/chain.ts';
import { BLOCKHASH_WINDOW, type Slots } from './slots.ts';

const NATIVE_LOADER = 'NativeLoader1111111111111111111111111111111';
const BPF_LOADER = 'BPFLoader2111111111111111111111111111111111';
const UPGRADEABLE_LOADER = 'BPFLoaderUpgradeab1e11111111111111111111111';

/** Programs built into the VM. Their code is not read here, so their data is empty. */
const PROGRAMS: ReadonlyMap<string, string> = new Map([
  [SYSTEM_PROGRAM, NATIVE_LOADER],
  [COMPUTE_BUDGET_PROGRAM, NATIVE_LOADER],
  [TOKEN_PROGRAM, BPF_LOADER],
  [TOKEN_2022_PROGRAM, BPF_LOADER],
  [ASSOCIATED_TOKEN_PROGRAM, BPF_LOADER],
  [MEMO_PROGRAM, BPF_LOADER],
  [LOOKUP_TABLE_PROGRAM, UPGRADEABLE_LOADER],
]);

/** Lamports for two years of rent, per byte of an account and of its 128-byte header. */
const RENT_PER_BYTE = 6960n;
const ENTRY_BYTES = 128;

/** Returns the lamports that make an account of this size rent-exempt. */
export function minimumBalance(bytes: number): bigint {
  return BigInt(ENTRY_BYTES + bytes) * RENT_PER_BYTE;
}

/** An account that does not exist, as nodes show one that was closed. */
export function noAccount(address: string): ChainAccountRow {
  const data = new Uint8Array();
  return { address, lamports: '0', owner: SYSTEM_PROGRAM, data, executable: false };
}

export function isSameAccount(
  one: ChainAccountRow | null | undefined,
  other: ChainAccountRow | null | undefined,
): boolean {
  if (!one || !other) return one === other;
  return (
    one.lamports === other.lamports &&
    one.owner === other.owner &&
    one.executable === other.executable &&
    Buffer.compare(one.data, other.data) === 0
  );
}

/** Returns the account of a built-in program, or undefined. */
export function builtinProgram(address: string): ChainAccountRow | undefined {
  const owner = PROGRAMS.get(address);
  if (owner === undefined) return undefined;
  return { address, lamports: '1', owner, data: new Uint8Array(), executable: true };
}

/** Creates the USDC mint, once per store. */
export async function createGenesis(store: ChainStore): Promise<void> {
  if (await store.tables.chain.account(USDC_MINT)) return;
  await store.write(async ({ chain }) => {
    if (await chain.account(USDC_MINT)) return;
    await chain.putAccount({
      address: USDC_MINT,
      lamports: minimumBalance(MINT_BYTES).toString(),
      owner: TOKEN_PROGRAM,
      // No key can mint: the faucet writes the accounts directly.
      data: encodeMint({
        mintAuthority: null,
        supply: 0n,
        decimals: USDC_DECIMALS,
        freezeAuthority: null,
      }),
      executable: false,
    });
  });
}

// Accounts that the cluster itself writes, computed on read.

export const SLOT_HASHES_SYSVAR = 'SysvarS1otHashes111111111111111111111111111';
const SYSVAR_OWNER = 'Sysvar1111111111111111111111111111111111111';
const LAMPORTS_PER_SIGNATURE = 5000n;
const SLOT_HASHES = 512;

/** Returns a reader of sysvar accounts; it gives undefined for every other address. */
export function openSysvars(
  slots: Slots,
): (address: string) => Promise<ChainAccountRow | undefined> {
  /** Cached per slot: each payment verification reads one. */
  const newest = new Map<string, { readonly slot: number; readonly row: ChainAccountRow }>();
  return async (address) => {
    const write = WRITERS.get(address);
    if (!write) return undefined;
    const slot = await slots.current();
    const known = newest.get(address);
    if (known?.slot === slot) return known.row;
    const row = sysvarRow(address, write(slots, slot));
    newest.set(address, { slot, row });
    return row;
  };
}

const WRITERS: ReadonlyMap<string, (slots: Slots, current: number) => Uint8Array> = new Map([
  [RECENT_BLOCKHASHES_SYSVAR, recentBlockhashes],
  [SLOT_HASHES_SYSVAR, slotHashes],
]);

/** The slots that a lookup table may be made of. */
export function slotHashesRow(slots: Slots, current: number): ChainAccountRow {
  return sysvarRow(SLOT_HASHES_SYSVAR, slotHashes(slots, current));
}

function sysvarRow(address: string, data: Uint8Array): ChainAccountRow {
  const lamports = minimumBalance(data.length).toString();
  return { address, lamports, owner: SYSVAR_OWNER, data, executable: false };
}

/** Layout: a count, then the 512 slots before the current one, newest first, each with its hash. */
function slotHashes(slots: Slots, current: number): Uint8Array {
  const entries = Array.from({ length: SLOT_HASHES }, (_, age) => {
    const slot = current - 1 - age;
    return [littleEndian(slot), slots.blockhashBytes(slot)];
  });
  return Uint8Array.from(Buffer.concat([littleEndian(SLOT_HASHES), ...entries.flat()]));
}

function littleEndian(value: number | bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(value));
  return bytes;
}

/** Layout: a count, then the last 150 blockhashes, newest first, each with the fee per signature. */
function recentBlockhashes(slots: Slots, current: number): Uint8Array {
  const count = littleEndian(BLOCKHASH_WINDOW);
  const fee = littleEndian(LAMPORTS_PER_SIGNATURE);
  const entries = Array.from({ length: BLOCKHASH_WINDOW }, (_, age) => [
    slots.blockhashBytes(current - age),
    fee,
  ]);
  return Uint8Array.from(Buffer.concat([count, ...entries.flat()]));
}

// Encodes and decodes accounts of the classic Token program: its `Mint` and `Account` layouts.

const MINT_BYTES = 82;
export const TOKEN_ACCOUNT_BYTES = 165;

const TOKEN_STATES = ['uninitialized', 'initialized', 'frozen'] as const;

export interface Mint {
  readonly mintAuthority: string | null;
  readonly supply: bigint;
  readonly decimals: number;
  readonly freezeAuthority: string | null;
}

export interface TokenAccount {
  readonly mint: string;
  readonly owner: string;
  /** Atomic units. */
  readonly amount: bigint;
  readonly delegate: string | null;
  readonly delegatedAmount: bigint;
  readonly state: (typeof TOKEN_STATES)[number];
  /** Lamports that a wrapped-SOL account must keep; null for other mints. */
  readonly nativeReserve: bigint | null;
  readonly closeAuthority: string | null;
}

interface OwnedBytes {
  readonly owner: string;
  readonly data: Uint8Array;
}

export function encodeMint(mint: Mint): Uint8Array {
  const { data, view } = blank(MINT_BYTES);
  writeOption(data, 0, mint.mintAuthority);
  view.setBigUint64(36, mint.supply, true);
  data[44] = mint.decimals;
  data[45] = 1;
  writeOption(data, 46, mint.freezeAuthority);
  return data;
}

/** Returns undefined if the account is not an initialized mint. */
export function decodeMint({ owner, data }: OwnedBytes): Mint | undefined {
  if (owner !== TOKEN_PROGRAM || data.length !== MINT_BYTES || data[45] !== 1) return undefined;
  return {
    mintAuthority: readOption(data, 0),
    supply: viewOf(data).getBigUint64(36, true),
    decimals: data[44] ?? 0,
    freezeAuthority: readOption(data, 46),
  };
}

/** Encodes an initialized token account with no delegate. */
export function encodeTokenAccount(account: {
  readonly mint: string;
  readonly owner: string;
  readonly amount: bigint;
}): Uint8Array {
  const { data, view } = blank(TOKEN_ACCOUNT_BYTES);
  data.set(addressBytes(account.mint), 0);
  data.set(addressBytes(account.owner), 32);
  view.setBigUint64(64, account.amount, true);
  data[108] = TOKEN_STATES.indexOf('initialized');
  return data;
}

/** Returns a copy of the account data with another amount. */
export function withAmount(data: Uint8Array, amount: bigint): Uint8Array {
  const copy = Uint8Array.from(data);
  viewOf(copy).setBigUint64(64, amount, true);
  return copy;
}

/** Returns undefined if the account is not an initialized token account. */
export function decodeTokenAccount({ owner, data }: OwnedBytes): TokenAccount | undefined {
  const state = TOKEN_STATES[data[108] ?? 0];
  if (owner !== TOKEN_PROGRAM || data.length !== TOKEN_ACCOUNT_BYTES) return undefined;
  if (state === undefined || state === 'uninitialized') return undefined;
  const view = viewOf(data);
  return {
    mint: encodeBase58(data.subarray(0, 32)),
    owner: encodeBase58(data.subarray(32, 64)),
    amount: view.getBigUint64(64, true),
    delegate: readOption(data, 72),
    state,
    nativeReserve: view.getUint32(109, true) === 0 ? null : view.getBigUint64(113, true),
    delegatedAmount: view.getBigUint64(121, true),
    closeAuthority: readOption(data, 129),
  };
}

function blank(length: number): { data: Uint8Array; view: DataView } {
  const data = new Uint8Array(length);
  return { data, view: viewOf(data) };
}

function viewOf(data: Uint8Array): DataView {
  return new DataView(data.buffer, data.byteOffset, data.length);
}

/** `COption<Pubkey>`: a flag of four bytes, then the key. */
function writeOption(data: Uint8Array, offset: number, address: string | null): void {
  if (address === null) return;
  data[offset] = 1;
  data.set(addressBytes(address), offset + 4);
}

function readOption(data: Uint8Array, offset: number): string | null {
  return data[offset] === 1 ? encodeBase58(data.subarray(offset + 4, offset + 36)) : null;
}
