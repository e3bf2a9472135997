import type { DeliveryRow, OrderRow, SettlementRow } from './checkout-orders.ts';
import type { PartnerOrderRow } from './partner-orders.ts';
import type { PurchaseRow } from './purchases.ts';
import type { RefundRow } from './refunds.ts';

/** Rows after the key `after`, in key order; from the first row if it is omitted. */
export interface Page<Key> {
  readonly after?: Key | undefined;
  readonly limit: number;
}

/** Reads whole tables in pages, so that an audit can compare them. */
export interface Books {
  /** By message hash. */
  settlements(page: Page<string>): Promise<readonly SettlementRow[]>;
  /** By order id. */
  partnerOrders(page: Page<string>): Promise<readonly PartnerOrderRow[]>;
  /** By reference. */
  purchases(page: Page<string>): Promise<readonly PurchaseRow[]>;
  /** By delivery id. */
  deliveries(page: Page<string>): Promise<readonly DeliveryRow[]>;
  /** Completed lines without a digest of their code, by delivery id: an earlier version delivered them. */
  undigested(page: Page<string>): Promise<readonly DeliveryRow[]>;
  /** By refund id. */
  refunds(page: Page<string>): Promise<readonly RefundRow[]>;
  /** Orders of the partner API in one of these states, the oldest first. */
  partnerOrdersIn(
    states: readonly PartnerOrderRow['orderState'][],
    limit: number,
  ): Promise<readonly PartnerOrderRow[]>;
  /** Orders of the checkout host with this status, the oldest first. */
  ordersIn(status: OrderRow['status'], limit: number): Promise<readonly OrderRow[]>;
  /** Ids of orders of both surfaces that begin so; reads all ids. */
  orderIds(beginning: string, limit: number): Promise<readonly string[]>;
  delivery(deliveryId: string): Promise<DeliveryRow | undefined>;
  partnerOrderPaidAt(walletAddress: string): Promise<PartnerOrderRow | undefined>;
}
