/** An authorization of EIP-3009: what a payer signs for x402 `exact`, and what is sent of it. */

import { keccak_256 } from '@noble/hashes/sha3.js';
import type { PaymentPayload } from '../../contract/x402.ts';
import { field } from '../rpc-transport.ts';
import { hexOf, readAddress } from './address.ts';
import type { EvmNetwork } from './networks.ts';
import { digestOfTypedData, hashOfDomain, type TypedData } from './typed-data.ts';

/** As x402 writes it: numbers as decimal text. Addresses have their checksum, the nonce is in lower case. */
export interface Authorization {
  readonly from: string;
  readonly to: string;
  readonly value: string;
  /** Unix seconds, both: a block whose time lies between them may include it. */
  readonly validAfter: string;
  readonly validBefore: string;
  /** 32 bytes. */
  readonly nonce: string;
}

const TYPES = {
  EIP712Domain: [
    { name: 'name', type: 'string' },
    { name: 'version', type: 'string' },
    { name: 'chainId', type: 'uint256' },
    { name: 'verifyingContract', type: 'address' },
  ],
  TransferWithAuthorization: [
    { name: 'from', type: 'address' },
    { name: 'to', type: 'address' },
    { name: 'value', type: 'uint256' },
    { name: 'validAfter', type: 'uint256' },
    { name: 'validBefore', type: 'uint256' },
    { name: 'nonce', type: 'bytes32' },
  ],
} as const;

/** The domain of USDC, as the payer signs it. */
export function domainOf({ name, version, chainId, asset }: EvmNetwork) {
  return { name, version, chainId, verifyingContract: asset };
}

/** The hash of that domain, which the contract tells too. */
export function separatorOf(network: EvmNetwork): string {
  return hexOf(hashOfDomain(TYPES, domainOf(network)));
}

export function typedDataOf(network: EvmNetwork, authorization: Authorization): TypedData {
  const { from, to, value, validAfter, validBefore, nonce } = authorization;
  return {
    types: TYPES,
    primaryType: 'TransferWithAuthorization',
    domain: domainOf(network),
    message: { from, to, value, validAfter, validBefore, nonce },
  };
}

export function digestOf(network: EvmNetwork, authorization: Authorization): Uint8Array {
  return digestOfTypedData(typedDataOf(network, authorization));
}

/** What makes an authorization the only one: USDC takes each nonce of a payer once. */
export function nonceKey(
  { chainId, asset }: EvmNetwork,
  { from, nonce }: Pick<Authorization, 'from' | 'nonce'>,
): string {
  const named = [chainId, asset, from, nonce].join(' ').toLowerCase();
  return Buffer.from(keccak_256(Buffer.from(named))).toString('hex');
}

/** An authorization and its signature, as hexadecimal text. */
export interface Signed {
  readonly authorization: Authorization;
  readonly signature: string;
}

/** Of an account without code 65; smart wallets pack several, with the data of a passkey. */
const MOST_SIGNATURE_BYTES = 2_048;
const HEX_BYTES = /^0x([0-9a-fA-F]{2})+$/;
/** `BigInt()` alone would accept "0x5", " 5 " and "". */
const UINT = /^(0|[1-9]\d{0,77})$/;

/** Reads the payload of a payment; undefined for any other form. */
export function readSigned(payload: PaymentPayload['payload']): Signed | undefined {
  const authorization = readAuthorization(field(payload, 'authorization'));
  const signature = field(payload, 'signature');
  if (authorization === undefined || typeof signature !== 'string') return undefined;
  const isSized = signature.length <= 2 + 2 * MOST_SIGNATURE_BYTES;
  if (!isSized || !HEX_BYTES.test(signature)) return undefined;
  return { authorization, signature: signature.toLowerCase() };
}

export function readAuthorization(value: unknown): Authorization | undefined {
  const text = (name: string) => {
    const found = field(value, name);
    return typeof found === 'string' ? found : '';
  };
  const [from, to] = [readAddress(text('from')), readAddress(text('to'))];
  const amounts = { value: text('value') };
  const window = { validAfter: text('validAfter'), validBefore: text('validBefore') };
  const nonce = text('nonce').toLowerCase();
  const areNumbers = [...Object.values(amounts), ...Object.values(window)].every((one) =>
    UINT.test(one),
  );
  if (from === undefined || to === undefined || !areNumbers) return undefined;
  return /^0x[0-9a-f]{64}$/.test(nonce) ? { from, to, ...amounts, ...window, nonce } : undefined;
}
