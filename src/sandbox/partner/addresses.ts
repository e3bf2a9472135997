/** Addresses that orders are paid to: opened before they are needed, or without a key. */

import { bech32 } from '@scure/base';
import { BASE, SOLANA_MAINNET } from '../../contract/usdc.ts';
import { segwitAddress } from '../../domain/address/bech32.ts';
import type { CoinNetwork, PaymentScheme } from '../../domain/money/coin.ts';
import { encodeBase58 } from '../../rails/solana/address.ts';
import { addressFromSeed } from '../../rails/solana/ed25519.ts';
import { sha256 } from '../../service/digest.ts';
import type { WalletSource } from '../../service/options.ts';
import type { BaseRail } from '../base-rail.ts';
import type { Draw } from '../data-folder.ts';
import type { ShopChain } from '../shop-chain.ts';

interface Options {
  readonly chain: Pick<ShopChain, 'openForPayments' | 'embedded'>;
  readonly draw: Draw;
  random(length: number): Uint8Array;
}

/** Returns an address that no other order gets, ready for USDC. @throws {ScripError} CHAIN_UNREACHABLE */
export type NextAddress = () => Promise<string>;

/** Opened in one write: more would make callers wait for longer than a commit takes. */
const MOST_AT_ONCE = 32;

/**
 * Whenever none is left, opens twice as many as the time before, so a single purchase opens one,
 * and those of a busy shop share a commit. On a remote chain each costs rent and is opened alone.
 */
export function createPaymentAddresses({ chain, draw, random }: Options): NextAddress {
  const most = chain.embedded ? MOST_AT_ONCE : 1;
  const opened: string[] = [];
  let count = 1;
  let opening: Promise<void> | undefined;

  async function openMore(): Promise<void> {
    const names = Array.from({ length: count }, () => Buffer.from(random(16)).toString('hex'));
    const owners = names.map((name) => addressFromSeed(draw(`payments ${name}`)));
    await chain.openForPayments(...owners);
    opened.push(...owners);
    count = Math.min(2 * count, most);
  }

  function more(): Promise<void> {
    opening ??= openMore().finally(() => {
      opening = undefined;
    });
    return opening;
  }

  return async () => {
    for (;;) {
      const owner = opened.pop();
      if (owner === undefined) {
        await more();
        continue;
      }
      // A busy shop opens the next ones early, so that no order waits for them. If that fails,
      // an order that finds none left tries again, and is told.
      if (opened.length === MOST_AT_ONCE / 2) more().catch(() => undefined);
      return owner;
    }
  };
}

/** Coins of the embedded chain, where payments are real transfers. */
const ON_CHAIN = ['USDC', 'SOL'];

/** Whether the order is paid on the embedded chain; other payments are simulated. */
export function isOnChain(coin: string, network: Pick<CoinNetwork, 'caip2'> | undefined): boolean {
  return network?.caip2 === SOLANA_MAINNET && ON_CHAIN.includes(coin);
}

/** Whether the order can be paid on the stand-in for Base, too. */
export function isOnBase(coin: string, network: Pick<CoinNetwork, 'caip2'> | undefined): boolean {
  return network?.caip2 === BASE && coin === 'USDC';
}

/** On both chains, an address whose key derives from this folder's secret; elsewhere, an address without a key. */
export function createSandboxWallets(
  nextAddress: NextAddress,
  { draw, base }: { readonly draw: Draw; readonly base: Pick<BaseRail, 'addressOf'> | undefined },
): WalletSource {
  return {
    allocate: async ({ orderId, coin, network }) => {
      if (base && isOnBase(coin, network)) return base.addressOf(orderId);
      const seed = draw(`order ${orderId}`);
      if (!isOnChain(coin, network)) return fakeAddress(network.scheme, seed);
      return coin === 'USDC' ? nextAddress() : addressFromSeed(seed);
    },
  };
}

// Creates addresses with the right form for their network but without a key: bytes derived from the
// sandbox's secret, in the network's encoding. Never send anything to one.

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
