import { describe, expect, it } from 'vitest';
import { webhookBody } from '../../src/contract/webhook.ts';
import { isReachable } from '../../src/domain/order/order-states.ts';
import { orderUpdatedBody, PLAYED_EVENTS } from '../../src/domain/order/played-event.ts';

describe('the events that can be played', () => {
  it('have names of their own', () => {
    expect(new Set(PLAYED_EVENTS.map(({ event }) => event)).size).toBe(PLAYED_EVENTS.length);
  });

  it.each(PLAYED_EVENTS)('$event is how an order can be, and says so', ({ surface, facts }) => {
    if ('order_state' in facts) {
      const { order_state: orderState, payment_state: paymentState } = facts;
      expect(isReachable({ orderState, paymentState })).toBe(true);
    }
    expect('order_state' in facts).toBe(surface === 'partner');
    const body = orderUpdatedBody({ orderId: 'o1', atMs: 0, facts, seq: 3 });
    expect(webhookBody().parse(JSON.parse(body))).toEqual({
      type: 'order.updated',
      timestamp: '1970-01-01T00:00:00.000Z',
      data: { order_id: 'o1', seq: 3, ...facts },
    });
  });
});
