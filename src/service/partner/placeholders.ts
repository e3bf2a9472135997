/** Placeholder logos until a shop supplies its own: grey pictures in each format and size. */
import type { LogoFormat, LogoSize } from './logos.ts';

type Bytes = Uint8Array<ArrayBuffer>;

const GREY_WEBP: Readonly<Record<LogoSize, string>> = {
  '': 'UklGRhoAAABXRUJQVlA4TA0AAAAv58OeAChcwQrY/wIAAA==',
  _500x318: 'UklGRhoAAABXRUJQVlA4TA0AAAAv80FPAChcwQrY/wIAAA==',
  _300x190: 'UklGRhoAAABXRUJQVlA4TA0AAAAvK0EvAChcwQrY/wIAAA==',
};

/** A JPEG up to its size, and from there to its first block; each further block is six zero bits. */
const JPEG_START =
  '/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAj/wAARC';
const JPEG_FIRST_BLOCK =
  'DAREAAhEAAxEA/8QAHAABAQEBAQEBAQEAAAAAAAAAAAECAwQFBgcI/8QAFBABAAAAAAAAAAAAAAAAAAAAAP/aAAwDAQACAAMAAD8A+Y9bzA==';
const JPEG_END = 'P//Z';

const GREY_JPEG: Readonly<Record<LogoSize, { readonly size: string; readonly zeros: number }>> = {
  '': { size: 'AJ8A+g', zeros: 7_499 },
  _500x318: { size: 'AE+AfQ', zeros: 1_889 },
  _300x190: { size: 'AC+ASw', zeros: 683 },
};

const DRAWERS: Readonly<Record<LogoFormat, (size: LogoSize) => Bytes>> = {
  webp: (size) => bytes(GREY_WEBP[size]),
  jpg(name) {
    const { size, zeros } = GREY_JPEG[name];
    const start = bytes(JPEG_START + size + JPEG_FIRST_BLOCK);
    const end = bytes(JPEG_END);
    const whole = new Uint8Array(start.length + zeros + end.length);
    whole.set(start);
    whole.set(end, start.length + zeros);
    return whole;
  },
};

export function placeholder(format: LogoFormat, size: LogoSize): Bytes {
  return DRAWERS[format](size);
}

function bytes(base64: string): Bytes {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}
