/** Purchased goods as the library returns them: only `reveal()` shows their codes. */

import type { WireDelivery } from '../../contract/checkout.ts';
import type { WirePartnerDelivery } from '../../contract/partner-orders.ts';
import { codesIn } from '../../domain/delivered.ts';
import type { BoughtDocument } from '../merchant.ts';
import type { Delivery, Goods } from './public-results.ts';

interface Handed {
  readonly name: string | undefined;
  readonly brand: string | undefined;
  readonly value: string | undefined;
  readonly currency: string | undefined;
  readonly hasCode: boolean;
  readonly goods: Goods;
}

/** Holds the goods in a private field, which `inspect` and JSON do not show. */
class HandedDelivery implements Delivery {
  readonly name: string | undefined;
  readonly brand: string | undefined;
  readonly value: string | undefined;
  readonly currency: string | undefined;
  readonly hasCode: boolean;
  readonly #goods: Goods;

  constructor({ name, brand, value, currency, hasCode, goods }: Handed) {
    this.name = name;
    this.brand = brand;
    this.value = value;
    this.currency = currency;
    this.hasCode = hasCode;
    this.#goods = goods;
  }

  reveal(): Goods {
    return this.#goods;
  }
}

export function deliveriesIn(document: BoughtDocument): readonly Delivery[] {
  switch (document.form) {
    case 'receipt':
      return document.receipt.deliveries.map(ofCheckout);
    case 'checkout':
      return (document.order.deliveries ?? []).map(ofCheckout);
    case 'partner':
      return (document.order.deliveries ?? []).map(ofPartner);
  }
}

function ofCheckout(delivery: WireDelivery): Delivery {
  const { product_name, brand_name, face_value, currency } = delivery;
  return new HandedDelivery({
    name: product_name ?? brand_name,
    brand: brand_name,
    value: face_value,
    currency,
    hasCode: codesIn(delivery).length > 0,
    goods: {
      code: delivery.voucher_code,
      serial: delivery.pin_serial,
      securityCode: delivery.security_code,
      url: delivery.url,
      barcodeUrl: delivery.barcode_image_url,
      qrUrl: delivery.qr_image_url,
      instructions: delivery.redeem_instructions,
      terms: delivery.terms_and_conditions,
      others: delivery.other_fields ?? {},
    },
  });
}

function ofPartner({ deliverable }: WirePartnerDelivery): Delivery {
  const { pin_code: pin, brand_name, product_value, denomination, currency_code } = deliverable;
  const value = product_value?.toString() ?? denomination;
  const isAddress = pin?.startsWith('http') ?? false;
  return new HandedDelivery({
    name: brand_name,
    brand: brand_name,
    value: value === 'range' ? undefined : bareValue(value, currency_code ?? ''),
    currency: currency_code ?? undefined,
    hasCode: codesIn(deliverable).length > 0,
    goods: {
      code: isAddress ? undefined : pin,
      serial: deliverable.pin_serial ?? undefined,
      securityCode: deliverable.security_code ?? undefined,
      url: isAddress ? pin : undefined,
      barcodeUrl: deliverable.barcode_image_url ?? undefined,
      qrUrl: deliverable.qr_image_url ?? undefined,
      instructions: deliverable.redeem_instructions ?? undefined,
      terms: deliverable.terms_and_conditions ?? undefined,
      others: deliverable.other_fields ?? {},
    },
  });
}

/** Returns a face value without its currency, which some merchants append. */
export function bareValue(value: string, currency: string): string {
  return currency !== '' && value.endsWith(` ${currency}`)
    ? value.slice(0, -currency.length - 1)
    : value;
}
