/** Checks that an address can receive a refund: each network's form, with its checksum. */
import { isBech32, isSegwitAddress } from '../../../domain/address/bech32.ts';
import { isSolanaAddress } from '../../../domain/address/solana-address.ts';
import { ScripError } from '../../../domain/message/errors.ts';
import type { PaymentScheme } from '../../../domain/money/coin.ts';
import { decodeBase58 } from '../../../rails/solana/address.ts';
import type { Market } from '../../catalog/market.ts';
import { sha256 } from '../../digest.ts';

type Check = (text: string) => boolean;

/** Version bytes of pay-to-public-key-hash and pay-to-script-hash on each chain. */
const CHECKS: Readonly<Record<PaymentScheme, Check>> = {
  solana: isSolanaAddress,
  // Mixed case can carry a checksum, which is not verified; addresses in one case have none.
  ethereum: (text) => /^0x[0-9a-fA-F]{40}$/.test(text),
  bitcoin: (text) => isSegwitAddress(text, 'bc') || isBase58Check(text, [0x00, 0x05]),
  litecoin: (text) => isSegwitAddress(text, 'ltc') || isBase58Check(text, [0x30, 0x32, 0x05]),
  dogecoin: (text) => isBase58Check(text, [0x1e, 0x16]),
  dash: (text) => isBase58Check(text, [0x4c, 0x10]),
  tron: (text) => isBase58Check(text, [0x41]),
  // An invoice, an LNURL, or a lightning address, which looks like an email address.
  lightning: (text) =>
    (/^ln/i.test(text) && isBech32(text)) || /^[\w.+-]{1,64}@[\w-]+(\.[\w-]+)+$/.test(text),
};

/** Longer than any valid address. */
const MAX_LENGTH = 2_048;
const SHOWN = 100;

/**
 * Returns why an address is refused; undefined if it is valid or absent, if coin and network do not
 * match, or if a processor takes the payment: then its form is unknown.
 */
export function refundAddressProblem(
  market: Market,
  payment: { readonly coin: string; readonly network: string | null | undefined },
  address: string | null | undefined,
): string | undefined {
  const coin = market.coin(payment.coin);
  const network = coin && market.network(coin, payment.network ?? '');
  if (address === null || address === undefined || network === undefined) return undefined;
  if (address.length <= MAX_LENGTH && CHECKS[network.scheme](address)) return undefined;
  return `"${address.slice(0, SHOWN)}" is not an address of ${payment.coin} on ${network.name}`;
}

const HASH_BYTES = 20;
const SUM_BYTES = 4;
/** 25 bytes make at most 35 characters. */
const LONGEST_BASE58 = 35;

/** Checks a version, a hash of 20 bytes, and the first four bytes of a double SHA-256 of both. */
function isBase58Check(text: string, versions: readonly number[]): boolean {
  const bytes = base58(text);
  if (bytes?.length !== 1 + HASH_BYTES + SUM_BYTES) return false;
  if (!versions.includes(bytes[0] ?? -1)) return false;
  const body = bytes.slice(0, -SUM_BYTES);
  const sum = sha256(sha256(body));
  return bytes.slice(-SUM_BYTES).every((byte, index) => byte === sum[index]);
}

function base58(text: string): Uint8Array | undefined {
  if (text.length > LONGEST_BASE58) return undefined;
  try {
    return decodeBase58(text);
  } catch (error) {
    if (error instanceof ScripError) return undefined;
    throw error;
  }
}
