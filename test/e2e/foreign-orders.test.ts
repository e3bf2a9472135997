/** Orders in forms of their own: what no money depends on is never a reason to lose a paid one. */
import { describe, expect, it } from 'vitest';
import { type CliResult, makeHome } from '../support/cli.ts';
import { type Manners, openFrontHost, reshaping } from '../support/front-host.ts';
import { serveHere } from '../support/served-here.ts';
import { amazonProducts, fundedWallet, GIFT, HERE, orderOf } from '../support/shop.ts';

const PARTNER = ['--via', 'partner', '--coin', 'USDC', '--network', 'Solana'];
const PAY = ['--yes', '--max-amount', '60'];
const CHECKOUT_ORDERS = /^\/v1\/orders/;
const PARTNER_ORDERS = /^\/v5\/orders(\/[0-9a-f-]{36}(\/subscribe)?)?$/;

// biome-ignore lint/suspicious/noExplicitAny: bodies of many shapes.
type Body = any;

const home = makeHome();
const served = await serveHere(home);
const host = await openFrontHost(served.url);
const { flags } = host;
await fundedWallet(home, served.flags, '2000');
const productId = amazonProducts().fixed.product_id;

const without = (body: Body, ...names: readonly string[]): Body =>
  Object.fromEntries(Object.entries(body).filter(([name]) => !names.includes(name)));
const run = (words: readonly string[]): Promise<CliResult> => home.run([...words, '--json']);

describe('the checkout host', () => {
  /** Bodies of replies about orders, but for the request of a payment. */
  const answers = (change: (body: Body, method: string) => Body): void =>
    host.behave(
      reshaping((path, body, method) =>
        CHECKOUT_ORDERS.test(path) && body.status !== undefined ? change(body, method) : body,
      ),
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
});

describe('the partner API', () => {
  const answers = (change: (body: Body, method: string) => Body): void =>
    host.behave(
      reshaping((path, body, method) =>
        PARTNER_ORDERS.test(path) && body.order_id !== undefined ? change(body, method) : body,
      ),
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
    const paid = await home.failure(['pay', orderId, ...PAY, ...flags]);
    expect(paid).toMatchObject({ status: 5, code: 'ORDER_NOT_PAYABLE' });
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
  });

  it('whose order is created is waited for by pay as well', async () => {
    notYet({ order_state: 'Created', payment_state: 'WalletRequested' }, ['coin_amount'], 2);
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
    const error = await home.failure(words);
    expect(error).toMatchObject({ status: 8, code: 'ORDER_PENDING', funds_at_risk: 'none' });
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
    const paid = await home.failure(['pay', orderId, ...PAY, ...flags]);
    expect(paid).toMatchObject({ status: 5, code: 'ORDER_NOT_PAYABLE' });
  });
});

interface Via {
  readonly name: string;
  readonly currencies: readonly {
    readonly name: string;
    readonly networks: readonly { readonly name: string }[];
  }[];
}

/** Coins are listed with their networks in the other order, so that Solana is not the first. */
const turned = (via: Via): Via => ({
  ...via,
  name: via.name.toUpperCase(),
  currencies: via.currencies.map((coin) => ({
    ...coin,
    name: coin.name.toLowerCase(),
    networks: coin.networks
      .toSorted((one, other) => Number(one.name === 'Solana') - Number(other.name === 'Solana'))
      .map((network) => ({ ...network, name: network.name.toUpperCase() })),
  })),
});

const understood = (text: string): string =>
  text
    .replaceAll('"USER_WALLET"', '"user_wallet"')
    .replaceAll('"SOLANA"', '"Solana"')
    .replaceAll('"MAINNET"', '"Mainnet"')
    .replaceAll('"btc"', '"BTC"')
    .replaceAll('"usdc"', '"USDC"');

describe('ways to pay', () => {
  const vias = (list: (vias: readonly Via[]) => readonly Via[]): Manners => ({
    hear: ({ body }) => ({ body: understood(body) }),
    answer: ({ path }, reply) =>
      path === '/v3/payment_vias' && reply.status === 200
        ? { ...reply, body: list(reply.body as Via[]) }
        : reply,
  });
  const { card25 } = amazonProducts();
  const order = (...more: readonly string[]): Promise<Body> =>
    home.json([...orderOf(card25.product_id, ['--via', 'partner', ...more, ...flags])]);
  const PAID = { order_state: 'Done', coin: 'USDC', network: 'Solana' };

  it('in capitals, coins in small letters and Solana last: the wallet’s network is taken', async () => {
    host.behave(vias((list) => list.toReversed().map(turned)));
    expect(await order('--pay')).toMatchObject(PAID);
    // Means are taken as they are typed, in any case.
    const bitcoin = await withoutLimit('--coin', 'btc', '--network', 'main');
    expect(bitcoin).toMatchObject({ coin: 'BTC', network: 'Mainnet' });
    const named = await order('--payment-via', 'User_Wallet', '--coin', 'Usdc');
    expect(named).toMatchObject({ coin: 'USDC', network: 'Solana' });
  });

  it('that nobody lists: USDC on Solana is asked for', async () => {
    host.behave(vias(() => []));
    expect(await order('--pay', '--idempotency-key', 'no-vias')).toMatchObject(PAID);
  });

  /** A maximum would be meant in the coin. */
  const withoutLimit = (...more: readonly string[]): Promise<Body> => {
    const agreed = [...HERE, ...GIFT, '--yes', '--allow-duplicate'];
    const words = ['order', card25.product_id, ...agreed, '--via', 'partner', ...more];
    return home.json([...words, ...flags]);
  };
});
