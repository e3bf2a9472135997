/** States that operators see: only constants, so importing them loads no schema. */

export const WEBHOOK_STATES = ['pending', 'delivered', 'dead'] as const;

/** What a waiting refund waits for; `turn` is the next pass of a server. */
export const REFUND_WAITS = [
  'turn',
  'address',
  'account',
  'approval',
  'operator',
  'limit',
  'balance',
] as const;
