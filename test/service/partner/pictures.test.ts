import { createHash } from 'node:crypto';
import { inflateSync } from 'node:zlib';
import { encode } from 'uqr';
import { describe, expect, it } from 'vitest';
import type { WireBrandList } from '../../../src/contract/partner-catalog.ts';
import type { WireCurrency, WirePaymentVia } from '../../../src/contract/partner-market.ts';
import { qrUrl } from '../../../src/service/partner/catalog/qr.ts';
import { PARTNER_URL, partnerCatalog } from '../../support/partner-catalog.ts';

/** Width and height as the header of a lossless WebP says them (RFC 9649). */
function sizeOfWebp(bytes: Buffer): readonly number[] {
  const text = (from: number) => bytes.toString('latin1', from, from + 4);
  expect([text(0), text(8), text(12), bytes[20]]).toEqual(['RIFF', 'WEBP', 'VP8L', 0x2f]);
  expect(bytes.readUInt32LE(4)).toBe(bytes.length - 8);
  const bits = bytes.readUInt32LE(21);
  return [(bits & 0x3fff) + 1, ((bits >> 14) & 0x3fff) + 1];
}

/** The same of a baseline JPEG, by its frame (ITU-T T.81). */
function sizeOfJpeg(bytes: Buffer): readonly number[] {
  expect([bytes.readUInt16BE(0), bytes.readUInt16BE(bytes.length - 2)]).toEqual([0xffd8, 0xffd9]);
  let at = 2;
  while (bytes.readUInt16BE(at) !== 0xffc0) at += 2 + bytes.readUInt16BE(at + 2);
  return [bytes.readUInt16BE(at + 7), bytes.readUInt16BE(at + 5)];
}

const host = partnerCatalog();
const pathOf = (url: string) => url.slice(PARTNER_URL.length);
const bytesOf = async (response: Response) => Buffer.from(await response.arrayBuffer());

const SIZES = [
  ['', 1000, 636],
  ['_500x318', 500, 318],
  ['_300x190', 300, 190],
] as const;
const SIZE_OF = { webp: sizeOfWebp, jpg: sizeOfJpeg };
/** Of the largest ones, which were decoded when they were noted: a plane of the colour 96, 112, 128. */
const KNOWN = { webp: 'cf3855c1e140065e', jpg: '77489cd196699202' };
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
    const bytes = await bytesOf(response);
    expect(SIZE_OF[format](bytes)).toEqual([width, height]);
    const hash = createHash('sha256').update(bytes).digest('hex').slice(0, 16);
    if (suffix === '') expect(hash).toBe(KNOWN[format]);
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
