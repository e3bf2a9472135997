/** What counts as delivered goods, whichever supplier answers. */
import type { SupplyRequest, Voucher } from './supplier.ts';

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
