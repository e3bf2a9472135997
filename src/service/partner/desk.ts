/** What taking and following orders of the partner API needs. */

import type { WebhookRules } from '../../domain/webhook-address.ts';
import type { ServiceOptions } from '../options.ts';
import type { VoucherVault } from '../voucher-vault.ts';
import type { WebhookKeys } from '../webhook-signature.ts';
import { unchecked } from './looking.ts';
import type { PartnerOptions } from './partner-options.ts';
import { atOnce } from './setup.ts';

export const PAYMENT_WINDOW_MS = 15 * 60_000;

export type OrderDesk = Pick<
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
  Required<Omit<PartnerOptions, 'checkoutUrl'>> &
  Pick<PartnerOptions, 'checkoutUrl'> & {
    readonly vault: VoucherVault;
    readonly webhookKeys: WebhookKeys | undefined;
    readonly webhookRules: WebhookRules;
    /** Whether partners are held back by the share of their unpaid orders. */
    readonly isRatioEnforced: boolean;
    readonly limits: { readonly bodyBytes: number; readonly perTick: number };
  };

/** The desk of a service that has the partner API's parts. */
export function openDesk(
  service: Omit<OrderDesk, keyof PartnerOptions>,
  options: PartnerOptions,
): OrderDesk {
  return {
    ...service,
    compliance: unchecked,
    setup: atOnce,
    paymentWindowMs: PAYMENT_WINDOW_MS,
    isSandbox: false,
    ...options,
  };
}
