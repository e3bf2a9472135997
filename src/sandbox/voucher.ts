/** Test redemption data, impossible to mistake for real: every code begins with TEST. */
import { createHmac } from 'node:crypto';
import { formatFaceValue, type ProductKind } from '../domain/product.ts';
import type { SupplyRequest, Voucher } from '../service/suppliers/supplier.ts';

/** Letters and digits that are not confused when read aloud or typed. */
const ALPHABET = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ';

const GROUP_LENGTH = 4;

/** Derives the codes of one purchase; the same purpose gives the same code. */
type Draw = (purpose: string) => string;

type Made = Pick<
  Voucher,
  'voucherCode' | 'pinSerial' | 'securityCode' | 'redeemInstructions' | 'url' | 'deliveryType'
>;

const VOUCHERS: Readonly<Record<ProductKind, (draw: Draw, request: SupplyRequest) => Made>> = {
  giftcard: (draw, { product }) => ({
    voucherCode: draw('code'),
    pinSerial: draw('serial'),
    ...(product.brand.category === 'e-money' ? { securityCode: draw('security') } : {}),
    redeemInstructions: `Sandbox code: enter it at ${product.brand.name} to see that it is worth nothing.`,
    url: 'https://sandbox.example/redeem',
    deliveryType: 'inline',
  }),
  mobile_topup: (draw, { product, faceValue }) => ({
    pinSerial: draw('confirmation'),
    redeemInstructions:
      `Sandbox top-up of ${formatFaceValue(faceValue)} ${product.brand.currency} by ` +
      `${product.brand.name}; nothing to redeem. The serial is the confirmation number.`,
    deliveryType: 'by_sms',
  }),
  esim: (draw) => ({
    // GSMA SGP.22: an eSIM's QR code holds LPA:1$<SM-DP+ address>$<matching id>.
    voucherCode: `LPA:1$sandbox.example$${draw('activation')}`,
    pinSerial: draw('iccid'),
    redeemInstructions:
      'Sandbox eSIM: the activation code has the real shape and installs nothing.',
    deliveryType: 'inline',
  }),
  other: (draw, { product }) => ({
    voucherCode: draw('code'),
    redeemInstructions: `Sandbox code for ${product.brand.name}; it is worth nothing.`,
    deliveryType: 'inline',
  }),
};

/** Creates the voucher of a purchase; the same seed and reference always give the same voucher. */
export function makeVoucher(seed: Uint8Array, reference: string, request: SupplyRequest): Voucher {
  const draw = (purpose: string): string => testCode(seed, `${purpose}|${reference}`);
  return {
    ...VOUCHERS[request.product.brand.kind](draw, request),
    termsAndConditions: 'Sample data of a sandbox. Not redeemable, not refundable, not money.',
  };
}

/** Returns a code such as `TEST-XXXX-XXXX-XXXX`: 60 bits, unguessable without the seed. */
function testCode(seed: Uint8Array, purpose: string): string {
  const bytes = createHmac('sha256', seed).update(purpose).digest();
  const letters = [...bytes].map((byte) => ALPHABET[byte % ALPHABET.length]).join('');
  const groups = [0, 1, 2].map((group) =>
    letters.slice(group * GROUP_LENGTH, (group + 1) * GROUP_LENGTH),
  );
  return ['TEST', ...groups].join('-');
}
