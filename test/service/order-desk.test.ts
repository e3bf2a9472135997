/** What an operator sees of one order, and does about it. */

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BASE } from '../../src/contract/usdc.ts';
import { ScripError } from '../../src/domain/message/errors.ts';
import { t } from '../../src/domain/message/message.ts';
import type { OperatorLog, OrderDesk } from '../../src/domain/operator/operator.ts';
import { noteSupplierFault } from '../../src/service/delivery/supplier.ts';
import { createOperatorLog } from '../../src/service/operator/operator-log.ts';
import { createOrderDesk } from '../../src/service/operator/order-desk.ts';
import { RESOLUTION_MS, STUCK_ATTEMPTS } from '../../src/service/partner/orders/progress.ts';
import type { Store } from '../../src/store/store.ts';
import type { DeliveryRow } from '../../src/store/tables/deliveries.ts';
import type { OutboxRow } from '../../src/store/tables/outbox.ts';
import type { PartnerOrderRow } from '../../src/store/tables/partner-orders.ts';
import { type EmptyStore, ENGINES, emptyStore } from '../support/engines.ts';
import { type ManualClock, manualClock } from '../support/manual-clock.ts';
import { random } from '../support/random.ts';
import { GOODS } from '../support/sold-line.ts';
import {
  deliveryRow,
  orderRow,
  partnerOrderRow,
  refundRow,
  sessionRow,
  settlementRow,
  webhookRow,
} from '../support/store-suite.ts';

const CODE = 'CODE-1234-5678';
const { orderId: ORDER } = partnerOrderRow();
const HELD = { orderState: 'WaitingForManualAction', paymentState: 'PaymentReceived' } as const;
const PAID = { receivedAtomic: '25250000', seenAtomic: '25250000', transactions: '["tx-1"]' };

describe.each(ENGINES)('the desk of a shop on %s', (engine) => {
  let opened: EmptyStore;
  let store: Store;
  let clock: ManualClock;
  let log: OperatorLog;
  let desk: OrderDesk;
  beforeEach(async () => {
    clock = manualClock();
    opened = await emptyStore(engine);
    store = opened.store;
    log = createOperatorLog({ store, clock, who: 'ann', reason: 'asked by the buyer', random });
    desk = createOrderDesk({ store, clock, log, sendsOn: () => true });
  });
  afterEach(() => opened.remove());

  const line = (more: Partial<DeliveryRow>): DeliveryRow =>
    deliveryRow({ orderId: ORDER, goods: GOODS, beneficiary: 'friend@example.com', ...more });
  const later = () => clock.now() + 30_000;
  const put = async (
    order: Partial<PartnerOrderRow>,
    lines: readonly Partial<DeliveryRow>[] = [{}],
  ) => {
    const row = partnerOrderRow({ updatedAtMs: clock.now(), ...order });
    const rows = lines.map((one, at) => line({ deliveryId: `line-${at}`, line: at, ...one }));
    await store.write(({ partnerOrders }) => partnerOrders.insert(row, rows));
  };
  const webhook = (more: Partial<OutboxRow>): OutboxRow => {
    const tried = { attempts: 3, nextAttemptAtMs: later(), lastError: 'HTTP_500' };
    return webhookRow({ webhookId: 'msg-1', orderId: ORDER, ...tried, ...more });
  };

  it('shows money, lines, errors and what it waits for, and no code or whole address', async () => {
    await put({ orderState: 'WaitingForDelivery', paymentState: 'PaymentReceived', ...PAID }, [
      { state: 'completed', voucher: new TextEncoder().encode(CODE) },
      { state: 'pending', attempts: 3, nextAttemptAtMs: later() },
    ]);
    await store.write(async ({ facts, outbox }) => {
      const error = new ScripError('MERCHANT_ERROR', t`The supplier answered with status 500`);
      await noteSupplierFault(facts, 'line-1', { error, atMs: clock.now() });
      await outbox.insert(webhook({ state: 'dead' }));
    });
    await log.record('retry', ORDER, async () => undefined);
    const shown = await desk.show(ORDER);
    const [until, now] = [later(), clock.now()].map((atMs) => new Date(atMs).toISOString());
    expect(await desk.show(partnerOrderRow().pageId)).toEqual(shown);
    expect(shown).toMatchObject({
      order_id: ORDER,
      ...{ email: 'a***@example.com', amount: '25.25', received: '25.25', coin: 'USDC' },
      transactions: ['tx-1'],
      lines: [
        { reference: 'line-0', state: 'completed', last_error: null },
        {
          ...{ reference: 'line-1', beneficiary: 'f***@example.com', attempts: 3 },
          next_attempt_at: until,
          last_error: { at: now, error: 'MERCHANT_ERROR: The supplier answered with status 500' },
        },
      ],
      webhooks: [{ webhook_id: 'msg-1', state: 'dead', last_error: 'HTTP_500' }],
      actions: [{ who: 'ann', action: 'retry', reason: 'asked by the buyer', result: 'done' }],
      waits: [{ for: 'supplier', subject: 'line-1', until }],
    });
    const text = JSON.stringify(shown);
    for (const secret of [CODE, 'ann@example.com', 'friend@example.com']) {
      expect(text).not.toContain(secret);
    }
  });

  it('knows an order by the beginning of its id, unless several begin so', async () => {
    await put({});
    await store.tables.sessions.insert(sessionRow());
    await store.write(async ({ settlements, orders }) => {
      await settlements.insert(settlementRow({ orderId: 'cr_abc1' }));
      await orders.insert(orderRow({ orderId: 'cr_abc1' }), []);
      await orders.insert(orderRow({ orderId: 'cr_abc2', sessionId: 'session-2' }), []);
    });
    expect((await desk.show('0000')).order_id).toBe(ORDER);
    expect(await desk.show('cr_abc1')).toMatchObject({
      ...{ surface: 'checkout', payer: 'payer-1', pay_to: 'owner-1' },
      waits: [{ for: 'payment', subject: null, until: null }],
    });
    await store.write(async ({ sessions, settlements, orders }) => {
      const of = { sessionId: 'session-base', orderId: 'cr_base' };
      const otherRequirements = JSON.stringify([{ network: BASE, payTo: '0xshop' }]);
      const { sessionId } = of;
      await sessions.insert(sessionRow({ sessionId, destination: 'd-base', otherRequirements }));
      await settlements.insert(settlementRow({ ...of, messageHash: 'm-base', network: BASE }));
      await orders.insert(orderRow(of), []);
    });
    expect(await desk.show('cr_base')).toMatchObject({ network: BASE, pay_to: '0xshop' });
    await expect(desk.show('cr_abc')).rejects.toMatchObject({ code: 'INPUT_INVALID' });
    await expect(desk.show('cr_')).rejects.toMatchObject({ code: 'ORDER_UNKNOWN' });
    await expect(desk.show('cr%abc1')).rejects.toMatchObject({ code: 'ORDER_UNKNOWN' });
  });

  it('wakes what waits for its time, with the same reference, and says what', async () => {
    await put({ orderState: 'WaitingForDelivery', paymentState: 'PaymentReceived', ...PAID }, [
      { state: 'completed' },
      { state: 'pending', attempts: 3, nextAttemptAtMs: later() },
    ]);
    await store.write(async ({ outbox, refunds }) => {
      await outbox.insert(webhook({ state: 'dead' }));
      await outbox.insert(webhook({ webhookId: 'msg-2', seq: 2, state: 'delivered' }));
      const of = { refundId: `${ORDER} excess`, orderId: ORDER, createdAtMs: later() };
      await refunds.record(refundRow({ ...of, recipient: 'someone' }));
    });
    expect((await desk.retry(ORDER)).woken).toEqual([
      { for: 'supplier', subject: 'line-1' },
      { for: 'refund', subject: `${ORDER}:excess` },
      { for: 'webhook', subject: 'msg-1' },
    ]);
    const atMs = clock.now();
    const due = await store.tables.deliveries.due(atMs, 9);
    expect(due.map(({ deliveryId, attempts }) => [deliveryId, attempts])).toEqual([['line-1', 3]]);
    expect(await store.tables.payouts.due(atMs, 9)).toHaveLength(1);
    const webhooks = await store.tables.outbox.due(atMs, 9);
    expect(webhooks.map(({ webhookId, attempts }) => [webhookId, attempts])).toEqual([
      ['msg-1', 0],
    ]);
  });

  it('looks for the payment of an unpaid order, and wakes nothing of one that is over', async () => {
    await put({ nextLookAtMs: later() });
    expect((await desk.retry(ORDER)).woken).toEqual([{ for: 'payment', subject: null }]);
    expect(await store.tables.partnerOrders.due(clock.now(), 9)).toHaveLength(1);
    const over = '00000000-0000-4000-8000-000000000002';
    await store.write(({ partnerOrders }) =>
      partnerOrders.insert(
        partnerOrderRow({ orderId: over, orderState: 'Done', walletAddress: null }),
        [],
      ),
    );
    expect((await desk.retry(over)).woken).toEqual([]);
  });

  it('lets a stuck delivery go on under the same reference', async () => {
    await put({ ...HELD, ...PAID }, [{ state: 'failed', attempts: 10, failureReason: 'no stock' }]);
    expect((await desk.show(ORDER)).waits).toEqual([
      {
        for: 'operator',
        subject: null,
        until: new Date(clock.now() + RESOLUTION_MS).toISOString(),
      },
    ]);
    const released = await desk.release(ORDER, 'release');
    expect(released).toMatchObject({
      state: 'WaitingForDelivery',
      lines: [{ reference: 'line-0', state: 'pending', attempts: 0, refusal: null }],
    });
    await expect(desk.release(ORDER, 'release')).rejects.toMatchObject({ code: 'INPUT_INVALID' });
  });

  it('lets a quarantined payment go on to its delivery', async () => {
    await put({ ...HELD, paymentState: 'PaymentQuarantined', ...PAID });
    expect(await desk.release(ORDER, 'release')).toMatchObject({
      ...{ state: 'WaitingForDelivery', payment_state: 'PaymentReceived' },
      lines: [{ state: 'pending' }],
    });
  });

  it.each([
    ['all of it, if nothing was delivered', 'failed', 'Refunded', '25.25'],
    ['what is missing, if a line was delivered', 'completed', 'Completed', '10'],
  ] as const)('refuses a held order: refunds %s', async (_what, state, end, amount) => {
    const lines = JSON.stringify([{ coinAmount: '15.25' }, { coinAmount: '10' }]);
    await put({ ...HELD, ...PAID, lines }, [{ state }, { state: 'failed', attempts: 10 }]);
    const refused = await desk.release(ORDER, 'refuse');
    expect(refused.state).toBe(end);
    expect(refused.refunds.map((refund) => refund.amount)).toEqual([amount]);
  });

  describe('an order of the checkout host without an outcome after ten tries', () => {
    const held = { state: 'pending', attempts: STUCK_ATTEMPTS, fault: 'used_code' } as const;
    const putHeld = (lines: readonly Partial<DeliveryRow>[]) =>
      store.write(async ({ sessions, settlements, orders }) => {
        await sessions.insert(sessionRow());
        await settlements.insert(settlementRow({ orderId: 'cr_abc1', state: 'settled' }));
        const rows = lines.map((one, at) =>
          line({ orderId: 'cr_abc1', deliveryId: `line-${at}`, line: at, ...one }),
        );
        await orders.insert(orderRow({ orderId: 'cr_abc1' }), rows);
      });

    it('waits for a person, unless a line of it goes on', async () => {
      await putHeld([held]);
      expect((await desk.show('cr_abc1')).waits).toContainEqual({
        ...{ for: 'operator', subject: null, until: null },
      });
      const going = {
        deliveryId: 'line-9',
        orderId: 'cr_abc1',
        line: 9,
        state: 'pending',
      } as const;
      await store.write(({ orders }) =>
        orders.insert(orderRow({ orderId: 'other', sessionId: 'session-2' }), [line(going)]),
      );
      expect((await desk.show('cr_abc1')).waits).not.toContainEqual(
        expect.objectContaining({ for: 'operator' }),
      );
      await expect(desk.release('cr_abc1', 'refuse')).rejects.toMatchObject({
        code: 'INPUT_INVALID',
      });
    });

    it('is tried again when it is released', async () => {
      await putHeld([held, { state: 'completed' }]);
      expect(await desk.release('cr_abc1', 'release')).toMatchObject({
        state: 'processing',
        lines: [{ state: 'pending', attempts: 0 }, { state: 'completed' }],
      });
      await expect(desk.release('cr_abc1', 'release')).rejects.toMatchObject({
        code: 'INPUT_INVALID',
      });
    });

    it.each([
      ['failed, and all of it is refunded', [held], 'failed', 1],
      ['completed, and the rest is refunded', [{ state: 'completed' }, held], 'completed', 1],
    ] as const)('ends when it is refused: %s', async (_how, lines, state, refunds) => {
      await putHeld(lines);
      const refused = await desk.release('cr_abc1', 'refuse');
      expect(refused.state).toBe(state);
      expect(refused.refunds.map(({ amount }) => amount)).toEqual(Array(refunds).fill('25.25'));
      expect(refused.refunds[0]).toMatchObject({ recipient: 'payer-1' });
      expect(refused.lines.at(-1)).toMatchObject({ state: 'failed' });
    });
  });

  it('decides about no order that is not held', async () => {
    await put({});
    for (const decision of ['release', 'refuse'] as const) {
      await expect(desk.release(ORDER, decision)).rejects.toMatchObject({ code: 'INPUT_INVALID' });
    }
    expect((await desk.show(ORDER)).state).toBe('WaitingForPayment');
  });
});
