/** Checks that an address has the form of its network, with its checksum. */
import { createBase58check } from '@scure/base';
import type { PaymentScheme } from '../money/coin.ts';
import { isBech32, isSegwitAddress } from './bech32.ts';
import { isEvmAddress, isSolanaAddress } from './chain-address.ts';

type Sha256 = (data: Uint8Array) => Uint8Array;
type Check = (text: string, sha256: Sha256) => boolean;

/** Version bytes of pay-to-public-key-hash and pay-to-script-hash on each chain. */
const CHECKS: Readonly<Record<PaymentScheme, Check>> = {
  solana: isSolanaAddress,
  ethereum: isEvmAddress,
  bitcoin: (text, sha256) =>
    isSegwitAddress(text, 'bc') || isBase58Check(text, [0x00, 0x05], sha256),
  litecoin: (text, sha256) =>
    isSegwitAddress(text, 'ltc') || isBase58Check(text, [0x30, 0x32, 0x05], sha256),
  dogecoin: (text, sha256) => isBase58Check(text, [0x1e, 0x16], sha256),
  dash: (text, sha256) => isBase58Check(text, [0x4c, 0x10], sha256),
  tron: (text, sha256) => isBase58Check(text, [0x41], sha256),
  // An invoice, an LNURL, or a lightning address, which looks like an email address.
  lightning: (text) =>
    (/^ln/i.test(text) && isBech32(text)) || /^[\w.+-]{1,64}@[\w-]+(\.[\w-]+)+$/.test(text),
};

/** Longer than any valid address. */
const MAX_LENGTH = 2_048;

export function isAddressOn(scheme: PaymentScheme, text: string, sha256: Sha256): boolean {
  return text.length <= MAX_LENGTH && CHECKS[scheme](text, sha256);
}

const HASH_BYTES = 20;
/** 25 bytes make at most 35 characters. */
const LONGEST_BASE58 = 35;

/** Checks a version, a hash of 20 bytes, and the first four bytes of a double SHA-256 of both. */
function isBase58Check(text: string, versions: readonly number[], sha256: Sha256): boolean {
  if (text.length > LONGEST_BASE58) return false;
  try {
    const body = createBase58check(sha256).decode(text);
    return body.length === 1 + HASH_BYTES && versions.includes(body[0] ?? -1);
  } catch {
    return false;
  }
}
