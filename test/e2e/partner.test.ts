/** The partner API by the real process: ordered, paid on the embedded chain, followed to the code. */
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { FINAL_SOON, makeHome, SCRIP } from '../support/cli.ts';
import { serveSandbox } from '../support/served-sandbox.ts';
import { amazonProducts, fundedWallet, GIFT, HERE } from '../support/shop.ts';

interface Order {
  readonly order_id: string;
  readonly order_state: string;
  readonly payment_state: string;
  readonly coin_amount: string;
  readonly missing_amount?: string | null;
  readonly qr_text: string;
  readonly payment_transactions: readonly string[];
  readonly deliveries: readonly { readonly deliverable: { readonly pin_code?: string } }[];
}

const PARTNER = ['--via', 'partner', ...HERE, ...GIFT, '--yes', '--allow-duplicate'] as const;
const MEANS = ['--coin', 'USDC', '--network', 'Solana'] as const;
const PAY = ['--yes', '--max-amount', '60'] as const;

const home = makeHome(SCRIP, FINAL_SOON);
await fundedWallet(home);
const { product_id: productId } = amazonProducts().card25;

const codesOf = ({ deliveries }: Order) =>
  deliveries.map(({ deliverable }) => deliverable.pin_code);

describe('an order of the partner API', () => {
  it('that is paid at once ends with its code', async () => {
    const words = ['order', productId, ...PARTNER, ...MEANS, '--pay', '--max-amount', '60'];
    const order = await home.json<Order>(words);
    expect(order).toMatchObject({ order_state: 'Done', payment_state: 'PaymentReceived' });
    expect(codesOf(order)).toEqual([expect.stringMatching(/./)]);
    const shown = await home.json<Order>(['orders', 'reveal', order.order_id]);
    expect(codesOf(shown)).toEqual(codesOf(order));
  });

  it('that is repeated without a key is the first one, and stderr says so', async () => {
    const words = ['order', productId, ...PARTNER, '--coin', 'BTC', '--network', 'Mainnet'];
    const first = await home.json<Order>(words);
    const again = await home.run(words);
    expect(again.status).toBe(0);
    expect(again.stderr).toContain(`This is order ${first.order_id}, placed at `);
    expect(again.stderr).toContain(
      'To buy it again, add --allow-duplicate and a new --idempotency-key',
    );
    const silent = await home.run([...words, '--json']);
    expect([JSON.parse(silent.stdout).order_id, silent.stderr]).toEqual([first.order_id, '']);
    await home.run(['sandbox', 'cancel', first.order_id]);
  });

  it.each([
    ['BTC', 'Mainnet'],
    ['USDC', 'Solana'],
  ])('in %s on %s that was canceled is not paid: exit status 10', async (coin, network) => {
    const words = ['order', productId, ...PARTNER, '--coin', coin, '--network', network];
    const { order_id: id } = await home.json<Order>([
      ...[...words, '--idempotency-key', `canceled-${coin}`],
    ]);
    await home.json(['sandbox', 'cancel', id]);
    const refused = await home.failure(['pay', id, ...PAY]);
    const canceled = { status: 10, code: 'ORDER_CANCELED', funds_at_risk: 'none' };
    expect(refused).toMatchObject({ ...canceled, message: expect.stringContaining(id) });
    expect(await home.failure(['track', id])).toMatchObject({ status: 10 });
  });

  it('of which a part was paid shows what is missing, and is completed', async () => {
    const words = ['order', productId, ...PARTNER, '--idempotency-key', 'half'];
    const made = await home.json<Order>(words);
    const half = await home.json<Order>(['pay', made.order_id, '--amount', '10', ...PAY]);
    expect(half).toMatchObject({ payment_state: 'PartialPaymentStarted', missing_amount: '15.25' });
    const done = await home.json<Order>(['pay', made.order_id, ...PAY]);
    expect(done).toMatchObject({ order_state: 'Done', payment_state: 'PaymentReceived' });
    expect(done.payment_transactions).toHaveLength(2);
  });

  it('in bitcoin shows nothing to pay to, and is delivered when the payment was simulated', async () => {
    const words = ['order', productId, ...GIFT, '--yes', '--allow-duplicate', '--coin', 'BTC'];
    const made = await home.json<Order>(words);
    expect(made).toMatchObject({ already_bought: false, payment_simulated: true });
    const later = await home.run(['orders', 'show', made.order_id]);
    for (const said of [`Send\t${made.coin_amount} BTC`, 'Item\t', 'For\tfriend@']) {
      expect(later.stdout).toContain(said);
    }
    expect(later.stdout).toMatch(/^Test order\tSend no real coins to it\. To simulate /);
    expect(later.stderr).toContain(`To simulate the payment: scrip sandbox pay ${made.order_id}`);
    const shown = await home.run(['pay', made.order_id]);
    expect(shown.status).toBe(0);
    expect(shown.stdout).not.toMatch(/bitcoin:|bc1q/);
    expect(shown.stdout).toContain(made.coin_amount);
    // Drawn on terminals alone: test/cli/output/render.test.ts.
    expect(shown.stderr).not.toContain('▄');
    const told = await home.failure(['pay', made.order_id, '--yes', '--max-amount', '1']);
    expect(told).toMatchObject({ status: 5, code: 'ORDER_NOT_PAYABLE' });
    const pending = await home.run(['track', made.order_id, '--timeout', '0s']);
    expect(pending.status).toBe(8);
    await home.json(['sandbox', 'pay', made.order_id]);
    const followed = await home.run(['track', made.order_id, '--follow', 'poll', '--json']);
    expect(followed.status).toBe(0);
    const lines = followed.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Order);
    expect(lines.at(-1)).toMatchObject({ order_state: 'Done' });
    expect(new Set(lines.map((line) => JSON.stringify(line))).size).toBe(lines.length);
  });

  it('refuses a maximum that was meant in dollars where another coin is paid', async () => {
    const words = ['order', productId, ...GIFT, '--yes', '--allow-duplicate', '--coin', 'BTC'];
    const refused = await home.failure([...words, '--max-amount', '26']);
    const code = 'AMOUNT_INVALID';
    expect(refused).toMatchObject({ status: 2, code, hint: expect.stringContaining('in BTC') });
    await home.json([...words, '--max-amount', '0.0009']);
  });
});

it('a cart is read from standard input', async () => {
  const words = ['validate', '--cart', '-', ...HERE, '--json'];
  const { status, stdout } = await home.run(words, {
    input: `product,to,quantity\n${productId},friend@example.com,2\n`,
  });
  expect(status).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ valid: true, coin: 'USDC', coin_amount: '50.5' });
});

describe('an order whose payment window is over', () => {
  it('is not paid', async () => {
    const sandbox = await serveSandbox(home, ['--payment-window', '1s']);
    const flags = ['--api-url', sandbox.url, ...sandbox.flags];
    const words = ['order', productId, ...PARTNER, '--idempotency-key', 'late', ...flags];
    const { order_id } = await home.json<Order>(words);
    const path = `${sandbox.url}/v5/orders/${order_id}`;
    const stateNow = async () => {
      const reply = await fetch(path, { headers: { 'X-Cr-Application': 'scrip-cli' } });
      return ((await reply.json()) as Order).payment_state;
    };
    await expect.poll(stateNow).toBe('WaitingForExpiry');
    const refused = await home.failure(['pay', order_id, ...PAY, ...flags]);
    expect(refused).toMatchObject({ status: 5, code: 'ORDER_NOT_PAYABLE', funds_at_risk: 'none' });
  });
});

describe('a delivered order that the merchant has lost', () => {
  it('is answered from the journal when its key is used again', async () => {
    const words = ['order', productId, ...PARTNER, ...MEANS, '--idempotency-key', 'kept'];
    const paying = [...words, '--pay', '--max-amount', '60'];
    const bought = await home.json<Order>(paying);
    rmSync(join(home.dir, '.local/state/scrip/sandbox'), { recursive: true });
    for (const again of [paying, words]) {
      const shown = await home.json<Order>(again);
      expect(shown).toMatchObject({ order_id: bought.order_id, order_state: 'Done' });
      expect(codesOf(shown)).toEqual(codesOf(bought));
    }
  });
});

describe('an order that a killed run has signed for', () => {
  const begun = makeHome(SCRIP, FINAL_SOON);
  const full = makeHome(['sh', '-c', 'ulimit -f 0; exec "$@"', 'sh', ...SCRIP]);
  const words = ['order', productId, '--via', 'partner', ...HERE, ...GIFT, ...MEANS, ...PAY];
  beforeAll(async () => {
    await fundedWallet(begun);
    const env = { SCRIP_TEST: '1', SCRIP_FAIL_POINT: 'attempt-written' };
    expect((await begun.run([...words, '--pay'], { env })).signal).toBe('SIGKILL');
  });

  it.skipIf(!existsSync('/bin/sh'))(
    'may be paid, which is said where the journal takes nothing',
    async () => {
      // On a machine on which no byte fits into a file any more.
      const refused = await full.failure([...words, '--pay'], { env: { HOME: begun.dir } });
      expect(refused).toMatchObject({
        ...{ status: 13, code: 'JOURNAL_UNUSABLE', funds_at_risk: 'possible' },
        hint: expect.stringContaining('Do not pay again.'),
      });
    },
  );

  it('is gone on with, and not the equal one that was only made', async () => {
    const other = [...words, '--idempotency-key', 'other', '--allow-duplicate'];
    const { order_id: unpaid } = await begun.json<Order>(other);
    const bought = await begun.json<Order>([...words, '--pay']);
    expect([bought.order_state, bought.order_id === unpaid]).toEqual(['Done', false]);
    const left = await begun.json<Order>(other);
    expect(left).toMatchObject({ order_id: unpaid, order_state: 'WaitingForPayment' });
  });
});
