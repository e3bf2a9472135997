/** Decodes accounts of the classic Token program. */
import { TOKEN_PROGRAM } from './address.ts';
import { encodeBase58 } from './base58.ts';

/** The Token program's layout: mint, owner, amount, 36 bytes of delegate, state, …, 165 in all. */
const ACCOUNT_BYTES = 165;
const AMOUNT_OFFSET = 64;
const STATE_OFFSET = 108;
const FROZEN = 2;

export interface TokenAccount {
  readonly mint: string;
  readonly owner: string;
  /** Atomic units. */
  readonly amount: bigint;
  readonly isFrozen: boolean;
}

/** Returns null if the bytes are not an initialized token account of the classic program. */
export function readTokenAccount(account: {
  readonly owner: string;
  readonly data: Uint8Array;
}): TokenAccount | null {
  const { owner, data } = account;
  const state = data[STATE_OFFSET] ?? 0;
  if (owner !== TOKEN_PROGRAM || data.length !== ACCOUNT_BYTES || state === 0) return null;
  return {
    mint: encodeBase58(data.subarray(0, 32)),
    owner: encodeBase58(data.subarray(32, AMOUNT_OFFSET)),
    amount: new DataView(data.buffer, data.byteOffset).getBigUint64(AMOUNT_OFFSET, true),
    isFrozen: state === FROZEN,
  };
}
