/** One product of an order on the wire. */
import type { WireDeliverable } from '../../../contract/partner-orders.ts';
import { type Atomic, formatDecimal } from '../../../domain/money/money.ts';
import { formatFaceValue, type Product } from '../../../domain/product/product.ts';
import type { Voucher } from '../../delivery/supplier.ts';
import { brandLogoBase, colourOf, formatColour } from '../catalog/pictures.ts';
import { DELIVERY_TYPES, RANGE } from '../catalog/views.ts';

/** A line's share of the order, in whole units of the coin as text. */
export interface LinePart {
  readonly coinAmount: string;
  readonly originalCoinAmount: string;
  readonly points: string;
}

export interface BoughtLine {
  readonly product: Product;
  readonly faceValue: Atomic;
  readonly beneficiary: string;
}

/** Formats a line's sums from `summarise`. */
export function linePart(
  amounts: { readonly coinAtomic: Atomic; readonly originalCoinAtomic: Atomic; points: bigint },
  decimals: number,
): LinePart {
  return {
    coinAmount: formatDecimal(amounts.coinAtomic, decimals),
    originalCoinAmount: formatDecimal(amounts.originalCoinAtomic, decimals),
    points: amounts.points.toString(),
  };
}

/** The product, the value and the beneficiary, with the cost. */
export function deliverableView(
  baseUrl: string,
  { product, faceValue, beneficiary }: BoughtLine,
  part: LinePart | undefined,
): WireDeliverable {
  const { brand, denomination, label } = product;
  const value = formatFaceValue(faceValue);
  return {
    denomination: denomination.isRange ? RANGE : label,
    product_value: denomination.isRange ? value : null,
    brand_name: brand.name,
    beneficiary_account: beneficiary,
    country_code: brand.countryCode.toUpperCase(),
    family: brand.family,
    brand_logo: `${brandLogoBase(baseUrl, brand)}.webp`,
    brand_bg_color: formatColour(colourOf(brand.brandId)),
    delivery_type: DELIVERY_TYPES[brand.kind],
    currency_code: brand.currency,
    // Ours: the face value in its own currency.
    original_price: value,
    ...(part && {
      points: part.points,
      coin_amount: part.coinAmount,
      original_coin_amount: part.originalCoinAmount,
    }),
  };
}

/** The redemption data. A code that is only an address to open is also in `pin_code` (interface). */
export function redemptionView(voucher: Voucher): Partial<WireDeliverable> {
  const pinCode = voucher.voucherCode ?? voucher.url;
  return {
    ...(pinCode !== undefined && { pin_code: pinCode }),
    ...(voucher.pinSerial !== undefined && { pin_serial: voucher.pinSerial }),
    ...(voucher.securityCode !== undefined && { security_code: voucher.securityCode }),
    pin_usage_instructions: paragraph(voucher.redeemInstructions),
    redeem_instructions: voucher.redeemInstructions,
    terms_and_conditions: voucher.termsAndConditions,
    delivery_type: voucher.deliveryType,
  };
}

/** The interface requires HTML here. */
function paragraph(text: string): string {
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  return `<p>${escaped}</p>`;
}
