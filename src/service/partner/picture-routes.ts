/** Pictures: logos of brands, coins, networks and vias, and QR codes of payment URIs. */
import type { Hono } from 'hono';
import { ScripError } from '../../domain/errors.ts';
import { parsePaymentUri } from '../../domain/payment-uri-reader.ts';
import { type Refusal, refuse } from '../errors.ts';
import { type Answer, answer } from '../route.ts';
import { partnerRefusal } from './failure.ts';
import {
  LOGO_FOLDERS,
  LOGO_SIZES,
  type LogoFolder,
  type LogoFormat,
  type LogoSize,
  logoSlug,
} from './logos.ts';
import { placeholder } from './placeholders.ts';
import { qrPng, qrSvg, readQrName } from './qr.ts';
import type { Shop } from './shop.ts';

type Bytes = Uint8Array<ArrayBuffer>;

const LOGO_TYPES: Readonly<Record<LogoFormat, string>> = { webp: 'image/webp', jpg: 'image/jpeg' };

const QR_DRAWERS: Readonly<
  Record<string, { readonly contentType: string; draw(text: string): Promise<Bytes | string> }>
> = {
  svg: { contentType: 'image/svg+xml', draw: async (text) => qrSvg(text) },
  png: { contentType: 'image/png', draw: qrPng },
};

/** A path's picture never changes: cached for a day, in seconds. */
const CACHE = 'public, max-age=86400, immutable';
const LOGO_FILE = /^(.+?)(_500x318|_300x190|)\.(webp|jpg)$/;

export function pictureRoutes(app: Hono, shop: Pick<Shop, 'catalog' | 'market'>): void {
  app.get('/logos/:folder/:file', (context) => {
    const { folder, file } = context.req.param();
    return answer(() => logo(shop, folder, file), { writeRefusal: partnerRefusal });
  });
  app.get('/qr/:file', (context) => {
    const { file } = context.req.param();
    return answer(() => qrCode(file), { writeRefusal: partnerRefusal });
  });
}

function logo(shop: Pick<Shop, 'catalog' | 'market'>, folder: string, file: string): Answer {
  const [, name = '', size = '', format = ''] = LOGO_FILE.exec(file) ?? [];
  if (!isFormat(format) || !isSize(size) || !isKnown(shop, folder, name)) return noPicture();
  return picture(placeholder(format, size), LOGO_TYPES[format]);
}

function isKnown(
  { catalog, market }: Pick<Shop, 'catalog' | 'market'>,
  folder: string,
  name: string,
) {
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
async function qrCode(file: string): Promise<Answer> {
  const [, name = '', format = ''] = /^(.+)\.(svg|png)$/.exec(file) ?? [];
  const text = readQrName(name);
  const drawer = Object.hasOwn(QR_DRAWERS, format) ? QR_DRAWERS[format] : undefined;
  if (text === undefined || drawer === undefined || !isPayment(text)) return noPicture();
  return picture(await drawer.draw(text), drawer.contentType);
}

function isPayment(text: string): boolean {
  try {
    parsePaymentUri(text);
    return true;
  } catch (error) {
    if (error instanceof ScripError) return false;
    throw error;
  }
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
