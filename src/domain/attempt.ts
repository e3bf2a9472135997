/** Expected failures as values. Only errors of ours are expected: any other one is a bug, and goes on. */

import { type Code, ScripError } from './message/errors.ts';

/** For `catch` of a promise: what an error of ours comes to; of these codes alone, if any are named. */
export function expected<T>(
  then: (error: ScripError) => T,
  ...codes: readonly Code[]
): (error: unknown) => T {
  return (error) => {
    if (!(error instanceof ScripError)) throw error;
    if (codes.length > 0 && !codes.includes(error.code)) throw error;
    return then(error);
  };
}

/** As `expected`, but the user's interruption goes on. */
export function unlessInterrupted<T>(then: (error: ScripError) => T): (error: unknown) => T {
  return expected((error) => {
    if (error.code === 'INTERRUPTED') throw error;
    return then(error);
  });
}

/** Runs work at once; an error of ours comes to what `then` returns. */
export function attempt<T, U>(work: () => T, then: (error: ScripError) => U): T | U {
  try {
    return work();
  } catch (error) {
    return expected(then)(error);
  }
}

/** Decodes exactly, including a byte order mark; undefined for bytes that are no UTF-8. */
export function utf8Text(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Parses JSON; undefined for a text that is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Makes a value on the first call, and returns the same from then on. */
export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
