/** QR codes of payment URIs; the only file that uses the library. */

import { crc32, deflateSync } from 'node:zlib';
import { encode, renderSVG } from 'uqr';

/** Required margin around a code, in modules (ISO/IEC 18004). */
const QUIET_ZONE = 4;
/** Pixels per module: an address with amount makes a picture of about 400 pixels. */
const SCALE = 8;

const OPTIONS = { ecc: 'M', border: QUIET_ZONE } as const;

export function qrSvg(text: string): string {
  return renderSVG(text, { ...OPTIONS, pixelSize: SCALE });
}

export function qrPng(text: string): Uint8Array<ArrayBuffer> {
  return drawPng(encode(text, OPTIONS).data, SCALE);
}

/** Longest text whose code still scans from a screen, in UTF-16 units. */
const MAX_QR_TEXT = 1_000;

/** Returns the picture's URL; it contains the text, so nothing is stored. */
export function qrUrl(baseUrl: string, text: string, format: 'svg' | 'png' = 'png'): string {
  return `${baseUrl}/qr/${Buffer.from(text).toString('base64url')}.${format}`;
}

/** Reads the text from a name that `qrUrl` made; undefined for any other name. */
export function readQrName(name: string): string | undefined {
  if (!/^[A-Za-z0-9_-]+$/.test(name)) return undefined;
  try {
    const binary = atob(name.replaceAll('-', '+').replaceAll('_', '/'));
    const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0));
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return text.length > MAX_QR_TEXT ? undefined : text;
  } catch {
    return undefined;
  }
}

// PNG is written without a native library, in black and white, which suffices for QR codes.

const SIGNATURE = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);

/** Draws rows of dark squares, each `scale` pixels wide and high (W3C PNG, greyscale of one bit). */
function drawPng(rows: readonly (readonly boolean[])[], scale: number): Uint8Array<ArrayBuffer> {
  const header = Buffer.alloc(13);
  header.writeUInt32BE((rows[0]?.length ?? 0) * scale, 0);
  header.writeUInt32BE(rows.length * scale, 4);
  header[8] = 1;
  const lines = rows.flatMap((row) => Array.from({ length: scale }, () => line(row, scale)));
  const pixels = deflateSync(Buffer.concat(lines));
  const chunks = [chunk('IHDR', header), chunk('IDAT', pixels), chunk('IEND', new Uint8Array())];
  return Uint8Array.from(Buffer.concat([SIGNATURE, ...chunks]));
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

function chunk(type: string, data: Uint8Array): Buffer {
  const content = Buffer.concat([Buffer.from(type), data]);
  const ends = Buffer.alloc(8);
  ends.writeUInt32BE(data.length, 0);
  ends.writeUInt32BE(crc32(content), 4);
  return Buffer.concat([ends.subarray(0, 4), content, ends.subarray(4)]);
}
