/** Addresses that a wallet of this program pays from. */

/** Of Solana: 32 bytes in base58. */
const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const FORM = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/;
const BYTES = 32;

export function isSolanaAddress(text: string): boolean {
  if (!FORM.test(text)) return false;
  const digits = text.replace(/^1+/, '');
  const number = [...digits].reduce(
    (sum, digit) => sum * 58n + BigInt(ALPHABET.indexOf(digit)),
    0n,
  );
  const below = number === 0n ? 0 : Math.ceil(number.toString(16).length / 2);
  // Each leading 1 encodes a zero byte.
  return text.length - digits.length + below === BYTES;
}

/** Of EVM networks. Mixed case can carry a checksum, which is not verified here; addresses in one case have none. */
export function isEvmAddress(text: string): boolean {
  return /^0x[0-9a-fA-F]{40}$/.test(text);
}

/** Encodes the 32 bytes of an address of Solana. */
export function solanaAddressOf(key: Uint8Array): string {
  const zeros = key.findIndex((byte) => byte !== 0);
  const hex = [...key].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  let digits = '';
  for (let rest = BigInt(`0x${hex}`); rest > 0n; rest /= 58n) {
    digits = ALPHABET.charAt(Number(rest % 58n)) + digits;
  }
  return '1'.repeat(zeros < 0 ? key.length : zeros) + digits;
}
