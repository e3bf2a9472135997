/** Dependencies for creating and following orders of the partner API. */

import type { WebhookRules } from '../../domain/address/webhook-address.ts';
import { PAYMENT_WINDOW_MS } from '../../domain/order/order-states.ts';
import type { VoucherVault } from '../delivery/vouchers.ts';
import type { PartnerOptions, ServiceOptions } from '../options.ts';
import type { WebhookKeys } from '../webhooks/webhook-signature.ts';
import { createPartnerGate, type PartnerGate } from './partner-gate.ts';
import { atOnce } from './progress.ts';
import { unchecked } from './reconcile.ts';

export type PartnerOrderDeps = Pick<
  ServiceOptions,
  | 'store'
  | 'catalog'
  | 'rates'
  | 'marginBps'
  | 'supplier'
  | 'clock'
  | 'random'
  | 'baseUrl'
  | 'checkBeneficiary'
  | 'report'
> &
  Required<Omit<PartnerOptions, OptionalPart>> &
  Pick<PartnerOptions, OptionalPart> & {
    readonly vault: VoucherVault;
    readonly gate: PartnerGate;
    readonly webhookKeys: WebhookKeys | undefined;
    readonly webhookRules: WebhookRules;
    /** Whether partners with a high share of unpaid orders are held back. */
    readonly isRatioEnforced: boolean;
    readonly limits: { readonly bodyBytes: number; readonly perTick: number };
  };

type OptionalPart = 'simulateAt' | 'sponsorship' | 'canReceiveUsdc' | 'shopName' | 'website';

/** Dependencies of the partner API’s order routes, with defaults. */
export function partnerOrderDeps(
  service: Omit<PartnerOrderDeps, keyof PartnerOptions | 'gate'>,
  options: PartnerOptions,
): PartnerOrderDeps {
  const { arePartnersOpen = true } = options;
  return {
    ...service,
    compliance: unchecked,
    setup: atOnce,
    paymentWindowMs: PAYMENT_WINDOW_MS,
    isSandbox: false,
    hasPages: true,
    ...options,
    arePartnersOpen,
    gate: createPartnerGate({ ...service, arePartnersOpen }),
  };
}
