/** URLs of pictures: the values of `logo_url` and `logo_base_url`, served by the picture routes. */
import type { Brand } from '../../domain/product.ts';

/** Size suffixes (interface: Logo variants); the original's size, 1000x636, is ours. */
export const LOGO_SIZES = ['', '_500x318', '_300x190'] as const;
export type LogoSize = (typeof LOGO_SIZES)[number];

export const LOGO_FORMATS = ['webp', 'jpg'] as const;
export type LogoFormat = (typeof LOGO_FORMATS)[number];

/** Logo folders besides those of brands, which are named by country. */
export const LOGO_FOLDERS = ['coins', 'networks', 'vias'] as const;
export type LogoFolder = (typeof LOGO_FOLDERS)[number];

/** The path contains the country, so finding a logo generates no other country. */
export function brandLogoBase(baseUrl: string, brand: Brand): string {
  return `${baseUrl}/logos/${brand.countryCode}/${encodeURIComponent(brand.brandId)}`;
}

export function logoUrl(baseUrl: string, folder: LogoFolder, name: string): string {
  return `${baseUrl}/logos/${folder}/${logoSlug(name)}.webp`;
}

/** Converts a name to a path segment: `Polygon (Matic)` to `polygon-matic`. */
export function logoSlug(name: string): string {
  return name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
}
