/** Addresses of pictures: what `logo_url` and `logo_base_url` say, and the picture routes answer. */
import type { Brand } from '../../domain/product.ts';

/** Sizes by the suffix that asks for them (interface: Logo variants); the original's size is ours, 1000x636. */
export const LOGO_SIZES = ['', '_500x318', '_300x190'] as const;
export type LogoSize = (typeof LOGO_SIZES)[number];

export const LOGO_FORMATS = ['webp', 'jpg'] as const;
export type LogoFormat = (typeof LOGO_FORMATS)[number];

/** What has logos beside brands, whose folder is their country. */
export const LOGO_FOLDERS = ['coins', 'networks', 'vias'] as const;
export type LogoFolder = (typeof LOGO_FOLDERS)[number];

/** The country is part of the path, so that a logo is found without making any other country. */
export function brandLogoBase(baseUrl: string, brand: Brand): string {
  return `${baseUrl}/logos/${brand.countryCode}/${encodeURIComponent(brand.brandId)}`;
}

export function logoUrl(baseUrl: string, folder: LogoFolder, name: string): string {
  return `${baseUrl}/logos/${folder}/${logoSlug(name)}.webp`;
}

/** `Polygon (Matic)` as a path has it: `polygon-matic`. */
export function logoSlug(name: string): string {
  return name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
}
