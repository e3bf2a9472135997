/** Transactions of the kind EIP-1559, as far as calling a contract needs. */

import { keccak_256 } from '@noble/hashes/sha3.js';
import { bytesOf, hexOf } from './address.ts';

/** The first byte of such a transaction, signed or not. */
export const EIP1559 = 0x02;

export interface ContractCall {
  readonly chainId: number;
  readonly nonce: number;
  readonly maxPriorityFeePerGas: bigint;
  readonly maxFeePerGas: bigint;
  readonly gasLimit: bigint;
  readonly to: string;
  readonly data: string;
}

/** The bytes that the sender signs. */
export function unsignedCall(call: ContractCall): Uint8Array {
  return envelope(fieldsOf(call));
}

/** The bytes that are sent, and their id on the chain. @param signature r, s and v, 65 bytes */
export function signedCall(call: ContractCall, signature: Uint8Array) {
  const [r, s] = [signature.subarray(0, 32), signature.subarray(32, 64)];
  const parity = BigInt((signature[64] ?? 0) - 27);
  const wire = envelope([...fieldsOf(call), numberItem(parity), trimmed(r), trimmed(s)]);
  return { wire, transaction: hexOf(keccak_256(wire)) };
}

function fieldsOf(call: ContractCall): readonly Uint8Array[] {
  return [
    numberItem(BigInt(call.chainId)),
    numberItem(BigInt(call.nonce)),
    numberItem(call.maxPriorityFeePerGas),
    numberItem(call.maxFeePerGas),
    numberItem(call.gasLimit),
    bytesOf(call.to),
    numberItem(0n),
    bytesOf(call.data),
  ];
}

const NO_ACCESS_LIST = Uint8Array.of(0xc0);
const FIELDS_BEFORE_IT = 8;

function envelope(fields: readonly Uint8Array[]): Uint8Array {
  const items = fields.map(rlpItem);
  items.splice(FIELDS_BEFORE_IT, 0, NO_ACCESS_LIST);
  const content = Buffer.concat(items);
  return Buffer.concat([Uint8Array.of(EIP1559), rlpHead(0xc0, content.length), content]);
}

/** RLP (Ethereum's yellow paper, appendix B) of one string of bytes. */
function rlpItem(bytes: Uint8Array): Uint8Array {
  const isItself = bytes.length === 1 && (bytes[0] ?? 0) < 0x80;
  return isItself ? bytes : Buffer.concat([rlpHead(0x80, bytes.length), bytes]);
}

function rlpHead(offset: number, length: number): Uint8Array {
  if (length < 56) return Uint8Array.of(offset + length);
  const size = numberItem(BigInt(length));
  return Uint8Array.of(offset + 55 + size.length, ...size);
}

function numberItem(value: bigint): Uint8Array {
  const hex = value === 0n ? '' : value.toString(16);
  return Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex');
}

function trimmed(bytes: Uint8Array): Uint8Array {
  return numberItem(BigInt(hexOf(bytes)));
}
