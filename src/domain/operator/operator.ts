/** What an operator does by hand with a store, also while servers use it. */

import type { WEBHOOK_STATES } from '../../contract/operator-states.ts';
import type { ScripError } from '../message/errors.ts';
import type { Message } from '../message/message.ts';
import type { EventFacts } from '../order/played-event.ts';
import type { AlarmTrial } from './alarms.ts';
import type { AuditReport } from './audit.ts';
import type {
  AlarmRecord,
  CatalogVersionRecord,
  OperatorActionRecord,
  PartnerRecord,
  PartnerWithSecret,
  PartnerWithWebhookSecret,
  PersonErased,
  PersonExport,
  RefundRecord,
  SaleLineRecord,
  SalesRecord,
  ShopOrderDetails,
  ShopOrderRecord,
  StockRecord,
  WebhookRecord,
  WokenOrder,
} from './operator-records.ts';

/** Close it when done. */
export interface OperatorAdmin {
  readonly webhooks: WebhookAdmin;
  readonly log: OperatorLog;
  close(): Promise<void>;
}

/** A running sandbox, until it is closed. */
export interface ServedSandbox {
  /** `http://host:port`, without a trailing slash. */
  readonly url: string;
  /** Seed of the random faults; null without faults. */
  readonly faultSeed: number | null;
  /** The secret that signs webhooks of a partner's orders. */
  webhookSecret(applicationId: string): Promise<string>;
  /** Where the shop is kept: a file, or a server without user and password. */
  readonly database: string;
  /** Address that pays network fees; null with an external facilitator. */
  readonly feePayer: string | null;
  /** Finishes running requests, then closes the store. */
  close(): Promise<void>;
}

export interface SandboxAdmin extends OperatorAdmin {
  audit(): Promise<AuditReport>;
}

export interface ShopAdmin extends OperatorAdmin {
  readonly refunds: RefundAdmin;
  readonly desk: OrderDesk;
  /** What the store keeps of a delivered code, to find its order by. */
  codeDigest(code: string): string;
  readonly catalog: CatalogAdmin;
  readonly partners: PartnerAdmin;
  readonly persons: PersonAdmin;
  /** What is wrong now, the oldest first. */
  alarms(): Promise<readonly AlarmRecord[]>;
  /** Sends a trial by each way of telling. */
  testAlarms(): Promise<readonly AlarmTrial[]>;
  /** What the supplier has left, the lowest first. @throws {ScripError} INPUT_INVALID, MERCHANT_ERROR */
  stock(): Promise<readonly StockRecord[]>;
  /** Compares the records, all or since a time, with chain and supplier. @throws {ScripError} CHAIN_UNREACHABLE, MERCHANT_ERROR */
  books(sinceMs?: number): Promise<AuditReport>;
  /** Sums of a period; every paid order gets its receipt number first. */
  sales(asked: SalesPeriod & { readonly by: SalesBy }): Promise<readonly SalesRecord[]>;
  /** Its sales, refunds, network fees and moves to the treasury, one by one. */
  saleLines(period: SalesPeriod): Promise<readonly SaleLineRecord[]>;
  /** The oldest first, unless asked otherwise. @throws {ScripError} ORDER_UNKNOWN for the one to begin after */
  orders(asked: OrdersAsked): Promise<readonly ShopOrderRecord[]>;
}

export interface OrdersAsked {
  /** One of either surface, or `any`; by default those of orders under way. */
  readonly state?: string | undefined;
  readonly surface?: ShopOrderRecord['surface'] | undefined;
  readonly partnerId?: string | undefined;
  /** When it was made. */
  readonly sinceMs?: number | undefined;
  /** Exclusive. */
  readonly untilMs?: number | undefined;
  /** Decimal texts, in the order's coin. */
  readonly amount?: { readonly least?: string; readonly most?: string } | undefined;
  /** A part of the buyer's e-mail address or of a brand's name, in any case. */
  readonly text?: string | undefined;
  readonly isNewestFirst?: boolean | undefined;
  /** Id of the last order of the page before. */
  readonly after?: string | undefined;
  readonly limit: number;
}

/** From one instant to before another. */
interface SalesPeriod {
  readonly sinceMs: number;
  readonly untilMs: number;
}

export const SALES_BY = ['day', 'product', 'partner', 'country'] as const;
export type SalesBy = (typeof SALES_BY)[number];

/** The check of one part of a shop. */
export interface ShopCheck {
  readonly part: string;
  /** What was found. */
  readonly detail: Message;
  /** Why the part cannot be used; null if it can. */
  readonly fault: ScripError | null;
  /** Whether the shop sells less because of it. */
  readonly isDegraded: boolean;
}

export interface OperatorLog {
  /**
   * Does the work; it is in the log before it begins, and how it ended is there after it.
   * @param what is kept beside the operator's reason
   */
  record<Result>(
    action: string,
    subject: string,
    work: () => Promise<Result>,
    what?: string,
  ): Promise<Result>;
  /** Newest first; of one subject if it is given. */
  latest(limit: number, subject?: string): Promise<readonly OperatorActionRecord[]>;
}

export type WebhookState = (typeof WEBHOOK_STATES)[number];

export interface WebhookAdmin {
  /** Those in one state, the first due at the top. */
  list(state: WebhookState, limit: number): Promise<readonly WebhookRecord[]>;
  /**
   * Makes a webhook due now with all its attempts, under the same id; enables an endpoint again
   * that answered 410.
   * @throws {ScripError} WEBHOOK_UNKNOWN; INPUT_INVALID while it is still retried
   */
  replay(webhookId: string): Promise<WebhookRecord>;
  /**
   * Sends an order's webhook for one of its changes again, under a new id.
   * @throws {ScripError} ORDER_UNKNOWN; INPUT_INVALID if it has no callback address, or never had
   * this state
   */
  resend(request: ResendRequest): Promise<WebhookRecord>;
}

export interface ResendRequest {
  readonly orderId: string;
  /** Repeats the last change to this state; by default the order's last change. */
  readonly facts?: EventFacts | undefined;
  /** Unique, so a receiver that ignores known ids accepts it. */
  readonly webhookId: string;
}

export interface RefundAdmin {
  /** Oldest first; `waiting` are those that are neither sent nor refused. */
  list(filter: RefundFilter, limit: number): Promise<readonly RefundRecord[]>;
  /** @throws {ScripError} REFUND_UNKNOWN */
  byId(refundId: string): Promise<RefundRecord>;
  /**
   * Lets it be sent although it waits for approval; `to` names the recipient of one that has none, or
   * replaces `from`, also for all else that is owed for the order.
   * @throws {ScripError} REFUND_UNKNOWN; INPUT_INVALID if it is sent, refused or has another recipient
   */
  approve(refundId: string, to?: string, from?: string): Promise<RefundRecord>;
  /** It is never sent. @throws {ScripError} REFUND_UNKNOWN, INPUT_INVALID */
  refuse(refundId: string): Promise<RefundRecord>;
  /**
   * Records that it was paid by hand, after the chain has shown the transfer. Money that paid no order is named by
   * the transaction that brought it.
   * @throws {ScripError} REFUND_UNKNOWN; INPUT_INVALID if the transaction does not pay it; CHAIN_UNREACHABLE
   */
  markPaid(refundId: string, transaction: string, to?: string): Promise<RefundRecord>;
}

export type RefundFilter = 'waiting' | 'all';

/** Each takes the id of an order, or the beginning of it. @throws {ScripError} ORDER_UNKNOWN, INPUT_INVALID */
export interface OrderDesk {
  /** Those that an e-mail address, address, transaction, digest, reference or part of an id names; the newest first. */
  find(what: string): Promise<readonly ShopOrderRecord[]>;
  show(id: string): Promise<ShopOrderDetails>;
  /** Makes due now what waits for its time; nothing is bought anew. */
  retry(id: string): Promise<WokenOrder>;
  /** Lets a held order go on, or refuses it. @throws {ScripError} INPUT_INVALID if it is not held */
  release(id: string, decision: HeldDecision): Promise<ShopOrderDetails>;
}

export type HeldDecision = 'release' | 'refuse';

export interface CatalogAdmin {
  /** The last good catalogs, newest first. */
  list(): Promise<readonly CatalogVersionRecord[]>;
  /**
   * Sells a kept version until the source has a newer one.
   * @param typed its id, or the beginning of it
   * @throws {ScripError} INPUT_INVALID for none, or for several
   */
  use(typed: string): Promise<readonly CatalogVersionRecord[]>;
}

export interface PartnerAdmin {
  list(): Promise<readonly PartnerRecord[]>;
  /** Gives an id a secret. @throws {ScripError} INPUT_INVALID for one that has a secret */
  add(partnerId: string, rules: PartnerRules): Promise<PartnerWithSecret>;
  /**
   * Makes a new secret; the one before stays valid for `overlapMs`.
   * @throws {ScripError} INPUT_INVALID for an unknown or revoked partner
   */
  rotate(partnerId: string, overlapMs: number): Promise<PartnerWithSecret>;
  /**
   * Makes a new webhook secret; the one before signs too for `overlapMs`. The other secret stays.
   * @throws {ScripError} INPUT_INVALID as `rotate`
   */
  rotateWebhookSecret(partnerId: string, overlapMs: number): Promise<PartnerWithWebhookSecret>;
  /** Changes what it may do; its secret stays. @throws {ScripError} INPUT_INVALID as `rotate` */
  set(partnerId: string, rules: Partial<PartnerRules>): Promise<PartnerRecord>;
  /** Ends all secrets of the partner. @throws {ScripError} INPUT_INVALID for an unknown partner */
  revoke(partnerId: string): Promise<PartnerRecord>;
}

/** Each takes an e-mail address, or the digest that stood for one. @throws {ScripError} INPUT_INVALID */
export interface PersonAdmin {
  find(person: string): Promise<{ readonly digest: string; readonly orders: number }>;
  export(person: string, isWithCodes: boolean): Promise<PersonExport>;
  /** Erases what nothing needs any more, each order in a write of its own; may be repeated. */
  erase(person: string): Promise<PersonErased>;
}

interface PartnerRules {
  /** From where it may call; from anywhere if empty. */
  readonly networks: readonly string[];
  readonly ordersPerMinute: number | null;
}
