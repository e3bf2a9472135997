/** Messages to the user during a purchase, besides its progress. */

import type { WirePartnerOrder } from '../contract/partner-orders.ts';
import type { Intent } from '../domain/journal.ts';
import type { PaymentQuote } from './partner/pay-terms.ts';

export type Notice =
  /** An order without a key continues an earlier purchase. */
  | { readonly kind: 'resuming'; readonly begun: Intent }
  /** The purchase that an order continues is paid; only its delivery is waited for. */
  | { readonly kind: 'paid-already'; readonly begun: Intent; readonly key: string | undefined }
  | { readonly kind: 'bought-before'; readonly bought: Intent }
  | {
      readonly kind: 'made-before';
      readonly order: Pick<WirePartnerOrder, 'order_id' | 'created_at'>;
      readonly key: string | undefined;
    }
  | { readonly kind: 'paid-before' }
  /** Unfinished purchases of earlier runs, and how many of them are still unfinished. */
  | { readonly kind: 'looked-after'; readonly count: number; readonly left: number }
  | { readonly kind: 'paying'; readonly offer: PaymentQuote };
