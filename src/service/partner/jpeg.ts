/** JPEG without a native library: enough for pictures of one colour. */
import { ascii, concat, packHighFirst } from './bits.ts';
import type { Colour } from './colour.ts';
import type { Picture } from './picture.ts';

const uint16 = (value: number): readonly number[] => [value >>> 8, value & 0xff];

/** A JPEG segment: marker, length, content. */
const segment = (marker: number, content: readonly number[]): readonly number[] => [
  0xff,
  marker,
  ...uint16(content.length + 2),
  ...content,
];

/** The three components: luma, and the two chroma. */
const COMPONENTS = [1, 2, 3];
/** A block's mean is eight times its samples, so that this step keeps them to the unit. */
const QUANTISATION = 8;
/** Most bits that a difference of two means takes. */
const CATEGORIES = [0, 1, 2, 3, 4, 5, 6, 7, 8];

/**
 * Baseline JPEG (ITU-T T.81), without subsampling. The first block of each component says its
 * colour, every other block that nothing has changed.
 */
export function drawJpeg({ width, height, colour }: Picture): Uint8Array<ArrayBuffer> {
  const blocks = Math.ceil(width / 8) * Math.ceil(height / 8);
  const first = toYcc(colour).flatMap((sample) => [...codeOf(sample - 128), END_OF_BLOCK]);
  // No difference and the end of the block are one 0 each.
  const unchanged = [0, 2 * COMPONENTS.length * (blocks - 1)] as const;
  const scan = packHighFirst([...first, unchanged]);
  return concat([[0xff, 0xd8], headers({ width, height }), stuffed(scan), [0xff, 0xd9]]);
}

function headers({ width, height }: Pick<Picture, 'width' | 'height'>): readonly number[] {
  const jfif = [...ascii('JFIF\0'), 1, 1, 0, ...uint16(1), ...uint16(1), 0, 0];
  const quantisation = [0, ...Array.from({ length: 64 }, () => QUANTISATION)];
  const frame = [
    8,
    ...uint16(height),
    ...uint16(width),
    COMPONENTS.length,
    ...COMPONENTS.flatMap((id) => [id, 0x11, 0]),
  ];
  const means = [0x00, ...codeCounts(CATEGORIES.length), ...CATEGORIES];
  const rest = [0x10, ...codeCounts(1), 0];
  const scan = [COMPONENTS.length, ...COMPONENTS.flatMap((id) => [id, 0x00]), 0, 63, 0];
  return [
    ...segment(0xe0, jfif),
    ...segment(0xdb, quantisation),
    ...segment(0xc0, frame),
    ...segment(0xc4, means),
    ...segment(0xc4, rest),
    ...segment(0xda, scan),
  ];
}

/** One code of each length from 1 on: `0`, `10`, `110` …; none is all ones, as the standard wants. */
function codeCounts(symbols: number): readonly number[] {
  return Array.from({ length: 16 }, (_, index) => (index < symbols ? 1 : 0));
}

const END_OF_BLOCK = [0b0, 1] as const;

/** A mean's difference: the code of its size, then its bits; negative ones count from below. */
function codeOf(difference: number): readonly (readonly [number, number])[] {
  const size = 32 - Math.clz32(Math.abs(difference));
  const ones = 2 ** (size + 1) - 2;
  const bits = difference < 0 ? difference + 2 ** size - 1 : difference;
  return [
    [ones, size + 1],
    [bits, size],
  ];
}

/** JFIF's colour space, in which a sample is a byte. */
function toYcc({ red, green, blue }: Colour): readonly number[] {
  return [
    0.299 * red + 0.587 * green + 0.114 * blue,
    128 - 0.168736 * red - 0.331264 * green + 0.5 * blue,
    128 + 0.5 * red - 0.418688 * green - 0.081312 * blue,
  ].map((sample) => Math.min(255, Math.max(0, Math.round(sample))));
}

/** In a scan, a byte of ones would begin a marker; a zero behind it says that it does not. */
function stuffed(scan: Uint8Array): readonly number[] {
  return Array.from(scan).flatMap((byte) => (byte === 0xff ? [byte, 0] : [byte]));
}
