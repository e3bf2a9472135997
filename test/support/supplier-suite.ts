/** What the service takes from a supplier, and what it holds: the same for each of them. */

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { encodeLine } from '../../src/service/checkout/line.ts';
import { deliverDue } from '../../src/service/delivery/delivery.ts';
import type { Supplier, Voucher } from '../../src/service/delivery/supplier.ts';
import { createVoucherVault } from '../../src/service/delivery/vouchers.ts';
import { STUCK_ATTEMPTS } from '../../src/service/partner/orders/progress.ts';
import type { Store } from '../../src/store/store.ts';
import type { DeliveryRow } from '../../src/store/tables/deliveries.ts';
import { type EmptyStore, ENGINES, emptyStore } from './engines.ts';
import { type ManualClock, manualClock } from './manual-clock.ts';
import { random } from './random.ts';
import { SOLD } from './sold-line.ts';
import { deliveryRow, orderRow, sessionRow, settlementRow } from './store-suite.ts';

export const PRODUCT = { ...SOLD.product, productId: '0b7c2f1e-5d0a-4c8e-9f0f-3a5f6d1c2b01' };
const GOODS = encodeLine({ ...SOLD, product: PRODUCT });

/** What a supplier says it sold, in our words; one of files has no links. */
export type Said = Partial<Omit<Voucher, 'redeemInstructions' | 'termsAndConditions'>>;

/** A new one each time, which sells this and nothing else, whatever the reference. */
export type SupplierSaying = (store: Store, said: Said) => Supplier;

/** A shop that delivers from one supplier after another. */
export function deliveringShop(store: Store, clock: ManualClock) {
  const faults: unknown[] = [];
  const vault = createVoucherVault(new Uint8Array(32).fill(3), random);
  const report = (error: unknown) => faults.push(error);
  return {
    clock,
    faults,
    vault,
    /** A paid order of the checkout host with as many lines. */
    async order(orderId: string, lines = 1): Promise<void> {
      const sessionId = `session of ${orderId}`;
      const rows = Array.from({ length: lines }, (_, line) =>
        deliveryRow({
          ...{ orderId, line, deliveryId: `${orderId}-${line}`, goods: GOODS, state: 'pending' },
          ...{ beneficiary: SOLD.beneficiary, nextAttemptAtMs: clock.now() },
        }),
      );
      await store.write(async ({ sessions, settlements, orders }) => {
        await sessions.insert(sessionRow({ sessionId, destination: `account of ${orderId}` }));
        const message = { messageHash: `message of ${orderId}`, transaction: `tx of ${orderId}` };
        await settlements.insert(
          settlementRow({ orderId, sessionId, ...message, state: 'settled' }),
        );
        await orders.insert(orderRow({ orderId, sessionId }), rows);
      });
    },
    /** Asks this supplier as often as is due in `tries` turns. */
    async deliver(supplier: Supplier, tries = 1): Promise<void> {
      const delivering = { store, clock, vault, report, supplier };
      for (let turn = 0; turn < tries; turn += 1) {
        await deliverDue(delivering, 10);
        clock.advance(60_000);
      }
    },
    async line(orderId: string, at = 0): Promise<DeliveryRow | undefined> {
      return (await store.tables.deliveries.ofOrder(orderId))[at];
    },
  };
}

const NO_GOODS: readonly (readonly [string, Said])[] = [
  ['nothing', {}],
  ['an empty code', { voucherCode: '' }],
  ['a code of spaces', { voucherCode: ' \u200b\u00a0' }],
  ['a code of dashes', { voucherCode: '----' }],
  ['a blank code beside a serial', { voucherCode: ' ', pinSerial: '0001' }],
  ['a security code alone', { securityCode: '123' }],
  ['nothing by SMS, for an e-mail address', { deliveryType: 'by_sms' }],
];

export function supplierSuite(name: string, saying: SupplierSaying): void {
  describe.each(ENGINES)(`${name}, delivered on %s`, (engine) => {
    let opened: EmptyStore;
    let shop: ReturnType<typeof deliveringShop>;
    beforeEach(async () => {
      opened = await emptyStore(engine);
      shop = deliveringShop(opened.store, manualClock());
    });
    afterEach(() => opened.remove());

    it.each(NO_GOODS)(
      'that gives %s has not delivered, and is asked again',
      async (_what, said) => {
        await shop.order('one');
        await shop.deliver(saying(opened.store, said), STUCK_ATTEMPTS);
        const line = await shop.line('one');
        expect(line).toMatchObject({ state: 'pending', voucher: null, attempts: STUCK_ATTEMPTS });
        expect(line?.fault).not.toBeNull();
        expect(shop.faults).toHaveLength(STUCK_ATTEMPTS);
        // It comes to its senses.
        await shop.deliver(saying(opened.store, { voucherCode: 'GOOD-1' }));
        expect(await shop.line('one')).toMatchObject({ state: 'completed', fault: null });
      },
    );

    it('that gives a code a second time, to another order, has not delivered that one', async () => {
      await shop.order('one');
      await shop.deliver(saying(opened.store, { voucherCode: 'SAME-1' }));
      expect(await shop.line('one')).toMatchObject({ state: 'completed' });
      await shop.order('two', 2);
      await shop.deliver(saying(opened.store, { voucherCode: 'SAME-1 ' }), STUCK_ATTEMPTS);
      for (const at of [0, 1]) {
        expect(await shop.line('two', at)).toMatchObject({ state: 'pending', voucher: null });
      }
      expect(await shop.line('two')).toMatchObject({ fault: expect.any(String) });
    });

    it('gives the code of an order again to the same order', async () => {
      await shop.order('one');
      const supplier = saying(opened.store, { voucherCode: 'CODE-1' });
      const goods = { product: PRODUCT, faceValue: SOLD.faceValue, beneficiary: SOLD.beneficiary };
      // As before a crash that lost the answer.
      const first = await supplier.fulfil('one-0', goods);
      expect(first).toMatchObject({ outcome: 'fulfilled', voucher: { voucherCode: 'CODE-1' } });
      await shop.deliver(supplier);
      expect(await shop.line('one')).toMatchObject({ state: 'completed', fault: null });
    });
  });
}
