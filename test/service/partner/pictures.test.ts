import { inflateSync } from 'node:zlib';
import { encode } from 'uqr';
import { describe, expect, it } from 'vitest';
import type { WireBrandList } from '../../../src/contract/partner-catalog.ts';
import type { WireCurrency, WirePaymentVia } from '../../../src/contract/partner-market.ts';
import { qrUrl } from '../../../src/service/partner/catalog/qr.ts';
import { PARTNER_URL, partnerCatalog } from '../../support/partner-catalog.ts';

// Reads pictures back, far enough to say how large they are and which colour they have.

interface Decoded {
  readonly width: number;
  readonly height: number;
  readonly red: number;
  readonly green: number;
  readonly blue: number;
}

/** Lossless WebP whose prefix codes have one symbol each (RFC 9649). */
function decodeWebp(bytes: Buffer): Decoded {
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
function decodeJpeg(bytes: Buffer): Decoded {
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

const host = partnerCatalog();
const pathOf = (url: string) => url.slice(PARTNER_URL.length);
const bytesOf = async (response: Response) => Buffer.from(await response.arrayBuffer());

const SIZES = [
  ['', 1000, 636],
  ['_500x318', 500, 318],
  ['_300x190', 300, 190],
] as const;
const DECODERS = { webp: decodeWebp, jpg: decodeJpeg };
const TYPES = { webp: 'image/webp', jpg: 'image/jpeg' };

async function firstBrand() {
  const { all_brands } = await host.json<WireBrandList>('/v2/brands?country_code=us');
  const [brand] = all_brands;
  if (!brand?.logo_base_url) throw new Error('no brand');
  return { ...brand, logo_base_url: brand.logo_base_url };
}

describe.each(['webp', 'jpg'] as const)('a logo in %s', (format) => {
  it.each(SIZES)('of the size "%s" is %i by %i, and grey', async (suffix, width, height) => {
    const brand = await firstBrand();
    const response = await host.get(`${pathOf(brand.logo_base_url)}${suffix}.${format}`);
    expect(response.status).toBe(200);
    expect(response.headers.get('Content-Type')).toBe(TYPES[format]);
    expect(response.headers.get('Cache-Control')).toMatch(/^public, max-age=\d+/);
    const { red, green, blue, ...size } = DECODERS[format](await bytesOf(response));
    expect(size).toEqual({ width, height });
    // A JPEG is in another colour space, whose units are not those of the screen.
    for (const [channel, wanted] of [
      [red, 96],
      [green, 112],
      [blue, 128],
    ] as const) {
      expect(Math.abs(channel - wanted)).toBeLessThanOrEqual(2);
    }
  });
});

describe('every address of a logo', () => {
  it('of the market is answered', async () => {
    const currencies = await host.json<readonly WireCurrency[]>('/v3/currencies');
    const vias = await host.json<readonly WirePaymentVia[]>('/v3/payment_vias');
    const networks = vias.flatMap((via) => via.currencies.flatMap((coin) => coin.networks));
    const urls = [...currencies, ...vias, ...networks].map(({ logo_url }) => logo_url ?? '');
    for (const url of new Set(urls)) {
      const response = await host.get(pathOf(url));
      expect([url, response.status]).toEqual([url, 200]);
    }
  });

  it.each([
    '/logos/us/amazon.com_640x480.webp',
    '/logos/us/amazon.com.gif',
    '/logos/us/amazon.com',
    '/logos/br/amazon.com.webp',
    '/logos/us/nobody.webp',
    '/logos/coins/gold.webp',
    '/logos/constructor/x.webp',
    '/qr/!!!.png',
    '/qr/AAAA.gif',
  ])('%s is none', async (path) => {
    const response = await host.get(path);
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ status: 404, detail: 'NOT_FOUND' });
  });
});

const URI = 'bitcoin:175tWpb8K1S7NmH4Zx6rewF9WQrcZv245W?amount=0.00025&label=Café';

describe('a QR code', () => {
  it('as PNG has the modules of the text, eight pixels each', async () => {
    const response = await host.get(pathOf(qrUrl(PARTNER_URL, URI)));
    expect(response.headers.get('Content-Type')).toBe('image/png');
    const rows = decodePng(await bytesOf(response));
    const { data } = encode(URI, { ecc: 'M', border: 4 });
    expect(rows.length).toBe(data.length * 8);
    const modules = data.map((row, y) => row.map((_dark, x) => rows[y * 8 + 4]?.[x * 8 + 4] === 0));
    expect(modules).toEqual(data);
  });

  it('as SVG is a picture with a quiet zone', async () => {
    const response = await host.get(pathOf(qrUrl(PARTNER_URL, URI, 'svg')));
    expect(response.headers.get('Content-Type')).toBe('image/svg+xml');
    expect(await response.text()).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg"/);
  });

  it('is drawn for payments alone', async () => {
    for (const text of ['https://example.com', 'hello', `lightning:lnbc${'1'.repeat(1_100)}`]) {
      expect((await host.get(pathOf(qrUrl(PARTNER_URL, text)))).status).toBe(404);
    }
  });
});

/** Rows of a PNG of one bit: 0 is black. */
function decodePng(bytes: Buffer): readonly (readonly number[])[] {
  expect(bytes.subarray(1, 4).toString('latin1')).toBe('PNG');
  const [width, height] = [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
  const length = bytes.readUInt32BE(33);
  expect(bytes.toString('latin1', 37, 41)).toBe('IDAT');
  const raw = inflateSync(bytes.subarray(41, 41 + length));
  const stride = 1 + Math.ceil(width / 8);
  return Array.from({ length: height }, (_row, y) =>
    Array.from({ length: width }, (_pixel, x) => {
      const byte = raw[y * stride + 1 + (x >> 3)] ?? 0;
      return (byte >> (7 - (x & 7))) & 1;
    }),
  );
}
