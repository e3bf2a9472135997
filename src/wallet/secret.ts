/** Bytes that are never shown by accident: printing, logging and JSON give `[secret]`. */

import { ScripError } from '../domain/message/errors.ts';
import { verbatim } from '../domain/message/message.ts';

const SHOWN = '[secret]';
/** Decodes text that a person chose or wrote down: a passphrase, a phrase. */
const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

export interface Secret {
  /** Lends the bytes to `work`, which must not keep a copy. */
  use<T>(work: (bytes: Buffer) => T): T;
  /** Overwrites the bytes. Copies that the JavaScript engine made remain. */
  wipe(): void;
  toJSON(): string;
}

/** Wraps the bytes, and takes ownership: wiping the secret overwrites them. */
export function secretOf(bytes: Buffer): Secret {
  const state = { isWiped: false };
  const secret: Secret = {
    use: (work) => {
      if (state.isWiped)
        throw new ScripError('INTERNAL', verbatim('a secret is used after it was wiped'));
      return work(bytes);
    },
    wipe: () => {
      bytes.fill(0);
      state.isWiped = true;
    },
    toJSON: () => SHOWN,
  };
  return opaque(secret, () => SHOWN);
}

/** Returns the bytes as text and wipes them; undefined when they are not UTF-8. */
export function takeText(bytes: Buffer): string | undefined {
  try {
    return UTF8.decode(bytes);
  } catch {
    return undefined;
  } finally {
    bytes.fill(0);
  }
}

/** Makes printing the value show only the given text. */
export function opaque<T extends object>(value: T, shown: () => string): T {
  return Object.defineProperty(value, Symbol.for('nodejs.util.inspect.custom'), { value: shown });
}
