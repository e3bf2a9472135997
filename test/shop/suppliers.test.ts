/** The two suppliers that a shop can have. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Fetch, Reply } from '../../src/contract/fetch.ts';
import { atomic } from '../../src/domain/money/money.ts';
import { createCodeFile } from '../../src/shop/code-file.ts';
import { createHttpSupplier, httpLedger } from '../../src/shop/http-supplier.ts';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import type { Store } from '../../src/store/store.ts';
import { manualClock } from '../support/manual-clock.ts';
import { jsonReply, networkError, scriptedFetch } from '../support/scripted-fetch.ts';
import { deliveryRow, orderRow } from '../support/store-suite.ts';
import { PRODUCT, supplierSuite } from '../support/supplier-suite.ts';
import { tempFolder } from '../support/temp-folder.ts';

const GOODS = { product: PRODUCT, faceValue: atomic(25_000_000n), beneficiary: 'ann@example.com' };

let files: string;
beforeAll(() => {
  files = tempFolder();
});

let count = 0;
supplierSuite('a file of codes', (store, said) => {
  count += 1;
  const path = join(files, `${count}.jsonl`);
  const { voucherCode: voucher_code, pinSerial: pin_serial, securityCode: security_code } = said;
  const line = { product_id: PRODUCT.productId, face_value: '25', voucher_code, pin_serial };
  writeFileSync(path, JSON.stringify({ ...line, security_code }), { mode: 0o600 });
  // Another file with another key, as after a restore without the given marks.
  return createCodeFile({ path, store, key: new Uint8Array(32).fill(count) });
});

supplierSuite('a supplier over HTTP', (_store, said) => {
  const { voucherCode: voucher_code, pinSerial: pin_serial, securityCode: security_code } = said;
  const more = said.deliveryType === undefined ? {} : { delivery_type: said.deliveryType };
  const voucher = { voucher_code, pin_serial, security_code, ...more };
  const fetch: Fetch = async (_url, init) => {
    const { reference } = JSON.parse(init?.body ?? '');
    return jsonReply(200, { status: 'fulfilled', reference, voucher });
  };
  return createHttpSupplier({
    host: { fetch, token: 'secret', timeoutMs: 1_000 },
    url: 'https://s.example/v1',
  });
});

describe('a file of codes', () => {
  let folder: string;
  let store: Store;
  beforeEach(async () => {
    folder = tempFolder();
    store = await openSqliteStore(join(folder, 'shop.db'));
  });
  afterEach(() => store.close());

  const path = () => join(folder, 'codes.jsonl');
  const line = (voucher_code: string, face_value = '25') =>
    JSON.stringify({ product_id: PRODUCT.productId, face_value, voucher_code });
  const write = (...lines: readonly string[]) =>
    writeFileSync(path(), lines.join('\n'), { mode: 0o600 });
  const supplier = () => createCodeFile({ path: path(), store, key: new Uint8Array(32) });
  const codeFor = async (reference: string) => {
    const outcome = await supplier().fulfil(reference, GOODS);
    return outcome.outcome === 'fulfilled' ? outcome.voucher.voucherCode : outcome.outcome;
  };

  it('gives each line to one reference, and the same line again after a restart', async () => {
    write(line('A'), line('OTHER', '50'), line('B'));
    expect(await Promise.all(['one', 'two', 'three'].map(codeFor))).toEqual(['A', 'B', 'pending']);
    await store.close();
    store = await openSqliteStore(join(folder, 'shop.db'));
    expect([await codeFor('two'), await codeFor('one')]).toEqual(['B', 'A']);
  });

  it('is out of stock when every line is given, until one is added', async () => {
    write(line('A'));
    expect(await supplier().check(GOODS)).toBe('available');
    await codeFor('one');
    expect(await supplier().check(GOODS)).toBe('out_of_stock');
    write(line('A'), line('B'));
    expect(await supplier().check(GOODS)).toBe('available');
  });

  it('gives no other line for one that was removed', async () => {
    write(line('A'), line('B'));
    await codeFor('one');
    write(line('B'));
    await expect(codeFor('one')).rejects.toMatchObject({ code: 'MERCHANT_ERROR' });
  });

  it.each([
    ['that others may read', () => writeFileSync(path(), line('A'), { mode: 0o644 }), 'chmod 600'],
    [
      'with broken lines',
      () => write(line('A'), '{}', 'x'),
      'line 2: product_id is missing; line 3',
    ],
    [
      'with a code that shows nothing',
      () => write(line('A'), line(' -')),
      'line 2: voucher_code must have a letter or a digit',
    ],
    ['with a code twice', () => write(line('A'), line('A')), 'line 2: its code is on line 1'],
    ['that is not there', () => undefined, 'does not exist'],
  ])('%s is refused', async (_name, prepare, words) => {
    prepare();
    const refusal = await supplier()
      .check(GOODS)
      .catch((error) => error);
    expect(refusal).toMatchObject({ code: 'INPUT_INVALID' });
    expect(`${refusal.message} ${refusal.hint}`).toContain(words);
  });
});

describe('a supplier over HTTP', () => {
  const supplierOf = (...answers: readonly (Reply | Error)[]) => {
    const { fetch, asked } = scriptedFetch(...answers);
    const host = { fetch, token: 'secret', timeoutMs: 1_000 };
    return { asked, supplier: createHttpSupplier({ host, url: 'https://s.example/v1' }) };
  };
  const bought = { status: 'fulfilled', reference: 'ref-1', voucher: { voucher_code: 'X' } };

  it('is asked with the reference as the idempotency key', async () => {
    const { supplier, asked } = supplierOf(jsonReply(200, bought));
    expect(await supplier.fulfil('ref-1', GOODS)).toMatchObject({
      outcome: 'fulfilled',
      voucher: { voucherCode: 'X', deliveryType: 'inline' },
    });
    expect(asked[0]).toMatchObject({
      url: 'https://s.example/v1/purchases',
      init: { headers: { 'idempotency-key': 'ref-1', authorization: 'Bearer secret' } },
    });
    expect(JSON.parse(asked[0]?.init.body ?? '')).toEqual({
      reference: 'ref-1',
      product_id: PRODUCT.productId,
      face_value: '25',
      currency: 'USD',
      country_code: 'us',
      beneficiary: 'ann@example.com',
    });
  });

  it('is asked by the reference when its answer does not come', async () => {
    const { supplier, asked } = supplierOf(networkError('ECONNRESET'), jsonReply(200, bought));
    expect(await supplier.fulfil('ref-1', GOODS)).toMatchObject({ outcome: 'fulfilled' });
    expect(asked.map(({ url }) => url)).toEqual([
      'https://s.example/v1/purchases',
      'https://s.example/v1/purchases/ref-1',
    ]);
  });

  it.each([
    [{ status: 'pending', reference: 'ref-1', retry_after_seconds: 7 }, { retryAfterMs: 7_000 }],
    [
      { status: 'refused', reference: 'ref-1', reason: 'No' },
      { outcome: 'refused', reason: 'No' },
    ],
  ])('may say %j', async (answer, outcome) => {
    const { supplier } = supplierOf(jsonReply(202, answer));
    expect(await supplier.fulfil('ref-1', GOODS)).toMatchObject(outcome);
  });

  it.each([
    ['another reference', jsonReply(200, { ...bought, reference: 'ref-2' })],
    ['an error of its own', jsonReply(500, bought)],
    ['a form that is not known', jsonReply(200, { status: 'done' })],
    ['a page', jsonReply(200, '<html>')],
    ['a link that is not https', jsonReply(200, { ...bought, voucher: { url: 'javascript:1' } })],
  ])('leaves the purchase unknown with %s', async (_name, answer) => {
    const { supplier } = supplierOf(answer);
    await expect(supplier.fulfil('ref-1', GOODS)).rejects.toMatchObject({ code: 'MERCHANT_ERROR' });
  });

  describe('that lists its sales', () => {
    const clock = manualClock();
    const sale = (reference: string, status: string, agoMs = 600_000) => ({
      ...{ reference, status, created_at: new Date(clock.now() - agoMs).toISOString() },
    });
    const listed = async (sinceMs: number, ...answers: readonly Reply[]) => {
      const { fetch, asked } = scriptedFetch(...answers);
      const host = { fetch, timeoutMs: 1_000 };
      const ledger = httpLedger({ host, url: 'https://s.example/v1' }, clock);
      const store = await openSqliteStore(':memory:');
      await store.tables.orders.insert(orderRow(), [deliveryRow({ deliveryId: 'ref-1' })]);
      const sales: unknown[] = [];
      for await (const one of ledger.sales(store.tables, sinceMs)) sales.push(one);
      await store.close();
      return { sales, urls: asked.map(({ url }) => url) };
    };

    it('is read page by page, but for refused ones, and says which are very new', async () => {
      const first = [
        sale('ref-1', 'fulfilled'),
        sale('ref-2', 'refused'),
        sale('new', 'pending', 1),
      ];
      const { sales, urls } = await listed(
        0,
        jsonReply(200, { purchases: first, next: 'new' }),
        jsonReply(200, { purchases: [sale('ref-3', 'fulfilled')] }),
      );
      expect(sales).toEqual([
        { reference: 'ref-1', hasLine: true, isNew: false },
        { reference: 'new', hasLine: false, isNew: true },
        { reference: 'ref-3', hasLine: false, isNew: false },
      ]);
      const since = 'https://s.example/v1/purchases?since=1970-01-01T00%3A00%3A00.000Z';
      expect(urls).toEqual([since, `${since}&after=new`]);
    });

    it('need not: others answer 404', async () => {
      expect((await listed(0, jsonReply(404, {}))).sales).toEqual([]);
      await expect(listed(0, jsonReply(500, {}))).rejects.toMatchObject({ code: 'MERCHANT_ERROR' });
    });
  });

  it('says what is in stock', async () => {
    const stock = (available: boolean) => supplierOf(jsonReply(200, { available })).supplier;
    expect(await stock(true).check(GOODS)).toBe('available');
    expect(await stock(false).check(GOODS)).toBe('out_of_stock');
  });
});
