/** Whose turn it is to pay an order, as machines ask for it over HTTP. */
import { afterAll, describe, expect, it } from 'vitest';
import { LEASE_MS } from '../../../src/service/partner/orders/order-routes.ts';
import { jsonOf, partnerSandbox } from '../../support/partner-sandbox.ts';

const host = await partnerSandbox();
afterAll(() => host.close());

const ONE = 'holder-one-0123456789';
const OTHER = 'holder-other-0123456789';

async function turns() {
  const { order_id } = await host.create();
  return async (holder: string) =>
    jsonOf(await host.post(`/v5/orders/${order_id}/payment_lease`, { holder }));
}

describe('the turn to pay an order', () => {
  it('is of whoever asks first, for a minute, and renewed by asking again', async () => {
    const ask = await turns();
    const held = { is_held: true, seconds: 60, passed_on: 0 };
    expect(await ask(ONE)).toEqual(held);
    host.clock.advance(20_000);
    expect(await ask(OTHER)).toEqual({ is_held: false, seconds: 40, passed_on: 0 });
    expect(await ask(ONE)).toEqual(held);
    host.clock.advance(LEASE_MS - 1);
    expect(await ask(OTHER)).toEqual({ is_held: false, seconds: 1, passed_on: 0 });
  });

  it('goes to another when it is over, who is told so', async () => {
    const ask = await turns();
    await ask(ONE);
    host.clock.advance(LEASE_MS);
    expect(await ask(OTHER)).toEqual({ is_held: true, seconds: 60, passed_on: 1 });
    expect(await ask(ONE)).toMatchObject({ is_held: false });
    host.clock.advance(LEASE_MS);
    expect(await ask(ONE)).toMatchObject({ is_held: true, passed_on: 2 });
  });

  it('outlives a restart', async () => {
    const ask = await turns();
    await ask(ONE);
    await host.restart();
    expect(await ask(OTHER)).toMatchObject({ is_held: false });
  });

  it('is handed out once, whoever asks at the same time', async () => {
    const ask = await turns();
    const holders = Array.from({ length: 20 }, (_, index) => `${ONE}-${index}`);
    const leases = await Promise.all(holders.map((holder) => ask(holder)));
    expect(leases.filter((lease) => (lease as { is_held: boolean }).is_held)).toHaveLength(1);
  });

  it('is of an order that the application made', async () => {
    const { order_id } = await host.create();
    const path = `/v5/orders/${order_id}/payment_lease`;
    const stranger = await host.post(path, { holder: ONE }, { 'X-Cr-Application': 'another' });
    expect(stranger.status).toBe(404);
    expect((await host.post(path, { holder: 'short' })).status).toBe(400);
  });
});
