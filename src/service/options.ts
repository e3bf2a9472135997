/** What the service is made of: everything that can fail from outside, and its limits. */

import type { Clock } from '../domain/clock.ts';
import type { Facilitator, MerchantRail } from '../rails/rail.ts';
import type { Store } from '../storage/store.ts';
import type { NamedCaller } from './callers.ts';
import type { TrafficOptions } from './limits.ts';
import type { Pricing } from './line.ts';
import type { StreamLimits } from './partner/order-hub.ts';
import type { PartnerOptions } from './partner/partner-options.ts';
import type { Supplier } from './suppliers/supplier.ts';
import type { WebhookOptions } from './webhooks.ts';

export interface Limits {
  /** Largest request body, in bytes. */
  readonly bodyBytes: number;
  /** How long a quote is shown as fresh (interface: Limits, about 60 seconds). */
  readonly quoteTtlMs: number;
  /** How long a session waits for a payment to start; longer than that it only answers repeats. */
  readonly sessionTtlMs: number;
  /** Deliveries that one tick takes on, and settlements that it looks at. */
  readonly perTick: number;
  /** How long a guided purchase waits for the next answer. */
  readonly wizardIdleMs: number;
  /** Guided purchases that one client may have open at once. */
  readonly wizardSessions: number;
}

export const DEFAULT_LIMITS: Limits = {
  bodyBytes: 64 * 1024,
  quoteTtlMs: 60_000,
  sessionTtlMs: 60_000,
  perTick: 200,
  wizardIdleMs: 10 * 60_000,
  wizardSessions: 20,
};

export interface ServiceOptions extends Pricing {
  readonly store: Store;
  readonly supplier: Supplier;
  readonly rail: MerchantRail;
  readonly facilitator: Facilitator;
  /** Who may have payments settled that no session of ours asked for; none when left out. */
  readonly callers?: readonly NamedCaller[];
  readonly clock: Pick<Clock, 'now'>;
  random(length: number): Uint8Array;
  /** 32 bytes that encrypt vouchers at rest; kept outside the store. */
  readonly voucherKey: Uint8Array;
  /** Address under which clients see the service, without a trailing slash. */
  readonly baseUrl: string;
  readonly limits?: Partial<Limits>;
  /** The partner API; not served when left out. */
  readonly partner?: PartnerOptions;
  /** User-Agent that clients of the agent surface have to send; any when left out. */
  readonly agentUserAgent?: string;
  /** Webhooks wait in the outbox when left out. */
  readonly webhooks?: WebhookOptions;
  readonly traffic?: TrafficOptions;
  readonly streams?: StreamLimits;
  /** Told of faults that the caller is not: a broken port, a delivery that has to be tried again. */
  report?(error: unknown): void;
}
