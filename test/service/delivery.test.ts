import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ScripError } from '../../src/domain/message/errors.ts';
import { t } from '../../src/domain/message/message.ts';
import { decodeLine } from '../../src/service/checkout/line.ts';
import { retryDelayMs } from '../../src/service/delivery/delivery.ts';
import {
  goodsIn,
  type Supplier,
  type SupplyOutcome,
  supplierFaultOf,
  type Voucher,
} from '../../src/service/delivery/supplier.ts';
import { createOrderDesk } from '../../src/service/operator/order-desk.ts';
import { STUCK_ATTEMPTS } from '../../src/service/partner/orders/progress.ts';
import { bodyOf, checkoutHost, type Host, ORDER, VOUCHER } from '../support/checkout-host.ts';
import { type EmptyStore, ENGINES, emptyStore } from '../support/engines.ts';
import { manualClock } from '../support/manual-clock.ts';
import { SOLD } from '../support/sold-line.ts';
import { deliveringShop, type Said } from '../support/supplier-suite.ts';

const TWO_LINES = { ...ORDER, items: [...ORDER.items, ...ORDER.items] };
const refused: SupplyOutcome = { outcome: 'refused', reason: 'no such account' };
const fulfilled: SupplyOutcome = { outcome: 'fulfilled', voucher: VOUCHER };

/** Answers of the supplier, one after the other; the last one stays. */
function answers(host: Host, list: readonly (SupplyOutcome | 'unknown')[]): void {
  let call = 0;
  host.script.fulfil = () => {
    const answer = list[Math.min(call, list.length - 1)];
    call += 1;
    if (answer && answer !== 'unknown') return answer;
    throw new ScripError('MERCHANT_ERROR', t`cut`);
  };
}

describe('a paid order', () => {
  it('is delivered by one tick and shows its codes', async () => {
    const host = await checkoutHost();
    const { order_id } = await host.buy();
    expect((await host.status(order_id)).status).toBe('processing');
    await host.service.tick();
    expect(await host.status(order_id)).toEqual({
      order_id,
      status: 'completed',
      deliveries: [
        expect.objectContaining({
          delivery_state: 'completed',
          voucher_code: 'TEST-1111-2222',
          pin_serial: '0001',
          redeem_instructions: 'Enter the code.',
          terms_and_conditions: 'None.',
          url: 'https://redeem.example/1',
          delivery_type: 'inline',
        }),
      ],
    });
  });

  it('is completed when one line was delivered, and says why the other was not', async () => {
    const host = await checkoutHost();
    answers(host, [fulfilled, refused]);
    const { order_id } = await host.buy(TWO_LINES);
    await host.service.tick();
    const { status, deliveries } = await host.status(order_id);
    expect(status).toBe('completed');
    expect(deliveries?.map(({ delivery_state }) => delivery_state).sort()).toEqual([
      'completed',
      'failed',
    ]);
    const failed = deliveries?.find(({ failure_reason }) => failure_reason);
    expect(failed?.failure_reason).toBe('no such account');
    // The price of the failed line, and of no other, is owed to the payer.
    const [line] = (await host.store.tables.deliveries.ofOrder(order_id)).filter(
      ({ state }) => state === 'failed',
    );
    const order = await host.store.tables.orders.byId(order_id);
    const settlement = await host.store.tables.settlements.bySession(order?.sessionId ?? '');
    expect(await host.store.tables.refunds.ofOrder(order_id)).toEqual([
      expect.objectContaining({
        ...{ refundId: `${order_id} line ${line?.line}`, kind: 'refund', coin: 'USDC' },
        amountAtomic: decodeLine(line?.goods ?? '').priceAtomic.toString(),
        recipient: settlement?.payer,
        reason: 'no such account',
      }),
    ]);
  });

  it('is failed when no line was delivered', async () => {
    const host = await checkoutHost();
    answers(host, [refused]);
    const { order_id } = await host.buy(TWO_LINES);
    await host.service.tick();
    expect((await host.status(order_id)).status).toBe('failed');
    const told = host.faults.map(String);
    expect(told).toHaveLength(2);
    expect(told[0]).toContain(`of order ${order_id}, which is paid: no such account`);
    expect(await host.store.tables.refunds.ofOrder(order_id)).toHaveLength(2);
  });

  it('owes nothing back while one of its lines is open', async () => {
    const host = await checkoutHost();
    answers(host, [refused, { outcome: 'pending', retryAfterMs: 5000 }, fulfilled]);
    const { order_id } = await host.buy(TWO_LINES);
    await host.service.tick();
    expect((await host.status(order_id)).status).toBe('processing');
    expect(await host.store.tables.refunds.ofOrder(order_id)).toEqual([]);
    host.clock.advance(5000);
    await host.service.tick();
    expect((await host.status(order_id)).status).toBe('completed');
    expect(await host.store.tables.refunds.ofOrder(order_id)).toHaveLength(1);
  });

  it('waits for a line that the supplier has not ready', async () => {
    const host = await checkoutHost();
    answers(host, [{ outcome: 'pending', retryAfterMs: 5000 }, fulfilled]);
    const { order_id } = await host.buy();
    await host.service.tick();
    host.clock.advance(4999);
    await host.service.tick();
    expect((await host.status(order_id)).status).toBe('processing');
    host.clock.advance(1);
    await host.service.tick();
    expect((await host.status(order_id)).status).toBe('completed');
    expect(host.script.references).toHaveLength(2);
  });

  it('asks with the same reference until an unknown outcome is known', async () => {
    const host = await checkoutHost();
    answers(host, ['unknown', 'unknown', 'unknown', fulfilled]);
    const { order_id } = await host.buy();
    for (const waitMs of [0, 500, 1000, 2000]) {
      host.clock.advance(waitMs);
      await host.service.tick();
    }
    expect((await host.status(order_id)).status).toBe('completed');
    expect(host.script.references).toHaveLength(4);
    expect(new Set(host.script.references).size).toBe(1);
    expect(host.faults).toHaveLength(3);
  });

  it('is held up by no other order', async () => {
    const host = await checkoutHost();
    const [stuck, fine] = [await host.buy(), await host.buy()];
    const stuckReference = stuck.deliveries?.[0]?.id;
    host.script.fulfil = (reference) => {
      if (reference === stuckReference) throw new ScripError('MERCHANT_ERROR', t`cut`);
      return fulfilled;
    };
    await host.service.tick();
    expect((await host.status(fine.order_id)).status).toBe('completed');
    expect((await host.status(stuck.order_id)).status).toBe('processing');
  });

  it('is bought once when many processes tick at once', async () => {
    const host = await checkoutHost();
    const others = await Promise.all([1, 2, 3].map(() => checkoutHost({}, host)));
    const { order_id } = await host.buy(TWO_LINES);
    await Promise.all([host, ...others].flatMap(({ service }) => [service.tick(), service.tick()]));
    expect((await host.status(order_id)).status).toBe('completed');
    expect(host.script.references).toHaveLength(2);
  });

  it('takes the answer of a supplier that is slower than the lease of the delivery', async () => {
    const outcomes: ((outcome: SupplyOutcome) => void)[] = [];
    const supplier: Supplier = {
      check: async () => 'available',
      fulfil: () => new Promise((resolve) => outcomes.push(resolve)),
    };
    const host = await checkoutHost({ supplier });
    const { order_id } = await host.buy();
    const asked = [host.service.tick()];
    await expect.poll(() => outcomes.length).toBe(1);
    host.clock.advance(9_999);
    await host.service.tick();
    expect(outcomes).toHaveLength(1);
    host.clock.advance(1);
    asked.push(host.service.tick());
    await expect.poll(() => outcomes.length).toBe(2);
    outcomes[0]?.(fulfilled);
    await asked[0];
    expect((await host.status(order_id)).status).toBe('completed');
    // The second answer is the same by the reference, and changes nothing.
    outcomes[1]?.({ outcome: 'pending', retryAfterMs: 5000 });
    await asked[1];
    expect((await host.status(order_id)).deliveries?.[0]?.voucher_code).toBe('TEST-1111-2222');
  });

  it('is asked about again after a process died with the answer', async () => {
    const host = await checkoutHost();
    answers(host, ['unknown', fulfilled]);
    const { order_id } = await host.buy();
    await host.service.tick();
    const restarted = await checkoutHost({}, host);
    await restarted.service.tick();
    expect((await host.status(order_id)).status).toBe('processing');
    host.clock.advance(500);
    await restarted.service.tick();
    expect((await host.status(order_id)).status).toBe('completed');
  });
});

describe('waits between attempts', () => {
  it('double from half a second to half a minute', () => {
    expect([1, 2, 3, 4, 5, 6, 7, 8, 1000].map(retryDelayMs)).toEqual([
      500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000,
    ]);
  });
});

describe('an order’s status', () => {
  it('is the same 404 for every unknown id', async () => {
    const host = await checkoutHost();
    const ids = ['cr_aaaaaaaaaaaaaaaaaaaaaaaaaa', 'x', '%2e%2e%2f'];
    const bodies = await Promise.all(
      ids.map(async (id) => {
        const response = await host.get(`/v1/orders/${id}`);
        return [response.status, await response.text()].join(' ');
      }),
    );
    expect(new Set(bodies).size).toBe(1);
    expect(bodies[0]).toMatch(/^404 .*order_not_found/);
  });

  it('is kept by no cache and carried on by no link', async () => {
    const host = await checkoutHost();
    const { order_id } = await host.buy();
    const { headers } = await host.get(`/v1/orders/${order_id}`);
    expect(headers.get('Cache-Control')).toBe('no-store');
    expect(headers.get('Referrer-Policy')).toBe('no-referrer');
  });

  it('holds the only copy of a code: at rest it is unreadable', async () => {
    const host = await checkoutHost();
    const { order_id } = await host.buy();
    await host.service.tick();
    const rows = await host.store.tables.deliveries.ofOrder(order_id);
    const bytes = rows[0]?.voucher ?? new Uint8Array();
    expect(bytes.length).toBeGreaterThan(0);
    expect(new TextDecoder().decode(bytes)).not.toContain('TEST');
    const stranger = await checkoutHost({ voucherKey: new Uint8Array(32).fill(8) }, host);
    const response = await stranger.get(`/v1/orders/${order_id}`);
    expect([response.status, (await bodyOf(response)).error]).toEqual([500, 'internal_error']);
  });
});

const NOTHING: Voucher = {
  ...{ redeemInstructions: '', termsAndConditions: '', deliveryType: 'inline' },
};
const SAME = { voucherCode: 'SAME-1' };
const PAGE = 'https://s.example/redeem';

describe('goods', () => {
  const topUp = {
    ...SOLD.product,
    brand: { ...SOLD.product.brand, kind: 'mobile_topup' as const },
  };
  const phone = { product: topUp, beneficiary: '+15005550006' };

  it.each([
    ['a code', SOLD, { voucherCode: 'A-1' }, 'A-1'],
    ['nothing, sent by e-mail', SOLD, { deliveryType: 'by_email' }, null],
    ['nothing, by SMS to the number', phone, { deliveryType: 'by_sms' }, null],
    ['the confirmation of a top-up', phone, { pinSerial: '0001' }, null],
    ['a code to dial', phone, { voucherCode: '*121*55#' }, '*121*55#'],
    ['nothing, by e-mail to a number', phone, { deliveryType: 'by_email' }, undefined],
    ['nothing of a top-up', phone, {}, undefined],
    ['a blank confirmation', phone, { pinSerial: ' ', deliveryType: 'by_sms' }, undefined],
  ] as const)('are %s, or are not', (_what, line, said, redeems) => {
    const goods = goodsIn({ ...NOTHING, ...said }, line);
    expect(goods).toEqual(redeems === undefined ? undefined : { redeems });
  });
});

describe.each(ENGINES)('codes of a shop on %s', (engine) => {
  let opened: EmptyStore;
  let shop: ReturnType<typeof deliveringShop>;
  beforeEach(async () => {
    opened = await emptyStore(engine);
    shop = deliveringShop(opened.store, manualClock());
  });
  afterEach(() => opened.remove());

  const saying = (said: Said): Supplier => ({
    check: async () => 'available',
    fulfil: async () => ({ outcome: 'fulfilled', voucher: { ...NOTHING, ...said } }),
  });
  const noteOf = async (deliveryId: string) =>
    (await supplierFaultOf(opened.store.tables.facts, deliveryId))?.error;

  it('are delivered once, also when two orders get one at the same moment', async () => {
    for (const id of ['one', 'two', 'three']) await shop.order(id);
    await shop.deliver(saying({ voucherCode: 'SAME-1' }));
    const lines = await Promise.all(['one', 'two', 'three'].map((id) => shop.line(id)));
    expect(lines.map((line) => line?.state).sort()).toEqual(['completed', 'pending', 'pending']);
    expect(lines.filter((line) => line?.voucher)).toHaveLength(1);
    const owner = lines.find((line) => line?.state === 'completed');
    const held = lines.filter((line) => line?.state === 'pending');
    for (const line of held) {
      expect(line?.fault).toBe('used_code');
      expect(await noteOf(line?.deliveryId ?? '')).toContain(`for order ${owner?.orderId}`);
    }
    expect(String(shop.faults)).toContain('a code that was delivered for order');
    expect(JSON.stringify([lines, String(shop.faults)])).not.toContain('SAME-1');
  });

  it.each([
    ['link', { url: 'https://s.example/1' }, { url: 'https://s.example/1' }, 'pending'],
    ['serial', { pinSerial: '0001' }, { pinSerial: '0001' }, 'pending'],
    ['code', { ...SAME, pinSerial: '1' }, { ...SAME, pinSerial: '2' }, 'pending'],
    ['page for its codes', { ...SAME, url: PAGE }, { voucherCode: 'B-2', url: PAGE }, 'completed'],
  ] as const)('the same %s for a second order', async (_what, first, second, state) => {
    await shop.order('one');
    await shop.deliver(saying(first));
    await shop.order('two');
    await shop.deliver(saying(second));
    expect(await shop.line('one')).toMatchObject({ state: 'completed' });
    expect(await shop.line('two')).toMatchObject({ state });
  });

  it('that come after their line was refused are kept, and a loss is booked', async () => {
    await shop.order('one');
    const desk = createOrderDesk({
      ...{ store: opened.store, clock: shop.clock, sendsOn: () => false },
      log: { latest: async () => [] },
    });
    await shop.deliver(saying({}), STUCK_ATTEMPTS);
    await shop.deliver({
      check: async () => 'available',
      fulfil: async (reference, request) => {
        await desk.release('one', 'refuse');
        return saying({ voucherCode: 'LATE-1' }).fulfil(reference, request);
      },
    });
    expect(await shop.line('one')).toMatchObject({ state: 'completed' });
    const refunds = await opened.store.tables.refunds.ofOrder('one');
    expect(refunds.map(({ kind, amountAtomic }) => [kind, amountAtomic]).sort()).toEqual([
      ['loss', '25250000'],
      ['refund', '25250000'],
    ]);
  });
});
