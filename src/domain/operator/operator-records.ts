/** What operators see of orders, partners and of what was done by hand, as the contract has it. */

import type { Immutable, Infer } from '../../contract/endpoint.ts';
import type * as records from '../../contract/operator-records.ts';

/** A partner, without its secret. */
export type PartnerRecord = Immutable<Infer<typeof records.partner>>;
/** A partner whose webhook secret was just made; it is not shown again. */
export type PartnerWithWebhookSecret = Immutable<Infer<typeof records.partnerWithWebhookSecret>>;
/** A partner whose secret was just made; it is not shown again. */
export type PartnerWithSecret = Immutable<Infer<typeof records.partnerWithSecret>>;
/** An order of a shop, as its operator lists it. */
export type ShopOrderRecord = Immutable<Infer<typeof records.shopOrder>>;
/** Everything about one order, without codes, secrets and whole addresses of people. */
export type ShopOrderDetails = Immutable<Infer<typeof records.shopOrderDetails>>;
/** A line of an order, without its code. */
export type ShopLineRecord = ShopOrderDetails['lines'][number];
export type OrderWait = ShopOrderDetails['waits'][number];
/** What of an order was made due at once. */
export type WokenOrder = Immutable<Infer<typeof records.wokenOrder>>;
export type OperatorActionRecord = Immutable<Infer<typeof records.operatorAction>>;
/** What a shop holds of a person. */
export type PersonExport = Infer<typeof records.personExport>;
export type PersonErased = Immutable<Infer<typeof records.personErased>>;
/** A catalog that was good. */
export type CatalogVersionRecord = Immutable<Infer<typeof records.catalogVersion>>;
/** Something that is wrong with a shop. */
export type AlarmRecord = Immutable<Infer<typeof records.alarm>>;
/** What is left of a product with one value. */
export type StockRecord = Immutable<Infer<typeof records.stock>>;
/** Sums of a shop’s sales, of one coin. */
export type SalesRecord = Immutable<Infer<typeof records.sales>>;
/** A sale, refund, fee or move to the treasury. */
export type SaleLineRecord = Immutable<Infer<typeof records.saleLine>>;
/** A refund as its operator sees it. */
export type RefundRecord = Immutable<Infer<typeof records.refund>>;
/** Holds no body and no secret: the order has the event's content. */
export type WebhookRecord = Immutable<Infer<typeof records.webhook>>;

/** Id of a refund as operators type it: without spaces. */
export function refundIdOf(stored: string): string {
  return stored.replaceAll(' ', ':');
}

export function storedRefundId(id: string): string {
  return id.replaceAll(':', ' ');
}
