/** What operators see of orders, partners and of what was done by hand. */

import type { WebhookRecord } from '../address/webhook-address.ts';
import type { RefundRecord } from '../refund/refund-record.ts';

/** A partner, without its secret. */
export interface PartnerRecord {
  readonly partner_id: string;
  readonly state: 'active' | 'revoked';
  /** IP networks that it may call from; empty for any. */
  readonly networks: readonly string[];
  /** Null for everyone’s limit. */
  readonly orders_per_minute: number | null;
  readonly created_at: string;
  /** Until then the secret before the last rotation is valid too. */
  readonly former_secret_until: string | null;
  /** Until then the webhook secret before the last change signs too. */
  readonly former_webhook_secret_until: string | null;
  readonly revoked_at: string | null;
}

/** A partner whose webhook secret was just made; it is not shown again. */
export interface PartnerWithWebhookSecret extends PartnerRecord {
  /** Signs the webhooks of all of its orders. */
  readonly webhook_secret: string;
}

/** A partner whose secret was just made; it is not shown again. */
export interface PartnerWithSecret extends PartnerWithWebhookSecret {
  readonly secret: string;
}

/** An order of a shop, as its operator lists it. */
export interface ShopOrderRecord {
  readonly order_id: string;
  readonly surface: 'checkout' | 'partner';
  /** The status at the checkout host, or the order state of the partner API. */
  readonly state: string;
  /** Of the partner API alone. */
  readonly payment_state: string | null;
  readonly partner_id: string | null;
  readonly created_at: string;
  readonly updated_at: string;
}

/** What an operator did. */
export interface OperatorActionRecord {
  readonly at: string;
  readonly who: string;
  readonly action: string;
  readonly subject: string;
  /** Why, in the operator’s words; null if no reason was given. */
  readonly reason: string | null;
  /** `done`, an error code, or `begun` if the command was ended in between. */
  readonly result: string;
}

/** What an order waits for; `operator` is a person of the shop. */
export const ORDER_WAITS = [
  'payment',
  'check',
  'supplier',
  'operator',
  'refund',
  'webhook',
] as const;

export interface OrderWait {
  readonly for: (typeof ORDER_WAITS)[number];
  /** The line, refund or webhook; null for the order itself. */
  readonly subject: string | null;
  /** When it is tried again, or ends by itself; null if neither is planned. */
  readonly until: string | null;
}

/** A line of an order, without its code. */
export interface ShopLineRecord {
  /** The supplier knows the line by it. */
  readonly reference: string;
  readonly product: string;
  readonly face_value: string;
  readonly currency: string;
  readonly beneficiary: string;
  readonly state: 'waiting' | 'pending' | 'completed' | 'failed';
  readonly attempts: number;
  readonly next_attempt_at: string | null;
  /** Why the supplier refused it. */
  readonly refusal: string | null;
  /** The supplier’s last error, if one ever came. */
  readonly last_error: { readonly at: string; readonly error: string } | null;
}

/** Everything about one order, without codes, secrets and whole addresses of people. */
export interface ShopOrderDetails extends ShopOrderRecord {
  readonly email: string;
  readonly amount: string;
  readonly received: string;
  /** Received, and seen on the chain but not confirmed. */
  readonly seen: string;
  readonly coin: string;
  readonly network: string | null;
  readonly pay_to: string | null;
  readonly payer: string | null;
  readonly transactions: readonly string[];
  /** Why the payment failed. */
  readonly payment_failure: string | null;
  readonly lines: readonly ShopLineRecord[];
  readonly refunds: readonly RefundRecord[];
  readonly webhooks: readonly WebhookRecord[];
  readonly history: readonly {
    readonly at: string;
    readonly state: string;
    readonly payment_state: string | null;
  }[];
  readonly actions: readonly OperatorActionRecord[];
  readonly waits: readonly OrderWait[];
}

/** What of an order was made due at once. */
export interface WokenOrder {
  readonly order_id: string;
  readonly woken: readonly Pick<OrderWait, 'for' | 'subject'>[];
}

/** A catalog that was good. */
export interface CatalogVersionRecord {
  readonly version: string;
  /** When it took the place of the one before. */
  readonly taken_at: string;
  readonly sold: boolean;
}

/** What is left of a product with one value. */
export interface StockRecord {
  readonly product_id: string;
  readonly product: string;
  readonly face_value: string;
  readonly currency: string;
  readonly available: boolean;
  /** Codes of a file; null where the supplier does not count. */
  readonly left: number | null;
  readonly given: number | null;
}
