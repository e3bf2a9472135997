/** The two kinds of keys, and what differs between them. Each signs for the networks of one namespace (CAIP-2). */

import { isEvmAddress } from '../domain/address/chain-address.ts';
import type { Signer } from '../rails/rail.ts';
import { isAddress } from '../rails/solana/address.ts';
import { offChainMessage, signerFromSeed, verifySignature } from '../rails/solana/ed25519.ts';
import type { Secret } from './secret.ts';

export const ALGORITHMS = ['ed25519', 'secp256k1'] as const;
export type Algorithm = (typeof ALGORITHMS)[number];

interface Kind {
  signer(key: Uint8Array): Promise<Signer>;
  isAddress(text: string): boolean;
  /** Whether the address signed the message; false for any malformed part. */
  verify(address: string, message: Uint8Array, signature: Uint8Array): Promise<boolean>;
  /** Wraps a text into a message whose signature can never move money. */
  statement(text: string): Promise<Uint8Array>;
}

const evm = () => import('../rails/evm/secp256k1.ts');
const typed = () => import('../rails/evm/typed-data.ts');

const KINDS: Readonly<Record<Algorithm, Kind>> = {
  ed25519: {
    signer: async (seed) => signerFromSeed(seed),
    isAddress,
    verify: async (...signed) => verifySignature(...signed),
    statement: async (text) => offChainMessage(text),
  },
  secp256k1: {
    signer: async (key) => (await evm()).evmSigner(key),
    isAddress: isEvmAddress,
    verify: async (address, message, signature) => {
      const { digestToSign, signerOf } = await evm();
      return signerOf(digestToSign(message), signature)?.toLowerCase() === address.toLowerCase();
    },
    // A domain of our own, which no contract verifies.
    statement: async (text) =>
      (await typed()).encodeTypedData({
        types: {
          EIP712Domain: [{ name: 'name', type: 'string' }],
          Statement: [{ name: 'text', type: 'string' }],
        },
        primaryType: 'Statement',
        domain: { name: 'scrip' },
        message: { text },
      }),
  },
};

/** Returns the signer of 32 bytes. @throws {ScripError} WALLET_INVALID for bytes that are no key */
export function signerFor(algorithm: Algorithm, key: Secret): Promise<Signer> {
  return key.use((bytes) => KINDS[algorithm].signer(bytes));
}

export async function addressOf(algorithm: Algorithm, key: Secret): Promise<string> {
  return (await signerFor(algorithm, key)).address;
}

/** Whether a text is an address of an algorithm; false for an unknown algorithm. */
export function isAddressOf(algorithm: unknown, text: string): algorithm is Algorithm {
  return Object.hasOwn(KINDS, String(algorithm)) && KINDS[algorithm as Algorithm].isAddress(text);
}

/** The kind of key that an address belongs to; undefined for text that is no address. */
export function algorithmOf(address: string): Algorithm | undefined {
  return ALGORITHMS.find((algorithm) => KINDS[algorithm].isAddress(address));
}

/** Whether the address signed the message: of typed data, its UTF-8 JSON. */
export async function isSignedBy(
  address: string,
  message: Uint8Array,
  signature: Uint8Array,
): Promise<boolean> {
  const algorithm = algorithmOf(address);
  return algorithm !== undefined && KINDS[algorithm].verify(address, message, signature);
}

/** Wraps a text into what the key of an address signs, so that the signature can never move money. */
export function statementBy(address: string, text: string): Promise<Uint8Array> {
  return KINDS[algorithmOf(address) ?? 'ed25519'].statement(text);
}
