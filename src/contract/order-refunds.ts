/**
 * Ours: what is owed back for an order, and the address that its buyer names for it. A host without these
 * paths answers 404, and its orders show no refunds.
 */
import { z } from 'zod';
import { endpoint, type Infer } from './endpoint.ts';
import { object, strictObject } from './object.ts';

export const REFUND_STATES = ['waiting', 'sending', 'sent', 'refused'] as const;

/** What a waiting refund waits for; `account` is a USDC account of the recipient. */
export const REFUND_NEEDS = ['address', 'account', 'shop'] as const;

export const orderRefund = object(() => ({
  refund_id: z.string(),
  /** Decimal text, in `coin`. */
  amount: z.string().regex(/^\d{1,30}(\.\d{1,18})?$/),
  coin: z.string(),
  reason: z.string(),
  /** `sent` means that the transaction is final. */
  state: z.enum(REFUND_STATES),
  /** Null unless it waits. */
  waits_for: z.enum(REFUND_NEEDS).nullable(),
  recipient: z.string().nullable(),
  /** Id of the transaction that paid it. */
  transaction: z.string().nullable(),
  created_at: z.iso.datetime(),
}));
export type WireRefund = Infer<typeof orderRefund>;

/** What the chain shows of a refund that the merchant says is sent. */
export const REFUND_PROOFS = [
  'proved',
  'not_found',
  'not_final',
  'other_recipient',
  'other_amount',
  'unchecked',
] as const;

/** A refund, compared with the chain; not on the wire, but in what our programs answer. */
export const provenRefund = object(() => ({
  ...orderRefund().shape,
  proof: z
    .enum(REFUND_PROOFS)
    .nullable()
    .describe('what the chain shows of it; null unless the merchant says that it is sent'),
  to_own_wallet: z
    .boolean()
    .nullable()
    .describe('whether it goes to this machine’s wallet; null if either is unknown'),
}));
export type ProvenRefund = Infer<typeof provenRefund>;

export const orderRefunds = object(() => ({
  order_id: z.string(),
  refunds: z.array(orderRefund()),
}));
export type WireRefunds = Infer<typeof orderRefunds>;

export const getCheckoutRefunds = endpoint({
  name: 'getCheckoutRefunds',
  method: 'GET',
  path: '/v1/orders/{order_id}/refunds',
  summary: 'Refunds of an order, with their transactions',
  input: object(() => ({ order_id: z.string().min(1).max(1024) })),
  output: orderRefunds,
});

export const getPartnerRefunds = endpoint({
  name: 'getPartnerRefunds',
  method: 'GET',
  path: '/v5/orders/{order_id}/refunds',
  summary: 'Refunds of an order, with their transactions',
  input: object(() => ({ order_id: z.uuid() })),
  output: orderRefunds,
});

/** The checkout host has none: its refunds go to the wallet that signed the payment. */
export const nameRefundAddress = endpoint({
  name: 'nameRefundAddress',
  method: 'POST',
  path: '/v5/orders/{order_id}/refund_address',
  summary: 'Names the address that refunds of an order go to, once',
  input: strictObject(() => ({
    order_id: z.uuid(),
    /** The secret of the order: its `Idempotency-Key`, or the session token of a guided purchase. */
    order_key: z.string().min(1).max(255),
    address: z.string().min(1).max(2048),
  })),
  output: orderRefunds,
  hints: { idempotent: true },
});
