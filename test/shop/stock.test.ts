/** What a shop has left to sell. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { atomic } from '../../src/domain/money/money.ts';
import { encodeLine } from '../../src/service/checkout/line.ts';
import { checkCatalog } from '../../src/shop/catalog.ts';
import { codeLedger, countCodes, createCodeFile } from '../../src/shop/code-file.ts';
import { stockAsked, stockOfCodes } from '../../src/shop/stock.ts';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import type { Store } from '../../src/store/store.ts';
import { ENGINES, emptyStore } from '../support/engines.ts';
import { tempFolder } from '../support/temp-folder.ts';

const [ONE, TWO, RANGE] = [1, 2, 3].map((n) => `0b7c2f1e-5d0a-4c8e-9f0f-3a5f6d1c2b0${n}`);
const catalog = checkCatalog(
  JSON.stringify({
    brands: [
      {
        brand_name: 'Corner Books',
        country_code: 'us',
        category: 'retail',
        products: [
          { product_id: ONE, face_value: '10' },
          { product_id: TWO, face_value: '25' },
          { product_id: RANGE, min_value: '5', max_value: '50' },
        ],
      },
    ],
  }),
);
const KEY = new Uint8Array(32).fill(1);

let store: Store;
let folder: string;
let path: string;
beforeEach(async () => {
  store = await openSqliteStore(':memory:');
  folder = tempFolder();
  path = join(folder, 'codes.jsonl');
});
afterEach(() => store.close());

const codes = (...lines: readonly (readonly [id: string | undefined, value: string])[]) =>
  writeFileSync(
    path,
    lines
      .map(([product_id, face_value], at) =>
        JSON.stringify({ product_id, face_value, voucher_code: `CODE-${at}` }),
      )
      .join('\n'),
    { mode: 0o600 },
  );

it('counts the codes of a file that were not given, the lowest first, and what it has none of', async () => {
  codes([TWO?.toUpperCase(), '25'], [TWO, '25.00'], [TWO, '25'], [RANGE, '5']);
  const product = catalog.product(TWO ?? '');
  if (product === undefined) throw new Error('the catalog should have it');
  const goods = { product, faceValue: atomic(25_000_000n), beneficiary: '' };
  await createCodeFile({ path, store, key: KEY }).fulfil('line-1', goods);
  const counts = await countCodes({ path, key: KEY }, store.tables.facts);
  expect(
    stockOfCodes(catalog, counts).map(({ product_id: id, face_value: value, ...row }) => [
      ...[id, value, row.left, row.given, row.available],
    ]),
  ).toEqual([
    [ONE, '10', 0, 0, false],
    [RANGE, '5', 1, 0, true],
    [TWO, '25', 2, 1, true],
  ]);
  expect(JSON.stringify(counts, (_key, value) => String(value))).not.toContain('CODE-');
});

it.each(ENGINES)('on %s gives each code to one of the orders that ask at once', async (engine) => {
  const { store: shared, remove } = await emptyStore(engine);
  codes(...Array.from({ length: 6 }, () => [TWO, '25'] as const), [ONE, '25'], [TWO, '10']);
  const product = catalog.product(TWO ?? '');
  if (product === undefined) throw new Error('the catalog should have it');
  const goods = { product, faceValue: atomic(25_000_000n), beneficiary: '' };
  const servers = [1, 2].map(() => createCodeFile({ path, store: shared, key: KEY }));
  const ask = async (at: number) => {
    const outcome = await servers[at % 2]?.fulfil(`line-${at}`, goods);
    return outcome?.outcome === 'fulfilled' ? outcome.voucher.voucherCode : outcome?.outcome;
  };
  const given = await Promise.all([0, 1, 2, 3, 4, 5, 6, 7].map(ask));
  const all = [0, 1, 2, 3, 4, 5].map((at) => `CODE-${at}`);
  expect(given.toSorted()).toEqual([...all, 'pending', 'pending']);
  expect(await Promise.all([0, 1, 2, 3, 4, 5, 6, 7].map(ask))).toEqual(given);
  await remove();
});

it('gives what a line of the file says of its code, and nothing that it does not say', async () => {
  const product = catalog.product(TWO ?? '');
  if (product === undefined) throw new Error('the catalog should have it');
  const goods = { product, faceValue: atomic(25_000_000n), beneficiary: '' };
  const more = {
    pin_serial: '1',
    security_code: '2',
    redeem_instructions: 'Enter it.',
    terms_and_conditions: 'None.',
  };
  const line = (voucher_code: string, rest: object = {}) =>
    JSON.stringify({ product_id: TWO, face_value: '25', voucher_code, ...rest });
  writeFileSync(path, `\n${line('A')}\n  \n${line('B', more)}\n`, { mode: 0o600 });
  const supplier = createCodeFile({ path, store, key: KEY });
  const voucher = { deliveryType: 'inline', redeemInstructions: '', termsAndConditions: '' };
  expect(await supplier.fulfil('one', goods)).toEqual({
    outcome: 'fulfilled',
    voucher: { ...voucher, voucherCode: 'A' },
  });
  expect(await supplier.fulfil('two', goods)).toEqual({
    outcome: 'fulfilled',
    voucher: {
      ...{ ...voucher, voucherCode: 'B', pinSerial: '1', securityCode: '2' },
      ...{ redeemInstructions: 'Enter it.', termsAndConditions: 'None.' },
    },
  });
});

it('its ledger has what was sold, to whom, and whether it is what the line asked for', async () => {
  codes([TWO, '25'], [ONE, '10'], [TWO, '25']);
  const product = catalog.product(TWO ?? '');
  const other = catalog.product(ONE ?? '');
  if (product === undefined || other === undefined) throw new Error('the catalog should have both');
  const line = { faceValue: atomic(25_000_000n), priceAtomic: atomic(1n), beneficiary: '' };
  await createCodeFile({ path, store, key: KEY }).fulfil('line-1', { ...line, product });
  const ledger = () => codeLedger({ path, key: KEY }, store.tables.facts);
  const sold = (deliveryId: string, of = product) =>
    ledger().sold({ deliveryId, goods: encodeLine({ ...line, product: of }) } as never);
  expect(await sold('line-2')).toBeUndefined();
  expect(await sold('line-1')).toEqual({ outcome: 'fulfilled', isSame: true });
  expect(await sold('line-1', other)).toEqual({ outcome: 'fulfilled', isSame: false });
  const sales = async (known: unknown) => {
    const deliveries = { byId: async () => known };
    const found: unknown[] = [];
    for await (const sale of ledger().sales({ deliveries } as never, 0)) found.push(sale);
    return found;
  };
  expect(await sales({})).toEqual([{ reference: 'line-1', hasLine: true }]);
  expect(await sales(undefined)).toEqual([{ reference: 'line-1', hasLine: false }]);
  // A line that was taken out is taken for sold.
  codes();
  expect(await sold('line-1')).toEqual({ outcome: 'fulfilled', isSame: true });
});

it('asks a supplier over HTTP for each product, of a range for the smallest value', async () => {
  const stock = await stockAsked(catalog, {
    check: async ({ product }) => (product.productId === TWO ? 'out_of_stock' : 'available'),
  });
  expect(
    stock.map(({ product_id: id, face_value: value, available, left }) => [
      ...[id, value, available, left],
    ]),
  ).toEqual([
    [TWO, '25', false, null],
    ...[
      [ONE, '10', true, null],
      [RANGE, '5', true, null],
    ].toSorted(),
  ]);
});
