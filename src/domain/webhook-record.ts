/** A webhook as its operator sees it: destination, progress, last error. */

export const WEBHOOK_STATES = ['pending', 'delivered', 'dead'] as const;
export type WebhookState = (typeof WEBHOOK_STATES)[number];

/** Holds no body and no secret: the order has the event's content. */
export interface WebhookRecord {
  readonly webhook_id: string;
  readonly order_id: string;
  readonly url: string;
  readonly state: WebhookState;
  readonly attempts: number;
  /** ISO 8601; null when there are no further attempts. */
  readonly next_attempt_at: string | null;
  /** An error code, such as HTTP_500 or CONNECT_TIMEOUT. */
  readonly last_error: string | null;
  readonly created_at: string;
}
