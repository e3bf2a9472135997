import { describe, expect, it } from 'vitest';
import type { TrackedOrder } from '../../../src/cli/schemas/purchase.ts';
import { readOnDelivery } from '../../../src/cli/tracking/on-delivery.ts';
import { createWatcher } from '../../../src/cli/tracking/tracking-all.ts';
import { capture, smallContext, smallSettings } from '../../support/small-context.ts';

const ORDER: TrackedOrder = {
  ...{ at: '2026-01-01T10:20:30.000Z', order_id: 'ord_1', surface: 'partner' },
  ...{ host: 'https://shop.example', product_name: 'Amazon.com 25 USD', ended: false },
  ...{ status: 'WaitingForPayment', payment_state: 'WalletRequested', error: null },
};
const AWAY: TrackedOrder = {
  ...{ ...ORDER, status: 'unknown', payment_state: null, error: 'NETWORK_UNREACHABLE' },
};

function watching(flags: Parameters<typeof smallSettings>[0] = {}) {
  const stdout = capture();
  const context = smallContext({ io: { stdout }, settings: smallSettings(flags) });
  const watch = createWatcher(context, readOnDelivery({}));
  return { watch, lines: () => stdout.text().trimEnd().split('\n') };
}

describe('orders that are followed at once', () => {
  it('are named by the words of the list, once for each', () => {
    const { watch, lines } = watching();
    watch.seen(ORDER);
    watch.seen({ ...ORDER, payment_state: 'PaymentRequested' });
    watch.seen({ ...ORDER, payment_state: 'PartialPaymentStarted' });
    watch.seen({ ...ORDER, status: 'WaitingForDelivery', payment_state: 'PaymentReceived' });
    watch.seen({ ...ORDER, surface: 'checkout', status: 'processing', payment_state: null });
    expect(lines().map((line) => line.split('\t')[2])).toEqual([
      'unpaid (Waiting for the payment)',
      'unpaid (Less than the required amount was paid)',
      'processing (Payment confirmed, queued for delivery)',
      'processing',
    ]);
  });

  it('have the merchant’s own states as JSON', () => {
    const { watch, lines } = watching({ ndjson: true });
    watch.seen(ORDER);
    const next = { ...ORDER, payment_state: 'PaymentRequested' };
    watch.seen(next);
    expect(lines().map((line) => JSON.parse(line))).toEqual([ORDER, next]);
  });

  it('say whose answer they wait for, until there was one', () => {
    const { watch, lines } = watching();
    watch.unanswered(AWAY);
    watch.unanswered(AWAY);
    watch.seen(ORDER);
    watch.unanswered(AWAY);
    expect(lines()).toEqual([
      '10:20:30\tord_1\tunknown (no answer from https://shop.example)\tAmazon.com 25 USD\tNETWORK_UNREACHABLE',
      '10:20:30\tord_1\tunpaid (Waiting for the payment)\tAmazon.com 25 USD',
    ]);
  });
});
