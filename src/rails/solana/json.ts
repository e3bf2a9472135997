/** Reads untrusted JSON without a schema library: every accessor checks its value or throws. */

import { ScripError } from '../../domain/errors.ts';
import { type Message, t } from '../../domain/message.ts';

/** Returns a field of an object; undefined if there is no object or no such field. */
export function field(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  return Reflect.get(value, name);
}

/** Returns text. @throws {ScripError} CHAIN_UNREACHABLE for any other value */
export function asText(value: unknown, what: Message): string {
  return typeof value === 'string' ? value : unreadable(what);
}

/**
 * Returns a count, height or slot.
 * @throws {ScripError} CHAIN_UNREACHABLE if it is not a safe integer from 0
 */
export function asCount(value: unknown, what: Message): number {
  return Number.isSafeInteger(value) && Number(value) >= 0 ? Number(value) : unreadable(what);
}

/** Returns lamports. JSON parsing already rounds values above 2^53; that is accepted. */
export function asLamports(value: unknown, what: Message): bigint {
  return Number.isInteger(value) && Number(value) >= 0 ? BigInt(Number(value)) : unreadable(what);
}

/** Returns an array. @throws {ScripError} CHAIN_UNREACHABLE for any other value */
export function asList(value: unknown, what: Message): readonly unknown[] {
  return Array.isArray(value) ? value : unreadable(what);
}

/** Decodes a `[base64, "base64"]` pair. @throws {ScripError} CHAIN_UNREACHABLE */
export function asBytes(value: unknown, what: Message): Uint8Array {
  const [text, encoding] = asList(value, what);
  if (encoding !== 'base64') return unreadable(what);
  return Uint8Array.from(Buffer.from(asText(text, what), 'base64'));
}

function unreadable(what: Message): never {
  throw new ScripError('CHAIN_UNREACHABLE', t`The RPC returned an unreadable value: ${what}`);
}
