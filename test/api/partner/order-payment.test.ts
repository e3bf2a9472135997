/** Who paid an order that takes no more payments when this run gets it. */
import { describe, expect, it } from 'vitest';
import { payNow } from '../../../src/api/partner/order-payment.ts';

const terms = { isWaiting: false };

/** The order as another run with the same key left it; nothing is opened to pay it. */
function paidWith(orderState: string, paymentState: string) {
  const order = { order_id: 'one', order_state: orderState, payment_state: paymentState };
  const placed = { entry: { facts: [] }, order };
  const open = () => Promise.reject(new Error('it takes no payment'));
  return payNow({ notify: () => undefined } as never, open, placed as never, { terms } as never);
}

describe('an order that another run with the same key was paying', () => {
  it.each([
    ['is on its way', 'PaymentStarted', 'PaymentStarted', true],
    ['is being checked', 'PaymentStarted', 'WaitingForComplianceReport', true],
    ['is confirmed', 'WaitingForDelivery', 'PaymentReceived', true],
    ['never came', 'Canceled', 'PaymentRequested', false],
  ])('was paid by that run where its payment %s', async (_what, order, payment, isBefore) => {
    expect((await paidWith(order, payment)).isBoughtBefore).toBe(isBefore);
  });
});
