/** The operator's commands on the books, by the built program, beside a sandbox that is served. */

import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import { allRows } from '../support/all-rows.ts';
import { makeHome } from '../support/cli.ts';
import { ledgerAt } from '../support/ledger.ts';
import { serveSandbox } from '../support/served-sandbox.ts';
import { amazonProducts, buy, fundedWallet } from '../support/shop.ts';

const home = makeHome();
const served = await serveSandbox(home, ['--data', 'shop']);
const openStore = () => openSqliteStore(join(home.dir, 'shop', 'sandbox.db'));
const FOLDER = ['sandbox', 'audit', '--data'];
const AUDIT = [...FOLDER, 'shop'];

describe('scrip sandbox audit', () => {
  it('agrees beside a running server, and names what does not', async () => {
    await fundedWallet(home, served.flags);
    const { fixed } = amazonProducts();
    await buy(home, fixed.product_id, served.flags);
    expect(await home.json(AUDIT)).toMatchObject({
      agrees: true,
      checked: { settlements: 1, lines: 1, purchases: 1 },
      mismatches: [],
    });
    const store = await openStore();
    const [purchase] = await allRows(store.tables.purchases.rows());
    if (!purchase) throw new Error('nothing was bought');
    await store.tables.purchases.put({ ...purchase, reference: 'cd_by_nobody' });
    await store.close();
    const failed = await home.failure(AUDIT);
    const mismatch = { status: 11, code: 'AUDIT_MISMATCH', funds_at_risk: 'possible' };
    expect(failed).toMatchObject(mismatch);
    expect(JSON.parse(failed.stdout)).toMatchObject({
      agrees: false,
      mismatches: [{ kind: 'purchase_without_line', subject: 'cd_by_nobody' }],
    });
    const told = await home.run(AUDIT);
    expect(told.status).toBe(11);
    expect(told.stdout).toContain('Mismatch');
    expect(told.stdout).toContain('Return the goods to the supplier, or deliver them.');
  });

  const away = [...AUDIT, '--chain-rpc', 'http://127.0.0.1:1'];
  const ofShop = ['sandbox', 'pay', 'cr_1', '--data', 'shop'];
  const empty = { SCRIP_DATABASE_URL: '' };
  it.each<[string, string[], string, Record<string, string>?]>([
    ['a folder without a sandbox', [...FOLDER, 'nothing'], 'There is no sandbox in nothing'],
    ['the same, naming a database', [...FOLDER, 'nothing'], '--database or SCRIP_DATABASE_URL'],
    ['an empty variable', AUDIT, 'SCRIP_DATABASE_URL is empty', empty],
    ['an option to ignore', away, '--chain-rpc is not an option of sandbox audit'],
    ['another one', ofShop, '--data is not an option of sandbox pay'],
  ])('refuses %s', async (_what, words, said, env = {}) => {
    const { status, stdout, stderr } = await home.run(words, { env });
    expect([status, stdout, stderr]).toEqual([2, '', expect.stringContaining(said)]);
  });
});

describe('a shop whose chain is a process of its own', async () => {
  const chain = await serveSandbox(home, ['--chain-only', '--data', 'chain']);
  const rpc = `${chain.url}/rpc`;
  const audit = ['sandbox', 'audit', '--data', 'apart'];

  it('sells over it, and its books agree with it and with no other', async () => {
    const shop = await serveSandbox(home, ['--data', 'apart', '--chain-rpc', rpc]);
    const other = makeHome();
    const payer = await fundedWallet(other, ['--checkout-url', chain.url]);
    const bought = await buy(other, amazonProducts().fixed.product_id, shop.flags);
    expect(await ledgerAt(rpc).payments(payer)).toEqual([bought.transaction]);
    expect(await home.json([...audit, '--chain-data', 'chain'])).toMatchObject({
      agrees: true,
      checked: { transfers: 1, settlements: 1 },
    });
    expect((await home.failure(audit)).code).toBe('INPUT_INVALID');
    const { status, stdout, stderr } = await home.run([...AUDIT, '--chain-data', 'chain']);
    const said = 'The shop was begun on another chain than the one at chain';
    expect([status, stdout, stderr]).toEqual([13, '', expect.stringContaining(said)]);
  });

  it('is no shop itself, and takes no flags of one', async () => {
    expect((await fetch(`${chain.url}/v1/brands?country_code=us`)).status).toBe(404);
    const refused = await home.failure(['sandbox', '--chain-only', '--catalog', 'goods.json']);
    expect(refused.code).toBe('USAGE');
  });
});

describe('scrip sandbox webhooks', () => {
  it('lists what did not arrive, and sends it again', async () => {
    const store = await openStore();
    const row = { orderId: 'cr_1', seq: 1, url: 'https://example.com/hook', createdAtMs: 0 };
    const dead = {
      attempts: 10,
      nextAttemptAtMs: 0,
      state: 'dead',
      lastError: 'HTTP_500',
    } as const;
    await store.tables.outbox.insert({ webhookId: 'msg_1', ...row, ...dead });
    await store.close();
    const list = (...more: string[]) =>
      home.json(['sandbox', 'webhooks', '--data', 'shop', ...more]);
    const webhook = { webhook_id: 'msg_1', url: row.url, last_error: 'HTTP_500' };
    expect(await list()).toMatchObject([{ ...webhook, state: 'dead', next_attempt_at: null }]);
    const REPLAY = ['sandbox', 'webhooks', 'replay', '--data', 'shop'];
    expect(await home.json([...REPLAY, 'msg_1'])).toMatchObject({ state: 'pending', attempts: 0 });
    expect(await list()).not.toMatchObject([{ webhook_id: 'msg_1', attempts: 10 }]);
    const unknown = await home.run([...REPLAY, 'msg_2']);
    expect(unknown.status).toBe(3);
    expect(unknown.stderr).toContain('WEBHOOK_UNKNOWN');
    const wrong = await home.run(['sandbox', 'webhooks', '--state', 'lost']);
    expect(wrong.status).toBe(2);
  });
});
