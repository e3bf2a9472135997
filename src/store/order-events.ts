/** Events of orders, and the webhooks that report them. */
import type { DueWork } from './due-work.ts';

/** One change of an order's state, on either surface; it never contains vouchers. */
export interface OrderEventRow {
  /** Position among the events of all orders, from 1; readers ask for events after their last position. */
  readonly position: number;
  readonly orderId: string;
  /** Number within the order, from 1. */
  readonly seq: number;
  readonly atMs: number;
  /** JSON: `{status}` on the checkout host, `{order_state, payment_state}` on the partner API. */
  readonly body: string;
}

/** A webhook that reports an event; inserted in the same write. */
export interface OutboxRow {
  readonly webhookId: string;
  readonly orderId: string;
  /** The event's `seq`. */
  readonly seq: number;
  readonly url: string;
  readonly attempts: number;
  readonly nextAttemptAtMs: number;
  readonly state: 'pending' | 'delivered' | 'dead';
  readonly lastError: string | null;
  readonly createdAtMs: number;
}

export interface OrderEvents {
  /** Adds the next event of an order; call it in the write that changes the state. */
  append(event: Pick<OrderEventRow, 'orderId' | 'atMs' | 'body'>): Promise<OrderEventRow>;
  /** Returns an order's events after `seq`, oldest first. */
  since(orderId: string, seq: number): Promise<readonly OrderEventRow[]>;
  at(orderId: string, seq: number): Promise<OrderEventRow | undefined>;
  /** 0 if there is none. */
  latestSeq(orderId: string): Promise<number>;
  /** Returns events of all orders after a position, oldest first. */
  after(position: number, limit: number): Promise<readonly OrderEventRow[]>;
  /** 0 if there is none. */
  latestPosition(): Promise<number>;
}

/** Due is what is `pending`, unless an earlier webhook of its order is pending. */
export interface Outbox extends DueWork<OutboxRow> {
  insert(row: OutboxRow): Promise<void>;
  byId(webhookId: string): Promise<OutboxRow | undefined>;
  /** An order's webhooks, oldest change first. */
  ofOrder(orderId: string): Promise<readonly OutboxRow[]>;
  byState(state: OutboxRow['state'], limit: number): Promise<readonly OutboxRow[]>;
  /** Compare-and-swap on `attempts`; false if another process was first. */
  update(
    before: Pick<OutboxRow, 'webhookId' | 'attempts'>,
    after: Pick<OutboxRow, 'state' | 'attempts' | 'nextAttemptAtMs' | 'lastError'>,
  ): Promise<boolean>;
}

/** The same tables; adds the orders whose events are appended to `changed`. */
export function noteChanges<Rows extends { readonly orderEvents: OrderEvents }>(
  tables: Rows,
  changed: Set<string>,
): Rows {
  const append: OrderEvents['append'] = (event) => {
    changed.add(event.orderId);
    return tables.orderEvents.append(event);
  };
  return { ...tables, orderEvents: { ...tables.orderEvents, append } };
}
