import { describe, expect, it } from 'vitest';
import { ScripError } from '../../src/domain/errors.ts';
import { t } from '../../src/domain/message.ts';
import { retryDelayMs } from '../../src/service/delivery.ts';
import type { Supplier, SupplyOutcome } from '../../src/service/suppliers/supplier.ts';
import { bodyOf, checkoutHost, type Host, ORDER, VOUCHER } from '../support/checkout-host.ts';

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
    expect(deliveries?.find(({ failure_reason }) => failure_reason)?.failure_reason).toBe(
      'no such account',
    );
  });

  it('is failed when no line was delivered', async () => {
    const host = await checkoutHost();
    answers(host, [refused]);
    const { order_id } = await host.buy(TWO_LINES);
    await host.service.tick();
    expect((await host.status(order_id)).status).toBe('failed');
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
