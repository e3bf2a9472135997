/** A webhook as its operator sees it: where it goes, how far it is, why it did not arrive. */

export const WEBHOOK_STATES = ['pending', 'delivered', 'dead'] as const;
export type WebhookState = (typeof WEBHOOK_STATES)[number];

/** No body and no secret: what an event says is read from its order. */
export interface WebhookRecord {
  readonly webhook_id: string;
  readonly order_id: string;
  readonly url: string;
  readonly state: WebhookState;
  readonly attempts: number;
  /** ISO 8601; null when it is not tried any more. */
  readonly next_attempt_at: string | null;
  /** A code, such as HTTP_500 or CONNECT_TIMEOUT. */
  readonly last_error: string | null;
  readonly created_at: string;
}
