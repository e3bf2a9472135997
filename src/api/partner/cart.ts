/** The lines of a partner API order: as typed, and found in its catalog. */

import {
  listProductsForCountry,
  type WirePartnerProduct,
  type WireProductsForBrand,
} from '../../contract/partner-catalog.ts';
import type { WireRequestedDelivery } from '../../contract/partner-orders.ts';
import { ScripError } from '../../domain/message/errors.ts';
import { t } from '../../domain/message/message.ts';
import { nearest } from '../../domain/product/catalog-query.ts';
import { PRODUCT_KINDS, type ProductKind } from '../../domain/product/product.ts';
import type { OrderItem } from '../merchant.ts';
import { callPartner, type PartnerHost } from './partner.ts';

export interface CartLine extends Omit<OrderItem, 'brand'> {
  readonly brand: Omit<WireProductsForBrand, 'products'>;
  readonly product: WirePartnerProduct;
}

const SUGGESTIONS = 5;

/**
 * Finds the products of a cart; requests each country and brand once, and searches every brand of the country
 * if a line names none.
 * @param wanted with the countries' codes
 * @param coin ticker of the prices
 * @throws {ScripError} PRODUCT_UNKNOWN with `details.nearest`, and what `callPartner` throws
 */
export async function findProducts(
  host: PartnerHost,
  wanted: readonly OrderItem[],
  coin: string,
): Promise<readonly CartLine[]> {
  const lists = new Map<string, Promise<readonly WireProductsForBrand[]>>();
  const listOf = (line: OrderItem): Promise<readonly WireProductsForBrand[]> => {
    const key = JSON.stringify([line.country, line.brand]);
    const known = lists.get(key) ?? list(host, line, coin);
    lists.set(key, known);
    return known;
  };
  return Promise.all(wanted.map(async (line) => find(line, await listOf(line))));
}

function list(
  host: PartnerHost,
  { country, brand }: OrderItem,
  coin: string,
): Promise<readonly WireProductsForBrand[]> {
  const query = { country_code: country.toUpperCase(), brand_name: brand, coin };
  return callPartner({ ...host, countryCode: country }, listProductsForCountry, query);
}

function find(wanted: OrderItem, brands: readonly WireProductsForBrand[]): CartLine {
  for (const { products, ...brand } of brands) {
    const product = products.find(({ product_id }) => product_id === wanted.productId);
    if (product !== undefined) return { ...wanted, brand, product };
  }
  const { productId, brand: named, country } = wanted;
  const ids = brands.flatMap(({ products }) => products.map(({ product_id }) => product_id));
  const where = t`${named ?? t`No brand`} in ${country.toUpperCase()}`;
  throw new ScripError('PRODUCT_UNKNOWN', t`${where} has no product "${productId}"`, {
    details: {
      nearest:
        named === undefined ? nearest(ids, productId, SUGGESTIONS) : ids.slice(0, SUGGESTIONS),
    },
    hint: t`Run: scrip catalog --via partner --country <code> --brand <name>`,
  });
}

export function kindOf({ brand, product }: Pick<CartLine, 'brand' | 'product'>): ProductKind {
  const named = (name: string) => PRODUCT_KINDS.find((kind) => kind === name);
  return named(product.product_type) ?? named(brand.kind) ?? 'other';
}

/** Returns the deliveries of a request: each line as often as its quantity (interface: Rules, 1 and 2). */
export function deliveriesOf(lines: readonly CartLine[]): WireRequestedDelivery[] {
  return lines.flatMap((line) =>
    Array.from({ length: line.quantity }, () => ({
      brand_name: line.brand.brand,
      country_code: line.country.toUpperCase(),
      denomination: line.product.is_dynamic ? 'range' : (line.product.denomination ?? ''),
      product_value: line.value,
      beneficiary_account: line.to,
    })),
  );
}
