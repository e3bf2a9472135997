/** Reads pictures back, far enough to say how large they are and which colour they have. */

export interface Decoded {
  readonly width: number;
  readonly height: number;
  readonly red: number;
  readonly green: number;
  readonly blue: number;
}

/** Lossless WebP whose prefix codes have one symbol each (RFC 9649). */
export function decodeWebp(bytes: Buffer): Decoded {
  const text = (from: number) => bytes.toString('latin1', from, from + 4);
  if (text(0) !== 'RIFF' || text(8) !== 'WEBP' || text(12) !== 'VP8L') throw new Error('no WebP');
  if (bytes.readUInt32LE(4) !== bytes.length - 8) throw new Error('the RIFF size is wrong');
  const size = bytes.readUInt32LE(16);
  if (20 + size + (size % 2) !== bytes.length) throw new Error('the chunk size is wrong');
  const read = lowBitsFirst(bytes.subarray(20, 20 + size));
  if (read(8) !== 0x2f) throw new Error('the signature is wrong');
  const [width, height] = [read(14) + 1, read(14) + 1];
  if (read(1) !== 0 || read(3) !== 0) throw new Error('alpha or another version');
  if (read(1) + read(1) + read(1) !== 0) throw new Error('a transform, a cache or meta codes');
  const onlySymbol = () => {
    if (read(1) !== 1 || read(1) !== 0) throw new Error('more than one symbol');
    return read(read(1) === 1 ? 8 : 1);
  };
  const [green, red, blue, alpha] = [onlySymbol(), onlySymbol(), onlySymbol(), onlySymbol()];
  onlySymbol();
  if (alpha !== 255) throw new Error('not opaque');
  return { width, height, red, green, blue };
}

function lowBitsFirst(bytes: Buffer): (length: number) => number {
  let at = 0;
  return (length) => {
    let value = 0;
    for (let index = 0; index < length; index += 1, at += 1) {
      const byte = bytes[at >> 3];
      if (byte === undefined) throw new Error('cut short');
      value |= ((byte >> (at & 7)) & 1) << index;
    }
    return value;
  };
}

/** Baseline JPEG without subsampling whose blocks are all of one colour (ITU-T T.81). */
export function decodeJpeg(bytes: Buffer): Decoded {
  const segments = segmentsOf(bytes);
  const frame = segments.find(({ marker }) => marker === 0xc0)?.content;
  const steps = segments.find(({ marker }) => marker === 0xdb)?.content;
  const tables = segments.filter(({ marker }) => marker === 0xc4);
  const means = tables.find(({ content }) => content[0] === 0x00)?.content;
  if (!frame || !steps || !means) throw new Error('a segment is missing');
  const [height, width] = [frame.readUInt16BE(1), frame.readUInt16BE(3)];
  const read = highBitsFirst(bytes.subarray(scanStart(bytes), bytes.length - 2));
  const blocks = Math.ceil(width / 8) * Math.ceil(height / 8);
  const samples = [0, 0, 0];
  for (let block = 0; block < blocks; block += 1) {
    for (const component of samples.keys()) {
      samples[component] = (samples[component] ?? 0) + readDifference(read, means);
      // The one code of the other table, a single 0, is the end of the block.
      if (read(1) !== 0) throw new Error('a block is not of one colour');
    }
  }
  const [luma = 0, blueness = 0, redness = 0] = samples.map((mean) => (mean * (steps[1] ?? 0)) / 8);
  const byte = (value: number) => Math.min(255, Math.max(0, Math.round(value + 128)));
  return {
    width,
    height,
    red: byte(luma + 1.402 * redness),
    green: byte(luma - 0.344136 * blueness - 0.714136 * redness),
    blue: byte(luma + 1.772 * blueness),
  };
}

interface Segment {
  readonly marker: number;
  readonly content: Buffer;
}

function segmentsOf(bytes: Buffer): readonly Segment[] {
  if (bytes.readUInt16BE(0) !== 0xffd8) throw new Error('no JPEG');
  if (bytes.readUInt16BE(bytes.length - 2) !== 0xffd9) throw new Error('the end is missing');
  const segments: Segment[] = [];
  for (let at = 2; bytes[at] === 0xff; ) {
    const [marker, length] = [bytes[at + 1] ?? 0, bytes.readUInt16BE(at + 2)];
    segments.push({ marker, content: bytes.subarray(at + 4, at + 2 + length) });
    at += 2 + length;
    if (marker === 0xda) break;
  }
  return segments;
}

function scanStart(bytes: Buffer): number {
  return segmentsOf(bytes).reduce((at, { content }) => at + 4 + content.length, 2);
}

/** A zero behind a byte of ones is dropped. */
function highBitsFirst(scan: Buffer): (length: number) => number {
  const bytes = scan.filter((byte, index) => byte !== 0 || scan[index - 1] !== 0xff);
  let at = 0;
  return (length) => {
    let value = 0;
    for (let index = 0; index < length; index += 1, at += 1) {
      const byte = bytes[at >> 3];
      if (byte === undefined) throw new Error('cut short');
      value = (value << 1) | ((byte >> (7 - (at & 7))) & 1);
    }
    return value;
  };
}

/** A canonical code, length by length, then the bits of the difference. */
function readDifference(read: (length: number) => number, table: Buffer): number {
  let [code, first, index] = [0, 0, 0];
  for (let length = 1; length <= 16; length += 1) {
    code = (code << 1) | read(1);
    const count = table[length] ?? 0;
    if (code - first < count) {
      const size = table[17 + index + code - first] ?? 0;
      const bits = read(size);
      return size > 0 && bits < 2 ** (size - 1) ? bits - 2 ** size + 1 : bits;
    }
    index += count;
    first = (first + count) << 1;
  }
  throw new Error('no such code');
}
