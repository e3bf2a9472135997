/** Calls and events of USDC on an EVM chain: ERC-20, EIP-3009, and EIP-1271 of its smart wallets. */

import { keccak_256 } from '@noble/hashes/sha3.js';
import { bytesOf, hexOf, withChecksum } from './address.ts';
import type { Authorization } from './authorization.ts';

export const selectorOf = (signature: string) =>
  hexOf(keccak_256(Buffer.from(signature)).subarray(0, 4));
const topicOf = (signature: string) => hexOf(keccak_256(Buffer.from(signature)));

const SIX = 'address,address,uint256,uint256,uint256,bytes32';
const SELECTORS = {
  balanceOf: selectorOf('balanceOf(address)'),
  authorizationState: selectorOf('authorizationState(address,bytes32)'),
  isValidSignature: selectorOf('isValidSignature(bytes32,bytes)'),
  byParts: selectorOf(`transferWithAuthorization(${SIX},uint8,bytes32,bytes32)`),
  byBytes: selectorOf(`transferWithAuthorization(${SIX},bytes)`),
};

export const TOPICS = {
  transfer: topicOf('Transfer(address,address,uint256)'),
  used: topicOf('AuthorizationUsed(address,bytes32)'),
  canceled: topicOf('AuthorizationCanceled(address,bytes32)'),
};

export const DOMAIN_SEPARATOR_CALL = selectorOf('DOMAIN_SEPARATOR()');

/** A word of 32 bytes as 64 digits. */
export const word = (value: string | bigint) =>
  (typeof value === 'bigint' ? value.toString(16) : value.slice(2).toLowerCase()).padStart(64, '0');

/** An address as a topic of a log. */
export const topicOfAddress = (address: string) => `0x${word(address)}`;

export const addressOfTopic = (topic: string) => withChecksum(`0x${topic.slice(-40)}`);

export const balanceCall = (owner: string) => SELECTORS.balanceOf + word(owner);

export const stateCall = ({ from, nonce }: Pick<Authorization, 'from' | 'nonce'>) =>
  SELECTORS.authorizationState + word(from) + word(nonce);

const EOA_SIGNATURE_BYTES = 65;

/** The call that settles an authorization; the form with v, r and s is in each version of USDC. */
export function settleCall(authorization: Authorization, signature: string): string {
  const { from, to, value, validAfter, validBefore, nonce } = authorization;
  const numbers = [value, validAfter, validBefore].map((one) => word(BigInt(one)));
  const six = [word(from), word(to), ...numbers, word(nonce)].join('');
  const bytes = bytesOf(signature);
  if (bytes.length === EOA_SIGNATURE_BYTES) {
    const [r, s] = [signature.slice(2, 66), signature.slice(66, 130)];
    return SELECTORS.byParts + six + word(BigInt(bytes[64] ?? 0)) + r + s;
  }
  return SELECTORS.byBytes + six + word(7n * 32n) + dynamic(signature);
}

export function isValidSignatureCall(digest: Uint8Array, signature: string): string {
  return SELECTORS.isValidSignature + word(hexOf(digest)) + word(2n * 32n) + dynamic(signature);
}

/** What EIP-1271 returns for a valid signature. */
export const VALID_1271 = SELECTORS.isValidSignature.padEnd(66, '0');

function dynamic(hex: string): string {
  const digits = hex.slice(2).toLowerCase();
  return word(BigInt(digits.length / 2)) + digits.padEnd(Math.ceil(digits.length / 64) * 64, '0');
}

/**
 * Finds the authorization of a nonce in the data of a call, also where another contract passes it on, with the
 * signature after it.
 */
export function settlementIn(
  data: string,
  { from, nonce }: Pick<Authorization, 'from' | 'nonce'>,
): { readonly authorization: Authorization; readonly signature: string } | undefined {
  const at = data.indexOf(word(nonce)) - 5 * 64;
  if (at < 0 || data.slice(at, at + 64) !== word(from)) return undefined;
  const wordAt = (index: number) => data.slice(at + index * 64, at + (index + 1) * 64);
  const numberAt = (index: number) => BigInt(`0x${wordAt(index) || '0'}`).toString();
  const authorization = {
    ...{ from: withChecksum(from), to: withChecksum(`0x${wordAt(1).slice(24)}`) },
    ...{ value: numberAt(2), validAfter: numberAt(3), validBefore: numberAt(4), nonce },
  };
  const isOfParts = data.slice(at - 8, at) === SELECTORS.byParts.slice(2);
  const size = 2 * Number(numberAt(7));
  const signature = isOfParts
    ? wordAt(7) + wordAt(8) + wordAt(6).slice(-2)
    : data.slice(at + 8 * 64, at + 8 * 64 + (Number.isSafeInteger(size) ? size : 0));
  return { authorization, signature: `0x${signature}` };
}
