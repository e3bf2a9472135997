/** Accounts that the cluster itself writes, computed on read. */
import { RECENT_BLOCKHASHES_SYSVAR } from '../../rails/solana/recent-blockhashes.ts';
import type { ChainAccountRow } from '../../store/tables/chain.ts';
import { minimumBalance } from './genesis.ts';
import { BLOCKHASH_WINDOW, type Slots } from './slots.ts';

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
