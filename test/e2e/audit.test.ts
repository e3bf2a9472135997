/** The operator's commands on the books, by the built program, beside a sandbox that is served. */
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import { type Home, makeHome } from '../support/cli.ts';
import { type ServedSandbox, serveSandbox } from '../support/served-sandbox.ts';
import { amazonProducts, buy, fundedWallet } from '../support/shop.ts';

let home: Home;
let served: ServedSandbox;
beforeEach(async () => {
  home = makeHome();
  served = await serveSandbox(home, ['--data', 'shop']);
});
afterEach(async () => {
  await served.stop();
});

const openStore = () => openSqliteStore(join(home.dir, 'shop', 'sandbox.db'));
const AUDIT = ['sandbox', 'audit', '--data', 'shop'];

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
    const [purchase] = await store.tables.books.purchases({ limit: 1 });
    if (!purchase) throw new Error('nothing was bought');
    await store.tables.purchases.put({ ...purchase, reference: 'cd_by_nobody' });
    await store.close();
    const failed = await home.run([...AUDIT, '--json']);
    expect(failed.status).toBe(11);
    expect(JSON.parse(failed.stdout)).toMatchObject({
      agrees: false,
      mismatches: [{ kind: 'purchase_without_line', subject: 'cd_by_nobody' }],
    });
    expect(JSON.parse(failed.stderr).error).toMatchObject({
      code: 'AUDIT_MISMATCH',
      funds_at_risk: 'possible',
    });
    const told = await home.run(AUDIT);
    expect(told.status).toBe(11);
    expect(told.stdout).toContain('Mismatch');
    expect(told.stdout).toContain('Return the goods to the supplier, or deliver them.');
  });

  it('of a folder without a sandbox says so', async () => {
    const result = await home.run(['sandbox', 'audit', '--data', 'nothing']);
    expect(result).toMatchObject({ status: 2, stdout: '' });
    expect(result.stderr).toContain('There is no sandbox in nothing');
    expect(result.stderr).toContain('with --database or SCRIP_DATABASE_URL');
  });

  it('is not done with the chain of another shop', async () => {
    const other = await serveSandbox(home, ['--chain-only', '--data', 'other']);
    await other.stop();
    const result = await home.run([...AUDIT, '--chain-data', 'other']);
    expect(result).toMatchObject({ status: 13, stdout: '' });
    expect(result.stderr).toContain('The shop was begun on another chain than the one at other');
  });

  it('does not go on in a file where SCRIP_DATABASE_URL is empty', async () => {
    const result = await home.run(AUDIT, { env: { SCRIP_DATABASE_URL: '' } });
    expect(result).toMatchObject({ status: 2, stdout: '' });
    expect(result.stderr).toContain('SCRIP_DATABASE_URL is empty');
  });

  it('refuses options of the served sandbox that it would ignore', async () => {
    const audit = await home.run([...AUDIT, '--chain-rpc', 'http://127.0.0.1:1/rpc']);
    expect(audit).toMatchObject({ status: 2, stdout: '' });
    expect(audit.stderr).toContain('--chain-rpc is not an option of sandbox audit');
    const pay = await home.run(['sandbox', 'pay', 'cr_1', '--data', 'shop']);
    expect(pay).toMatchObject({ status: 2, stdout: '' });
    expect(pay.stderr).toContain('--data is not an option of sandbox pay');
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
