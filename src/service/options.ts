/** The service's ports and limits. */

import type { Clock } from '../domain/clock.ts';
import type { Facilitator, MerchantRail } from '../rails/merchant-rail.ts';
import type { Store } from '../store/store.ts';
import type { TrafficOptions } from './limits.ts';
import type { Pricing } from './line.ts';
import type { StreamLimits } from './partner/order-hub.ts';
import type { PartnerOptions } from './partner/partner-options.ts';
import type { Supplier } from './suppliers/supplier.ts';
import type { WebhookOptions } from './webhooks.ts';

export interface Limits {
  /** Maximum size of a request body, in bytes. */
  readonly bodyBytes: number;
  /** How long a quote is valid (interface: Limits, about 60 seconds). */
  readonly quoteTtlMs: number;
  /** How long a session waits for its payment; afterwards it only answers repeated requests. */
  readonly sessionTtlMs: number;
  /** Maximum number of deliveries, and of settlements, handled per tick. */
  readonly perTick: number;
  /** Maximum number of orders whose payment is looked for per tick: a hundred cost one call. */
  readonly looksPerTick: number;
  /** How long a guided purchase waits for the next answer. */
  readonly wizardIdleMs: number;
  /** Maximum open guided purchases per client. */
  readonly wizardSessions: number;
}

export const DEFAULT_LIMITS: Limits = {
  bodyBytes: 64 * 1024,
  quoteTtlMs: 60_000,
  sessionTtlMs: 60_000,
  perTick: 200,
  looksPerTick: 1_000,
  wizardIdleMs: 10 * 60_000,
  wizardSessions: 20,
};

export interface ServiceOptions extends Pricing {
  readonly store: Store;
  readonly supplier: Supplier;
  readonly rail: MerchantRail;
  readonly facilitator: Facilitator;
  readonly clock: Pick<Clock, 'now'>;
  random(length: number): Uint8Array;
  /** 32 bytes that encrypt stored vouchers; kept outside the store. */
  readonly voucherKey: Uint8Array;
  /** Address at which clients reach the service, without a trailing slash. */
  readonly baseUrl: string;
  readonly limits?: Partial<Limits>;
  /** The partner API; not served if omitted. */
  readonly partner?: PartnerOptions;
  /** User-Agent that clients of the agent surface must send; any by default. */
  readonly agentUserAgent?: string;
  /** Without it, webhooks stay in the outbox. */
  readonly webhooks?: WebhookOptions;
  readonly traffic?: TrafficOptions;
  readonly streams?: StreamLimits;
  /** Receives errors that callers don't see: a failing port, a delivery to retry. */
  report?(error: unknown): void;
}
