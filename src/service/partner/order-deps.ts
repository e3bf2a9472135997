/** Dependencies for creating and following orders of the partner API. */

import type { WebhookRules } from '../../domain/address/webhook-address.ts';
import { PAYMENT_WINDOW_MS } from '../../domain/order/order-states.ts';
import type { VoucherVault } from '../delivery/vouchers.ts';
import type { Limits, PartnerOptions, ServiceOptions } from '../options.ts';
import type { WebhookKeys } from '../webhooks/webhook-signature.ts';
import { atOnce } from './orders/progress.ts';
import { unchecked } from './orders/reconcile.ts';
import { createPartnerGate } from './partner-gate.ts';

/** What the partner API shares with the checkout host. */
interface ServiceParts extends ServiceOptions {
  readonly limits: Limits;
  readonly vault: VoucherVault;
  readonly webhookKeys: WebhookKeys | undefined;
  readonly webhookRules: WebhookRules;
  /** Whether partners with a high share of unpaid orders are held back. */
  readonly isRatioEnforced: boolean;
}

export type PartnerOrderDeps = ReturnType<typeof partnerOrderDeps>;

/** Dependencies of the partner API’s order routes, with defaults. */
export function partnerOrderDeps(service: ServiceParts, options: PartnerOptions) {
  const { compliance = unchecked, setup = atOnce, arePartnersOpen = true } = options;
  return {
    ...service,
    paymentWindowMs: PAYMENT_WINDOW_MS,
    isSandbox: false,
    hasPages: true,
    ...options,
    compliance,
    setup,
    gate: createPartnerGate({ ...service, arePartnersOpen }),
  };
}
