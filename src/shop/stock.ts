/** What the supplier of a shop has left, by product and value. */

import type { StockRecord } from '../domain/operator/operator-records.ts';
import { formatFaceValue, type Product } from '../domain/product/product.ts';
import type { Catalog } from '../service/catalog/catalog.ts';
import type { Supplier } from '../service/delivery/supplier.ts';
import type { CodeCount } from './code-file.ts';

const AT_ONCE = 8;

/** Of a file of codes: what it has, and products of one value that it has no line for. The lowest first. */
export function stockOfCodes(
  catalog: Catalog,
  counts: readonly CodeCount[],
): readonly StockRecord[] {
  const products = productsOf(catalog);
  const byId = new Map(products.map((product) => [product.productId.toLowerCase(), product]));
  const listed = counts.map(({ productId, faceValue, left, given }) => ({
    ...aboutOf(byId.get(productId), faceValue),
    product_id: productId,
    available: left > 0,
    left,
    given,
  }));
  const known = new Set(listed.map(({ product_id: id, face_value: value }) => `${id} ${value}`));
  const missing = products.flatMap((product) => {
    if (product.denomination.isRange) return [];
    const row = { ...aboutOf(product, product.denomination.faceValue), left: 0, given: 0 };
    return known.has(`${row.product_id} ${row.face_value}`) ? [] : [{ ...row, available: false }];
  });
  return lowestFirst([...listed, ...missing]);
}

/**
 * Of a supplier that is asked: whether it has each product, of a range the smallest value.
 * @throws {ScripError} MERCHANT_ERROR
 */
export async function stockAsked(
  catalog: Catalog,
  supplier: Pick<Supplier, 'check'>,
): Promise<readonly StockRecord[]> {
  const products = productsOf(catalog);
  const records: StockRecord[] = [];
  for (let at = 0; at < products.length; at += AT_ONCE) {
    const some = products.slice(at, at + AT_ONCE).map(async (product) => {
      const { denomination } = product;
      const faceValue = denomination.isRange ? denomination.min : denomination.faceValue;
      const found = await supplier.check({ product, faceValue, beneficiary: '' });
      const about = aboutOf(product, faceValue);
      return { ...about, available: found === 'available', left: null, given: null };
    });
    records.push(...(await Promise.all(some)));
  }
  return lowestFirst(records);
}

function productsOf(catalog: Catalog): readonly Product[] {
  return catalog.countries.flatMap(({ code }) => catalog.products(code));
}

function aboutOf(product: Product | undefined, faceValue: CodeCount['faceValue']) {
  return {
    product_id: product?.productId.toLowerCase() ?? '',
    product: product?.name ?? '',
    face_value: formatFaceValue(faceValue),
    currency: product?.brand.currency ?? '',
  };
}

function lowestFirst(records: readonly StockRecord[]): readonly StockRecord[] {
  const amount = ({ left, available }: StockRecord) => left ?? (available ? 1 : 0);
  return records.toSorted(
    (one, other) => amount(one) - amount(other) || (one.product < other.product ? -1 : 1),
  );
}
