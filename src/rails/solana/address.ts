/** Solana addresses: known programs, the curve check, and token accounts of owners. */

import { createHash } from 'node:crypto';
import { base58 } from '@scure/base';
import { ScripError } from '../../domain/message/errors.ts';
import { t } from '../../domain/message/message.ts';

export const SYSTEM_PROGRAM = '11111111111111111111111111111111';
export const TOKEN_PROGRAM = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';
export const TOKEN_2022_PROGRAM = 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb';
export const ASSOCIATED_TOKEN_PROGRAM = 'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL';
export const COMPUTE_BUDGET_PROGRAM = 'ComputeBudget111111111111111111111111111111';
export const LOOKUP_TABLE_PROGRAM = 'AddressLookupTab1e1111111111111111111111111';
export const MEMO_PROGRAM = 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr';

/** Longer than any signature (88 characters); bounded because decoding takes quadratic time. */
const MAX_LENGTH = 128;

export function encodeBase58(bytes: Uint8Array): string {
  return base58.encode(bytes);
}

/**
 * Decodes base58.
 * @throws {ScripError} INPUT_INVALID on a character outside the alphabet, or too many characters
 */
export function decodeBase58(text: string, maxLength = MAX_LENGTH): Uint8Array {
  if (text.length > maxLength) {
    throw new ScripError(
      'INPUT_INVALID',
      t`${text.length} characters are too many for this base58 value`,
    );
  }
  const stray = /[^1-9A-HJ-NP-Za-km-z]/u.exec(text)?.[0];
  if (stray !== undefined) {
    throw new ScripError('INPUT_INVALID', t`"${stray}" is not a base58 character`);
  }
  return base58.decode(text);
}

const ADDRESS_BYTES = 32;

/** Reads an address. @throws {ScripError} INPUT_INVALID when it is not 32 bytes in base58 */
export function addressBytes(address: string): Uint8Array {
  const bytes = decodeBase58(address);
  if (bytes.length !== ADDRESS_BYTES) {
    throw new ScripError('INPUT_INVALID', t`"${address}" is not a Solana address`);
  }
  return bytes;
}

export function isAddress(text: string): boolean {
  try {
    return addressBytes(text).length === ADDRESS_BYTES;
  } catch {
    return false;
  }
}

/**
 * Whether a private key can exist for the address: keys are points of the curve, addresses that
 * programs derive are not.
 * @throws {ScripError} INPUT_INVALID
 */
export function isOnCurve(address: string): boolean {
  return isPoint(addressBytes(address));
}

/**
 * Returns the token account of `owner` for `mint` under the classic Token program: the first
 * derived address that is not on the curve, counting the bump down from 255.
 * @throws {ScripError} INPUT_INVALID
 */
export function associatedTokenAddress(owner: string, mint: string): string {
  const key = `${owner} ${mint}`;
  const known = DERIVED.get(key) ?? deriveTokenAddress(owner, mint);
  if (DERIVED.size >= MOST_DERIVED) DERIVED.clear();
  DERIVED.set(key, known);
  return known;
}

/** A cache: an order asks several times, a wallet for each payment. */
const DERIVED = new Map<string, string>();
const MOST_DERIVED = 10_000;

function deriveTokenAddress(owner: string, mint: string): string {
  const seeds = [owner, TOKEN_PROGRAM, mint].map(addressBytes);
  for (let bump = 255; bump >= 0; bump -= 1) {
    const derived = derive(seeds, bump);
    if (!isPoint(derived)) return encodeBase58(derived);
  }
  // Probability 2^-256: every bump gives a point on the curve.
  throw new ScripError('INPUT_INVALID', t`${owner} has no token account for ${mint}`);
}

function derive(seeds: readonly Uint8Array[], bump: number): Uint8Array {
  const hash = createHash('sha256');
  for (const seed of seeds) hash.update(seed);
  return hash
    .update(Uint8Array.of(bump))
    .update(DERIVING_PROGRAM)
    .update('ProgramDerivedAddress')
    .digest();
}

const DERIVING_PROGRAM = addressBytes(ASSOCIATED_TOKEN_PROGRAM);

/** The prime of Ed25519's field and the d of its curve -x² + y² = 1 + d·x²·y² (RFC 8032, 5.1). */
const FIELD = 2n ** 255n - 19n;
const CURVE_D = 37095705934669439343138083508754565189542113879843219016388785533085940283555n;
const Y_BITS = 2n ** 255n - 1n;

/**
 * Whether some x satisfies x² = (y² - 1) / (d·y² + 1) for the y in the bytes. The sign is ignored
 * and y may exceed the prime, since the runtime decompresses points as leniently (ZIP 215).
 */
function isPoint(bytes: Uint8Array): boolean {
  const y = BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`) & Y_BITS;
  const y2 = (y * y) % FIELD;
  // A quotient is a square exactly when the product is; the divisor is never 0.
  return isSquare(((y2 - 1n) * (CURVE_D * y2 + 1n)) % FIELD);
}

/** Computes the Jacobi symbol by Euclid's algorithm, seven times as fast as a square root. */
function isSquare(value: bigint): boolean {
  let isPlus = true;
  let top = value < 0n ? value + FIELD : value;
  let bottom = FIELD;
  while (top !== 0n) {
    const rest = lowBits(bottom) & 7;
    for (let zeros = zerosAtEnd(top); zeros > 0; zeros = zerosAtEnd(top)) {
      top >>= BigInt(zeros);
      if (zeros % 2 === 1 && (rest === 3 || rest === 5)) isPlus = !isPlus;
    }
    if ((lowBits(top) & rest & 3) === 3) isPlus = !isPlus;
    [top, bottom] = [bottom % top, top];
  }
  return isPlus;
}

/** Of more than 31 zero bits, counts 31. */
function zerosAtEnd(value: bigint): number {
  const bits = lowBits(value);
  return bits === 0 ? 31 : 31 - Math.clz32(bits & -bits);
}

function lowBits(value: bigint): number {
  return Number(BigInt.asUintN(32, value));
}
