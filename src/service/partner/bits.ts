/** Bits packed into bytes, as image formats want them. */

/** A number and how many of its low bits are meant. */
export type Bits = readonly [value: number, length: number];

/** The first bit goes into the lowest place of a byte (WebP). The last byte is filled up with 0. */
export function packLowFirst(parts: readonly Bits[]): Uint8Array {
  const bits = parts.flatMap(([value, length]) =>
    Array.from({ length }, (_, index) => (value >>> index) & 1),
  );
  return pack(bits, (bit, place) => bit << place, 0);
}

/** The first bit goes into the highest place (JPEG). The last byte is filled up with 1. */
export function packHighFirst(parts: readonly Bits[]): Uint8Array {
  const bits = parts.flatMap(([value, length]) =>
    Array.from({ length }, (_, index) => (value >>> (length - 1 - index)) & 1),
  );
  return pack(bits, (bit, place) => bit << (7 - place), 1);
}

function pack(
  bits: readonly number[],
  put: (bit: number, place: number) => number,
  filler: number,
): Uint8Array {
  return Uint8Array.from({ length: Math.ceil(bits.length / 8) }, (_, byte) => {
    let value = 0;
    for (let place = 0; place < 8; place += 1) {
      value |= put(bits[byte * 8 + place] ?? filler, place);
    }
    return value;
  });
}

/** Lays pieces of bytes one after the other. */
export function concat(
  pieces: readonly (Uint8Array | readonly number[])[],
): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let offset = 0;
  for (const piece of pieces) {
    whole.set(piece, offset);
    offset += piece.length;
  }
  return whole;
}

export const ascii = (text: string): readonly number[] =>
  Array.from(text, (character) => character.charCodeAt(0));
