/** Bech32 (BIP 173), as far as writing addresses needs it. */

const ALPHABET = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l';
const GENERATOR = [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3];
const CHECKSUM_GROUPS = 6;

/** Version 0 of a witness program: an address such as `bc1q…`. */
export function segwitAddress(prefix: string, program: Uint8Array): string {
  return toBech32(prefix, [0, ...fromBytes(program)]);
}

/** The text of a prefix and groups of five bits, with its checksum. */
export function toBech32(prefix: string, groups: readonly number[]): string {
  const all = [...groups, ...checksum(prefix, groups)];
  return `${prefix}1${all.map((group) => ALPHABET.charAt(group)).join('')}`;
}

/** Bytes as groups of five bits, the last one filled up with zeros. */
export function fromBytes(bytes: Uint8Array): number[] {
  const bits = Array.from(bytes, (byte) => byte.toString(2).padStart(8, '0')).join('');
  return (bits.match(/.{1,5}/g) ?? []).map((group) => Number.parseInt(group.padEnd(5, '0'), 2));
}

function checksum(prefix: string, groups: readonly number[]): number[] {
  const codes = Array.from(prefix, (letter) => letter.charCodeAt(0));
  const expanded = [...codes.map((code) => code >> 5), 0, ...codes.map((code) => code & 31)];
  const padding = new Array<number>(CHECKSUM_GROUPS).fill(0);
  const remainder = polymod([...expanded, ...groups, ...padding]) ^ 1;
  return padding.map((_, index) => (remainder >> (5 * (CHECKSUM_GROUPS - 1 - index))) & 31);
}

function polymod(values: readonly number[]): number {
  return values.reduce((sum, value) => {
    const top = sum >>> 25;
    const shifted = ((sum & 0x1ffffff) << 5) ^ value;
    return GENERATOR.reduce(
      (mixed, generator, bit) => ((top >> bit) & 1 ? mixed ^ generator : mixed),
      shifted,
    );
  }, 1);
}
