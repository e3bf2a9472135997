/** Choices drawn from text instead of chance: the same key and purpose always choose the same. */

/** What choices are drawn from: a digest of what they are about. */
export type Key = number;

/** FNV-1a's offset basis. */
const BASIS = 0x811c9dc5;

/** A 32-bit digest of a text, going on from a key; for spreading choices, not for secrets. */
export function hash32(text: string, key: Key = BASIS): Key {
  // FNV-1a over UTF-16 units, then rounds of shift and multiply so that near texts part.
  let hash = key;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  hash = Math.imul(hash ^ (hash >>> 13), 0x297a2d39);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** A whole number from 0 up to, but without, `sides`. */
export function draw(key: Key, purpose: string, sides: number): number {
  return hash32(purpose, key) % sides;
}

/** One of a list that is never empty. */
export function pick<T>(key: Key, purpose: string, choices: readonly [T, ...T[]]): T {
  return choices[draw(key, purpose, choices.length)] ?? choices[0];
}
