import { describe, expect, it } from 'vitest';
import {
  type CatalogReader,
  type ListedBrand,
  type ListedProduct,
  NOTHING_SAID,
} from '../../../src/api/catalog-reader.ts';
import { type CartRow, isWrong, nameProducts } from '../../../src/cli/batch/checking.ts';
import { planOrders } from '../../../src/cli/batch/planning.ts';
import { remembering } from '../../../src/cli/browsing/product-choice.ts';
import { ScripError } from '../../../src/domain/message/errors.ts';
import { t } from '../../../src/domain/message/message.ts';
import { FACE_DECIMALS, parseDecimal } from '../../../src/domain/money/money.ts';
import type { HeldOrder } from '../../../src/domain/product/cart-items.ts';
import { cartRow } from '../../support/cart-row.ts';
import { smallContext } from '../../support/small-context.ts';

const CONTEXT = smallContext();

function product(id: string, min: string, max = min, brand = 'Amazon.com'): ListedProduct {
  const values = { min: parseDecimal(min, FACE_DECIMALS), max: parseDecimal(max, FACE_DECIMALS) };
  return {
    ...{ id, brand, values, countryCode: 'us', kind: 'giftcard', currency: 'USD' },
    name: `${brand} ${min === max ? min : `${min}-${max}`} USD`,
    isRange: min !== max,
    price: min === max ? min : undefined,
    coin: 'USDC',
    valueText: min,
  } as ListedProduct;
}

function catalogOf(products: readonly ListedProduct[]) {
  const asked: string[] = [];
  const brands = [...new Set(products.map(({ brand }) => brand))];
  const catalog: CatalogReader = {
    brands: async () => {
      asked.push('brands');
      return brands.map((name) => ({ name, family: 'Gift Cards' }) as ListedBrand);
    },
    products: async ({ brand, family }) => {
      asked.push(brand ?? family ?? '');
      return products.filter((one) => brand === undefined || one.brand === brand);
    },
    price: async () => {
      throw new ScripError('PRODUCT_UNKNOWN', t`no prices here`);
    },
    details: async () => NOTHING_SAID,
  };
  return { asked, catalog: remembering(catalog) };
}

const row = (number: number, brand: string, value?: string) =>
  cartRow({ number, brand, value, saidValue: value });

const SHOP = [product('fixed-25', '25'), product('range-1', '1', '2000')];

describe('a line of a brand and a value', () => {
  it('of several names the first ones, and how many more there are', async () => {
    const shop = ['5', '10', '20', '50', '100'].map((value) => product(`fixed-${value}`, value));
    const { catalog } = catalogOf(shop);
    const rows = [row(2, 'Amazon', '21'), row(3, 'Amazon')];
    const named = await nameProducts(CONTEXT, rows, { held: [], catalog });
    expect(named.flatMap(({ problems }) => problems).map(({ message }) => message)).toEqual([
      expect.stringMatching(/; sold there: [^,]+, [^,]+, [^,]+, and 2 more$/),
      expect.stringMatching(/; write one of these lines: .+; and 2 more$/),
    ]);
  });

  it('never takes its value as the end of a name', async () => {
    const { catalog } = catalogOf([product('f21-50', '50', '50', 'Forever 21')]);
    const named = await nameProducts(CONTEXT, [row(2, 'Forever', '21')], { held: [], catalog });
    expect(named.map(({ problems }) => problems.length)).toEqual([1]);
  });

  it('is found in lists that are asked for once', async () => {
    const { asked, catalog } = catalogOf(SHOP);
    const rows = Array.from({ length: 50 }, (_, at) => row(at + 2, 'Amazon', String(at + 5)));
    const named = await nameProducts(CONTEXT, rows, { held: [], catalog });
    expect(named.filter(isWrong)).toEqual([]);
    expect(asked).toEqual(['brands', 'Amazon.com']);
  });

  it('means what an earlier run bought for it, whatever is sold now', async () => {
    const first = catalogOf(SHOP);
    const lines = [row(2, 'amazon', '25'), row(3, 'amazon', '37.5')];
    const rows = await nameProducts(CONTEXT, lines, { held: [], catalog: first.catalog });
    const held = await bought(rows);
    const { asked, catalog } = catalogOf([product('new-25', '25')]);
    const again = await nameProducts(CONTEXT, lines, { held, catalog });
    expect(again.map(({ productId, brand, value }) => [productId, brand, value])).toEqual([
      ['fixed-25', 'Amazon.com', undefined],
      ['range-1', 'Amazon.com', '37.5'],
    ]);
    expect(asked).toEqual([]);
  });
});

/** As the journal has an order of these lines. */
async function bought(rows: readonly CartRow[]) {
  const priced = rows.map((one, at) => {
    const productValue = one.value === undefined ? undefined : Number(one.value);
    const goods = { quote: {}, countryCode: 'us', priceAtomic: 1n, productValue, kind: 'giftcard' };
    const offer = { chosen: one, goods, recipient: { account: one.to } };
    return { ...one, offer, ids: [`item-${at}`] };
  });
  const [order] = await planOrders(priced as never, [], {
    ...{ scope: '', host: 'embedded:sandbox', email: 'you@example.com', note: undefined },
    ...{ allowsDuplicate: false, budgetAtomic: undefined, nowMs: 0 },
    timeouts: { waitMs: 0, settleMs: undefined },
  });
  const { offer, terms } = order ?? {};
  const intent = {
    ...{ intentId: 'i', key: terms?.key, summary: offer?.summary, cart: terms?.cart },
    ...{ body: JSON.stringify(offer?.body), quotedAtomic: '1', capAtomic: '2' },
  };
  return [{ entry: { intent }, items: order?.items }] as unknown as HeldOrder[];
}
