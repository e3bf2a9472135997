/** A refund that waits for an address: the buyer names it, with the key of the order, over HTTP or on the page. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { WireRefunds } from '../../../src/contract/order-refunds.ts';
import type { WirePartnerOrder } from '../../../src/contract/partner-orders.ts';
import { USDC_MINT } from '../../../src/contract/x402.ts';
import { associatedTokenAddress } from '../../../src/rails/solana/address.ts';
import { signerFromSeed } from '../../../src/rails/solana/ed25519.ts';
import { checkoutBuyer } from '../../support/checkout-buyer.ts';
import { ENGINES } from '../../support/engines.ts';
import {
  APPLICATION,
  BASE,
  BUYER_WALLET,
  HEADERS,
  jsonOf,
  type PartnerSandbox,
  partnerSandbox,
} from '../../support/partner-sandbox.ts';
import { STRANGER } from '../../support/solana-payment.ts';

const USDC = 1_000_000n;
const BUYER = BUYER_WALLET.address;

describe.each(ENGINES)('a shop on %s', (engine) => {
  let shop: PartnerSandbox;
  beforeAll(async () => {
    shop = await partnerSandbox({ engine });
  });
  afterAll(() => shop.close());
  /** Of the test's own order. */
  let key: string;
  let tests = 0;
  beforeEach(() => {
    tests += 1;
    key = `order-key-of-at-least-32-characters-${tests}`;
  });

  /** An order that got 5 USDC too late, and names no address for its refund. */
  async function late(own = key): Promise<WirePartnerOrder> {
    const order = await shop.create({}, own === '' ? {} : { 'Idempotency-Key': own });
    await shop.pass(16 * 60_000);
    await shop.pass(60_000);
    await shop.transfer(order.wallet_address ?? '', 5n * USDC);
    await shop.pass(60_000);
    await shop.pass(2_000);
    return order;
  }

  async function settle(): Promise<void> {
    // A refund that waits is looked at again after a minute.
    for (let step = 0; step < 12; step += 1) await shop.pass(step === 0 ? 60_000 : 3_000);
  }

  const refundsOf = async ({ order_id }: WirePartnerOrder): Promise<WireRefunds> =>
    jsonOf(await shop.get(`/v5/orders/${order_id}/refunds`));
  const name = ({ order_id }: WirePartnerOrder, address: string, order_key = key) =>
    shop.post(`/v5/orders/${order_id}/refund_address`, { order_key, address });
  const send = async (
    { order_id }: WirePartnerOrder,
    fields: Record<string, string>,
    headers: Record<string, string> = {},
    caller = {},
  ) =>
    shop.current().handle(
      new Request(`${BASE}${await shop.pagePath(order_id)}/refund?lang=en`, {
        method: 'POST',
        body: new URLSearchParams(fields),
        headers,
      }),
      caller,
    );
  const pageOf = async ({ order_id }: WirePartnerOrder, lang = 'en') =>
    (await shop.get(`${await shop.pagePath(order_id)}?lang=${lang}`)).text();

  describe('over HTTP', () => {
    it('it is sent to the address, once, and shown with its transaction', async () => {
      const order = await late();
      expect((await refundsOf(order)).refunds).toMatchObject([
        { amount: '5', coin: 'USDC', state: 'waiting', waits_for: 'address', recipient: null },
      ]);
      const named = await name(order, BUYER);
      expect([named.status, await named.json()]).toMatchObject([
        200,
        { refunds: [{ recipient: BUYER, state: 'waiting', waits_for: 'shop' }] },
      ]);
      expect((await name(order, BUYER)).status).toBe(200);
      await settle();
      const { refunds } = await refundsOf(order);
      expect(refunds).toMatchObject([{ state: 'sent', waits_for: null, recipient: BUYER }]);
      expect(await shop.read(order.order_id)).toMatchObject({ order_state: 'Refunded' });
      const [payout] = await shop.current().store.tables.payouts.ofOrder(order.order_id);
      expect(payout).toMatchObject({ attempts: 1, transaction: refunds[0]?.transaction });
      // What comes later goes to the same address.
      await shop.transfer(order.wallet_address ?? '', 2n * USDC);
      await shop.pass(60_000);
      await settle();
      expect((await refundsOf(order)).refunds).toMatchObject([
        { state: 'sent' },
        { state: 'sent', recipient: BUYER },
      ]);
    });

    it('another address is refused once there is one', async () => {
      const order = await late();
      await name(order, BUYER);
      const other = signerFromSeed(new Uint8Array(32).fill(22)).address;
      await shop.current().fund(other, { usdcAtomic: USDC, lamports: 0n });
      const again = await name(order, other);
      expect([again.status, await again.json()]).toMatchObject([
        409,
        { detail: 'REFUND_ADDRESS_KNOWN' },
      ]);
    });

    it.each([
      ['of an order without a key', () => '', () => key],
      ['that is too short to be a secret', () => 'short', () => 'short'],
      ['of another order', () => key, () => `${key}-2`],
      ['that is stored for it, prefix and all', () => key, () => `key:${key}`],
    ])('a key %s proves nothing', async (_name, own, given) => {
      const order = await late(own());
      const refused = await name(order, BUYER, given());
      expect([refused.status, await refused.json()]).toMatchObject([
        403,
        { detail: 'ORDER_KEY_WRONG' },
      ]);
      expect((await refundsOf(order)).refunds).toMatchObject([{ recipient: null }]);
    });

    it('the session token of a guided purchase is the key of its order', async () => {
      const order = await shop.create({}, { 'Idempotency-Key': key });
      const { partnerOrders } = shop.current().store.tables;
      const row = await partnerOrders.byId(order.order_id);
      if (row === undefined) throw new Error('no order');
      const { createHash } = await import('node:crypto');
      const idempotencyKey = `wizard:${createHash('sha256').update('token').digest('hex')}`;
      await partnerOrders.update(row, { ...row, idempotencyKey });
      expect((await name(order, BUYER, key)).status).toBe(403);
      expect((await name(order, BUYER, 'token')).status).toBe(200);
    });

    it.each([
      ['no address', () => 'nowhere'],
      ['the address that the order is paid to', (order: WirePartnerOrder) => order.wallet_address],
      ['a token account', () => associatedTokenAddress(BUYER, USDC_MINT)],
      ['a wallet without a USDC account', () => STRANGER.address],
    ])('%s is refused', async (_name, address) => {
      const order = await late();
      const refused = await name(order, address(order) ?? '');
      expect([refused.status, await refused.json()]).toMatchObject([
        400,
        { detail: 'INVALID_REQUEST' },
      ]);
      expect((await refundsOf(order)).refunds).toMatchObject([{ recipient: null }]);
    });

    it('another application sees no refunds, and names no address', async () => {
      const order = await late();
      const other = { 'X-Cr-Application': `${APPLICATION}-2` };
      const path = `/v5/orders/${order.order_id}`;
      const asked = await shop.get(`${path}/refunds`, other);
      const body = { order_key: key, address: BUYER };
      const named = await shop.post(`${path}/refund_address`, body, other);
      expect([asked.status, named.status]).toEqual([404, 404]);
    });

    it('the checkout host shows its refunds to who knows the order', async () => {
      const buyer = checkoutBuyer(shop);
      const orderId = await buyer.buy('friend@example.com', 'friend+failing@example.com');
      await settle();
      const reply = await shop.get(`/v1/orders/${orderId}/refunds`);
      expect(await reply.json()).toMatchObject({
        order_id: orderId,
        refunds: [{ state: 'sent', recipient: BUYER }],
      });
      expect((await shop.get(`/v1/orders/${orderId}x/refunds`)).status).toBe(404);
    });
  });

  describe('on the payment page', () => {
    it('the form names it, in two languages, and shows the page again', async () => {
      const order = await late();
      expect(await pageOf(order)).toContain('Name the address that the refund goes to.');
      expect(await pageOf(order, 'es')).toContain('Indique la dirección');
      const sent = await send(order, { address: ` ${BUYER} `, order_key: key });
      expect([sent.status, sent.headers.get('Location')]).toEqual([
        303,
        `${await shop.pagePath(order.order_id)}?lang=en`,
      ]);
      const page = await pageOf(order);
      expect(page).not.toContain('<form');
      expect(page).toContain(`${BUYER}, not sent yet`);
    });

    it('follows a refund that is under way until it is sent, or refused', async () => {
      const isFollowed = (page: string) => page.includes('http-equiv="refresh"');
      const order = await late();
      expect(isFollowed(await pageOf(order))).toBe(false);
      await name(order, BUYER);
      const before = await pageOf(order);
      expect(isFollowed(before)).toBe(true);
      expect(before).not.toContain('data-over');
      await settle();
      const [sent] = (await refundsOf(order)).refunds;
      const after = await pageOf(order);
      expect(isFollowed(after)).toBe(false);
      expect(after).toContain(`${BUYER}, sent in transaction <code title="${sent?.transaction}"`);
      const versions = [before, after].map((page) => /data-version="([^"]+)"/.exec(page)?.[1]);
      expect(new Set(versions).size).toBe(2);
    });

    it.each([
      ['no account for its coin', { waitsFor: 'account' }, 'has to receive the coin once', true],
      ['a refusal of the shop', { state: 'refused', nextAtMs: null }, 'ask the shop', false],
    ] as const)('tells of %s', async (_what, change, said, isFollowed) => {
      const order = await late();
      await name(order, BUYER);
      await shop.current().store.write(async ({ payouts }) => {
        const [payout] = await payouts.ofOrder(order.order_id);
        if (payout) await payouts.update(payout, { ...change, nextAtMs: null });
      });
      const page = await pageOf(order);
      expect(page).toContain(said);
      expect(page.includes('data-over')).toBe(!isFollowed);
    });

    it('a refusal keeps the address, never the key', async () => {
      const order = await late();
      const refused = await send(order, { address: '"><b>', order_key: `${key}-2` });
      const page = await refused.text();
      expect(refused.status).toBe(403);
      expect(refused.headers.get('Cache-Control')).toBe('no-store');
      expect(page).toContain('This is not the key of the order.');
      expect(page).toContain('value="&quot;&gt;&lt;b&gt;"');
      expect(page).not.toContain(`${key}-2`);
    });

    it('has no form where nothing waits, or where the order has no key', async () => {
      expect(await pageOf(await late(''))).toContain('Give the shop an address for the refund.');
      expect(await pageOf(await late(''))).not.toContain('<form');
      expect(await pageOf(await shop.create({}, { 'Idempotency-Key': `${key}-3` }))).not.toContain(
        '<form',
      );
    });

    it('a page of another site cannot send it, and an address may try ten times a minute', async () => {
      const strict = await partnerSandbox({ traffic: {}, engine });
      const order = await strict.create({}, { 'Idempotency-Key': key });
      const path = `${await strict.pagePath(order.order_id)}/refund`;
      const post = (headers: Record<string, string>, address: string) =>
        strict.current().handle(
          new Request(BASE + path, {
            method: 'POST',
            body: new URLSearchParams({ address: BUYER, order_key: 'guess' }),
            headers: { ...HEADERS, ...headers },
          }),
          { address },
        );
      expect((await post({ Origin: 'https://evil.example' }, '203.0.113.1')).status).toBe(403);
      for (let tried = 0; tried < 9; tried += 1) await post({}, '203.0.113.1');
      expect((await post({}, '203.0.113.1')).status).toBe(429);
      expect((await post({}, '203.0.113.2')).status).toBe(403);
      await strict.close();
    });
  });
});
