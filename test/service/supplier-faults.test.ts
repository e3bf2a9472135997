/** Many orders, and a supplier that fails four times in ten: bought once each, whatever it says. */

import { expect, it } from 'vitest';
import { ScripError } from '../../src/domain/message/errors.ts';
import { t } from '../../src/domain/message/message.ts';
import type { Supplier } from '../../src/service/delivery/supplier.ts';
import { GENEROUS_TRAFFIC } from '../../src/service/http/rate-limits.ts';
import { allRows } from '../support/all-rows.ts';
import { checkoutHost, ORDER, VOUCHER } from '../support/checkout-host.ts';
import { fuzzRuns } from '../support/fuzz.ts';
import { seeded } from '../support/random.ts';

/** A thousand in the long run. */
const ORDERS = Math.min(1_000, fuzzRuns(200));
const FAULTS = ['not heard', 'answer lost', 'pending', 'answer garbled'] as const;

/** Reliability E6 and E8: what a call did is known to the supplier's own ledger alone. */
function unreliableSupplier(draw: () => number) {
  const ledger = new Set<string>();
  const calls = new Map<string, number>();
  const met = new Set<string>();
  const supplier: Supplier = {
    check: async () => 'available',
    fulfil: async (reference) => {
      calls.set(reference, (calls.get(reference) ?? 0) + 1);
      const fault = draw() < 0.4 ? FAULTS[Math.floor(draw() * FAULTS.length)] : undefined;
      if (fault) met.add(fault);
      if (fault === 'not heard') throw new ScripError('MERCHANT_ERROR', t`no connection`);
      if (fault === 'pending') return { outcome: 'pending', retryAfterMs: 1_000 };
      ledger.add(reference);
      if (fault === 'answer lost') throw new ScripError('MERCHANT_ERROR', t`cut`);
      if (fault === 'answer garbled') throw new TypeError('not JSON');
      return { outcome: 'fulfilled', voucher: { ...VOUCHER, voucherCode: `TEST-${reference}` } };
    },
  };
  return { supplier, ledger, calls, met };
}

it('as many purchases as lines, one reference each, and every code where it belongs', async () => {
  const { supplier, ledger, calls, met } = unreliableSupplier(seeded(5));
  let host = await checkoutHost({ supplier, traffic: GENEROUS_TRAFFIC });
  const orderIds: string[] = [];
  const twoLines = { ...ORDER, items: [...ORDER.items, ...ORDER.items] };
  for (let count = 0; count < ORDERS; count += 1) {
    const { order_id } = await host.buy(count % 10 === 0 ? twoLines : ORDER);
    orderIds.push(order_id);
  }
  const { store, clock } = host;
  const isOpen = async () => {
    const rows = await allRows(store.tables.deliveries.rows());
    return rows.some(({ state }) => state !== 'completed');
  };
  for (let round = 0; round < 100 && (await isOpen()); round += 1) {
    // Now and then the process is another one, and two of them ask at once.
    if (round % 5 === 0) host = await checkoutHost({ supplier, traffic: GENEROUS_TRAFFIC }, host);
    const other = await checkoutHost({ supplier, traffic: GENEROUS_TRAFFIC }, host);
    await Promise.all([host.service.tick(), other.service.tick()]);
    clock.advance(31_000);
  }
  const lines = await allRows(store.tables.deliveries.rows());
  expect(lines).toHaveLength(ORDERS + Math.ceil(ORDERS / 10));
  expect([...ledger].sort()).toEqual(lines.map(({ deliveryId }) => deliveryId).sort());
  expect([...calls.keys()].sort()).toEqual([...ledger].sort());
  expect(met).toEqual(new Set(FAULTS));
  for (const orderId of orderIds) {
    const { status, deliveries = [] } = await host.status(orderId);
    expect(status).toBe('completed');
    for (const { id, voucher_code } of deliveries) expect(voucher_code).toBe(`TEST-${id}`);
  }
  const books = await Promise.all(orderIds.map((id) => store.tables.refunds.ofOrder(id)));
  expect(books.flat()).toEqual([]);
});

it('a supplier that never answers leaves the order open, with one reference, however long', async () => {
  const asked: string[] = [];
  const supplier: Supplier = {
    check: async () => 'available',
    fulfil: async (reference) => {
      asked.push(reference);
      throw new ScripError('MERCHANT_ERROR', t`cut`);
    },
  };
  const host = await checkoutHost({ supplier, traffic: GENEROUS_TRAFFIC });
  const { order_id } = await host.buy();
  for (let round = 0; round < 50; round += 1) {
    await host.service.tick();
    host.clock.advance(30_000);
  }
  // Calling it failed would give money back for goods that may have been bought.
  expect((await host.status(order_id)).status).toBe('processing');
  expect(asked.length).toBeGreaterThan(40);
  expect(new Set(asked).size).toBe(1);
});
