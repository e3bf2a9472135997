/** WebP without a native library: enough for pictures of one colour. */
import { ascii, concat, packLowFirst } from './bits.ts';
import type { Picture } from './picture.ts';

/**
 * Lossless WebP (RFC 9649). Each of its five prefix codes has a single symbol, which takes no bits:
 * the header alone says what every pixel is.
 */
export function drawWebp({ width, height, colour }: Picture): Uint8Array<ArrayBuffer> {
  const signature = 0x2f;
  const opaque = 255;
  // Simple code, one symbol, which is written in eight bits.
  const onlySymbol = (symbol: number) =>
    [
      [1, 1],
      [0, 1],
      [1, 1],
      [symbol, 8],
    ] as const;
  const data = packLowFirst([
    [signature, 8],
    [width - 1, 14],
    [height - 1, 14],
    // No alpha, version 0; no transform, no colour cache, no meta prefix codes.
    [0, 1],
    [0, 3],
    [0, 1],
    [0, 1],
    [0, 1],
    ...[colour.green, colour.red, colour.blue, opaque, 0].flatMap(onlySymbol),
  ]);
  const padding = data.length % 2;
  const chunk = concat([ascii('VP8L'), uint32Low(data.length), data, new Uint8Array(padding)]);
  return concat([ascii('RIFF'), uint32Low(4 + chunk.length), ascii('WEBP'), chunk]);
}

function uint32Low(value: number): readonly number[] {
  return [0, 8, 16, 24].map((shift) => (value >>> shift) & 0xff);
}
