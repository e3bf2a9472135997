/** The main job by the real process: a gift card bought with a signed transaction. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SOLANA_MAINNET, USDC_MINT } from '../../src/contract/x402.ts';
import { makeHome } from '../support/cli.ts';
import { judge } from '../support/embedded-service.ts';
import { ledgerAt } from '../support/ledger.ts';
import { type ServedSandbox, serveSandbox } from '../support/served-sandbox.ts';
import { amazonProducts, buy, fundedWallet, orderOf } from '../support/shop.ts';

describe('an order on the embedded service', () => {
  const home = makeHome();
  let payer: string;

  beforeAll(async () => {
    payer = await fundedWallet(home);
  });

  it('pays the price of a fixed card on the chain and prints its code', async () => {
    const { fixed } = amazonProducts();
    const order = await buy(home, fixed.product_id, ['--idempotency-key', 'fixed']);
    expect(order).toMatchObject({
      status: 'completed',
      asset: USDC_MINT,
      network: SOLANA_MAINNET,
      payer,
      deliveries: [{ delivery_state: 'completed', voucher_code: expect.stringMatching(/^TEST-/) }],
    });
    expect(order.amount).toBe('10.10');
    await judge(home, async (ledger) => {
      expect(await ledger.payments(payer)).toContain(order.transaction);
      expect(await ledger.paidBy(payer, order.transaction)).toBe(BigInt(order.amount_atomic));
    });
  });

  it('returns the first result when the same command is run again', async () => {
    const { fixed } = amazonProducts();
    const first = await buy(home, fixed.product_id, ['--idempotency-key', 'again']);
    const second = await buy(home, fixed.product_id, ['--idempotency-key', 'again']);
    expect(first).toMatchObject({ resumed: false, already_bought: false });
    expect(second).toEqual({ ...first, already_bought: true });
    const again = await home.run(orderOf(fixed.product_id, ['--idempotency-key', 'again']));
    expect(again.status).toBe(0);
    expect(again.stderr).toMatch(
      /^Already bought at \d{4}-\d\d-\d\d \d\d:\d\d UTC; nothing was paid this time\.$/m,
    );
  });

  it('that is not waited for is under way in the same number everywhere', async () => {
    const { fixed } = amazonProducts();
    const quick = await buy(home, fixed.product_id, ['--no-wait', '--idempotency-key', 'quick']);
    expect(quick.status).toBe('processing');
    const listed = await home.json<readonly { readonly status: string }[]>(['orders']);
    const open = listed.filter(({ status }) => ['processing', 'unknown'].includes(status));
    expect(open).toHaveLength(1);
    expect(await home.json(['spend'])).toMatchObject({ under_way: 1 });
    expect((await home.run(['spend'])).stdout).toContain('In progress\t1 order\n');
    expect((await home.run(['policy', 'show'])).stdout).toContain('Money\ttest\n');
    const audit = await home.run(['sandbox', 'audit']);
    expect(audit.stdout).toMatch(/^Undecided\t\d+ \(payments, lines and sales\)$/m);
    await home.json(['orders', 'resume']);
    expect(await home.json(['spend'])).toMatchObject({ under_way: 0, open_payments: 0 });
  });

  it('refuses a key that was used for something else', async () => {
    const { range } = amazonProducts();
    const words = orderOf(range.product_id, ['--value', '30', '--idempotency-key', 'again']);
    const refused = await home.failure(words);
    expect(refused).toMatchObject({ status: 2, stdout: '', code: 'IDEMPOTENCY_KEY_REUSED' });
  });

  it('tracks and lists what was bought', async () => {
    const orders = await home.json<{ order_id: string }[]>(['orders']);
    expect(orders).toHaveLength(3);
    for (const { order_id } of orders) {
      expect(await home.json(['track', order_id])).toMatchObject({ status: 'completed' });
    }
  });
});

describe('several processes on one sandbox', () => {
  it('pay once for one idempotency key', async () => {
    const home = makeHome();
    const payer = await fundedWallet(home);
    const { fixed } = amazonProducts();
    const key = ['--idempotency-key', 'shared'];
    const [first, second] = await Promise.all([
      buy(home, fixed.product_id, key),
      buy(home, fixed.product_id, key),
    ]);
    expect(first.order_id).toBe(second.order_id);
    await judge(home, async (ledger) => {
      expect(await ledger.payments(payer)).toEqual([first.transaction]);
    });
  });
});

describe('the same commands over HTTP', () => {
  it('sixteen processes with one key make one payment, and print the same but for who paid', async () => {
    const words = orderOf(amazonProducts().fixed.product_id, ['--idempotency-key', 'one']);
    const results = await Promise.all(
      Array.from({ length: 16 }, () => home.run([...words, ...sandbox.flags, '--json'])),
    );
    expect(results.map(({ status }) => status)).toEqual(Array(16).fill(0));
    const orders = results.map(({ stdout }) => JSON.parse(stdout));
    const told = orders.map(({ already_bought: _, ...order }) => JSON.stringify(order));
    expect(new Set(told).size).toBe(1);
    expect(orders.filter(({ already_bought }) => !already_bought)).toHaveLength(1);
    const payments = await ledgerAt(`${sandbox.url}/rpc`).payments(payer);
    expect(payments).toEqual([orders[0]?.transaction]);
  });

  const home = makeHome();
  let sandbox: ServedSandbox;
  let payer: string;

  beforeAll(async () => {
    sandbox = await serveSandbox(home);
    payer = await fundedWallet(home, sandbox.flags);
  });
  afterAll(() => sandbox.stop());

  it('stops cleanly on a signal and loses nothing over a restart', async () => {
    const { range } = amazonProducts();
    const order = await buy(home, range.product_id, ['--value', '30', ...sandbox.flags]);
    expect(await sandbox.stop()).toBe(0);
    sandbox = await serveSandbox(home);
    const tracked = await home.json(['track', order.order_id, ...sandbox.flags]);
    expect(tracked).toMatchObject({ status: 'completed' });
    expect(await ledgerAt(`${sandbox.url}/rpc`).payments(payer)).toContain(order.transaction);
  });
});
