/** Partners that have a secret: every endpoint of the partner API demands it of them, and of no other. */

import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { purchaseElicitation } from '../../../src/contract/agent.ts';
import { topLevelError } from '../../../src/contract/partner-orders.ts';
import type { PartnerAdmin } from '../../../src/domain/operator/operator.ts';
import { createPartnerAdmin } from '../../../src/service/operator/partner-admin.ts';
import {
  as,
  BASE,
  orderBody,
  type PartnerSandbox,
  partnerSandbox,
} from '../../support/partner-sandbox.ts';
import { random } from '../../support/random.ts';

const SECOND_MS = 1_000;
const NOBODY_ELSE = { networks: [], ordersPerMinute: null };

const host = await partnerSandbox({ traffic: { isRatioEnforced: false } });
const closed = await partnerSandbox({ partner: { arePartnersOpen: false } });
afterAll(async () => {
  await host.close();
  await closed.close();
});

const adminOf = ({ current, clock }: PartnerSandbox): PartnerAdmin =>
  createPartnerAdmin({
    store: current().store,
    clock,
    random,
    webhookKeys: { ofApplication: (id) => current().webhookSecret(id) },
  });
const admin = adminOf(host);

/** What the operator did is known after a second. */
const known = () => host.clock.advance(SECOND_MS);

let count = 0;
let partner: string;
let secret: string;
beforeEach(async () => {
  count += 1;
  partner = `acme-${count}`;
  ({ secret } = await admin.add(partner, NOBODY_ELSE));
});

/** Every path of the partner API that is served, from the service itself. */
const isPartners = (route: string) => /^\w+ \/v[2-5]\//.test(route);
const ROUTES = host.current().routes.filter(isPartners);

function send(route: string, headers: Record<string, string>, at = host): Promise<Response> {
  const [method, path = ''] = route.replace(/:\w+/g, 'x').split(' ');
  return method === 'GET' ? at.get(path, headers) : at.post(path, {}, headers);
}

const UNAUTHORIZED = { status: 401, detail: 'PARTNER_UNAUTHORIZED' };

async function expectRefused(response: Response): Promise<void> {
  const body: unknown = await response.json();
  expect(body).toMatchObject(UNAUTHORIZED);
  expect(topLevelError().parse(body)).toMatchObject(UNAUTHORIZED);
  expect(response.status).toBe(401);
  expect(response.headers.get('WWW-Authenticate')).toBe('Bearer');
  expect(response.headers.get('Cache-Control')).toBe('no-store');
}

describe.each(ROUTES)('%s', (route) => {
  it('takes both secrets while they overlap, then the new one alone', async () => {
    const { secret: next } = await admin.rotate(partner, 60 * SECOND_MS);
    expect((await send(route, as(partner, secret))).status).not.toBe(401);
    expect((await send(route, as(partner, next))).status).not.toBe(401);
    host.clock.advance(60 * SECOND_MS);
    await expectRefused(await send(route, as(partner, secret)));
    expect((await send(route, as(partner, next))).status).not.toBe(401);
  });

  it('takes no secret any more within a second after it was ended', async () => {
    expect((await send(route, as(partner, secret))).status).not.toBe(401);
    const { secret: next } = await admin.rotate(partner, 0);
    known();
    await expectRefused(await send(route, as(partner, secret)));
    await admin.revoke(partner);
    known();
    await expectRefused(await send(route, as(partner, next)));
    await expectRefused(await send(route, as(partner)));
  });

  it('serves an id without a secret only where the shop is open', async () => {
    expect((await send(route, as('stranger'))).status).not.toBe(401);
    await expectRefused(await send(route, as('stranger'), closed));
  });
});

describe('a partner with a secret', () => {
  it('gets nothing more from a stream that was open when its secret ended', async () => {
    const order = await host.create({}, as(partner, secret));
    const opened = await host.current().follow(
      `/v5/orders/${order.order_id}/subscribe`,
      () => new Headers(as(partner, secret)),
      () => '',
    );
    if (opened === undefined || opened instanceof Response) throw new Error('no stream');
    const said: string[] = [];
    opened.attach({
      write: (text) => said.push(text) > 0,
      end: () => said.push('end'),
      cut: () => said.push('cut'),
    });
    await vi.waitFor(() => expect(said.join('')).toContain('WaitingForPayment'));
    await admin.revoke(partner);
    known();
    const before = said.length;
    await host.transfer(order.wallet_address ?? '', 25_250_000n);
    await host.pass(30 * SECOND_MS);
    await vi.waitFor(() => expect(said.slice(before)).toEqual(['end']));
  });

  it('calls from its networks alone', async () => {
    const networks = ['203.0.113.0/24', '2001:db8:1::/48'];
    const rules = { networks, ordersPerMinute: null };
    const { secret: own } = await admin.add(`near-${partner}`, rules);
    const from = (address?: string) =>
      host.post('/v5/orders/validations', orderBody(), as(`near-${partner}`, own), { address });
    expect((await from('203.0.113.9')).status).toBe(200);
    expect((await from('2001:db8:1:2::/64')).status).toBe(200);
    for (const address of ['203.0.114.9', '2001:db8:2:2::/64', '', undefined]) {
      const refused = await from(address);
      expect(refused.status).toBe(403);
      expect(await refused.json()).toMatchObject({ detail: 'PARTNER_NETWORK_REFUSED' });
    }
    const unnamed = await host.get('/v3/currencies', as(`near-${partner}`));
    expect(unnamed.status).toBe(401);
  });

  it('keeps its secret where its networks and its limit are changed', async () => {
    const from = async (address: string) => {
      const headers = as(partner, secret);
      return (await host.post('/v5/orders/validations', orderBody(), headers, { address })).status;
    };
    expect(await from('203.0.113.9')).toBe(200);
    const changed = await admin.set(partner, { networks: ['198.51.100.0/24'] });
    expect(changed).toMatchObject({ networks: ['198.51.100.0/24'], orders_per_minute: null });
    known();
    expect([await from('203.0.113.9'), await from('198.51.100.7')]).toEqual([403, 200]);
    expect(await admin.set(partner, { ordersPerMinute: 7 })).toMatchObject({
      ...{ networks: ['198.51.100.0/24'], orders_per_minute: 7 },
    });
    await admin.set(partner, { networks: [], ordersPerMinute: null });
    known();
    expect(await from('203.0.113.9')).toBe(200);
    await admin.revoke(partner);
    await expect(admin.set(partner, { networks: [] })).rejects.toMatchObject({
      code: 'INPUT_INVALID',
    });
  });

  it('has a limit of its own, which others cannot use up in its name', async () => {
    const strict = await partnerSandbox({ traffic: { isRatioEnforced: false } });
    try {
      const { secret: own } = await adminOf(strict).add('slow', {
        networks: [],
        ordersPerMinute: 2,
      });
      for (let tried = 0; tried < 5; tried += 1) {
        await expectRefused(await strict.post('/v5/orders', orderBody(), as('slow')));
      }
      const made = await Promise.all(
        [1, 2, 3].map(() => strict.post('/v5/orders', orderBody(), as('slow', own))),
      );
      expect(made.map(({ status }) => status).toSorted()).toEqual([200, 200, 429]);
      expect(made[0]?.headers.get('RateLimit-Policy')).toBe('"ordersByPartner";q=2;w=60');
    } finally {
      await strict.close();
    }
  });

  it('authenticates the guided purchase', async () => {
    const ask = (headers: Record<string, string>, at = host) =>
      at.post(purchaseElicitation.path, {}, headers);
    expect((await ask(as(partner))).status).toBe(401);
    expect((await ask(as(partner, secret))).status).toBe(200);
    expect((await ask({ 'X-Cr-Application': '' }, closed)).status).toBe(401);
  });

  it('cannot be named by a page: browsers may not send the header', async () => {
    const preflight = new Request(`${BASE}/v5/orders`, {
      method: 'OPTIONS',
      headers: {
        Origin: 'https://page.example',
        'Access-Control-Request-Method': 'POST',
        'Access-Control-Request-Headers': 'authorization',
      },
    });
    const answer = await host.current().handle(preflight);
    expect(answer.headers.get('Access-Control-Allow-Headers')?.toLowerCase()).not.toContain(
      'authorization',
    );
  });
});

describe('the store', () => {
  it('has the hash of a secret, and the secret nowhere', async () => {
    const { secret: next } = await admin.rotate(partner, SECOND_MS);
    const rows = JSON.stringify(await host.current().store.tables.partners.all());
    for (const text of [secret, next]) expect(rows).not.toContain(text);
    expect(JSON.stringify(await admin.list())).not.toContain('scrip_partner_');
  });

  it('gives each secret 256 random bits', () => {
    expect(Buffer.from(secret.replace('scrip_partner_', ''), 'base64url')).toHaveLength(32);
  });

  it('refuses to add what has a secret, to rotate what is revoked or unknown', async () => {
    const refused = { code: 'INPUT_INVALID' };
    await expect(admin.add(partner, NOBODY_ELSE)).rejects.toMatchObject(refused);
    await expect(admin.rotate('nobody', 0)).rejects.toMatchObject(refused);
    await expect(admin.revoke('nobody')).rejects.toMatchObject(refused);
    await admin.revoke(partner);
    await expect(admin.rotate(partner, 0)).rejects.toMatchObject(refused);
    expect(await admin.add(partner, NOBODY_ELSE)).toMatchObject({ state: 'active' });
  });
});
