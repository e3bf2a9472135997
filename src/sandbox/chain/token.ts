/** Encodes and decodes accounts of the classic Token program: its `Mint` and `Account` layouts. */
import { addressBytes, encodeBase58, TOKEN_PROGRAM } from '../../rails/solana/address.ts';

export const MINT_BYTES = 82;
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
