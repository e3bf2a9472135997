/** QR codes of payment URIs; the only file that uses the library. */
import { encode, renderSVG } from 'uqr';
import { drawPng } from './png.ts';

/** Required margin around a code, in modules (ISO/IEC 18004). */
const QUIET_ZONE = 4;
/** Pixels per module: an address with amount makes a picture of about 400 pixels. */
const SCALE = 8;

const OPTIONS = { ecc: 'M', border: QUIET_ZONE } as const;

export function qrSvg(text: string): string {
  return renderSVG(text, { ...OPTIONS, pixelSize: SCALE });
}

export function qrPng(text: string): Promise<Uint8Array<ArrayBuffer>> {
  return drawPng(encode(text, OPTIONS).data, SCALE);
}

/** Longest text whose code still scans from a screen, in UTF-16 units. */
export const MAX_QR_TEXT = 1_000;

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
