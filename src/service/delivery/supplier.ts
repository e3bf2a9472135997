/** The port for the source of voucher codes and top-ups. */

import { ScripError } from '../../domain/message/errors.ts';
import type { Atomic } from '../../domain/money/money.ts';
import type { Product } from '../../domain/product/product.ts';
import type { Facts } from '../../store/store.ts';
import { SUPPLIER_FAULT } from '../../store/tables/facts.ts';
import type { CostRow } from '../../store/tables/sales.ts';

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

export type Cost = Pick<CostRow, 'amount' | 'currency'>;

export type SupplyOutcome =
  | {
      readonly outcome: 'fulfilled';
      readonly voucher: Voucher;
      /** What the supplier asks for it; the amount is a decimal text. */
      readonly cost?: Cost | undefined;
    }
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

// What counts as delivered goods, whichever supplier answers.

/**
 * Undefined if the voucher holds no goods: it needs a code, a serial or a link, and none of them may be blank. Only
 * a supplier that sent the goods to the beneficiary itself may give none of them (interface: delivered by e-mail or
 * SMS).
 */
export function goodsIn(
  voucher: Voucher,
  { product, beneficiary }: Pick<SupplyRequest, 'product' | 'beneficiary'>,
): { readonly redeems: string | null } | undefined {
  const { voucherCode, url, pinSerial, securityCode } = voucher;
  const given = [voucherCode, url, pinSerial, securityCode].filter((text) => text !== undefined);
  if (given.some(isBlank)) return undefined;
  const isEmpty = (voucherCode ?? url ?? pinSerial) === undefined;
  if (isEmpty && !isSentTo(beneficiary, voucher)) return undefined;
  if (voucherCode !== undefined) return { redeems: voucherCode };
  // The serial of a top-up is a confirmation number, which redeems nothing and may come again.
  const isCredited = product.brand.kind === 'mobile_topup';
  return { redeems: isEmpty || isCredited ? null : JSON.stringify([url, pinSerial]) };
}

/** Whether the supplier says that it sent the goods the way the beneficiary can be reached. */
function isSentTo(beneficiary: string, { deliveryType }: Voucher): boolean {
  return deliveryType === (beneficiary.includes('@') ? 'by_email' : 'by_sms');
}

/** Spaces, dashes and characters that show nothing are no code. */
export function isBlank(text: string): boolean {
  return !/[\p{L}\p{N}]/u.test(text);
}

// The last error of the supplier about a line, for the operator; never an answer, which may hold a code.

interface SupplierFault {
  readonly at: string;
  /** Error code and sentence. */
  readonly error: string;
}

export async function noteSupplierFault(
  facts: Facts,
  deliveryId: string,
  { error, atMs }: { readonly error: unknown; readonly atMs: number },
): Promise<void> {
  const said = error instanceof ScripError ? `${error.code}: ${error.message}` : 'INTERNAL';
  const fault: SupplierFault = { at: new Date(atMs).toISOString(), error: said };
  await facts.set(nameOf(deliveryId), JSON.stringify(fault));
}

export async function supplierFaultOf(
  facts: Facts,
  deliveryId: string,
): Promise<SupplierFault | null> {
  const text = await facts.get(nameOf(deliveryId));
  return text === undefined ? null : JSON.parse(text);
}

function nameOf(deliveryId: string): string {
  return SUPPLIER_FAULT + deliveryId;
}
