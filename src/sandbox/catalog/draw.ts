/** Deterministic choices: the same key and purpose always give the same result. */

/** A 32-bit digest of the text that a choice depends on. */
export type Key = number;

/** FNV-1a's offset basis. */
const BASIS = 0x811c9dc5;

/** Returns a 32-bit digest of a text, continuing from `key`. It spreads choices; it is not for secrets. */
export function hash32(text: string, key: Key = BASIS): Key {
  let hash = key;
  // FNV-1a over UTF-16 units.
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return mix(hash, 0);
}

/** Derives a key per purpose in constant time: building a catalog draws thousands of them. */
export function mix(key: Key, purpose: number): Key {
  let hash = Math.imul(key ^ Math.imul(purpose, 0x9e3779b1), 0x85ebca77);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  hash = Math.imul(hash ^ (hash >>> 13), 0x297a2d39);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** Draws for different purposes are independent of each other. */
const PURPOSES = { market: 1, word: 2, category: 3, goods: 4, stock: 5 } as const;

/** Returns an integer from 0 to `sides - 1`. */
export function draw(key: Key, purpose: keyof typeof PURPOSES, sides: number): number {
  return mix(key, PURPOSES[purpose]) % sides;
}
