/** Bytes that are never shown by accident: printed, logged or written as JSON they are `[secret]`. */

import { ScripError } from '../domain/errors.ts';
import { verbatim } from '../domain/message.ts';

const SHOWN = '[secret]';
/** Text that a person chose or wrote down: a passphrase, a phrase. */
const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

export interface Secret {
  /** Lends the bytes; the borrower keeps no copy. */
  use<T>(work: (bytes: Buffer) => T): T;
  /** Overwrites the bytes. What the engine copied meanwhile is out of reach. */
  wipe(): void;
  toJSON(): string;
}

/** Takes the bytes over: they are wiped with the secret. */
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

/** The text of the bytes, which are wiped; undefined when they are not UTF-8. */
export function takeText(bytes: Buffer): string | undefined {
  try {
    return UTF8.decode(bytes);
  } catch {
    return undefined;
  } finally {
    bytes.fill(0);
  }
}

/** The same value, of which printing shows what is given alone. */
export function opaque<T extends object>(value: T, shown: () => string): T {
  return Object.defineProperty(value, Symbol.for('nodejs.util.inspect.custom'), { value: shown });
}
