/** Pictures: logos of brands, coins, networks and vias, and QR codes of payment URIs. */

import type { Hono } from 'hono';
import { isPaymentUri } from '../../../domain/payment/payment-uri.ts';
import type { Brand } from '../../../domain/product/product.ts';
import { type Refusal, refuse } from '../../http/replies.ts';
import { type Answer, answer } from '../../http/route.ts';
import { partnerRefusal } from '../failure.ts';
import { qrPng, qrSvg, readQrName } from './qr.ts';
import type { Shop } from './shop.ts';

type Bytes = Uint8Array<ArrayBuffer>;

const LOGO_TYPES: Readonly<Record<LogoFormat, string>> = { webp: 'image/webp', jpg: 'image/jpeg' };

const QR_DRAWERS: Readonly<
  Record<string, { readonly contentType: string; draw(text: string): Bytes | string }>
> = {
  svg: { contentType: 'image/svg+xml', draw: qrSvg },
  png: { contentType: 'image/png', draw: qrPng },
};

/** A path's picture never changes: cached for a day, in seconds. */
const CACHE = 'public, max-age=86400, immutable';
const LOGO_FILE = /^(.+?)(_500x318|_300x190|)\.(webp|jpg)$/;

export function pictureRoutes(app: Hono, shop: Shop): void {
  app.get('/logos/:folder/:file', (context) => {
    const { folder, file } = context.req.param();
    return answer(() => logo(shop, folder, file), { writeRefusal: partnerRefusal });
  });
  app.get('/qr/:file', (context) => {
    const { file } = context.req.param();
    return answer(() => qrCode(file), { writeRefusal: partnerRefusal });
  });
}

function logo(shop: Shop, folder: string, file: string): Answer {
  const [, name = '', size = '', format = ''] = LOGO_FILE.exec(file) ?? [];
  if (!isFormat(format) || !isSize(size) || !isKnown(shop, folder, name)) return noPicture();
  return picture(placeholder(format, size), LOGO_TYPES[format]);
}

function isKnown({ catalog, market }: Shop, folder: string, name: string) {
  const namesIn: Readonly<Record<LogoFolder, () => readonly string[]>> = {
    coins: () => market.currencies.map((coin) => coin.name),
    networks: () => market.currencies.flatMap((coin) => coin.networks.map((one) => one.name)),
    vias: () => market.vias.map((via) => via.name),
  };
  const group = LOGO_FOLDERS.find((one) => one === folder);
  if (group) return namesIn[group]().some((one) => logoSlug(one) === name);
  return catalog.brands(folder).some(({ brandId }) => brandId === name);
}

/** Draws only payment URIs: a QR code of arbitrary text under our address would look like ours. */
function qrCode(file: string): Answer {
  const [, name = '', format = ''] = /^(.+)\.(svg|png)$/.exec(file) ?? [];
  const text = readQrName(name);
  const drawer = Object.hasOwn(QR_DRAWERS, format) ? QR_DRAWERS[format] : undefined;
  if (text === undefined || drawer === undefined || !isPaymentUri(text)) return noPicture();
  return picture(drawer.draw(text), drawer.contentType);
}

function picture(body: Bytes | string, contentType: string): Response {
  return new Response(body, {
    headers: {
      'Content-Type': contentType,
      'Cache-Control': CACHE,
      'X-Content-Type-Options': 'nosniff',
    },
  });
}

function noPicture(): Refusal {
  return refuse('not_found', 'There is no picture of this name.');
}

function isFormat(text: string): text is LogoFormat {
  return Object.hasOwn(LOGO_TYPES, text);
}

function isSize(text: string): text is LogoSize {
  return LOGO_SIZES.some((size) => size === text);
}

// URLs of pictures: the values of `logo_url` and `logo_base_url`, served by the picture routes.

/** Size suffixes (interface: Logo variants); the original's size, 1000x636, is ours. */
const LOGO_SIZES = ['', '_500x318', '_300x190'] as const;
type LogoSize = (typeof LOGO_SIZES)[number];

const LOGO_FORMATS = ['webp', 'jpg'] as const;
type LogoFormat = (typeof LOGO_FORMATS)[number];

/** Logo folders besides those of brands, which are named by country. */
const LOGO_FOLDERS = ['coins', 'networks', 'vias'] as const;
type LogoFolder = (typeof LOGO_FOLDERS)[number];

/** The path contains the country, so finding a logo generates no other country. */
export function brandLogoBase(baseUrl: string, brand: Brand): string {
  return `${baseUrl}/logos/${brand.countryCode}/${encodeURIComponent(brand.brandId)}`;
}

export function logoUrl(baseUrl: string, folder: LogoFolder, name: string): string {
  return `${baseUrl}/logos/${folder}/${logoSlug(name)}.webp`;
}

/** Converts a name to a path segment: `Polygon (Matic)` to `polygon-matic`. */
function logoSlug(name: string): string {
  return name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
}

// Placeholder logos until a shop supplies its own: grey pictures in each format and size.

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

function placeholder(format: LogoFormat, size: LogoSize): Bytes {
  return DRAWERS[format](size);
}

function bytes(base64: string): Bytes {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}

// Colours of brands and coins without a picture: the same id always has the same colour.

interface Colour {
  readonly red: number;
  readonly green: number;
  readonly blue: number;
}

/** Within this range white text is readable and colours are muted. */
const DARKEST = 40;
const LIGHTEST = 167;

/** Derives a colour from a text (FNV-1a): for looks, not for secrets. */
export function colourOf(id: string): Colour {
  let hash = 0x811c9dc5;
  for (let index = 0; index < id.length; index += 1) {
    hash = Math.imul(hash ^ id.charCodeAt(index), 0x01000193) >>> 0;
  }
  const channel = (shift: number) =>
    DARKEST + (((hash >>> shift) & 0xff) % (LIGHTEST - DARKEST + 1));
  return { red: channel(0), green: channel(8), blue: channel(16) };
}

/** Formats a colour as `#RRGGBB`, the form of `bg_color`. */
export function formatColour({ red, green, blue }: Colour): string {
  const hex = [red, green, blue].map((channel) => channel.toString(16).padStart(2, '0'));
  return `#${hex.join('')}`;
}
