/** Who is answered with an order: whoever shows its session or the buyer's name for it, and nobody else. */
import { describe, expect, it } from 'vitest';
import { encodeHeader, PAYMENT_SIGNATURE_HEADER } from '../../src/contract/x402.ts';
import {
  bodyOf,
  type Challenge,
  checkoutHost,
  fail,
  type Host,
  identified,
  ORDER,
  outcome,
  type PayOptions,
  paymentFor,
  paymentResponse,
  succeed,
} from '../support/checkout-host.ts';

const NAME = 'scrip_0123456789abcdef';
const OTHER_NAME = 'scrip_fedcba9876543210';
const OTHER_ORDER = { ...ORDER, email: 'other@example.com' };
const UNKNOWN_SESSION = '00000000-0000-4000-8000-000000000000';

/** A payment in the standard's terms, with a requirement that names this session or none. */
function echoing(asked: Challenge, sessionId?: unknown): PayOptions {
  const { extra, ...requirement } = asked.requirement;
  const accepted = { ...requirement, extra: { feePayer: extra?.feePayer, sessionId } };
  return { sessionId: null, payload: { ...paymentFor(asked), accepted } };
}

describe('a payment that was made', () => {
  type Row = readonly [
    what: string,
    status: number,
    error: string,
    more: (asked: Challenge, other: Challenge) => PayOptions,
  ];
  const rows: readonly Row[] = [
    ['no session, and its terms', 400, 'session_required', (asked) => echoing(asked)],
    ['flat terms alone', 400, 'session_required', () => ({ sessionId: null })],
    ['a session that is no text', 400, 'session_required', (asked) => echoing(asked, 7)],
    ['an empty session', 400, 'session_unknown', (asked) => echoing(asked, '')],
    [
      'a session that never was',
      400,
      'session_unknown',
      (asked) => echoing(asked, UNKNOWN_SESSION),
    ],
    [
      'the session of another order in its terms',
      409,
      'duplicate_settlement',
      (asked, other) => echoing(asked, other.sessionId),
    ],
    [
      'the session of another order in its header',
      409,
      'duplicate_settlement',
      (_asked, other) => ({ sessionId: other.sessionId }),
    ],
    [
      'two sessions that differ',
      409,
      'session_mismatch',
      (asked, other) => ({ ...echoing(asked, other.sessionId), sessionId: asked.sessionId }),
    ],
    [
      'a session in other letters',
      400,
      'session_unknown',
      (asked) => ({ sessionId: asked.sessionId.toUpperCase() }),
    ],
    ['its session and another order', 400, 'body_mismatch', () => ({ body: OTHER_ORDER })],
    [
      'a name that nothing has',
      400,
      'session_required',
      () => ({ sessionId: null, paymentId: OTHER_NAME }),
    ],
    [
      'its name and another order',
      409,
      'payment_identifier_mismatch',
      () => ({ sessionId: null, paymentId: NAME, body: OTHER_ORDER }),
    ],
    [
      'its session and another name',
      409,
      'payment_identifier_mismatch',
      () => ({ paymentId: OTHER_NAME }),
    ],
  ];

  it.each(rows)(
    'with %s is answered %i %s, in either state',
    async (_what, status, error, more) => {
      for (const settle of [succeed, fail('settlement_pending', 'tx-sent')]) {
        const host = await checkoutHost();
        const [asked, other] = [await host.challenge(), await host.challenge()];
        host.script.settle = settle;
        await host.pay(asked, { paymentId: NAME });
        const response = await host.pay(asked, more(asked, other));
        expect(await outcome(response)).toEqual([status, error]);
        expect(new Set(host.script.settled).size).toBe(1);
      }
    },
  );

  it.each<readonly [string, (asked: Challenge) => PayOptions]>([
    ['its session in the header', () => ({})],
    ['its session in its terms', (asked) => echoing(asked, asked.sessionId)],
    [
      'its session in both',
      (asked) => ({ ...echoing(asked, asked.sessionId), sessionId: asked.sessionId }),
    ],
    [
      'its session in its terms, and in the header an id of its own',
      (asked) => ({ ...echoing(asked, asked.sessionId), sessionId: UNKNOWN_SESSION }),
    ],
    ['its name alone', () => ({ sessionId: null, paymentId: NAME })],
    ['its session and its name', () => ({ paymentId: NAME })],
  ])('is answered with its receipt to whoever shows %s', async (_what, more) => {
    const host = await checkoutHost();
    const asked = await host.challenge();
    const first = await outcome(await host.pay(asked, { paymentId: NAME }));
    host.clock.advance(3_600_000);
    const restarted = await checkoutHost({}, host);
    expect(await outcome(await restarted.pay(asked, more(asked)))).toEqual(first);
    expect(host.script.settled).toHaveLength(1);
  });
});

describe('a name of an order', () => {
  it.each([
    [7],
    [''],
    ['short'],
    ['x'.repeat(129)],
    ['with a space in it'],
    ['größer-als-sechzehn'],
  ])('is refused when it is %j', async (id) => {
    const host = await checkoutHost();
    const asked = await host.challenge();
    const payload = { ...paymentFor(asked), extensions: identified(id) };
    expect(await outcome(await host.pay(asked, { payload }))).toEqual([400, 'payment_malformed']);
    expect(host.script.settled).toEqual([]);
  });

  it('may be left out of an extension that is only echoed', async () => {
    const host = await checkoutHost();
    const asked = await host.challenge();
    const payload = { ...paymentFor(asked), extensions: identified(undefined) };
    expect((await host.pay(asked, { payload })).status).toBe(200);
  });

  it('opens no session by itself: a first payment names its own', async () => {
    const host = await checkoutHost();
    const asked = await host.challenge();
    const response = await host.pay(asked, { sessionId: null, paymentId: NAME });
    expect(await outcome(response)).toEqual([400, 'session_required']);
    expect(host.script.settled).toEqual([]);
  });

  it('gives the first order for a second session and payment, and settles the first alone', async () => {
    const host = await checkoutHost();
    const [one, two] = [await host.challenge(), await host.challenge()];
    const first = await host.pay(one, { paymentId: NAME });
    const { transaction } = paymentResponse(first);
    const order = await outcome(first);
    for (const asked of [two, await host.challenge()]) {
      const response = await host.pay(asked, { paymentId: NAME, isStandard: true });
      expect(paymentResponse(response)).toMatchObject({ success: true, transaction });
      expect(await outcome(response)).toEqual(order);
    }
    expect(host.script.settled).toHaveLength(1);
  });

  it('makes one order of payments that race for it, whichever process takes them', async () => {
    const host = await checkoutHost();
    const other = await checkoutHost({}, host);
    const sessions = await Promise.all(Array.from({ length: 8 }, () => host.challenge()));
    const answers = await Promise.all(
      sessions.map((asked, index) => (index % 2 ? host : other).pay(asked, { paymentId: NAME })),
    );
    const outcomes = await Promise.all(answers.map(outcome));
    expect(new Set(outcomes.map(String)).size).toBe(1);
    expect(outcomes[0]?.[0]).toBe(200);
    expect(new Set(host.script.settled).size).toBe(1);
  });

  it('is refused to another order, before and after that one has a payment of its own', async () => {
    const host = await checkoutHost();
    const [one, two] = [await host.challenge(), await host.challenge(OTHER_ORDER)];
    await host.pay(one, { paymentId: NAME });
    const refused = [409, 'payment_identifier_mismatch'];
    expect(await outcome(await host.pay(two, { paymentId: NAME }))).toEqual(refused);
    expect((await host.pay(two, { paymentId: OTHER_NAME })).status).toBe(200);
    expect(await outcome(await host.pay(two, { paymentId: NAME }))).toEqual(refused);
  });

  it('is refused to a payment of the same goods that has an order of its own', async () => {
    const host = await checkoutHost();
    const [one, two] = [await host.challenge(), await host.challenge()];
    await host.pay(one, { paymentId: NAME });
    await host.pay(two);
    for (const sessionId of [null, two.sessionId]) {
      const response = await host.pay(two, { paymentId: NAME, sessionId });
      expect(await outcome(response)).toEqual([409, 'payment_identifier_mismatch']);
    }
  });

  it('is free for the next payment when the first one failed for good', async () => {
    const host = await checkoutHost();
    const [one, two] = [await host.challenge(), await host.challenge()];
    host.script.settle = fail('settlement_pending', 'tx-sent');
    const failed = await outcome(await host.pay(one, { paymentId: NAME }));
    // Still undecided: the second payment is not taken.
    expect(await outcome(await host.pay(two, { paymentId: NAME }))).toEqual(failed);
    const decisions = [fail('transaction_failed'), succeed];
    host.script.settle = (payload) => (decisions.shift() ?? succeed)(payload);
    const [status, orderId] = await outcome(await host.pay(two, { paymentId: NAME }));
    expect([status, orderId]).toEqual([200, expect.stringMatching(/^cr_/)]);
    expect(orderId).not.toBe(failed[1]);
    const again = { sessionId: null, paymentId: NAME };
    expect(await outcome(await host.pay(two, again))).toEqual([200, orderId]);
    expect(await outcome(await host.pay(one))).toEqual([402, 'settlement_failed']);
    // The same buyer, whose other machine paid.
    expect(await outcome(await host.pay(one, { paymentId: NAME }))).toEqual([200, orderId]);
  });

  it('is taken on by an order that was paid without one, once the session is shown', async () => {
    const host = await checkoutHost();
    const asked = await host.challenge();
    const settled = await host.post('/settle', {
      x402Version: 2,
      paymentPayload: paymentFor(asked),
      paymentRequirements: asked.requirement,
    });
    expect(await bodyOf(settled)).toMatchObject({ success: true });
    const order = await outcome(await host.pay(asked, { paymentId: NAME }));
    expect(order).toEqual([200, expect.stringMatching(/^cr_/)]);
    const later = await host.pay(await host.challenge(), { paymentId: NAME });
    expect(await outcome(later)).toEqual(order);
    expect(await outcome(await host.pay(asked, { paymentId: OTHER_NAME }))).toEqual([
      409,
      'payment_identifier_mismatch',
    ]);
    expect(host.script.settled).toHaveLength(1);
  });

  it('is told to no facilitator, nor is the session', async () => {
    const host = await checkoutHost();
    const asked = await host.challenge();
    const seen: string[] = [];
    const facilitator = {
      ...host.facilitator,
      verify: async (...call: unknown[]) => {
        seen.push(JSON.stringify(call));
        return { isValid: true };
      },
      settle: async (...call: Parameters<typeof host.facilitator.settle>) => {
        seen.push(JSON.stringify(call));
        return host.facilitator.settle(...call);
      },
    };
    const served = await checkoutHost({ facilitator }, host);
    await served.pay(asked, { isStandard: true, paymentId: NAME });
    expect(seen).toHaveLength(2);
    for (const call of seen) {
      expect(call).toContain('"accepted"');
      expect(call).not.toContain(NAME);
      expect(call).not.toContain(asked.sessionId);
    }
  });
});

describe('guesses', () => {
  const addressOf = (index: number) => `198.51.100.${index}`;

  async function paid(host: Host): Promise<Challenge> {
    const asked = await host.challenge();
    expect((await host.pay(asked, { paymentId: NAME })).status).toBe(200);
    return asked;
  }

  const guess = (host: Host, asked: Challenge, more: PayOptions): Promise<Response> =>
    host.pay(asked, { ...echoing(asked), ...more });

  it('at one payment are limited, from however many addresses, and its buyer is served', async () => {
    const host = await checkoutHost();
    const asked = await paid(host);
    const statuses: number[] = [];
    for (let index = 0; index < 40; index += 1) {
      const response = await guess(host, asked, { address: addressOf(index) });
      statuses.push(response.status);
      if (response.status === 429) {
        expect(await bodyOf(response)).toMatchObject({ error: 'rate_limited' });
        expect(Number(response.headers.get('Retry-After'))).toBeGreaterThan(0);
      }
    }
    expect(statuses).toEqual([...Array(10).fill(400), ...Array(30).fill(429)]);
    for (const address of [addressOf(0), addressOf(99)]) {
      expect((await host.pay(asked, { address })).status).toBe(200);
      const named = { address, sessionId: null, paymentId: NAME };
      expect((await host.pay(asked, named)).status).toBe(200);
    }
    host.clock.advance(60_000);
    expect((await guess(host, asked, {})).status).toBe(400);
  });

  it('of one address are limited over all payments, and the session is served there too', async () => {
    const host = await checkoutHost();
    const asked = await paid(host);
    const address = addressOf(1);
    const statuses: number[] = [];
    for (let nonce = 1; nonce <= 60; nonce += 1) {
      const payload = paymentFor(asked, { nonce, paymentId: OTHER_NAME });
      const response = await host.pay(asked, { payload, sessionId: null, address });
      statuses.push(response.status);
    }
    expect(statuses).toEqual([...Array(30).fill(400), ...Array(30).fill(429)]);
    expect((await host.pay(asked, { address })).status).toBe(200);
    // A name that was guessed at last would be no better: whoever guesses has used up the answers.
    const named = { sessionId: null, paymentId: NAME };
    expect((await host.pay(asked, { ...named, address })).status).toBe(429);
    expect((await host.pay(asked, { ...named, address: addressOf(2) })).status).toBe(200);
  });

  it('under a session of one’s own, with payments that nobody takes, are limited as well', async () => {
    const host = await checkoutHost();
    const asked = await paid(host);
    const own = await host.challenge();
    host.script.verify = () => ({ isValid: false, invalidReason: 'x' });
    const address = addressOf(1);
    const statuses: number[] = [];
    for (let nonce = 1; nonce <= 40; nonce += 1) {
      const paymentId = `${OTHER_NAME}_${nonce}`;
      statuses.push((await host.pay(own, { nonce, paymentId, address })).status);
    }
    expect(statuses).toEqual([...Array(30).fill(402), ...Array(10).fill(429)]);
    expect((await host.pay(own, { paymentId: NAME, address })).status).toBe(429);
    expect((await host.pay(asked, { address })).status).toBe(200);
  });

  it('are not counted of payments that are taken, or sent again by their buyer', async () => {
    const host = await checkoutHost();
    for (let count = 0; count < 50; count += 1) {
      const address = addressOf(1);
      const asked = await host.challenge();
      const paymentId = `${NAME}_${count}`;
      expect((await host.pay(asked, { paymentId, address })).status).toBe(200);
      expect((await host.pay(asked, { paymentId, address })).status).toBe(200);
    }
  });

  it('tell nothing of which transactions are known', async () => {
    const host = await checkoutHost();
    const asked = await paid(host);
    const told = async (challenge: Challenge) => {
      const header = encodeHeader({
        ...paymentFor(challenge),
        accepted: { scheme: 'exact', network: challenge.requirement.network },
      });
      const response = await host.post('/v1/orders', ORDER, { [PAYMENT_SIGNATURE_HEADER]: header });
      return [response.status, await response.text()];
    };
    expect(await told(asked)).toEqual(await told(await host.challenge()));
  });
});
