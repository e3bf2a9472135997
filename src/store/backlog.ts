/** What waits in a shop, counted by indexes alone: ended orders cost nothing. */

import type { DeliveryRow } from './checkout-orders.ts';
import type { PartnerOrderRow } from './partner-orders.ts';
import type { WaitsFor } from './payouts.ts';

export interface Waiting {
  readonly count: number;
  /** Since when the oldest waits; null if none does. */
  readonly sinceMs: number | null;
}

export interface Backlog {
  /** Orders of the partner API in these states, since they are in them. */
  partnerOrders(
    states: readonly PartnerOrderRow['orderState'][],
  ): Promise<readonly (Waiting & Pick<PartnerOrderRow, 'orderState'>)[]>;
  /** Orders of the checkout host that are paid, or being paid. */
  orders(): Promise<Waiting>;
  /** Payments to the checkout host that the chain has not decided. */
  payments(): Promise<Waiting>;
  /** Lines whose supplier gave no goods, by fault. */
  faultyLines(): Promise<readonly (Pick<DeliveryRow, 'fault'> & { readonly count: number })[]>;
  /** Refunds that are neither sent nor refused; null for those that wait for nothing in particular. */
  refunds(): Promise<readonly (Waiting & { readonly waitsFor: WaitsFor | null })[]>;
  /** Webhooks that did not arrive. */
  webhooks(): Promise<readonly { readonly state: 'pending' | 'dead'; readonly count: number }[]>;
  /** Since when the oldest webhook is pending; null if none is. */
  oldestWebhook(): Promise<number | null>;
}
