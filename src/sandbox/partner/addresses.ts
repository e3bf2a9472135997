/**
 * Creates addresses with the right form for their network but without a key: bytes derived from the
 * sandbox's secret, in the network's encoding. Never send anything to one.
 */
import { bech32 } from '@scure/base';
import { segwitAddress } from '../../domain/bech32.ts';
import type { PaymentScheme } from '../../domain/coin.ts';
import { encodeBase58 } from '../../rails/solana/address.ts';
import { sha256 } from '../../service/digest.ts';

/** At least 32 bytes, fixed for each order. */
type Seed = Uint8Array;

const HASH_BYTES = 20;

const WRITERS: Readonly<Record<PaymentScheme, (seed: Seed) => string>> = {
  ethereum: (seed) => `0x${Buffer.from(hash160(seed)).toString('hex')}`,
  bitcoin: (seed) => segwitAddress('bc', hash160(seed)),
  litecoin: (seed) => segwitAddress('ltc', hash160(seed)),
  // Version bytes of pay-to-public-key-hash addresses: Dogecoin's D…, Dash's X…, Tron's T….
  dogecoin: (seed) => base58Check(0x1e, hash160(seed)),
  dash: (seed) => base58Check(0x4c, hash160(seed)),
  tron: (seed) => base58Check(0x41, hash160(seed)),
  lightning,
  solana: (seed) => encodeBase58(seed.subarray(0, 32)),
};

export function fakeAddress(scheme: PaymentScheme, seed: Seed): string {
  return WRITERS[scheme](seed);
}

function hash160(seed: Seed): Uint8Array {
  return seed.subarray(0, HASH_BYTES);
}

function base58Check(version: number, payload: Uint8Array): string {
  const body = Uint8Array.from([version, ...payload]);
  const checksum = sha256(sha256(body)).subarray(0, 4);
  return encodeBase58(Uint8Array.from([...body, ...checksum]));
}

/** An invoice begins with its time in groups of five bits, before the tags (BOLT 11). */
const TIME_GROUPS = 7;
const PAYMENT_HASH_TAG = 1;
const SIGNATURE_BYTES = 65;

/** Builds an invoice without an amount, with a payment hash and a dummy signature. */
function lightning(seed: Seed): string {
  const hash = bech32.toWords(sha256(seed));
  const signature = Uint8Array.from({ length: SIGNATURE_BYTES }, (_, at) => seed[at % 32] ?? 0);
  const words = [
    ...new Array<number>(TIME_GROUPS).fill(0),
    PAYMENT_HASH_TAG,
    hash.length >> 5,
    hash.length & 31,
    ...hash,
    ...bech32.toWords(signature),
  ];
  return bech32.encode('lnbc', words, false);
}
