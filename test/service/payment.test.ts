import { describe, expect, it } from 'vitest';
import {
  decodeHeader,
  PAYMENT_REQUIRED_HEADER,
  PAYMENT_SIGNATURE_HEADER,
  type PaymentPayload,
  SESSION_HEADER,
  type SettleResponse,
} from '../../src/contract/x402.ts';
import { ScripError } from '../../src/domain/message/errors.ts';
import { t } from '../../src/domain/message/message.ts';
import type { MerchantRail } from '../../src/rails/merchant-rail.ts';
import { createOrderDesk } from '../../src/service/operator/order-desk.ts';
import type { Store } from '../../src/store/store.ts';
import {
  away,
  BASE_URL,
  bodyOf,
  type Challenge,
  checkoutHost,
  fail,
  fakeRail,
  type Host,
  ORDER,
  outcome,
  PAYER,
  type PayOptions,
  paymentFor,
  paymentResponse,
  succeed,
} from '../support/checkout-host.ts';

/** The store of a process in which another acts before the read of this number. */
function overtaken(store: Store, number: number, act: () => Promise<void>): Store {
  let reads = 0;
  const table = <Table extends object>(real: Table): Table =>
    new Proxy(real, {
      get: (target, name) => {
        const method: unknown = Reflect.get(target, name);
        if (typeof method !== 'function') return method;
        return async (...given: unknown[]) => {
          reads += 1;
          if (reads === number) await act();
          return Reflect.apply(method, target, given);
        };
      },
    });
  const { settlements, sessions, orders } = store.tables;
  const tables = {
    ...store.tables,
    settlements: table(settlements),
    sessions: table(sessions),
    orders: table(orders),
  };
  return { ...store, tables };
}

describe('a verified payment', () => {
  it('becomes an order with a receipt and the settlement in PAYMENT-RESPONSE', async () => {
    const host = await checkoutHost();
    const response = await host.pay(await host.challenge());
    const receipt = await bodyOf(response);
    expect(response.status).toBe(200);
    expect(receipt).toEqual({
      order_id: expect.stringMatching(/^cr_[a-z2-7]{26}$/),
      status: 'processing',
      email: ORDER.email,
      estimated_delivery_seconds: 10,
      poll_url: `${BASE_URL}/v1/orders/${receipt.order_id}`,
      deliveries: [
        {
          id: expect.any(String),
          delivery_state: 'pending',
          brand_name: 'Amazon.com',
          product_name: 'Amazon.com 25 USD',
          denomination: '25 USD',
          face_value: '25',
          currency: 'USD',
          beneficiary_account: 'friend@example.com',
          country_code: 'us',
        },
      ],
    });
    expect(paymentResponse(response)).toMatchObject({
      success: true,
      transaction: expect.stringMatching(/^tx-/),
      payer: PAYER,
    });
    expect(response.headers.get('Cache-Control')).toBe('no-store');
  });

  it('needs no X-Session-Id in the dialect of the public standard', async () => {
    const host = await checkoutHost();
    const asked = await host.challenge();
    const response = await host.pay(asked, { isStandard: true, sessionId: null });
    expect(response.status).toBe(200);
  });

  it('takes the body with other spacing and key order, and no other body', async () => {
    const host = await checkoutHost();
    const asked = await host.challenge();
    const other = { ...ORDER, email: 'thief@example.com' };
    expect(await outcome(await host.pay(asked, { body: other }))).toEqual([400, 'body_mismatch']);
    const reordered = { items: ORDER.items, email: ORDER.email };
    expect((await host.pay(asked, { body: reordered })).status).toBe(200);
  });

  it('keeps the callback for later', async () => {
    const host = await checkoutHost();
    const callback_url = 'https://hooks.example/x';
    const { order_id } = await host.buy({ ...ORDER, callback_url });
    expect(await host.store.tables.orders.byId(order_id)).toMatchObject({
      callbackUrl: callback_url,
    });
  });
});

describe('a payment that is sent again', () => {
  it('gets the same receipt, also after delivery, expiry and restart, and settles once', async () => {
    const host = await checkoutHost();
    const asked = await host.challenge();
    const first = await (await host.pay(asked)).json();
    await host.service.tick();
    host.clock.advance(10 * 60_000);
    const restarted = await checkoutHost({}, host);
    for (const each of [host, restarted]) {
      const again = await each.pay(asked);
      expect([again.status, await again.json()]).toEqual([200, first]);
      expect(paymentResponse(again).success).toBe(true);
    }
    expect(host.script.settled).toHaveLength(1);
  });

  it('makes one order however many processes take it at once', async () => {
    const host = await checkoutHost();
    const other = await checkoutHost({}, host);
    const asked = await host.challenge();
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, index) => (index % 2 ? host : other).pay(asked)),
    );
    const outcomes = await Promise.all(answers.map(outcome));
    expect(new Set(outcomes.map(String)).size).toBe(1);
    expect(outcomes[0]?.[0]).toBe(200);
  });

  it.each<[string, PayOptions]>([
    ['by its session', {}],
    ['under a name', { paymentId: 'scrip_0123456789abcdef' }],
  ])('gets the first result wherever the first overtakes it: %s', async (_what, more) => {
    for (let at = 1; ; at += 1) {
      const host = await checkoutHost();
      const asked = await host.challenge();
      let first: Response | undefined;
      const store = overtaken(host.store, at, async () => {
        first = await host.pay(asked, more);
      });
      const second = await (await checkoutHost({ store }, host)).pay(asked, more);
      if (first === undefined) break;
      expect(await outcome(second), `before read ${at}`).toEqual(await outcome(first));
      expect(second.status).toBe(200);
      expect(new Set(host.script.settled).size).toBe(1);
    }
  });

  it('gets the first result where the first was settled while it was verified', async () => {
    const host = await checkoutHost();
    const asked = await host.challenge();
    let first: Response | undefined;
    const verify = async () => {
      first = await host.pay(asked);
      return { isValid: false, invalidReason: 'spent', payer: PAYER };
    };
    const other = await checkoutHost({ facilitator: { ...host.facilitator, verify } }, host);
    const second = await other.pay(asked);
    expect(await outcome(second)).toEqual(first && (await outcome(first)));
    expect([second.status, host.script.settled.length]).toEqual([200, 1]);
  });

  it('makes one order when two messages race for one session', async () => {
    const host = await checkoutHost();
    const asked = await host.challenge();
    const answers = await Promise.all([0, 1, 2, 3].map((nonce) => host.pay(asked, { nonce })));
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([200, 409, 409, 409]);
    expect(new Set(host.script.settled).size).toBe(1);
  });

  it('is refused with 409 when the session has another message', async () => {
    const host = await checkoutHost();
    const asked = await host.challenge();
    await host.pay(asked);
    expect(await outcome(await host.pay(asked, { nonce: 1 }))).toEqual([409, 'session_used']);
  });

  it('is refused with 409 when the message settled another session', async () => {
    // A rail with one destination for all, as some hosts have it: the message is all that binds.
    const pooled = { messageHash: 'ab'.repeat(32), payer: PAYER, source: 'account' };
    const inspect: MerchantRail['inspect'] = ({ payload }) => ({ ...pooled, payload });
    const host = await checkoutHost({ rail: { ...fakeRail, inspect } });
    const [one, two] = [await host.challenge(), await host.challenge()];
    expect((await host.pay(one)).status).toBe(200);
    expect(await outcome(await host.pay(two))).toEqual([409, 'duplicate_settlement']);
    expect((await host.pay(one)).status).toBe(200);
  });
});

describe('sessions that are paid to one address, with equal terms', () => {
  const shared = async (beside?: Host) => {
    const rail: MerchantRail = {
      ...fakeRail,
      payTo: 'shop',
      requirement: async (input) => {
        const { requirement } = await fakeRail.requirement(input);
        return { requirement: { ...requirement, payTo: 'shop' }, destination: 'account-of-shop' };
      },
    };
    return checkoutHost({ rail }, beside);
  };

  it('are each paid by a message of their own', async () => {
    const host = await shared();
    const asked = [await host.challenge(), await host.challenge()];
    expect(asked[0]?.requirement.payTo).toBe(asked[1]?.requirement.payTo);
    const orders = [];
    for (const [nonce, one] of asked.entries()) orders.push(await host.pay(one, { nonce }));
    const ids = await Promise.all(orders.map(async (order) => (await bodyOf(order)).order_id));
    expect([new Set(ids).size, host.script.settled.length]).toEqual([2, 2]);
  });

  it('make one order of one message, whichever process is shown it for which session', async () => {
    const host = await shared();
    const other = await shared(host);
    const [one, two] = [await host.challenge(), await host.challenge()];
    const answers = await Promise.all([host.pay(one), other.pay(two), host.pay(two)]);
    expect(answers.filter(({ status }) => status === 200)).not.toEqual([]);
    expect(new Set(host.script.settled).size).toBe(1);
    const ids = await Promise.all(
      answers
        .filter(({ status }) => status === 200)
        .map(async (paid) => (await bodyOf(paid)).order_id),
    );
    expect(new Set(ids).size).toBe(1);
    // The session that lost is open: another message pays it.
    const isOfOne = await host.store.tables.settlements.bySession(one.sessionId);
    expect((await host.pay(isOfOne ? two : one, { nonce: 1 })).status).toBe(200);
    expect(new Set(host.script.settled).size).toBe(2);
  });

  it('take no message for a session that was made for the other, nor after it failed for good', async () => {
    const host = await shared();
    const [one, two] = [await host.challenge(), await host.challenge()];
    host.script.settle = fail('transaction_failed');
    expect((await host.pay(one)).status).toBe(402);
    expect(await outcome(await host.pay(two))).toEqual([409, 'duplicate_settlement']);
    expect(host.script.settled).toHaveLength(1);
  });
});

describe('phase 2 refuses', () => {
  type Row = readonly [
    what: string,
    status: number,
    error: string,
    more: (asked: Challenge, other: Challenge) => PayOptions,
  ];
  const flat = (asked: Challenge) => paymentFor(asked);
  const rows: readonly Row[] = [
    ['a payload that is no JSON object', 400, 'payment_malformed', () => ({ payload: 'x' })],
    [
      'an older version',
      400,
      'payment_malformed',
      (asked) => ({ payload: { ...flat(asked), x402Version: 1 } }),
    ],
    [
      'a payload without terms',
      400,
      'payment_malformed',
      (asked) => ({ payload: { x402Version: 2, payload: flat(asked).payload } }),
    ],
    [
      'a transaction that cannot be decoded',
      400,
      'payment_malformed',
      (asked) => ({ payload: { ...flat(asked), payload: { transaction: 'AAAA' } } }),
    ],
    [
      'another network',
      400,
      'network_not_supported',
      (asked) => ({ payload: { ...flat(asked), network: 'eip155:8453' } }),
    ],
    [
      'another network beside ours',
      400,
      'network_not_supported',
      (asked) => ({
        payload: { ...paymentFor(asked, { isStandard: true }), network: 'eip155:8453' },
      }),
    ],
    [
      'another scheme',
      400,
      'network_not_supported',
      (asked) => ({ payload: { ...flat(asked), scheme: 'upto' } }),
    ],
    ['flat terms without a session', 400, 'session_required', () => ({ sessionId: null })],
    [
      'a session that never was',
      400,
      'session_unknown',
      () => ({ sessionId: '00000000-0000-4000-8000-000000000000' }),
    ],
    [
      'a session that is not the payment’s',
      402,
      'payment_invalid',
      (_asked, other) => ({ sessionId: other.sessionId }),
    ],
    [
      'a header beyond 8 kB',
      400,
      'payment_malformed',
      (asked) => ({ payload: { ...flat(asked), extensions: 'x'.repeat(8192) } }),
    ],
  ];

  it.each(rows)('%s with %i %s', async (_what, status, error, more) => {
    const host = await checkoutHost();
    const [asked, other] = [await host.challenge(), await host.challenge()];
    const response = await host.pay(asked, more(asked, other));
    expect(await outcome(response)).toEqual([status, error]);
    expect(host.script.settled).toEqual([]);
  });

  it('a header that is not base64', async () => {
    const host = await checkoutHost();
    const { sessionId } = await host.challenge();
    for (const header of ['%%%', '', 'eyJ', btoa('[1]')]) {
      const response = await host.post('/v1/orders', ORDER, {
        [PAYMENT_SIGNATURE_HEADER]: header,
        [SESSION_HEADER]: sessionId,
      });
      expect(await outcome(response)).toEqual([400, 'payment_malformed']);
    }
  });

  it('a first payment after 60 seconds', async () => {
    const host = await checkoutHost();
    const asked = await host.challenge();
    host.clock.advance(60_000);
    expect(await outcome(await host.pay(asked))).toEqual([400, 'session_expired']);
  });

  it('an invalid payment with 402, its reason, and the same requirement again', async () => {
    const host = await checkoutHost();
    const asked = await host.challenge();
    const invalidReason = 'invalid_exact_svm_payload_amount_mismatch';
    host.script.verify = () => ({ isValid: false, invalidReason });
    const response = await host.pay(asked);
    const body = await bodyOf(response);
    expect(response.status).toBe(402);
    expect(body).toMatchObject({
      error: 'payment_invalid',
      reason: invalidReason,
      accepts: [asked.requirement],
    });
    expect(response.headers.get(SESSION_HEADER)).toBe(asked.sessionId);
    expect(decodeHeader(response.headers.get(PAYMENT_REQUIRED_HEADER) ?? '')).toEqual(body);
    host.script.verify = () => ({ isValid: true });
    expect((await host.pay(asked, { nonce: 1 })).status).toBe(200);
  });

  it('with 503 and Retry-After while nothing is claimed, and takes the same payment later', async () => {
    const host = await checkoutHost();
    const asked = await host.challenge();
    host.script.verify = away;
    const response = await host.pay(asked);
    const text = await response.text();
    expect([response.status, JSON.parse(text).error]).toEqual([503, 'facilitator_unavailable']);
    expect(text).not.toContain('10.0.0.7');
    expect(response.headers.get('Retry-After')).toBe('5');
    const details = { retryAfterMs: 12_001 };
    host.script.verify = () => {
      throw new ScripError('FACILITATOR_UNAVAILABLE', t`busy`, { details });
    };
    expect((await host.pay(asked)).headers.get('Retry-After')).toBe('13');
    host.script.verify = () => ({ isValid: true });
    expect((await host.pay(asked)).status).toBe(200);
  });
});

/** Lets what waits for the system, such as encryption, come to its end. */
const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

describe('a settlement', () => {
  const pending = fail('settlement_pending', 'tx-sent');

  async function payPending(host: Host): Promise<Challenge> {
    const asked = await host.challenge();
    host.script.settle = pending;
    await host.pay(asked);
    return asked;
  }

  it('that fails for good is 402 with success false, and again 402 when repeated', async () => {
    const host = await checkoutHost();
    const asked = await host.challenge();
    host.script.settle = fail('transaction_failed', 'tx-lost');
    for (const response of [await host.pay(asked), await host.pay(asked)]) {
      const body = await bodyOf(response);
      expect([response.status, body.error, body.reason]).toEqual([
        402,
        'settlement_failed',
        'transaction_failed',
      ]);
      expect(paymentResponse(response)).toMatchObject({ success: false, transaction: 'tx-lost' });
      expect(await host.status(body.order_id ?? '')).toMatchObject({
        status: 'failed',
        deliveries: [{ delivery_state: 'failed', failure_reason: expect.any(String) }],
      });
    }
    expect(host.script.settled).toHaveLength(1);
    await host.service.tick();
    expect(host.script.references).toEqual([]);
  });

  it.each([
    ['is pending', pending, 'tx-sent'],
    ['is being done by another request', fail('duplicate_settlement'), ''],
    ['has an unknown outcome', away, ''],
  ])('that %s is 200, processing, and nothing is delivered', async (_what, settle, transaction) => {
    const host = await checkoutHost();
    const asked = await host.challenge();
    host.script.settle = settle;
    const response = await host.pay(asked);
    const { order_id = '' } = await bodyOf(response);
    expect(response.status).toBe(200);
    expect(paymentResponse(response)).toMatchObject({
      success: false,
      errorReason: 'settlement_pending',
      transaction,
    });
    await host.service.tick();
    expect(host.script.references).toEqual([]);
    expect((await host.status(order_id)).status).toBe('processing');
  });

  it('that was pending is decided by a repeat of the request', async () => {
    const host = await checkoutHost();
    const asked = await payPending(host);
    host.script.settle = succeed;
    expect(paymentResponse(await host.pay(asked)).success).toBe(true);
  });

  it('that was pending is decided by the tick of a process started later', async () => {
    const host = await checkoutHost();
    const asked = await payPending(host);
    host.clock.advance(3_600_000);
    host.script.settle = succeed;
    const later = await checkoutHost({}, host);
    await later.service.tick();
    const { order_id = '' } = await bodyOf(await later.pay(asked));
    expect((await later.status(order_id)).status).toBe('completed');
  });

  it('that stays undecided is asked about with growing waits', async () => {
    const host = await checkoutHost();
    await payPending(host);
    const askedAt: number[] = [];
    const start = host.clock.now();
    for (let step = 0; step < 160; step += 1) {
      const before = host.script.settled.length;
      await host.service.tick();
      if (host.script.settled.length > before) askedAt.push(host.clock.now() - start);
      host.clock.advance(500);
    }
    expect(askedAt).toEqual([500, 1500, 3500, 7500, 15_500, 31_500, 61_500]);
  });

  it('that is put off is tried at once when an operator has it tried again', async () => {
    const host = await checkoutHost();
    const { store, clock, script, service } = host;
    const { order_id = '' } = await bodyOf(await host.pay(await payPending(host)));
    for (let tries = 0; tries < 6; tries += 1) {
      clock.advance(60_000);
      await service.tick();
    }
    script.settle = succeed;
    const tried = script.settled.length;
    await service.tick();
    expect(script.settled).toHaveLength(tried);
    const desk = createOrderDesk({
      ...{ store, clock, sendsOn: () => true, log: { latest: async () => [] } },
    });
    expect(await desk.retry(order_id)).toEqual({
      order_id,
      woken: [{ for: 'payment', subject: null }],
    });
    await service.tick();
    expect((await host.status(order_id)).status).toBe('completed');
    expect((await desk.retry(order_id)).woken).toEqual([]);
  });

  it('is looked at however many older ones wait', async () => {
    const host = await checkoutHost({ limits: { perTick: 2 } });
    const asked = [];
    for (let count = 0; count < 5; count += 1) asked.push(await payPending(host));
    const seen = new Set(host.script.settled);
    host.script.settled.length = 0;
    const restarted = await checkoutHost({ limits: { perTick: 2 } }, host);
    host.clock.advance(500);
    for (let tick = 0; tick < 3; tick += 1) await restarted.service.tick();
    expect(new Set(host.script.settled)).toEqual(seen);
    expect(host.script.settled).toHaveLength(asked.length);
  });

  it('that hangs holds up no delivery', async () => {
    const host = await checkoutHost();
    const hung = await payPending(host);
    host.script.settle = succeed;
    const { order_id } = await host.buy();
    let settle = (): void => undefined;
    const facilitator = {
      ...host.facilitator,
      settle: (payload: PaymentPayload) =>
        new Promise<SettleResponse>((resolve) => {
          settle = () => resolve(succeed(payload));
        }),
    };
    const slow = await checkoutHost({ facilitator }, host);
    const ticking = slow.service.tick();
    while ((await slow.status(order_id)).status !== 'completed') await nextTurn();
    settle();
    await ticking;
    expect(paymentResponse(await host.pay(hung)).success).toBe(true);
  });

  it('that a crash left behind the claim is taken up by the next tick', async () => {
    const host = await checkoutHost();
    const asked = await host.challenge();
    host.script.settle = () => {
      throw new Error('the process ends here');
    };
    const { order_id = '' } = await bodyOf(await host.pay(asked));
    const restarted = await checkoutHost({}, host);
    host.script.settle = succeed;
    host.clock.advance(500);
    await restarted.service.tick();
    expect((await restarted.status(order_id)).status).toBe('completed');
    expect(new Set(host.script.settled).size).toBe(1);
  });

  it('that a stopping server follows is given up at once, for another to take', async () => {
    const host = await checkoutHost();
    await payPending(host);
    host.script.settle = (_payload, signal) =>
      new Promise((resolve) => signal?.addEventListener('abort', () => resolve(pending())));
    host.clock.advance(500);
    const following = host.service.tick();
    await expect.poll(() => host.script.settled).toHaveLength(2);
    const other = await checkoutHost({}, host);
    await other.service.tick();
    expect(host.script.settled).toHaveLength(2);
    await host.service.close();
    await following;
    host.script.settle = succeed;
    await other.service.tick();
    expect(host.script.settled).toHaveLength(3);
    expect(await host.store.tables.settlements.due(Number.MAX_SAFE_INTEGER, 1)).toEqual([]);
  });

  it('belongs to the request that pays, and to another server when that one is dead', async () => {
    const host = await checkoutHost();
    const asked = await host.challenge();
    // The process ends while it waits for the chain.
    host.script.settle = () => new Promise(() => undefined);
    void host.pay(asked);
    await expect.poll(() => host.script.settled).toHaveLength(1);
    const other = await checkoutHost({}, host);
    host.script.settle = succeed;
    host.clock.advance(9_999);
    await other.service.tick();
    expect(host.script.settled).toHaveLength(1);
    host.clock.advance(1);
    await Promise.all([other.service.tick(), other.service.tick()]);
    expect(host.script.settled).toHaveLength(2);
    const [settlement] = await host.store.tables.settlements.due(Number.MAX_SAFE_INTEGER, 1);
    expect(settlement).toBeUndefined();
  });

  it('is taken over at once from a server whose process is gone', async () => {
    const host = await checkoutHost();
    const asked = await host.challenge();
    host.script.settle = () => new Promise(() => undefined);
    void host.pay(asked);
    await expect.poll(() => host.script.settled).toHaveLength(1);
    const { servers, settlements } = host.store.tables;
    // The mark that this process left becomes that of another with the same id.
    const [mark = ''] = await servers.all();
    const gone = JSON.stringify({ ...JSON.parse(mark), started: '1' });
    await servers.remove([mark]);
    await servers.add(gone);
    const other = await checkoutHost({}, host);
    host.script.settle = succeed;
    await other.service.tick();
    expect(host.script.settled).toHaveLength(2);
    expect(await settlements.due(Number.MAX_SAFE_INTEGER, 1)).toEqual([]);
    expect(await servers.all()).not.toContain(gone);
  });
});
