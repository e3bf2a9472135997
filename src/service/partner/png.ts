/** Writes PNG without a native library, in black and white, which suffices for QR codes. */

const SIGNATURE = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];

/** Draws rows of dark squares, each `scale` pixels wide and high (W3C PNG, greyscale of one bit). */
export async function drawPng(
  rows: readonly (readonly boolean[])[],
  scale: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const height = rows.length * scale;
  const width = (rows[0]?.length ?? 0) * scale;
  const bitDepth = 1;
  const header = [...uint32(width), ...uint32(height), bitDepth, 0, 0, 0, 0];
  const lines = rows.flatMap((row) => Array.from({ length: scale }, () => line(row, scale)));
  return concat([
    SIGNATURE,
    chunk('IHDR', header),
    chunk('IDAT', await deflate(concat(lines))),
    chunk('IEND', []),
  ]);
}

/** One line of pixels, eight per byte with 1 for white, after the filter byte 0. */
function line(row: readonly boolean[], scale: number): Uint8Array {
  const width = row.length * scale;
  const bytes = new Uint8Array(1 + Math.ceil(width / 8));
  for (let pixel = 0; pixel < width; pixel += 1) {
    if (row[Math.floor(pixel / scale)] === true) continue;
    const place = 1 + (pixel >>> 3);
    bytes[place] = (bytes[place] ?? 0) | (0x80 >>> (pixel & 7));
  }
  return bytes;
}

async function deflate(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  const stream = new Blob([bytes]).stream().pipeThrough(new CompressionStream('deflate'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

function chunk(type: string, data: Uint8Array | readonly number[]): Uint8Array {
  const content = concat([ascii(type), data]);
  return concat([uint32(data.length), content, uint32(crc32(content))]);
}

const uint32 = (value: number): readonly number[] =>
  [24, 16, 8, 0].map((shift) => (value >>> shift) & 0xff);

/** The polynomial of ISO 3309, bits reversed. */
const POLYNOMIAL = 0xedb88320;

function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? POLYNOMIAL : 0);
  }
  return ~crc >>> 0;
}

/** Concatenates bytes. */
function concat(pieces: readonly (Uint8Array | readonly number[])[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let offset = 0;
  for (const piece of pieces) {
    whole.set(piece, offset);
    offset += piece.length;
  }
  return whole;
}

const ascii = (text: string): readonly number[] =>
  Array.from(text, (character) => character.charCodeAt(0));
