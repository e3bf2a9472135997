/** What is on record of a payment, and of its order, once the facilitator has said what became of it. */
import { describe, expect, it } from 'vitest';
import type { SettleResponse } from '../../src/contract/x402.ts';
import {
  away,
  checkoutHost,
  fail,
  type Host,
  ORDER,
  PAYER,
  paymentResponse,
  succeed,
} from '../support/checkout-host.ts';

async function paid(answer: Host['script']['settle'], host?: Host) {
  const made = host ?? (await checkoutHost());
  made.script.settle = answer;
  const challenge = await made.challenge();
  const response = await made.pay(challenge);
  const { settlements, orders, deliveries } = made.store.tables;
  const settlement = await settlements.bySession(challenge.sessionId);
  const orderId = settlement?.orderId ?? '';
  return {
    ...{ host: made, challenge, response, settlement, orderId },
    order: await orders.byId(orderId),
    lines: await deliveries.ofOrder(orderId),
  };
}

const without = (answer: SettleResponse): SettleResponse => {
  const { errorReason: _reason, ...rest } = answer;
  return rest as SettleResponse;
};

describe('a payment that the facilitator', () => {
  it('settled is on record with its transaction and time, and its lines are due', async () => {
    const { host, settlement, order, lines } = await paid(succeed);
    expect(settlement).toMatchObject({
      ...{ state: 'settled', reason: null, payer: PAYER, settledAtMs: host.clock.now() },
      transaction: `tx-${settlement?.messageHash.slice(0, 8)}`,
    });
    expect(order).toMatchObject({ status: 'processing' });
    expect(lines).toMatchObject([{ state: 'pending', attempts: 0, failureReason: null }]);
  });

  it('settled is settled, whatever reason it gives besides', async () => {
    const { settlement } = await paid((payload) => ({
      ...succeed(payload),
      errorReason: 'settlement_pending',
    }));
    expect(settlement).toMatchObject({ state: 'settled', reason: null });
  });

  it.each<[string, Host['script']['settle'], string | null, string, string, string]>([
    ['refused', fail('invalid_payload'), null, 'invalid_payload', 'failed', 'The payment failed.'],
    ['saw fail', fail('broken', 'tx-9'), 'tx-9', 'broken', 'failed', 'The payment failed.'],
    [
      'says no more of',
      () => without(fail('')()),
      null,
      'unknown',
      'failed',
      'The payment failed.',
    ],
    [
      'saw expire',
      fail('transaction_expired'),
      null,
      'transaction_expired',
      'expired',
      'The payment was not made in time.',
    ],
    [
      'names by a reason that begins as one that expired',
      fail('_expired_somehow'),
      null,
      '_expired_somehow',
      'failed',
      'The payment failed.',
    ],
  ])('%s ends its order', async (_what, answer, transaction, reason, status, failureReason) => {
    const { settlement, order, lines, host, orderId } = await paid(answer);
    const failed = { state: 'failed', settledAtMs: null };
    expect(settlement).toMatchObject({ ...failed, transaction, reason });
    expect(order).toMatchObject({ status });
    expect(lines).toMatchObject([{ state: 'failed', attempts: 1, failureReason }]);
    expect(await host.store.tables.refunds.ofOrder(orderId)).toEqual([]);
    await host.service.tick();
    expect(host.script.references).toEqual([]);
  });

  it.each<[string, Host['script']['settle'], number]>([
    ['has under way', fail('settlement_pending', 'tx-9'), 0],
    ['has from another request', fail('duplicate_settlement'), 0],
    ['does not answer for', away, 1],
  ])('%s stays open, and is asked about again', async (_what, answer, faults) => {
    const { settlement, lines, order, host, challenge } = await paid(answer);
    expect(settlement).toMatchObject({ state: 'submitting', transaction: null, settledAtMs: null });
    expect(order).toMatchObject({ status: 'processing' });
    expect(lines).toMatchObject([{ state: 'waiting' }]);
    expect(host.faults).toHaveLength(faults);
    host.script.settle = succeed;
    host.clock.advance(500);
    await host.service.tick();
    const { settlements } = host.store.tables;
    expect(await settlements.bySession(challenge.sessionId)).toMatchObject({ state: 'settled' });
  });
});

it('the first of two outcomes counts, and both are told it', async () => {
  const host = await checkoutHost();
  const other = await checkoutHost({}, host);
  const challenge = await host.challenge();
  let decided: Promise<Response> | undefined;
  host.script.settle = async (payload) => {
    if (decided !== undefined) return fail('broken')();
    decided = other.pay(challenge);
    await decided;
    return succeed(payload);
  };
  const late = await host.pay(challenge);
  const first = await decided;
  if (first === undefined) throw new Error('the other server was not asked');
  expect([first.status, late.status]).toEqual([402, 402]);
  expect(paymentResponse(late)).toMatchObject({ success: false, errorReason: 'broken' });
  await host.service.tick();
  expect(host.script.references).toEqual([]);
});

it('one that settled gives its place back to the address, and one that failed does not', async () => {
  const traffic = { rates: { challengesByAddress: { count: 2, windowMs: 60_000 } } };
  for (const [answer, statuses] of [
    [succeed, [402, 402, 429]],
    [fail('broken'), [402, 429, 429]],
  ] as const) {
    const host = await checkoutHost({ traffic });
    host.script.settle = answer;
    const ask = () => host.post('/v1/orders', ORDER, {}, { address: '192.0.2.1' });
    const asked = await ask();
    const { accepts } = (await asked.clone().json()) as { accepts: [never] };
    const sessionId = asked.headers.get('X-Session-Id') ?? '';
    await host.pay({ body: ORDER, sessionId, requirement: accepts[0] }, { address: '192.0.2.1' });
    expect([(await ask()).status, (await ask()).status, (await ask()).status]).toEqual(statuses);
  }
});
