/** The port for the source of voucher codes and top-ups. */
import type { Atomic } from '../../domain/money.ts';
import type { Product } from '../../domain/product.ts';

/** One line to fulfil. */
export interface SupplyRequest {
  readonly product: Product;
  readonly faceValue: Atomic;
  readonly beneficiary: string;
}

/** The delivered data; a code is cash and is encrypted before it is stored. */
export interface Voucher {
  readonly voucherCode?: string;
  readonly pinSerial?: string;
  readonly securityCode?: string;
  readonly redeemInstructions: string;
  readonly termsAndConditions: string;
  readonly url?: string;
  readonly deliveryType: 'by_email' | 'by_sms' | 'inline';
}

export type SupplyOutcome =
  | { readonly outcome: 'fulfilled'; readonly voucher: Voucher }
  | { readonly outcome: 'pending'; readonly retryAfterMs: number }
  | { readonly outcome: 'refused'; readonly reason: string };

export interface Supplier {
  /**
   * Returns whether the product can be bought now; called before payment is requested.
   * @throws {ScripError} MERCHANT_ERROR when the supplier cannot be reached
   */
  check(request: SupplyRequest): Promise<'available' | 'out_of_stock'>;
  /**
   * Buys once per reference, however often it is called: the same reference gives the same voucher.
   * If it throws, the outcome is unknown: call again with the same reference, never a new one.
   */
  fulfil(reference: string, request: SupplyRequest): Promise<SupplyOutcome>;
}
