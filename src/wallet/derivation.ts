/** Derives a key's seed from a BIP39 seed: SLIP-0010 for Ed25519, with every step hardened. */

import { createHmac } from 'node:crypto';
import { ScripError } from '../domain/message/errors.ts';
import { type Message, t } from '../domain/message/message.ts';

/** Which key to derive from a recovery phrase. */
export type Derivation =
  | { readonly kind: 'path'; readonly indexes: readonly number[] }
  /** The first 32 bytes of the phrase's seed, as `solana-keygen` uses without a path. */
  | { readonly kind: 'none' };

const HARDENED = 2 ** 31;
const MAX_DEPTH = 10;
const HALF = 32;

/** Returns m/44'/501'/account'/0', the path of Solana wallets. @throws {ScripError} INPUT_INVALID */
export function accountPath(account: number): Derivation {
  return { kind: 'path', indexes: [44, 501, index(account, t`account ${account}`), 0] };
}

/** The account whose path this is; undefined for another path. */
export function accountOf(derivation: Derivation): number | undefined {
  const [, , account = 0] = derivation.kind === 'path' ? derivation.indexes : [];
  return pathText(derivation) === pathText(accountPath(account)) ? account : undefined;
}

/** Parses `m/44'/501'/0'/0'`. @throws {ScripError} INPUT_INVALID */
export function parsePath(text: string): Derivation {
  const [root, ...steps] = text.split('/');
  if (root !== 'm' || steps.length === 0 || steps.length > MAX_DEPTH) throw invalid(text);
  const indexes = steps.map((step) => {
    const digits = /^(\d{1,10})['hH]$/.exec(step)?.[1];
    if (digits === undefined) throw invalid(text);
    return index(Number(digits), t`"${text}"`);
  });
  return { kind: 'path', indexes };
}

export function pathText(derivation: Derivation): string {
  if (derivation.kind === 'none') return 'none';
  return ['m', ...derivation.indexes.map((step) => `${step}'`)].join('/');
}

/**
 * Derives the seed of a key.
 * @param seed of a phrase: 64 bytes, though any length works
 * @returns 32 bytes, which the caller wipes
 */
export function deriveSeed(seed: Uint8Array, derivation: Derivation): Buffer {
  if (derivation.kind === 'none') return Buffer.from(seed.subarray(0, HALF));
  let node: Buffer = createHmac('sha512', 'ed25519 seed').update(seed).digest();
  for (const step of derivation.indexes) {
    const parent = node;
    node = child(parent, step);
    parent.fill(0);
  }
  const key = Buffer.from(node.subarray(0, HALF));
  node.fill(0);
  return key;
}

/** Derives a hardened child node; a node is the key followed by the chain code. */
function child(node: Buffer, step: number): Buffer {
  const number = Buffer.alloc(4);
  number.writeUInt32BE(step + HARDENED);
  return createHmac('sha512', node.subarray(HALF))
    .update(Uint8Array.of(0))
    .update(node.subarray(0, HALF))
    .update(number)
    .digest();
}

function index(value: number, what: Message): number {
  if (Number.isInteger(value) && value >= 0 && value < HARDENED) return value;
  throw new ScripError('INPUT_INVALID', t`${what} is not between 0 and ${HARDENED - 1}`);
}

function invalid(text: string): ScripError {
  return new ScripError('INPUT_INVALID', t`"${text}" is not a hardened derivation path`, {
    hint: t`Write it as m/44'/501'/0'/0', in double quotes in a shell.`,
  });
}
