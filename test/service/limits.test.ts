import { afterEach, describe, expect, it } from 'vitest';
import { createRateGate } from '../../src/service/http/rate-limits.ts';
import { orderBody, type PartnerSandbox, partnerSandbox } from '../support/partner-sandbox.ts';

const open: PartnerSandbox[] = [];
afterEach(async () => {
  for (const sandbox of open.splice(0)) await sandbox.close();
});

async function strict(traffic = {}): Promise<PartnerSandbox> {
  const sandbox = await partnerSandbox({ traffic });
  open.push(sandbox);
  return sandbox;
}

/** Lets orders lapse, one by one, as slowly as the limits ask for. */
async function lapse(sandbox: PartnerSandbox, count: number): Promise<void> {
  for (let made = 0; made < count; made += 1) {
    await sandbox.create();
    await sandbox.pass(61_000);
  }
  for (let step = 0; step < 6; step += 1) await sandbox.pass(10 * 60_000);
}

describe('the rate gate', () => {
  it('says how many are left, and when there is one again', () => {
    let nowMs = 0;
    const rates = { ordersByPartner: { count: 2, windowMs: 60_000 } };
    const gate = createRateGate({ now: () => nowMs }, { rates });
    expect(gate.take('ordersByPartner', 'a').headers).toEqual({
      'RateLimit-Policy': '"ordersByPartner";q=2;w=60',
      RateLimit: '"ordersByPartner";r=1;t=30',
    });
    gate.take('ordersByPartner', 'a');
    const { refusal } = gate.take('ordersByPartner', 'a');
    expect(refusal).toMatchObject({ status: 429, headers: { 'Retry-After': '30' } });
    expect(gate.take('ordersByPartner', 'b').refusal).toBeUndefined();
    nowMs = 30_000;
    expect(gate.take('ordersByPartner', 'a').refusal).toBeUndefined();
  });
});

describe('the share of unpaid orders', () => {
  it('is warned of, throttles, and suspends; what was asked for before goes on', async () => {
    const sandbox = await strict();
    const first = await sandbox.create();
    await lapse(sandbox, 5);
    const warned = await sandbox.post('/v5/orders', orderBody());
    expect(warned.status).toBe(200);
    expect(warned.headers.get('x-scrip-unpaid-orders')).toMatch(/^state=warned/);
    await lapse(sandbox, 4);
    expect((await sandbox.post('/v5/orders', orderBody())).status).toBe(200);
    const second = await sandbox.post('/v5/orders', orderBody());
    expect(second.status).toBe(429);
    expect(await second.json()).toMatchObject({ detail: 'PARTNER_THROTTLED' });
    await sandbox.pass(61_000);
    await lapse(sandbox, 8);
    const suspended = await sandbox.post('/v5/orders', orderBody());
    expect(suspended.status).toBe(403);
    expect(Number(suspended.headers.get('retry-after'))).toBeGreaterThan(0);
    await sandbox.restart();
    const still = await sandbox.post('/v5/orders', orderBody());
    expect(await still.json()).toMatchObject({ detail: 'PARTNER_SUSPENDED' });
    expect((await sandbox.read(first.order_id)).order_state).toBe('Expired');
    const other = { 'X-Cr-Application': 'shop-2' };
    expect((await sandbox.post('/v5/orders', orderBody(), other)).status).toBe(200);
  });
});

describe('users whom a partner names', () => {
  const LIMITS = {
    rates: {
      ordersByPartner: { count: 4, windowMs: 60_000 },
      ordersByUser: { count: 2, windowMs: 60_000 },
    },
  };
  const named = (address: string) => ({ 'X-Forwarded-For': address });

  it('are each held to a share of the partner’s limit, which no claim makes larger', async () => {
    const sandbox = await strict(LIMITS);
    const order = async (headers: Record<string, string>) =>
      (await sandbox.post('/v5/orders', orderBody(), headers)).status;
    const one = [named('192.0.2.1'), named('192.0.2.1'), named('192.0.2.1')];
    expect([
      await order(one[0] ?? {}),
      await order(one[1] ?? {}),
      await order(one[2] ?? {}),
    ]).toEqual([200, 200, 429]);
    expect(await order(named('[192.0.2.1]:80, 198.51.100.1'))).toBe(429);
    expect([await order(named('192.0.2.2')), await order({})]).toEqual([200, 200]);
    // The partner's own limit is spent, whomever it names.
    const claims = Array.from({ length: 20 }, (_, last) => named(`198.51.100.${last}`));
    for (const claim of claims) expect(await order(claim)).toBe(429);
  });

  it('of another partner are others', async () => {
    const sandbox = await strict(LIMITS);
    const of = (application: string) => ({
      ...named('192.0.2.1'),
      'X-Cr-Application': application,
    });
    for (const application of ['shop-1', 'shop-1', 'shop-2', 'shop-2']) {
      expect((await sandbox.post('/v5/orders', orderBody(), of(application))).status).toBe(200);
    }
  });
});

describe('callers', () => {
  it('that guess at orders are held back, whoever knows one is not', async () => {
    const sandbox = await strict({
      rates: { unknownOrdersByAddress: { count: 2, windowMs: 60_000 } },
    });
    const { order_id } = await sandbox.create();
    const read = async (id: string) => {
      const headers = { 'X-Cr-Application': 'shop-1' };
      const request = new Request(`http://sandbox.invalid/v5/orders/${id}`, { headers });
      return (await sandbox.current().handle(request, { address: '192.0.2.7' })).status;
    };
    const guess = (last: number) => `00000000-0000-4000-8000-00000000000${last}`;
    const guesses = [await read(guess(1)), await read(guess(2)), await read(guess(3))];
    expect(guesses).toEqual([404, 404, 429]);
    expect(await read(order_id)).toBe(200);
  });

  it.each([
    ['X-Cr-Application', ''],
    ['X-Cr-Application', 'x'.repeat(129)],
    ['X-Country-ISO-Code', 'USA'],
  ])('with a %s of "%s" are told so', async (name, value) => {
    const sandbox = await strict();
    const response = await sandbox.get('/v3/currencies', { [name]: value });
    expect(response.status).toBe(400);
  });
});
