/** Validation, creation and status of partner orders, as a caller sees them. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  validationResponse,
  type WirePartnerOrder,
  type WireValidation,
} from '../../../src/contract/partner-orders.ts';
import { ENGINES } from '../../support/engines.ts';
import { PROBLEM_EXAMPLES } from '../../support/partner-examples.ts';
import {
  AMAZON_25,
  jsonOf,
  orderBody,
  type PartnerSandbox,
  partnerSandbox,
  via,
} from '../../support/partner-sandbox.ts';

const host = await partnerSandbox();
afterAll(host.close);

const VALIDATIONS = '/v5/orders/validations';
const validate = async (more: Record<string, unknown> = {}): Promise<WireValidation> =>
  jsonOf(await host.post(VALIDATIONS, orderBody(more)));
const created = async () =>
  host.current().store.tables.partnerOrders.due(Number.MAX_SAFE_INTEGER, 1_000);

describe('a validation', () => {
  it('tells what the order would cost and makes none', async () => {
    const before = (await created()).length;
    const valid = await validate();
    expect(validationResponse().strict().parse(valid)).toEqual(valid);
    expect(valid).toMatchObject({
      coin: 'USDC',
      coin_amount: '25.25',
      original_coin_amount: '25.25',
      problems: [],
      coupon_code: null,
      payment_fee: { coin: 'USDC', coin_amount: '0' },
      points: { total: '25' },
      deliveries: [
        {
          id: '0',
          kind: 'giftcard',
          deliverable: { brand_name: 'Amazon.com', coin_amount: '25.25', original_price: '25' },
        },
      ],
    });
    expect(await created()).toHaveLength(before);
  });

  it('needs no user', async () => {
    const { user: _left, ...body } = orderBody();
    expect(await jsonOf(await host.post(VALIDATIONS, body))).toMatchObject({ problems: [] });
    expect(await validate({ user: null })).toMatchObject({ problems: [] });
  });

  it('understands the older wrapped form, and its quantity', async () => {
    const wrapped = { kind: 'giftcard', quantity: 3, deliverable: AMAZON_25 };
    const valid = await validate({ deliveries: [wrapped] });
    expect(valid.deliveries).toHaveLength(3);
    expect(valid.coin_amount).toBe('75.75');
  });

  it('takes the discount of a coupon off, and shows it', async () => {
    expect(await validate({ coupon_code: 'welcome10' })).toMatchObject({
      coupon_code: 'WELCOME10',
      coin_amount: '22.725',
      original_coin_amount: '25.25',
      summary: { coin_amount_to_pay_via_coupon: '2.525' },
    });
  });

  it('tells several problems at once, and repeats what it cannot find', async () => {
    const nothing = { ...AMAZON_25, brand_name: 'No such brand' };
    const { problems, deliveries } = await validate({
      deliveries: [nothing],
      coupon_code: 'NOSUCH10',
      payment: via('BTC', 'Solana'),
    });
    expect(problems?.map(({ problem }) => problem)).toEqual([
      'NOT_AVAILABLE_PRODUCT',
      'UNSUPPORTED_PROTOCOL_COIN_COMBINATION',
      'COUPON_NOT_FOUND',
    ]);
    expect(deliveries[0]?.deliverable).toMatchObject({
      brand_name: 'No such brand',
      error_description: expect.stringContaining('not sold'),
    });
  });

  it('asks the supplier, whose stock counts as the catalog’s', async () => {
    const deliveries = [{ ...AMAZON_25, beneficiary_account: 'x+out-of-stock@example.com' }];
    expect(await validate({ deliveries })).toMatchObject({
      problems: [{ problem: 'OUT_OF_STOCK', moreDetails: { deliveries: [{ index: 0 }] } }],
    });
    const away = [{ ...AMAZON_25, beneficiary_account: 'x+unreachable@example.com' }];
    const reply = await host.post(VALIDATIONS, orderBody({ deliveries: away }));
    expect([reply.status, await reply.json()]).toMatchObject([502, { detail: 'SUPPLIER_ERROR' }]);
  });
});

it.each(PROBLEM_EXAMPLES)(
  '$code is told by validation, and refuses creation',
  async ({ code, request }) => {
    const validation = await host.post(VALIDATIONS, request);
    const creation = await host.post('/v5/orders', request);
    const said = (await validation.json()) as WireValidation & { detail?: string };
    const refused = (await creation.json()) as {
      detail: string;
      moreDetails: { problems?: unknown };
    };
    if (code.startsWith('SUSPENDED')) {
      expect([validation.status, said.detail]).toEqual([403, code]);
      expect([creation.status, refused.detail]).toEqual([403, code]);
      return;
    }
    expect([validation.status, said.problems?.map(({ problem }) => problem)]).toEqual([
      200,
      [code],
    ]);
    expect([creation.status, refused.detail]).toEqual([400, 'ORDER_HAS_PROBLEMS']);
    expect(refused.moreDetails.problems).toEqual(said.problems);
  },
);

describe('a body', () => {
  it.each([
    ['an unknown field', { surprise: 1 }],
    ['an unknown field of the user', { user: { email: 'a@example.com', age: 3 } }],
    ['an unknown field of the payment', { payment: { ...via('USDC', 'Solana'), extra: 1 } }],
    ['no deliveries', { deliveries: [] }],
    ['no user', { user: undefined }],
    ['an email that is none', { user: { email: 'nobody' } }],
  ])('with %s is refused with the top-level form', async (_name, more) => {
    const reply = await host.post('/v5/orders', orderBody(more));
    expect([reply.status, await reply.json()]).toMatchObject([
      400,
      { status: 400, detail: 'INVALID_REQUEST', moreDetails: { message: expect.any(String) } },
    ]);
  });
});

describe.each(ENGINES)('a creation that is repeated, on %s', (engine) => {
  let host: PartnerSandbox;
  beforeAll(async () => {
    host = await partnerSandbox({ engine });
  });
  afterAll(() => host.close());
  const again = { 'Idempotency-Key': 'once-1' };

  it('with its key gives the order that there is, in its present state', async () => {
    const first = await host.create({}, again);
    const second = await host.create({}, again);
    expect(second).toEqual(first);
    expect((await host.create({})).order_id).not.toBe(first.order_id);
  });

  it('in another language is the same order', async () => {
    const key = { 'Idempotency-Key': 'spoken-1' };
    const first = await host.create({ lang: 'es' }, key);
    expect((await host.create({ lang: 'en' }, key)).order_id).toBe(first.order_id);
    expect((await host.create({}, key)).order_id).toBe(first.order_id);
  });

  it('at the same time gives one order', async () => {
    const key = { 'Idempotency-Key': 'race-1' };
    const orders = await Promise.all([1, 2, 3, 4].map(() => host.create({}, key)));
    expect(new Set(orders.map(({ order_id }) => order_id)).size).toBe(1);
    const { orderEvents, deliveries } = host.current().store.tables;
    const [{ order_id = '' } = {}] = orders;
    expect(await orderEvents.since(order_id, 0)).toHaveLength(1);
    expect(await deliveries.ofOrder(order_id)).toHaveLength(1);
  });

  it('with its key and another content is refused', async () => {
    const reply = await host.post('/v5/orders', orderBody({ time_zone: 'Europe/Rome' }), again);
    expect([reply.status, await reply.json()]).toMatchObject([
      409,
      { detail: 'IDEMPOTENCY_KEY_REUSED' },
    ]);
  });

  it('by another application with the same key is an order of its own', async () => {
    const mine = await host.create({}, again);
    const other = await host.create({}, { ...again, 'X-Cr-Application': 'shop-2' });
    expect(other.order_id).not.toBe(mine.order_id);
  });

  it.each([
    ['expired', 'Expired', async (_: string) => host.pass(17 * 60_000)],
    [
      'was canceled',
      'Canceled',
      async (id: string) => host.post(`/sandbox/orders/${id}/cancel`, {}),
    ],
  ])('is another order once the first %s, unless the buyer’s money is in it', async (...row) => {
    const [, state, end] = row;
    const key = { 'Idempotency-Key': `over-${state}` };
    const made = await host.create({}, key);
    await end(made.order_id);
    expect((await host.read(made.order_id)).order_state).toBe(state);
    const other = { time_zone: 'Europe/Rome' };
    const second = await host.create(other, key);
    expect([second.order_id === made.order_id, second.order_state]).toEqual([
      false,
      'WaitingForPayment',
    ]);
    await end(second.order_id);
    await host.transfer(second.wallet_address ?? '', 25_250_000n);
    await host.pass(63_000);
    const late = await host.create(other, key);
    expect([late.order_id, late.payment_state]).toEqual([
      second.order_id,
      'ExpiredAfterPaymentDetection',
    ]);
    await host.post(`/sandbox/orders/${second.order_id}/refund`, {});
    expect((await host.create(other, key)).order_state).toBe('WaitingForPayment');
  });

  it('with a key that can be guessed is answered to its maker’s address alone', async () => {
    const create = async (address: string | undefined) => {
      const headers = { 'Idempotency-Key': 'order-0001' };
      const reply = await host.post('/v5/orders', orderBody(), headers, { address });
      return [reply.status, await reply.json()] as const;
    };
    const mine = await create('198.51.100.7');
    expect(mine[0]).toBe(200);
    for (const address of ['203.0.113.9', undefined]) {
      const [status, body] = await create(address);
      expect([status, body]).toMatchObject([409, { detail: 'IDEMPOTENCY_KEY_REUSED' }]);
      expect(JSON.stringify(body)).not.toContain(
        (mine[1] as { readonly order_id: string }).order_id,
      );
    }
    expect(await create('198.51.100.7')).toEqual(mine);
  });

  it('with a key that nobody can guess is answered anywhere', async () => {
    const headers = { 'Idempotency-Key': crypto.randomUUID() };
    const orders = await Promise.all(
      ['198.51.100.7', '203.0.113.9', undefined].map(async (address) => {
        const reply = await host.post('/v5/orders', orderBody(), headers, { address });
        return ((await reply.json()) as { readonly order_id: string }).order_id;
      }),
    );
    expect(new Set(orders).size).toBe(1);
    expect(orders[0]).toMatch(/^[0-9a-f-]{36}$/);
  });

  it.each(['', 'two words', 'x'.repeat(256)])('with the key "%s" is refused', async (key) => {
    const reply = await host.post('/v5/orders', orderBody(), { 'Idempotency-Key': key });
    expect(reply.status).toBe(400);
  });
});

describe('the status of an order', () => {
  it('is what its creation answered, and nobody else’s', async () => {
    const order = await host.create();
    expect(await host.read(order.order_id)).toEqual(order);
    const path = `/v5/orders/${order.order_id}`;
    expect((await host.get(path)).headers.get('Cache-Control')).toBe('no-store');
    const foreign = await host.get(path, { 'X-Cr-Application': 'shop-2' });
    const unknown = await host.get(`/v5/orders/${crypto.randomUUID()}`);
    expect([foreign.status, unknown.status]).toEqual([404, 404]);
    expect(await foreign.json()).toEqual(await unknown.json());
    expect((await host.get('/v5/orders/1')).status).toBe(400);
  });

  it('shows the value that was chosen of a range', async () => {
    const range = { ...AMAZON_25, denomination: 'range', product_value: 40 };
    const order: WirePartnerOrder = await host.create({ deliveries: [range] });
    expect(order.deliveries?.[0]?.deliverable).toMatchObject({
      denomination: 'range',
      product_value: '40',
    });
  });
});
