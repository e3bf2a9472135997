/** What has happened to orders, and the webhooks that tell of it. */

/** One change of an order's state, of either surface: thin facts, never goods. */
export interface OrderEventRow {
  /** Place among the events of all orders, from 1: who has read up to one asks for what is newer. */
  readonly position: number;
  readonly orderId: string;
  /** Place among the order's own events, from 1. */
  readonly seq: number;
  readonly atMs: number;
  /** JSON: `{status}` on the checkout host, `{order_state, payment_state}` on the partner API. */
  readonly body: string;
}

/** A webhook that tells of an event; written with it. */
export interface OutboxRow {
  readonly webhookId: string;
  readonly orderId: string;
  /** Of the event. */
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
  /** Those of an order after `seq`, oldest first. */
  since(orderId: string, seq: number): Promise<readonly OrderEventRow[]>;
  at(orderId: string, seq: number): Promise<OrderEventRow | undefined>;
  /** 0 when there is none. */
  latestSeq(orderId: string): Promise<number>;
  /** Those of all orders after a position, oldest first. */
  after(position: number, limit: number): Promise<readonly OrderEventRow[]>;
  /** 0 when there is none. */
  latestPosition(): Promise<number>;
}

export interface Outbox {
  insert(row: OutboxRow): Promise<void>;
  byId(webhookId: string): Promise<OutboxRow | undefined>;
  /** Those `pending` and due, longest overdue first, that no earlier one of their order waits before. */
  due(atMs: number, limit: number): Promise<readonly OutboxRow[]>;
  byState(state: OutboxRow['state'], limit: number): Promise<readonly OutboxRow[]>;
  /** Compare-and-swap on `attempts`; false when another process was there first. */
  update(
    before: Pick<OutboxRow, 'webhookId' | 'attempts'>,
    after: Pick<OutboxRow, 'state' | 'attempts' | 'nextAttemptAtMs' | 'lastError'>,
  ): Promise<boolean>;
}
