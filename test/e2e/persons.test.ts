/** A person who bought on both surfaces is given out and erased by the commands of a shop that sells meanwhile. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it, vi } from 'vitest';
import type { AuditReport } from '../../src/domain/operator/audit.ts';
import type { PersonErased, PersonExport } from '../../src/domain/operator/operator-records.ts';
import { FINAL_SOON, makeHome, SCRIP } from '../support/cli.ts';
import { createDatabase } from '../support/postgres-server.ts';
import { GOODS, type OneShop, PRODUCT, prepareShop } from '../support/real-shop.ts';
import type { ServedSandbox } from '../support/served-sandbox.ts';
import { fundedWallet, type OrderDocument } from '../support/shop.ts';

const EMAIL = 'Quillfeather.Zw@example.com';
const PHONE = '+4915123456789';
const NAME = 'quillfeather';
const MARKS = [NAME, PHONE.slice(1)];
const CODES = ['CODE-1111', 'CODE-2222', 'CODE-3333'];
const TOP_UP = '0b7c2f1e-5d0a-4c8e-9f0f-3a5f6d1c2b02';
const CARD = ['order', PRODUCT, '--country', 'de', '--brand', 'Eckladen', '--to', EMAIL];
const CALLS = ['order', TOP_UP, '--country', 'de', '--brand', 'Funkladen', '--to', PHONE];
const AGREED = ['--email', EMAIL, '--yes', '--max-amount', '30', '--allow-duplicate'];
const PARTNER = ['--via', 'partner', '--coin', 'USDC', '--network', 'Solana'];
const WAIT = { timeout: 15_000, interval: 200 };

const home = makeHome(SCRIP, FINAL_SOON);
const shop = await prepareShop(home);
await fundedWallet(home, ['--checkout-url', shop.chain.url]);
const goods = (product_id: string) => [{ product_id, face_value: '20' }];
const funk = {
  ...{ brand_name: 'Funkladen', country_code: 'de', category: 'mobile_credits' },
  products: goods(TOP_UP),
};
writeFileSync(join(home.dir, 'goods.json'), JSON.stringify({ brands: [...GOODS.brands, funk] }));
const database = await createDatabase();
const onPostgres = await shop.beside(database.address, CODES);
afterAll(() => database.drop());

/** Every byte of the folder, as text. */
const filesOf = (folder: string) =>
  readdirSync(join(home.dir, folder))
    .map((name) => readFileSync(join(home.dir, folder, name), 'latin1'))
    .join('\n');

async function dump(): Promise<string> {
  const tables = await database.run(
    `select table_name from information_schema.tables where table_schema = 'public'`,
  );
  const rows = tables.map(({ table_name: name }) => database.run(`select * from "${name}"`));
  return JSON.stringify(await Promise.all(rows));
}

describe.each([
  { on: 'SQLite', of: shop, lines: [CARD, CALLS, CARD], content: async () => filesOf('shop') },
  { on: 'PostgreSQL', of: onPostgres, lines: [CARD, CARD], content: dump },
])('a person in a shop on $on', ({ of, lines, content }) => {
  let open: ServedSandbox;
  afterAll(() => open?.stop());
  const person = <T>(...words: readonly string[]) =>
    home.json<T>(['serve', 'person', ...words, '--config', of.configFile]);
  const found = (text: string) => MARKS.filter((mark) => text.toLowerCase().includes(mark));

  it('is given out, erased while it sells, and then nowhere in its database', async () => {
    open = await of.open();
    const bought = await buyAll(of, lines);
    expect(found(await content())).toContain(NAME);
    const given = await person<PersonExport>('export', EMAIL.toUpperCase());
    const ids = bought.map(({ order_id }) => order_id);
    expect(given.records.orders?.map(({ order_id }) => order_id).toSorted()).toEqual(
      ids.toSorted(),
    );
    expect(given.records.partner_orders).toHaveLength(1);
    const code = bought[0]?.deliveries[0]?.voucher_code ?? 'none';
    const withCodes = await person<PersonExport>('export', EMAIL, '--codes');
    const texts = [given, withCodes].map((one) => JSON.stringify(one));
    expect(texts.map((text) => text.includes(code))).toEqual([false, true]);
    const why = ['--reason', `Mrs ${NAME} (${EMAIL}) wrote`, '--yes'];
    const erased = await person<PersonErased>('erase', EMAIL, ...why);
    expect([erased.erased_orders.length, erased.kept]).toEqual([lines.length, []]);
    await vi.waitFor(async () => expect(found(await content())).toEqual([]), WAIT);
    const again = await person<PersonErased>('erase', erased.digest, '--yes');
    expect(again).toEqual({ ...erased, erased_orders: [] });
    const log = await home.json<{ action: string; subject: string; reason: string | null }[]>([
      ...['serve', 'log', '--config', of.configFile],
    ]);
    expect(log.map(({ action, subject, reason }) => [action, subject, reason])).toEqual([
      ['person.erase', erased.digest, null],
      ['person.erase', erased.digest, null],
      ['person.export', erased.digest, null],
      ['person.export', erased.digest, null],
    ]);
    const books = await home.json<AuditReport>(['serve', 'books', '--config', of.configFile]);
    expect(books.mismatches).toEqual([]);
    const status = await fetch(`${open.url}/v1/orders/${ids[0]}`);
    expect(await status.json()).toMatchObject({
      status: 'completed',
      deliveries: [{ delivery_state: 'completed', beneficiary_account: 'erased' }],
    });
  });
});

async function buyAll(
  of: OneShop,
  lines: readonly (readonly string[])[],
): Promise<readonly OrderDocument[]> {
  const [last = [], ...others] = lines.toReversed();
  const bought: OrderDocument[] = [];
  for (const line of others.toReversed()) {
    bought.push(await home.json<OrderDocument>([...line, ...AGREED, ...of.flags()]));
  }
  const key = ['--idempotency-key', `${NAME}-${of.configFile}-0123456789-0123456789`];
  await home.json([...last, ...AGREED, ...PARTNER, ...key, '--pay', ...of.flags()]);
  return bought;
}
