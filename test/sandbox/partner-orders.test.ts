/** Orders of the partner API from creation to the code, with real transfers and played ones. */
import { afterAll, describe, expect, it } from 'vitest';
import { partnerOrder, type WirePartnerOrder } from '../../src/contract/partner-orders.ts';
import { parseDecimal } from '../../src/domain/money/money.ts';
import { isPaymentUri } from '../../src/domain/payment/payment-uri.ts';
import { LAST_LOOK_MS } from '../../src/service/partner/orders/progress.ts';
import {
  AMAZON_25,
  BASE,
  jsonOf,
  orderBody,
  partnerSandbox,
  via,
} from '../support/partner-sandbox.ts';

const host = await partnerSandbox();
afterAll(host.close);

const WINDOW_MS = 15 * 60_000;
const states = ({ order_state, payment_state }: WirePartnerOrder) => [order_state, payment_state];
const address = (order: WirePartnerOrder): string => order.wallet_address ?? '';
const amountOf = (order: WirePartnerOrder, decimals = 6): bigint =>
  parseDecimal(order.coin_amount ?? '', decimals);
const pay = async (order: WirePartnerOrder, body: unknown = {}): Promise<WirePartnerOrder> =>
  jsonOf(await host.post(`/sandbox/orders/${order.order_id}/pay`, body));
/** Of the order as it is read then. */
const statesAfter = async ({ order_id }: WirePartnerOrder, ms: number) => {
  await host.pass(ms);
  return states(await host.read(order_id));
};
const stateAfter = async (order: WirePartnerOrder, ms: number) => (await statesAfter(order, ms))[0];
const press = (order: WirePartnerOrder, action: string) =>
  host.post(`/sandbox/orders/${order.order_id}/${action}`, {});
const bodies = async ({ order_id }: WirePartnerOrder) =>
  (await host.current().store.tables.orderEvents.since(order_id, 0)).map(
    ({ body }) => JSON.parse(body).order_state,
  );

describe('an order in USDC on Solana', () => {
  it('says where and how much to pay, and adds up', async () => {
    const order = await host.create();
    expect(partnerOrder().strict().parse(order)).toEqual(order);
    expect(states(order)).toEqual(['WaitingForPayment', 'PaymentRequested']);
    expect(order).toMatchObject({
      coin: 'USDC',
      network: 'Solana',
      coin_amount: '25.25',
      payment_method: 'USDC-SOL',
      payment_via: 'user_wallet',
      original_price: '25.00',
      received_amount: null,
      missing_amount: null,
      checkout_url: BASE + (await host.pagePath(order.order_id)),
      is_payment_processor_external: false,
      sandbox_mode: true,
      user: { email: 'buyer@example.com' },
      summary: { coin_amount_to_pay_in_crypto: '25.25', coin_amount_before_discount: '25.25' },
      deliveries: [{ delivery_state: 'pending', deliverable: { denomination: '25 USD' } }],
    });
    expect(order.qr_text).toMatch(`solana:${order.wallet_address}?amount=25.25&`);
    const picture = await host.get(new URL(order.qr_url ?? '').pathname);
    expect([picture.status, picture.headers.get('Content-Type')]).toEqual([200, 'image/png']);
  });

  it('is delivered after a transfer of the amount, with transaction and code', async () => {
    const order = await host.create();
    const transaction = await host.transfer(address(order), amountOf(order));
    await host.pass(3_000);
    const done = await host.read(order.order_id);
    expect(partnerOrder().strict().parse(done)).toEqual(done);
    expect(states(done)).toEqual(['Done', 'PaymentReceived']);
    expect(done.received_amount).toBe('25.25');
    expect(done.payment_transactions).toEqual([transaction]);
    expect(done.deliveries?.[0]?.delivery_state).toBe('completed');
    expect(done.deliveries?.[0]?.deliverable.pin_code).toMatch(/^TEST-/);
    expect((await bodies(order)).at(-1)).toBe('Done');
  });

  it('waits for the rest of a half payment, and says how much that is', async () => {
    const order = await host.create();
    await host.transfer(address(order), 10_000_000n);
    await host.pass(3_000);
    const half = await host.read(order.order_id);
    expect(states(half)).toEqual(['WaitingForPayment', 'PartialPaymentStarted']);
    expect(half).toMatchObject({ received_amount: '10', missing_amount: '15.25' });
    expect(half.missing_amount_qr_text).toMatch('?amount=15.25&');
    const picture = await host.get(new URL(half.missing_amount_qr_url ?? '').pathname);
    expect(picture.status).toBe(200);
    await host.transfer(address(order), 15_250_000n);
    await host.pass(3_000);
    const done = await host.read(order.order_id);
    expect(states(done)).toEqual(['Done', 'PaymentReceived']);
    expect(done).toMatchObject({ missing_amount: null, missing_amount_qr_text: null });
    expect(done.payment_transactions).toHaveLength(2);
  });

  it('is delivered when too much was sent, and shows how much', async () => {
    const order = await host.create();
    await host.transfer(address(order), 30_000_000n);
    await host.pass(3_000);
    const done = await host.read(order.order_id);
    expect(states(done)).toEqual(['Done', 'PaymentReceived']);
    expect(done).toMatchObject({ coin_amount: '25.25', received_amount: '30' });
  });

  it('expires when nobody pays, after a last look', async () => {
    const order = await host.create();
    expect(await statesAfter(order, WINDOW_MS - 1_000)).toEqual([
      'WaitingForPayment',
      'PaymentRequested',
    ]);
    expect(await statesAfter(order, 3_000)).toEqual(['WaitingForPayment', 'WaitingForExpiry']);
    await host.pass(LAST_LOOK_MS);
    const over = await host.read(order.order_id);
    expect(states(over)).toEqual(['Expired', 'Expired']);
    expect(over.deliveries?.[0]).toMatchObject({ delivery_state: 'failed' });
  });

  it('keeps a late payment on record and delivers nothing, until it is refunded', async () => {
    const order = await host.create();
    await host.pass(WINDOW_MS + 2 * LAST_LOOK_MS);
    expect(await stateAfter(order, LAST_LOOK_MS)).toBe('Expired');
    await host.transfer(address(order), amountOf(order));
    await host.pass(LAST_LOOK_MS + 3_000);
    const late = await host.read(order.order_id);
    expect(states(late)).toEqual(['Expired', 'ExpiredAfterPaymentDetection']);
    expect(late.received_amount).toBe('25.25');
    expect(late.deliveries?.[0]?.deliverable.pin_code).toBeUndefined();
    expect((await press(order, 'refund')).status).toBe(200);
    expect((await host.read(order.order_id)).order_state).toBe('Refunded');
  });

  it('survives a restart between the payment and the delivery', async () => {
    const order = await host.create();
    await host.transfer(address(order), amountOf(order));
    await host.restart();
    expect(await stateAfter(order, 3_000)).toBe('Done');
  });

  it('is delivered once by two processes that look at once', async () => {
    const order = await host.create();
    await host.transfer(address(order), amountOf(order));
    const other = await host.beside();
    host.clock.advance(3_000);
    await Promise.all([host.current().tick(), other.tick(), host.current().tick(), other.tick()]);
    await host.pass(1_000);
    await other.close();
    expect((await host.read(order.order_id)).order_state).toBe('Done');
    const { purchases, deliveries, orderEvents } = host.current().store.tables;
    const [delivery] = await deliveries.ofOrder(order.order_id);
    expect(await purchases.byReference(delivery?.deliveryId ?? '')).toMatchObject({ attempts: 1 });
    const seen = await orderEvents.since(order.order_id, 0);
    expect(seen.filter(({ body }) => body.includes('"Done"'))).toHaveLength(1);
  });
});

it('an order in SOL is paid by a transfer of lamports', async () => {
  const order = await host.create({ payment: via('SOL', 'Solana') });
  expect(order).toMatchObject({ coin: 'SOL', payment_method: 'SOL', coin_amount: '0.12625' });
  await host.transfer(address(order), amountOf(order, 9), 'SOL');
  expect(await statesAfter(order, 3_000)).toEqual(['Done', 'PaymentReceived']);
});

describe('an order on a network that the sandbox has no chain of', () => {
  it.each([
    ['BTC', 'Mainnet', /^bc1q[0-9a-z]{38}$/],
    ['BTC', 'Lightning', /^lnbc1/],
    ['LTC', 'Mainnet', /^ltc1q[0-9a-z]{38}$/],
    ['DOGE', 'Mainnet', /^D[1-9A-HJ-NP-Za-km-z]{33}$/],
    ['USDC', 'Polygon (Matic)', /^0x[0-9a-f]{40}$/],
    ['ETH', 'Ethereum', /^0x[0-9a-f]{40}$/],
    ['USDT', 'Tron', /^T[1-9A-HJ-NP-Za-km-z]{33}$/],
    ['USDT', 'Solana', /^[1-9A-HJ-NP-Za-km-z]{32,44}$/],
  ])(
    'in %s on %s has an address of its form, and is paid by playing it',
    async (coin, network, form) => {
      const order = await host.create({ payment: via(coin, network) });
      expect(order.wallet_address).toMatch(form);
      expect(isPaymentUri(order.qr_text ?? '')).toBe(true);
      expect(states(await pay(order))).toEqual(['PaymentStarted', 'PaymentStarted']);
      await host.pass(2_000);
      const done = await host.read(order.order_id);
      expect(states(done)).toEqual(['Done', 'PaymentReceived']);
      expect(done.received_amount).toBe(order.coin_amount);
    },
  );

  it('may be tried again after a payment that failed', async () => {
    const order = await host.create({ payment: via('BTC', 'Mainnet') });
    expect((await pay(order, { fail: true })).order_state).toBe('PaymentStarted');
    expect(await statesAfter(order, 2_000)).toEqual(['PaymentFailed', 'Failed']);
    await pay(order);
    expect(await stateAfter(order, 2_000)).toBe('Done');
  });

  it('is paid in parts', async () => {
    const order = await host.create({ payment: via('BTC', 'Mainnet') });
    await pay(order, { amount: '0.0001' });
    await host.pass(2_000);
    const half = await host.read(order.order_id);
    expect([half.received_amount, half.missing_amount]).toEqual(['0.0001', '0.0001525']);
    expect(half.missing_amount_qr_text).toContain('amount=0.0001525');
    await pay(order);
    expect(await stateAfter(order, 2_000)).toBe('Done');
  });

  it('expires as a refund case when only a part came', async () => {
    const order = await host.create({ payment: via('BTC', 'Mainnet') });
    await pay(order, { amount: '0.0001' });
    await host.pass(2_000);
    await host.pass(WINDOW_MS);
    expect(await statesAfter(order, LAST_LOOK_MS)).toEqual([
      'Expired',
      'ExpiredAfterPaymentDetection',
    ]);
  });

  it('refuses a payment that is no amount', async () => {
    const order = await host.create({ payment: via('BTC', 'Mainnet') });
    const url = `/sandbox/orders/${order.order_id}/pay`;
    for (const body of [{ amount: '0' }, { amount: '-1' }, { amount: 'x' }, { fail: 1 }, []]) {
      expect((await host.post(url, body)).status).toBe(400);
    }
  });
});

it.each([via('BTC', 'Mainnet'), via('USDC', 'Solana')])(
  'an order in $coin that has ended is paid no more, and why is said',
  async (payment) => {
    const order = await host.create({ payment });
    await press(order, 'cancel');
    const canceled = await press(order, 'pay');
    expect(canceled.status).toBe(409);
    expect(await canceled.json()).toMatchObject({
      detail: 'NOT_POSSIBLE_NOW',
      moreDetails: { message: expect.stringContaining('Canceled') },
    });
    expect((await host.read(order.order_id)).received_amount ?? '0').toBe('0');
  },
);

it('an order on Solana is not played, since there is a chain to pay it on', async () => {
  const order = await host.create();
  const reply = await press(order, 'pay');
  expect(reply.status).toBe(409);
  expect(await reply.json()).toMatchObject({ detail: 'PAY_ON_CHAIN' });
});

it('a processor takes the payment on the payment page alone', async () => {
  const order = await host.create({ payment: { type: 'binance_pay', coin: 'USDT' } });
  expect(order.wallet_address).toBeUndefined();
  expect(order).toMatchObject({
    is_payment_processor_external: true,
    payment_method: 'binance_pay',
    coin_amount: '25.5025',
  });
  const page = await host.get(new URL(order.checkout_url ?? '').pathname);
  expect(await page.text()).toMatch(/action="\/sandbox\/pages\/[a-z2-7]{26}\/pay"/);
  await pay(order);
  expect(await stateAfter(order, 2_000)).toBe('Done');
});

it('an order that a coupon pays for needs no payment', async () => {
  const order = await host.create({ coupon_code: 'gift100' });
  expect(states(order)).toEqual(['WaitingForDelivery', 'PaymentReceived']);
  expect(order).toMatchObject({ coin_amount: '0' });
  expect(order.wallet_address).toBeUndefined();
  expect(await stateAfter(order, 1_000)).toBe('Done');
});

it('a coupon is for one order, and free again when that order was canceled', async () => {
  const body = { coupon_code: 'WELCOME10', user: { email: 'coupon@example.com' } };
  const first = await host.create(body);
  expect(first.coin_amount).toBe('22.725');
  const second = await host.post('/v5/orders', orderBody(body));
  expect(second.status).toBe(400);
  expect(await second.json()).toMatchObject({
    detail: 'ORDER_HAS_PROBLEMS',
    moreDetails: { problems: [{ problem: 'COUPON_ALREADY_SPENT' }] },
  });
  expect((await press(first, 'cancel')).status).toBe(200);
  expect(states(await host.read(first.order_id))).toEqual(['Canceled', 'PaymentCanceled']);
  expect((await host.create(body)).coin_amount).toBe('22.725');
});

it('of two orders at once, one gets the coupon', async () => {
  const body = orderBody({ coupon_code: 'WELCOME10', user: { email: 'race@example.com' } });
  const replies = await Promise.all([host.post('/v5/orders', body), host.post('/v5/orders', body)]);
  expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 400]);
});

it('what an account spent counts against its limits', async () => {
  const range = { ...AMAZON_25, denomination: 'range', product_value: '400' };
  const user = { email: 'spender@example.com' };
  for (const _ of [1, 2]) {
    const order = await host.create({ user, deliveries: [range], payment: via('BTC', 'Mainnet') });
    await pay(order);
  }
  await host.pass(2_000);
  const third = await host.post('/v5/orders', orderBody({ user, deliveries: [range] }));
  expect(await third.json()).toMatchObject({
    moreDetails: {
      problems: [
        { problem: 'DAILY_SPENDING_LIMIT_EXCEEDED', moreDetails: { spent_usd: '800.00' } },
      ],
    },
  });
});

describe('a payment that is checked', () => {
  const checked = async (email: string) => {
    const order = await host.create({ user: { email }, payment: via('BTC', 'Mainnet') });
    await pay(order);
    expect(await statesAfter(order, 2_000)).toEqual([
      'PaymentStarted',
      'WaitingForComplianceReport',
    ]);
    await host.pass(4_000);
    return order;
  };

  it('goes on when it is cleared', async () => {
    const order = await checked('ann+checked@example.com');
    expect((await host.read(order.order_id)).order_state).toBe('Done');
    expect(await bodies(order)).toContain('PaymentReceived');
  });

  it('goes to support when it is held, and goes on or is refunded from there', async () => {
    const order = await checked('ann+quarantined@example.com');
    expect(states(await host.read(order.order_id))).toEqual([
      'WaitingForManualAction',
      'PaymentQuarantined',
    ]);
    expect((await press(order, 'clear')).status).toBe(200);
    expect(await stateAfter(order, 1_000)).toBe('Done');
    const other = await checked('bob+quarantined@example.com');
    expect((await press(other, 'refund')).status).toBe(200);
    expect((await host.read(other.order_id)).order_state).toBe('Refunded');
  });
});

describe('a delivery that fails', () => {
  const failing = { ...AMAZON_25, beneficiary_account: 'friend+failing@example.com' };
  const stuck = async (deliveries: readonly unknown[]) => {
    const order = await host.create({ payment: via('BTC', 'Mainnet'), deliveries });
    await pay(order);
    await host.pass(2_000);
    const now = await host.read(order.order_id);
    expect(states(now)).toEqual(['WaitingForManualAction', 'PaymentReceived']);
    return now;
  };

  it('is for support, with what was delivered and why the rest was not', async () => {
    const order = await stuck([AMAZON_25, failing]);
    expect(order.deliveries).toMatchObject([
      { delivery_state: 'completed', deliverable: { pin_code: expect.stringMatching(/^TEST-/) } },
      { delivery_state: 'failed', deliverable: { failure_reason: expect.any(String) } },
    ]);
    expect((await press(order, 'close')).status).toBe(200);
    expect((await host.read(order.order_id)).order_state).toBe('Completed');
  });

  it('is tried again when support says so', async () => {
    const order = await stuck([failing]);
    expect((await jsonOf<WirePartnerOrder>(await press(order, 'resolve'))).order_state).toBe(
      'WaitingForDelivery',
    );
    expect(await stateAfter(order, 1_000)).toBe('WaitingForManualAction');
  });

  it('is refunded when nobody resolves it', async () => {
    const order = await stuck([failing]);
    expect(await stateAfter(order, 15 * 24 * 3_600_000)).toBe('Refunded');
  });

  it('is late and not lost when the supplier has not answered for long', async () => {
    const deliveries = [{ ...AMAZON_25, beneficiary_account: 'friend+stuck@example.com' }];
    const order = await host.create({ payment: via('BTC', 'Mainnet'), deliveries });
    await pay(order);
    for (let round = 0; round < 14; round += 1) await host.pass(40_000);
    expect(await stateAfter(order, 40_000)).toBe('WaitingForManualAction');
  });
});

it('a button that does not fit the state changes nothing', async () => {
  const order = await host.create();
  for (const action of ['refund', 'resolve', 'close', 'clear']) {
    expect((await press(order, action)).status).toBe(409);
  }
  expect((await press(order, 'explode')).status).toBe(404);
  expect((await host.get(`/sandbox/orders/${order.order_id}/pay`)).status).toBe(405);
  expect((await host.post(`/sandbox/orders/${crypto.randomUUID()}/pay`, {})).status).toBe(404);
});
