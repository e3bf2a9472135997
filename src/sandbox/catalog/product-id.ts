/**
 * Ids of generated brands and products: UUIDs of version 8, whose layout RFC 9562 leaves to the
 * application. The first 16 bits are the country and the next 32 the brand, so finding a product
 * generates only its own country.
 */
import { hash32, type Key, mix } from './draw.ts';

const COUNTRY_BYTES = /^([0-9a-f]{2})([0-9a-f]{2})[0-9a-f]{4}-[0-9a-f]{4}-8/;

/** Length of the prefix that a brand's id shares with its products' ids. */
const BRAND_PREFIX_LENGTH = 'xxxxxxxx-xxxx'.length;

/** Builds the id of a product, whose label is `item`, or of the brand itself if `item` is empty. */
export function catalogUuid(countryCode: string, brand: Key, item: string): string {
  const country = hex(countryCode.charCodeAt(0), 2) + hex(countryCode.charCodeAt(1), 2);
  const digits = hex(brand, 8);
  const own = hash32(item, brand);
  const high = hex(mix(own, 1), 8);
  const middle = hex(mix(own, 2), 8);
  const low = hex(mix(own, 3), 8);
  // RFC 9562: the two variant bits are 10, so this digit is 8, 9, a or b.
  const variant = '89ab'[brand % 4] ?? '8';
  return (
    `${country}${digits.slice(0, 4)}-${digits.slice(4)}-8${high.slice(0, 3)}` +
    `-${variant}${high.slice(3, 6)}-${middle}${low.slice(0, 4)}`
  );
}

/** Reads the country code from an id; undefined if the id is not of this catalog. */
export function countryOfId(id: string): string | undefined {
  const match = COUNTRY_BYTES.exec(id);
  if (!match) return undefined;
  return match
    .slice(1)
    .map((byte) => String.fromCharCode(Number.parseInt(byte, 16)))
    .join('');
}

/** Whether two ids belong to one brand. */
export function areOfOneBrand(one: string, other: string): boolean {
  return one.slice(0, BRAND_PREFIX_LENGTH) === other.slice(0, BRAND_PREFIX_LENGTH);
}

function hex(value: number, digits: number): string {
  return value.toString(16).padStart(digits, '0');
}
