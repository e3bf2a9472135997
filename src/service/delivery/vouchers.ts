/** Encrypts stored vouchers: AES-256-GCM, bound to order and line, decrypted only for a reply. */

import { createCipheriv, createDecipheriv, createHmac } from 'node:crypto';
import type { DeliveryRow } from '../../store/tables/deliveries.ts';
import { decodeLine } from '../checkout/line.ts';
import { goodsIn, type Voucher } from './supplier.ts';

/** The row of a voucher; one moved to another row cannot be decrypted. */
interface VoucherPlace {
  readonly orderId: string;
  readonly deliveryId: string;
}

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

export type VoucherVault = ReturnType<typeof createVoucherVault>;

/** Creates the vault. @param key 32 bytes, kept outside the store */
export function createVoucherVault(key: Uint8Array, random: (length: number) => Uint8Array) {
  const digestKey = createHmac('sha256', key).update('delivered codes').digest();
  // Not WebCrypto, whose job on another thread takes longer than the encryption of a short text.
  return {
    /** Layout: 12 bytes of nonce, then ciphertext and tag. */
    async seal(voucher: Voucher, place: VoucherPlace): Promise<Uint8Array> {
      const nonce = random(NONCE_BYTES);
      const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
      cipher.setAAD(boundTo(place));
      const text = cipher.update(JSON.stringify(voucher), 'utf8');
      return Uint8Array.from(Buffer.concat([nonce, text, cipher.final(), cipher.getAuthTag()]));
    },
    /** Rejects if the bytes were changed, moved, or sealed with another key. */
    async open(sealed: Uint8Array, place: VoucherPlace): Promise<Voucher> {
      const end = sealed.length - TAG_BYTES;
      const nonce = sealed.subarray(0, NONCE_BYTES);
      const cipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
      cipher.setAAD(boundTo(place));
      cipher.setAuthTag(sealed.subarray(end));
      const plain = [cipher.update(sealed.subarray(NONCE_BYTES, end)), cipher.final()];
      return JSON.parse(Buffer.concat(plain).toString('utf8'));
    },
    /** Keyed digest of a code, so that the store tells whether it was delivered and reveals no code. */
    digest: (code: string) =>
      // The same code written with other spaces is the same code.
      createHmac('sha256', digestKey)
        .update(code.normalize('NFKC').replace(/\s/g, ''))
        .digest('hex'),
  };
}

function boundTo({ orderId, deliveryId }: VoucherPlace): Uint8Array {
  return Buffer.from(`${orderId}\n${deliveryId}`);
}

// Digests of delivered codes, by which the store tells that a code was delivered before.

/** Digest of what redeems a voucher; text of the line's own where nothing does. */
export function codeDigest(
  vault: Pick<VoucherVault, 'digest'>,
  { deliveryId, goods }: DeliveryRow,
  voucher: Voucher,
): string {
  const redeems = goodsIn(voucher, decodeLine(goods))?.redeems ?? null;
  return redeems === null ? `none ${deliveryId}` : vault.digest(redeems);
}
