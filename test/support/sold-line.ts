/** A line of an order for a product of the generated catalog: 25 of its currency for 25.25 USDC. */
import { atomic } from '../../src/domain/money/money.ts';
import { CATALOG_SEED, createGeneratedCatalog } from '../../src/sandbox/catalog/generated.ts';
import { encodeLine, type PricedLine } from '../../src/service/checkout/line.ts';

const [product] = createGeneratedCatalog({ seed: CATALOG_SEED }).products('us');
if (product === undefined) throw new Error('the catalog should have a product');

export const SOLD: PricedLine = {
  product,
  faceValue: atomic(25_000_000n),
  priceAtomic: atomic(25_250_000n),
  beneficiary: 'friend@example.com',
};

/** As a delivery keeps it. */
export const GOODS = encodeLine(SOLD);
