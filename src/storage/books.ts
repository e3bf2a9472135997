/** Whole tables in pages, to check them against each other. */
import type { DeliveryRow, SettlementRow } from './checkout-orders.ts';
import type { PartnerOrderRow } from './partner-orders.ts';
import type { PurchaseRow } from './purchases.ts';
import type { RefundRow } from './refunds.ts';

/** Rows behind `after`, in the order of their key; from the first one when it is left out. */
export interface Page<Key> {
  readonly after?: Key | undefined;
  readonly limit: number;
}

/** Whole tables in pages, to check them against each other. */
export interface Books {
  /** By message hash. */
  settlements(page: Page<string>): Promise<readonly SettlementRow[]>;
  /** By order id. */
  partnerOrders(page: Page<string>): Promise<readonly PartnerOrderRow[]>;
  /** By reference. */
  purchases(page: Page<string>): Promise<readonly PurchaseRow[]>;
  /** By delivery id. */
  deliveries(page: Page<string>): Promise<readonly DeliveryRow[]>;
  /** By refund id. */
  refunds(page: Page<string>): Promise<readonly RefundRow[]>;
  delivery(deliveryId: string): Promise<DeliveryRow | undefined>;
  partnerOrderPaidAt(walletAddress: string): Promise<PartnerOrderRow | undefined>;
}
