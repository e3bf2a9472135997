/** Accounts that the cluster itself writes, computed on read. */
import { RECENT_BLOCKHASHES_SYSVAR } from '../../rails/solana/recent-blockhashes.ts';
import type { ChainAccountRow } from '../../storage/chain-records.ts';
import { minimumBalance } from './genesis.ts';
import { BLOCKHASH_WINDOW, type Slots } from './slots.ts';

const SYSVAR_OWNER = 'Sysvar1111111111111111111111111111111111111';
const LAMPORTS_PER_SIGNATURE = 5000n;

/** Returns a reader of sysvar accounts; it gives undefined for every other address. */
export function openSysvars(
  slots: Slots,
): (address: string) => Promise<ChainAccountRow | undefined> {
  /** Cached per slot: each payment verification reads it. */
  let newest: { readonly slot: number; readonly data: Uint8Array } | undefined;
  return async (address) => {
    if (address !== RECENT_BLOCKHASHES_SYSVAR) return undefined;
    const slot = await slots.current();
    if (newest?.slot !== slot) newest = { slot, data: recentBlockhashes(slots, slot) };
    const { data } = newest;
    const lamports = minimumBalance(data.length).toString();
    return { address, lamports, owner: SYSVAR_OWNER, data, executable: false };
  };
}

/** Layout: a count, then the last 150 blockhashes, newest first, each with the fee per signature. */
function recentBlockhashes(slots: Slots, current: number): Uint8Array {
  const count = Buffer.alloc(8);
  count.writeBigUInt64LE(BigInt(BLOCKHASH_WINDOW));
  const fee = Buffer.alloc(8);
  fee.writeBigUInt64LE(LAMPORTS_PER_SIGNATURE);
  const entries = Array.from({ length: BLOCKHASH_WINDOW }, (_, age) => [
    slots.blockhashBytes(current - age),
    fee,
  ]);
  return Uint8Array.from(Buffer.concat([count, ...entries.flat()]));
}
