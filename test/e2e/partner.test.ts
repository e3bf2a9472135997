/** The partner API by the real process: ordered, paid on the embedded chain, followed to the code. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { FINAL_SOON, type Home, makeHome, SCRIP } from '../support/cli.ts';
import { PROBLEM_EXAMPLES } from '../support/partner-examples.ts';
import { serveSandbox } from '../support/served-sandbox.ts';
import { fundedWallet, GIFT, HERE } from '../support/shop.ts';

interface Product {
  readonly product_id: string;
  readonly denomination: string;
}

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

let home: Home;
let productId: string;

beforeAll(async () => {
  home = makeHome(SCRIP, FINAL_SOON);
  await fundedWallet(home);
  const products = await home.json<Product[]>(['catalog', ...HERE, '--via', 'partner']);
  productId = products.find(({ denomination }) => denomination === '25 USD')?.product_id ?? '';
});

const codesOf = ({ deliveries }: Order) =>
  deliveries.map(({ deliverable }) => deliverable.pin_code);

describe('an order of the partner API', () => {
  it('that is paid at once ends with its code', async () => {
    const order = await home.json<Order>([
      'order',
      productId,
      ...PARTNER,
      ...MEANS,
      '--pay',
      '--max-amount',
      '60',
    ]);
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
      'to order again, add --allow-duplicate and a new --idempotency-key',
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
    const made = await home.json<Order>([...words, '--idempotency-key', `canceled-${coin}`]);
    await home.json(['sandbox', 'cancel', made.order_id]);
    const refused = await home.run(['pay', made.order_id, ...PAY]);
    expect(refused.status).toBe(10);
    expect(refused.stderr).toContain('ORDER_CANCELED');
    expect(refused.stderr).toContain(made.order_id);
  });

  it('of which a part was paid shows what is missing, and is completed', async () => {
    const made = await home.json<Order>([
      'order',
      productId,
      ...PARTNER,
      '--idempotency-key',
      'half',
    ]);
    const half = await home.json<Order>(['pay', made.order_id, '--amount', '10', ...PAY]);
    expect(half).toMatchObject({ payment_state: 'PartialPaymentStarted', missing_amount: '15.25' });
    const done = await home.json<Order>(['pay', made.order_id, ...PAY]);
    expect(done).toMatchObject({ order_state: 'Done', payment_state: 'PaymentReceived' });
    expect(done.payment_transactions).toHaveLength(2);
  });

  it('is made once by one key', async () => {
    const words = ['order', productId, ...PARTNER, '--idempotency-key', 'once'];
    const [first, second] = [await home.json<Order>(words), await home.json<Order>(words)];
    expect(second.order_id).toBe(first.order_id);
  });

  it('that was canceled is not paid', async () => {
    const made = await home.json<Order>([
      'order',
      productId,
      ...PARTNER,
      '--idempotency-key',
      'gone',
    ]);
    await home.json(['sandbox', 'cancel', made.order_id]);
    const refused = await home.run(['pay', made.order_id, ...PAY, '--json']);
    expect(refused.status).toBe(10);
    expect(JSON.parse(refused.stderr).error).toMatchObject({
      code: 'ORDER_CANCELED',
      funds_at_risk: 'none',
    });
    const tracked = await home.run(['track', made.order_id]);
    expect(tracked.status).toBe(10);
  });

  it('in bitcoin shows nothing to pay to, and is delivered when the payment was simulated', async () => {
    const made = await home.json<Order>([
      'order',
      productId,
      ...GIFT,
      '--yes',
      '--allow-duplicate',
      '--coin',
      'BTC',
    ]);
    expect(made).toMatchObject({ already_bought: false, payment_simulated: true });
    const later = await home.run(['orders', 'show', made.order_id]);
    for (const said of [`Send\t${made.coin_amount} BTC`, 'Product\t', 'For\tfriend@']) {
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
    const told = await home.run(['pay', made.order_id, '--yes', '--max-amount', '1', '--json']);
    expect(told.status).toBe(5);
    expect(JSON.parse(told.stderr).error.code).toBe('ORDER_NOT_PAYABLE');
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
    const refused = await home.run([...words, '--max-amount', '26', '--json']);
    expect(refused.status).toBe(2);
    const { error } = JSON.parse(refused.stderr);
    expect(error).toMatchObject({ code: 'AMOUNT_INVALID', funds_at_risk: 'none' });
    expect(error.hint).toContain('in BTC');
    const allowed = await home.run([...words, '--max-amount', '0.0009', '--json']);
    expect(allowed.status).toBe(0);
  });

  it('needs consent by flags where nobody can be asked', async () => {
    const { status, stderr } = await home.run([
      'order',
      productId,
      '--via',
      'partner',
      ...GIFT,
      '--pay',
    ]);
    expect(status).toBe(2);
    expect(stderr).toContain('--yes and --max-amount');
  });
});

it('a search forgives typing errors', async () => {
  const [first] = await home.json<{ brand: string }[]>(['search', 'amzon', '--country', 'us']);
  expect(first?.brand).toBe('Amazon.com');
});

it('a cart is read from standard input', async () => {
  const words = ['validate', '--cart', '-', ...HERE, '--json'];
  const { status, stdout } = await home.run(words, {
    input: `product,to,quantity\n${productId},friend@example.com,2\n`,
  });
  expect(status).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ valid: true, coin: 'USDC', coin_amount: '50.5' });
});

describe('scrip validate', () => {
  it.each(PROBLEM_EXAMPLES)(
    'tells $code with its meaning and what to do',
    async ({ code, request }) => {
      const { status, stdout, stderr } = await home.run(await wordsOf(request));
      expect(status).toBe(2);
      expect(JSON.parse(stdout)).toMatchObject({ valid: false, problems: [{ problem: code }] });
      const [{ meaning, remedy }] = JSON.parse(stdout).problems;
      expect(meaning).not.toContain('no meaning');
      expect(JSON.parse(stderr).error).toMatchObject({ code: 'ORDER_PROBLEMS', hint: remedy });
    },
  );
});

/** The command line that asks for the same as a request. */
async function wordsOf({
  user,
  payment,
  deliveries,
  coupon_code,
}: (typeof PROBLEM_EXAMPLES)[number]['request']) {
  const [first] = deliveries;
  if (first === undefined || 'deliverable' in first)
    throw new Error('examples are bare deliveries');
  const { brand_name, denomination, product_value, beneficiary_account } = first;
  const place = ['--country', 'us', '--brand', brand_name];
  const products = await home.json<Product[]>(['catalog', ...place, '--via', 'partner']);
  const found = products.find((product) => product.denomination === denomination);
  const store = coupon_code === 'KIOSK10' ? ['--partner-id', 'another-shop'] : [];
  return [
    'validate',
    found?.product_id ?? '',
    ...place,
    ...['--to', beneficiary_account, '--email', user?.email ?? ''],
    ...['--quantity', String(deliveries.length), '--coin', payment.coin],
    ...(payment.type === 'via'
      ? ['--network', payment.network, '--payment-via', payment.payment_via]
      : []),
    ...(product_value === undefined || product_value === null
      ? []
      : ['--value', String(product_value)]),
    ...(typeof coupon_code === 'string' ? ['--coupon', coupon_code] : []),
    ...store,
    '--json',
  ];
}

describe('an order whose payment window is over', () => {
  it('is not paid', async () => {
    const sandbox = await serveSandbox(home, ['--payment-window', '1s']);
    try {
      const flags = ['--api-url', sandbox.url, ...sandbox.flags];
      const words = ['order', productId, ...PARTNER, '--idempotency-key', 'late', ...flags];
      const { order_id } = await home.json<Order>(words);
      const path = `${sandbox.url}/v5/orders/${order_id}`;
      const stateNow = async () => {
        const reply = await fetch(path, { headers: { 'X-Cr-Application': 'scrip-cli' } });
        return ((await reply.json()) as Order).payment_state;
      };
      await expect.poll(stateNow).toBe('WaitingForExpiry');
      const refused = await home.run(['pay', order_id, ...PAY, '--json', ...flags]);
      expect(JSON.parse(refused.stderr).error).toMatchObject({
        code: 'ORDER_NOT_PAYABLE',
        funds_at_risk: 'none',
      });
      expect(refused.status).toBe(5);
    } finally {
      await sandbox.stop();
    }
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
