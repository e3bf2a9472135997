/** Orders in forms of their own: what no money depends on is never a reason to lose a paid one. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CliResult, type Home, makeHome } from '../support/cli.ts';
import { openReshapingHost, type ReshapingHost } from '../support/reshaping-host.ts';
import { type ServedHere, serveHere } from '../support/served-here.ts';
import { amazonProducts, fundedWallet, HERE, orderOf } from '../support/shop.ts';

const PARTNER = ['--via', 'partner', '--coin', 'USDC', '--network', 'Solana'];
const PAY = ['--yes', '--max-amount', '60'];
const CHECKOUT_ORDERS = /^\/v1\/orders/;
const PARTNER_ORDERS = /^\/v5\/orders(\/[0-9a-f-]{36}(\/subscribe)?)?$/;

// biome-ignore lint/suspicious/noExplicitAny: bodies of many shapes.
type Body = any;

let home: Home;
let served: ServedHere;
let host: ReshapingHost;
let flags: readonly string[];
let productId: string;

beforeAll(async () => {
  home = makeHome();
  served = await serveHere(home);
  host = await openReshapingHost(served.url);
  flags = ['--checkout-url', host.url, '--api-url', host.url, '--rpc-url', `${served.url}/rpc`];
  await fundedWallet(home, served.flags, '2000');
  productId = amazonProducts().fixed.product_id;
});
afterAll(async () => {
  await host.close();
  await served.stop();
});

const without = (body: Body, ...names: readonly string[]): Body =>
  Object.fromEntries(Object.entries(body).filter(([name]) => !names.includes(name)));
const run = (words: readonly string[]): Promise<CliResult> => home.run([...words, '--json']);
const errorOf = ({ stderr }: CliResult) => (stderr === '' ? '' : JSON.parse(stderr).error.code);

describe('the checkout host', () => {
  /** Bodies of replies about orders, but for the request of a payment. */
  const answers = (change: (body: Body, method: string) => Body): void =>
    host.answer((path, body, method) =>
      CHECKOUT_ORDERS.test(path) && body.status !== undefined ? change(body, method) : body,
    );

  it.each<[string, (body: Body, method: string) => Body]>([
    [
      'status replies without order_id, receipts with a relative poll_url alone',
      (body, method) => ({
        ...without(body, 'order_id'),
        ...(method === 'POST' ? { poll_url: `/v1/orders/${body.order_id}` } : {}),
      }),
    ],
    [
      'receipts of nothing but an id, and words in capitals',
      (body, method) =>
        method === 'POST'
          ? { order_id: body.order_id }
          : { ...body, status: body.status.toUpperCase() },
    ],
    [
      'words of its own, and no poll_url',
      (body) => ({
        ...without(body, 'poll_url'),
        status: body.status === 'completed' ? 'fulfilled' : 'settling',
        deliveries: body.deliveries?.map((one: Body) => ({
          ...one,
          delivery_state: 'sent',
          face_value: 10,
        })),
      }),
    ],
  ])('with %s', async (_name, change) => {
    answers(change);
    const bought = await run([...orderOf(productId), ...flags]);
    expect([bought.status, bought.stderr]).toEqual([0, '']);
    const { order_id, status, deliveries } = JSON.parse(bought.stdout);
    expect([order_id, status]).toEqual([expect.stringMatching(/^cr_/), 'completed']);
    expect(deliveries[0].voucher_code).toMatch(/./);
    const kept = await run(['orders', 'reveal', order_id]);
    expect(JSON.parse(kept.stdout).deliveries).toEqual(deliveries);
    const tracked = await run(['track', order_id, ...flags]);
    expect([tracked.status, JSON.parse(tracked.stdout).order_id]).toEqual([0, order_id]);
  });

  it('with prices that are numbers', async () => {
    host.answer((path, body) => {
      if (path === '/v1/price') return { ...body, price_usdc: Number(body.price_usdc) };
      if (path !== '/v1/catalog') return body;
      return body.map((row: Body) =>
        row.price_usdc === 'variable' ? row : { ...row, price_usdc: Number(row.price_usdc) },
      );
    });
    const priced = await run(['price', productId, ...HERE, ...flags]);
    expect([priced.status, JSON.parse(priced.stdout).price_usdc]).toEqual([0, '10.1']);
    const bought = await run([...orderOf(productId), ...flags]);
    expect([bought.status, bought.stderr]).toEqual([0, '']);
  });
});

describe('the partner API', () => {
  const answers = (change: (body: Body, method: string) => Body): void =>
    host.answer((path, body, method) =>
      PARTNER_ORDERS.test(path) && body.order_id !== undefined ? change(body, method) : body,
    );
  const make = async (...more: readonly string[]): Promise<string> =>
    JSON.parse((await run([...orderOf(productId), ...PARTNER, ...flags, ...more])).stdout).order_id;

  it.each<[string, (body: Body, method: string) => Body]>([
    [
      'no id in a status, times as text, coin and network left out',
      (body, method) => ({
        ...without(body, 'coin', 'network', ...(method === 'GET' ? ['order_id'] : [])),
        created_at: new Date(body.created_at * 1_000).toISOString(),
        payment_requested_at: null,
      }),
    ],
    [
      'times in milliseconds, words in another form, amounts as numbers',
      (body) => ({
        ...without(body, 'is_payment_processor_external'),
        created_at: body.created_at * 1_000,
        order_state: body.order_state.replace(/(?<=.)([A-Z])/g, '_$1').toUpperCase(),
        payment_state: body.payment_state.toLowerCase(),
        coin_amount: Number(body.coin_amount),
      }),
    ],
    [
      'deliveries that say little',
      (body) => ({
        ...body,
        deliveries: body.deliveries?.map(({ deliverable }: Body) => ({
          deliverable: {
            pin_code: deliverable.pin_code,
            delivery_type: deliverable.delivery_type,
          },
        })),
      }),
    ],
  ])('with %s is made, paid and read back', async (_name, change) => {
    answers(change);
    const orderId = await make();
    const paid = await run(['pay', orderId, ...PAY, ...flags]);
    expect([paid.status, paid.stderr]).toEqual([0, '']);
    const order = JSON.parse(paid.stdout);
    expect([order.order_id, order.order_state, typeof order.created_at]).toEqual([
      orderId,
      'Done',
      'number',
    ]);
    const kept = await run(['orders', 'reveal', orderId]);
    expect(JSON.parse(kept.stdout).deliveries).toEqual(order.deliveries);
    expect((await run(['track', orderId, ...flags])).status).toBe(0);
  });

  it('with words that nobody knows, once it is paid, is followed to its goods', async () => {
    answers((body) => body);
    const orderId = await make();
    answers((body) =>
      body.payment_state === 'PaymentReceived' ? { ...body, order_state: 'Shipping' } : body,
    );
    const paid = await run(['pay', orderId, ...PAY, ...flags]);
    expect([paid.status, paid.stderr]).toEqual([0, '']);
    expect(JSON.parse(paid.stdout)).toMatchObject({ order_state: 'Done' });
    answers((body) => ({ ...body, payment_state: 'Cleared' }));
    const tracked = await run(['track', orderId, ...flags]);
    expect([tracked.status, JSON.parse(tracked.stdout).payment_state]).toEqual([0, 'Cleared']);
  });

  it('with a word that nobody knows is shown as it is, and not paid', async () => {
    answers((body, method) => (method === 'GET' ? { ...body, order_state: 'OnHold' } : body));
    const orderId = await make();
    const tracked = await run(['track', orderId, '--timeout', '0s', ...flags]);
    expect([tracked.status, JSON.parse(tracked.stdout).order_state]).toEqual([8, 'OnHold']);
    const paid = await run(['pay', orderId, ...PAY, ...flags]);
    expect([paid.status, errorOf(paid)]).toEqual([5, 'ORDER_NOT_PAYABLE']);
  });

  /** The first readings are of an order that is not set up yet, and the creation is too. */
  const notYet = (states: Body, left: readonly string[], readings: number): void => {
    const seen = new Map<string, number>();
    answers((body, method) => {
      const reading = (seen.get(body.order_id) ?? 0) + (method === 'GET' ? 1 : 0);
      seen.set(body.order_id, reading);
      return reading > readings ? body : { ...without(body, ...left), ...states };
    });
  };

  it.each<[string, Body, readonly string[]]>([
    [
      'created, its wallet asked for',
      { order_state: 'Created', payment_state: 'WalletRequested' },
      ['wallet_address', 'coin_amount', 'qr_text', 'qr_url'],
    ],
    [
      'created, with a wallet and no amount',
      { order_state: 'CREATED', payment_state: 'wallet_created', coin_amount: null },
      ['qr_text'],
    ],
    ['created, all named', { order_state: 'Created', payment_state: 'PaymentRequested' }, []],
    [
      'open, its wallet asked for',
      { order_state: 'WaitingForPayment', payment_state: 'WalletRequested', wallet_address: '' },
      [],
    ],
    [
      'waiting for a coupon',
      { order_state: 'WaitingForCoupon', payment_state: 'WalletCreated' },
      [],
    ],
  ])('whose order is %s is waited for, and paid', async (_name, states, left) => {
    notYet(states, left, 2);
    const words = [...orderOf(productId), ...PARTNER, '--pay', ...flags];
    const bought = await home.run([...words, '--verbose']);
    expect([bought.status, bought.stdout]).toEqual([
      0,
      expect.stringContaining('completed (Fully delivered)'),
    ]);
    expect(bought.stderr).toContain('The order cannot be paid yet');
    notYet(states, left, 2);
    const orderId = await make();
    const paid = await run(['pay', orderId, ...PAY, ...flags]);
    expect([paid.status, paid.stderr]).toEqual([0, '']);
    expect(JSON.parse(paid.stdout)).toMatchObject({ order_id: orderId, order_state: 'Done' });
  });

  it('whose order cannot be paid in time is gone on with, not ordered again', async () => {
    const states = { order_state: 'Created', payment_state: 'WalletRequested' };
    let created = 0;
    let isSetUp = false;
    answers((body, method) => {
      created += method === 'POST' ? 1 : 0;
      return isSetUp ? body : { ...without(body, 'wallet_address', 'coin_amount'), ...states };
    });
    const words = [...orderOf(productId), ...PARTNER, '--pay', ...flags, '--timeout', '1s'];
    const waited = await run(words);
    const { error } = JSON.parse(waited.stderr);
    expect([waited.status, error.code, error.funds_at_risk]).toEqual([8, 'ORDER_PENDING', 'none']);
    expect(error.hint).toMatch(
      new RegExp(`the same order: scrip pay ${error.details.order_id} .*--yes --max-amount 60$`),
    );
    isSetUp = true;
    // As it is told, word by word.
    const [, told = ''] = /scrip (pay [^\n]*)/.exec(error.hint) ?? [];
    const paid = await run(told.split(' '));
    expect([paid.status, paid.stderr]).toEqual([0, '']);
    expect(JSON.parse(paid.stdout).order_id).toBe(error.details.order_id);
    expect(created).toBe(1);
  });

  it('that names another amount than was agreed on, once it names one, is not paid', async () => {
    notYet({ order_state: 'Created', payment_state: 'WalletRequested' }, ['coin_amount'], 1);
    const agreed = ['--max-amount', '11', '--idempotency-key', 'at-most-11'];
    const made = await run([...orderOf(productId), ...PARTNER, ...flags, ...agreed]);
    const orderId = JSON.parse(made.stdout).order_id;
    answers((body) => ({ ...body, coin_amount: '59' }));
    const paid = await run(['pay', orderId, ...PAY, ...flags]);
    expect([paid.status, errorOf(paid)]).toEqual([5, 'ORDER_NOT_PAYABLE']);
  });

  it.each<[string, (body: Body) => Body]>([
    [
      'another address',
      (body) => ({ ...body, wallet_address: '9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin' }),
    ],
    ['another amount', (body) => ({ ...body, coin_amount: '10.2' })],
    ['another coin', (body) => ({ ...body, coin: 'SOL' })],
    ['no address any more', (body) => ({ ...body, wallet_address: '' })],
  ])('that names %s is not paid', async (name, change) => {
    answers((body) => body);
    // An order of its own: one that was made before and left its amount open may name any.
    const orderId = await make('--idempotency-key', name.replaceAll(' ', '-'));
    answers(change);
    const paid = await run(['pay', orderId, ...PAY, ...flags]);
    expect([paid.status, paid.stdout]).not.toEqual([0, expect.anything()]);
    expect(JSON.parse(paid.stderr).error.funds_at_risk).toBe('none');
  });
});
