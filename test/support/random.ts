import { createHash } from 'node:crypto';

/** Random bytes, as whoever opens a shop or a wallet hands them in. */
export const random = (length: number): Uint8Array<ArrayBuffer> =>
  crypto.getRandomValues(new Uint8Array(length));

/** A generator that every run draws the same numbers from. */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Bytes that every run draws the same. */
export function drawn(): (length: number) => Uint8Array {
  let count = 0;
  return (length) => {
    count += 1;
    return createHash('sha512').update(`${count}`).digest().subarray(0, length);
  };
}
