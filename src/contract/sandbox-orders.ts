/** Ours: sandbox-only actions on an order of the partner API; no merchant has these paths. */
import { z } from 'zod';
import { endpoint } from './endpoint.ts';
import { object } from './object.ts';
import { partnerOrder } from './partner-orders.ts';

export const paySandboxOrder = endpoint({
  name: 'paySandboxOrder',
  method: 'POST',
  path: '/sandbox/orders/{order_id}/pay',
  summary: 'Simulates a payment on a network that the sandbox has no chain for',
  input: object(() => ({
    order_id: z.uuid(),
    /** Decimal in units of the coin; by default the missing amount. */
    amount: z.string().optional(),
    fail: z.boolean().optional(),
  })),
  output: partnerOrder,
});

/** Actions that a person takes on an order. */
export const SANDBOX_ACTIONS = ['cancel', 'refund', 'resolve', 'close', 'clear'] as const;

export const pressSandboxButton = endpoint({
  name: 'pressSandboxButton',
  method: 'POST',
  path: '/sandbox/orders/{order_id}/{action}',
  summary: 'Cancels an order, or acts as support staff',
  input: object(() => ({ order_id: z.uuid(), action: z.enum(SANDBOX_ACTIONS) })),
  output: partnerOrder,
});
