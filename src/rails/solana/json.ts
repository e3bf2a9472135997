/** Reads parsed JSON of unknown origin without a schema library: every accessor checks or refuses. */

import { ScripError } from '../../domain/errors.ts';
import { type Message, t } from '../../domain/message.ts';

/** A field of an object, or undefined where there is no object or no such field. */
export function field(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  return Reflect.get(value, name);
}

/** @throws {ScripError} CHAIN_UNREACHABLE when the value is not text */
export function asText(value: unknown, what: Message): string {
  return typeof value === 'string' ? value : unreadable(what);
}

/** A count, height or slot. @throws {ScripError} CHAIN_UNREACHABLE when it is not a safe integer from 0 */
export function asCount(value: unknown, what: Message): number {
  return Number.isSafeInteger(value) && Number(value) >= 0 ? Number(value) : unreadable(what);
}

/** Lamports as JSON carries them: over 2^53 the digits are rounded already, and that is let pass. */
export function asLamports(value: unknown, what: Message): bigint {
  return Number.isInteger(value) && Number(value) >= 0 ? BigInt(Number(value)) : unreadable(what);
}

/** @throws {ScripError} CHAIN_UNREACHABLE when the value is not an array */
export function asList(value: unknown, what: Message): readonly unknown[] {
  return Array.isArray(value) ? value : unreadable(what);
}

/** Bytes of a `[base64, "base64"]` pair. @throws {ScripError} CHAIN_UNREACHABLE */
export function asBytes(value: unknown, what: Message): Uint8Array {
  const [text, encoding] = asList(value, what);
  if (encoding !== 'base64') return unreadable(what);
  return Uint8Array.from(Buffer.from(asText(text, what), 'base64'));
}

function unreadable(what: Message): never {
  throw new ScripError('CHAIN_UNREACHABLE', t`The RPC returned an unreadable value: ${what}`);
}
