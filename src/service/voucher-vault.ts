/** Encrypts stored vouchers: AES-256-GCM, bound to order and line, decrypted only for a reply. */
import type { Voucher } from './suppliers/supplier.ts';

/** The row of a voucher; one moved to another row cannot be decrypted. */
interface VoucherPlace {
  readonly orderId: string;
  readonly deliveryId: string;
}

export interface VoucherVault {
  /** Layout: 12 bytes of nonce, then ciphertext and tag. */
  seal(voucher: Voucher, place: VoucherPlace): Promise<Uint8Array>;
  /** Rejects if the bytes were changed, moved, or sealed with another key. */
  open(sealed: Uint8Array, place: VoucherPlace): Promise<Voucher>;
}

const NONCE_BYTES = 12;

/** Creates the vault. @param rawKey 32 bytes, kept outside the store */
export function createVoucherVault(
  rawKey: Uint8Array,
  random: (length: number) => Uint8Array,
): VoucherVault {
  let imported: ReturnType<typeof importKey> | undefined;
  const key = () => {
    imported ??= importKey(rawKey);
    return imported;
  };
  return {
    async seal(voucher, place) {
      const nonce = random(NONCE_BYTES);
      const plain = new TextEncoder().encode(JSON.stringify(voucher));
      const sealed = await crypto.subtle.encrypt(gcm(nonce, place), await key(), plain);
      const bytes = new Uint8Array(NONCE_BYTES + sealed.byteLength);
      bytes.set(nonce);
      bytes.set(new Uint8Array(sealed), NONCE_BYTES);
      return bytes;
    },
    async open(sealed, place) {
      const nonce = sealed.slice(0, NONCE_BYTES);
      const body = sealed.slice(NONCE_BYTES);
      const plain = await crypto.subtle.decrypt(gcm(nonce, place), await key(), body);
      const voucher: Voucher = JSON.parse(new TextDecoder().decode(plain));
      return voucher;
    },
  };
}

function gcm(nonce: Uint8Array, { orderId, deliveryId }: VoucherPlace) {
  const additionalData = new TextEncoder().encode(`${orderId}\n${deliveryId}`);
  return { name: 'AES-GCM', iv: nonce, additionalData };
}

function importKey(rawKey: Uint8Array) {
  return crypto.subtle.importKey('raw', rawKey, 'AES-GCM', false, ['encrypt', 'decrypt']);
}
