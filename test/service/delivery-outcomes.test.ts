/** What becomes of a line when answers come late, twice or not at all, and when the database fails. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ScripError } from '../../src/domain/message/errors.ts';
import { t } from '../../src/domain/message/message.ts';
import { encodeLine } from '../../src/service/checkout/line.ts';
import { closeDecided, deliverDue } from '../../src/service/delivery/delivery.ts';
import type { Supplier, SupplyOutcome } from '../../src/service/delivery/supplier.ts';
import { createOrderDesk } from '../../src/service/operator/order-desk.ts';
import { STUCK_ATTEMPTS } from '../../src/service/partner/orders/progress.ts';
import type { Store } from '../../src/store/store.ts';
import type { DeliveryRow } from '../../src/store/tables/deliveries.ts';
import { type EmptyStore, ENGINES, emptyStore } from '../support/engines.ts';
import { manualClock } from '../support/manual-clock.ts';
import { SOLD } from '../support/sold-line.ts';
import { deliveryRow, partnerOrderRow } from '../support/store-suite.ts';
import { deliveringShop } from '../support/supplier-suite.ts';

const REFUSED: SupplyOutcome = { outcome: 'refused', reason: 'no such account' };
const LATER: SupplyOutcome = { outcome: 'pending', retryAfterMs: 600_000 };
const goods = (voucherCode: string): SupplyOutcome => ({
  outcome: 'fulfilled',
  voucher: { voucherCode, redeemInstructions: '', termsAndConditions: '', deliveryType: 'inline' },
});
const supplying = (fulfil: Supplier['fulfil']): Supplier => ({
  check: async () => 'available',
  fulfil,
});
const saying = (outcome: SupplyOutcome): Supplier => supplying(async () => outcome);

let opened: EmptyStore;
let shop: ReturnType<typeof deliveringShop>;
async function open(engine: (typeof ENGINES)[number] = 'SQLite'): Promise<void> {
  opened = await emptyStore(engine);
  shop = deliveringShop(opened.store, manualClock());
}
afterEach(() => opened.remove());

const refunds = async (orderId: string) =>
  (await opened.store.tables.refunds.ofOrder(orderId)).map(({ kind }) => kind);
const statusOf = async (orderId: string) =>
  (await opened.store.tables.orders.byId(orderId))?.status;
const faults = () => shop.faults.map(String).join('\n');

describe.each(ENGINES)('on %s', (engine) => {
  beforeEach(() => open(engine));

  it('an order whose lines are decided at one moment is closed', async () => {
    await shop.order('one', 8);
    let code = 0;
    await shop.deliver(supplying(async () => goods(`CODE-${++code}`)));
    expect(await statusOf('one')).toBe('completed');
  });
});

describe('a line', () => {
  beforeEach(() => open());

  /** Two servers ask at once, the second once the lease of the first is over. */
  async function askedTwice() {
    await shop.order('one');
    const answers: { resolve(outcome: SupplyOutcome): void; reject(error: unknown): void }[] = [];
    const supplier = supplying(
      () => new Promise((resolve, reject) => answers.push({ resolve, reject })),
    );
    const { store } = opened;
    const { clock, vault } = shop;
    const report = (error: unknown) => void shop.faults.push(error);
    const deliver = (limit: number) => deliverDue({ store, clock, vault, report, supplier }, limit);
    const turns = [deliver(10)];
    await expect.poll(() => answers.length).toBe(1);
    clock.advance(10_000);
    turns.push(deliver(10));
    await expect.poll(() => answers.length).toBe(2);
    return async (at: 0 | 1, answer: SupplyOutcome | Error) => {
      if (answer instanceof Error) answers[at]?.reject(answer);
      else answers[at]?.resolve(answer);
      await turns[at];
      return shop.line('one');
    };
  }

  it.each([
    [0, 1],
    [1, 0],
  ] as const)(
    'that attempt %s delivered stays delivered, whatever attempt %s brings',
    async (first, second) => {
      for (const late of [REFUSED, LATER, new Error('cut')]) {
        const answer = await askedTwice();
        const delivered = await answer(first, goods('CODE-1'));
        expect(delivered).toMatchObject({ state: 'completed', attempts: 3 });
        expect(await answer(second, late)).toEqual(delivered);
        expect([await statusOf('one'), await refunds('one')]).toEqual(['completed', []]);
        expect(faults()).not.toContain('refused');
        await opened.remove();
        await open();
      }
    },
  );

  it('that is asked about anew is not put off by the older attempt', async () => {
    const answer = await askedTwice();
    const asked = await shop.line('one');
    expect(await answer(0, LATER)).toEqual(asked);
    expect(await answer(1, LATER)).toMatchObject({
      ...{ state: 'pending', attempts: 2, nextAttemptAtMs: shop.clock.now() + 600_000 },
    });
  });

  it('without an outcome is a fault from the attempt on that counts as stuck', async () => {
    await shop.order('one');
    const mute = supplying(() => Promise.reject(new ScripError('MERCHANT_ERROR', t`cut`)));
    await shop.deliver(mute, STUCK_ATTEMPTS - 1);
    expect(await shop.line('one')).toMatchObject({ fault: null });
    await shop.deliver(mute);
    expect(await shop.line('one')).toMatchObject({ fault: 'no_outcome' });
    expect(faults()).toContain('Delivery one-0 will be retried: cut');
  });

  it('whose supplier throws no error is reported all the same', async () => {
    await shop.order('one');
    await shop.deliver(supplying(() => Promise.reject('a text')));
    expect(faults()).toContain('Delivery one-0 will be retried: an unknown fault');
  });

  /** The operator refuses the order while the supplier is asked. */
  async function refusedMeanwhile(outcome: SupplyOutcome): Promise<void> {
    await shop.order('one');
    const desk = createOrderDesk({
      ...{ store: opened.store, clock: shop.clock, sendsOn: () => false },
      log: { latest: async () => [] },
    });
    await shop.deliver(
      supplying(() => Promise.reject(new Error('cut'))),
      STUCK_ATTEMPTS,
    );
    const asking = supplying(async () => {
      await desk.release('one', 'refuse');
      return outcome;
    });
    await shop.deliver(asking);
  }

  it('that was refused by the operator and is delivered late is a loss, and the operator is told', async () => {
    await refusedMeanwhile(goods('LATE-1'));
    const attempts = STUCK_ATTEMPTS + 3;
    expect(await shop.line('one')).toMatchObject({ state: 'completed', attempts });
    expect((await refunds('one')).toSorted()).toEqual(['loss', 'refund']);
    expect(faults()).toContain('Delivery one-0 arrived after its refund');
  });

  it.each([REFUSED, LATER])(
    'that was refused by the operator and then is %o is no loss',
    async (outcome) => {
      await refusedMeanwhile(outcome);
      const failureReason = 'It was not delivered.';
      expect(await shop.line('one')).toMatchObject({ state: 'failed', failureReason });
      expect(await refunds('one')).toEqual(['refund']);
      expect(faults()).not.toMatch(/arrived|refused/);
    },
  );

  it('of the partner API ends its order as soon as it is delivered', async () => {
    const line = deliveryRow({
      ...{ orderId: 'theirs', deliveryId: 'theirs-0', line: 0, state: 'pending' },
      ...{ goods: encodeLine(SOLD), nextAttemptAtMs: shop.clock.now() },
    });
    const order = partnerOrderRow({
      ...{ orderId: 'theirs', orderState: 'WaitingForDelivery', paymentState: 'PaymentReceived' },
    });
    await opened.store.write(({ partnerOrders }) => partnerOrders.insert(order, [line]));
    await shop.deliver(saying(goods('CODE-1')));
    expect((await opened.store.tables.partnerOrders.byId('theirs'))?.orderState).toBe('Done');
  });

  it('that waits keeps its order open beside one that is decided', async () => {
    await shop.order('one', 2);
    const [first, second] = await opened.store.tables.deliveries.ofOrder('one');
    const lines = [
      { ...first, state: 'failed' },
      { ...second, state: 'waiting' },
    ] as DeliveryRow[];
    const close = () => opened.store.write((tables) => closeDecided(tables, lines, 1));
    expect([await close(), await statusOf('one'), await refunds('one')]).toEqual([
      ...[false, 'processing', []],
    ]);
  });
});

describe('a database that fails', () => {
  beforeEach(() => open());

  /** Delivers one order; the write of its outcome meets the fault, after the write itself if it is to. */
  async function failing(error: Error, supplier: Supplier, isWritten = false): Promise<void> {
    let isDue = false;
    const { store } = opened;
    const write: Store['write'] = async (work, options) => {
      if (!isDue) return store.write(work, options);
      isDue = false;
      if (isWritten) await store.write(work, options);
      throw error;
    };
    const asked = supplying(async (reference, line) => {
      isDue = true;
      return supplier.fulfil(reference, line);
    });
    const { clock, vault } = shop;
    const report = (fault: unknown) => void shop.faults.push(fault);
    await deliverDue({ store: { ...store, write }, clock, vault, report, supplier: asked }, 10);
  }

  it.each([
    new ScripError('JOURNAL_UNUSABLE', t`no space`),
    Object.assign(new Error('no space'), { code: 'RECORD_EXISTS' }),
  ])('with %s says nothing of a code that another line has', async (error) => {
    await shop.order('one');
    await shop.deliver(saying(goods('SAME-1')));
    await shop.order('two');
    await failing(error, saying(goods('SAME-1')));
    expect(await shop.line('two')).toMatchObject({ state: 'pending', fault: null });
    expect(faults()).toContain('no space');
  });

  it.each([
    ['a code that no line has', goods('NEW-1'), false, 'pending'],
    ['a code that the line itself has', goods('NEW-1'), true, 'completed'],
    ['no code', REFUSED, false, 'pending'],
  ] as const)(
    'with a record that exists blames %s on no code',
    async (_what, outcome, isWritten, state) => {
      await shop.order('one');
      await failing(new ScripError('RECORD_EXISTS', t`it exists`), saying(outcome), isWritten);
      expect(await shop.line('one')).toMatchObject({ state, fault: null });
      expect(faults()).toContain('will be retried: it exists');
    },
  );
});
