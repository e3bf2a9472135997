/** Keys and signatures of EVM chains. */

import { secp256k1 } from '@noble/curves/secp256k1.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { ScripError } from '../../domain/message/errors.ts';
import { t } from '../../domain/message/message.ts';
import type { Signer, SignIn } from '../rail.ts';
import { addressOfKey, bytesOf, hexOf, readAddress } from './address.ts';
import { EIP1559 } from './transaction.ts';
import { decodeTypedData, digestOfTypedData } from './typed-data.ts';

const OPENING_BRACE = 0x7b;
const SIGNATURE_BYTES = 65;
/** Begins a text for a person (EIP-191, version 0x45); no transaction and no typed data does. */
const PERSONAL = ['\x19Ethereum', 'Signed', 'Message:\n'].join(' ');
/** Added to the recovery bit in the last byte of a signature. */
const V = 27;

/**
 * Creates a signer that holds its key in memory. Its signatures are deterministic (RFC 6979): r, s and v, 65 bytes.
 * It signs typed data as UTF-8 JSON, unsigned EIP-1559 transactions, and texts of EIP-191, and nothing else.
 * @param secret 32 bytes
 * @throws {ScripError} WALLET_INVALID
 */
export function evmSigner(secret: Uint8Array): Signer {
  if (!secp256k1.utils.isValidSecretKey(secret)) {
    throw new ScripError('WALLET_INVALID', t`The key is not a secret key of secp256k1`);
  }
  const key = Uint8Array.from(secret);
  return {
    address: addressOfKey(secp256k1.getPublicKey(key, false)),
    sign: async (message) => {
      const signed = secp256k1.sign(digestToSign(message), key, {
        ...{ prehash: false, format: 'recovered' },
      });
      // Noble puts the recovery bit first.
      return Uint8Array.of(...signed.subarray(1), V + (signed[0] ?? 0));
    },
  };
}

/** @throws {ScripError} INPUT_INVALID for what no key of ours signs */
export function digestToSign(message: Uint8Array): Uint8Array {
  if (message[0] === OPENING_BRACE) return digestOfTypedData(decodeTypedData(message));
  if (message[0] === EIP1559) return keccak_256(message);
  if (Buffer.from(message).indexOf(PERSONAL) === 0) return keccak_256(message);
  throw new ScripError('INPUT_INVALID', t`The text to sign is not typed data of a known form`);
}

/**
 * Returns the address that signed a digest; undefined unless the signature is 65 bytes with v 27 or 28 and a low s,
 * as USDC requires.
 */
export function signerOf(digest: Uint8Array, signature: Uint8Array): string | undefined {
  const bit = (signature[SIGNATURE_BYTES - 1] ?? 0) - V;
  if (signature.length !== SIGNATURE_BYTES || (bit !== 0 && bit !== 1)) return undefined;
  try {
    const bytes = Uint8Array.of(bit, ...signature.subarray(0, SIGNATURE_BYTES - 1));
    const parsed = secp256k1.Signature.fromBytes(bytes, 'recovered');
    return parsed.hasHighS()
      ? undefined
      : addressOfKey(parsed.recoverPublicKey(digest).toBytes(false));
  } catch {
    // Not a point of the curve.
    return undefined;
  }
}

export const evmSignIn: SignIn = {
  type: 'eip191',
  account: 'Ethereum',
  message: personalMessage,
  encode: hexOf,
  signedBy: async (address, text, signature) => {
    if (!/^0x[0-9a-fA-F]{130}$/.test(signature)) return undefined;
    const signer = signerOf(keccak_256(personalMessage(text)), bytesOf(signature));
    return signer !== undefined && signer === readAddress(address) ? signer : undefined;
  },
};

function personalMessage(text: string): Uint8Array {
  return Buffer.from(`${PERSONAL}${Buffer.byteLength(text)}${text}`);
}
