/** Bech32 (BIP 173, BIP 350), as far as writing and checking addresses needs it. */

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

/** What the checksum of each form comes to. */
const BECH32 = 1;
const BECH32M = 0x2bc830a3;

/** Whether the checksum of such a text is right, in one case or the other and not in both. */
export function isBech32(text: string): boolean {
  const lower = text.toLowerCase();
  if (text !== lower && text !== text.toUpperCase()) return false;
  const { prefix, groups } = split(lower);
  return groups !== undefined && [BECH32, BECH32M].includes(remainderOf(prefix, groups));
}

/** Whether it is an address of a witness program: version 0 by BIP 173, later ones by BIP 350. */
export function isSegwitAddress(text: string, network: string): boolean {
  const { prefix, groups } = split(text.toLowerCase());
  const [version] = groups ?? [];
  if (!isBech32(text) || prefix !== network || groups === undefined || version === undefined) {
    return false;
  }
  const bytes = ((groups.length - 1 - CHECKSUM_GROUPS) * 5) >> 3;
  const sum = remainderOf(prefix, groups);
  if (version === 0) return sum === BECH32 && (bytes === 20 || bytes === 32);
  return sum === BECH32M && version <= 16 && bytes >= 2 && bytes <= 40;
}

/** The last 1 ends the prefix; no groups where it holds a character of another alphabet. */
function split(text: string): { readonly prefix: string; readonly groups?: readonly number[] } {
  const at = text.lastIndexOf('1');
  const prefix = text.slice(0, Math.max(at, 0));
  const groups = Array.from(text.slice(at + 1), (letter) => ALPHABET.indexOf(letter));
  const isWhole = prefix !== '' && groups.length > CHECKSUM_GROUPS && !groups.includes(-1);
  return isWhole ? { prefix, groups } : { prefix };
}

function remainderOf(prefix: string, groups: readonly number[]): number {
  return polymod([...expand(prefix), ...groups]);
}

function expand(prefix: string): number[] {
  const codes = Array.from(prefix, (letter) => letter.charCodeAt(0));
  return [...codes.map((code) => code >> 5), 0, ...codes.map((code) => code & 31)];
}

function checksum(prefix: string, groups: readonly number[]): number[] {
  const padding = new Array<number>(CHECKSUM_GROUPS).fill(0);
  const remainder = polymod([...expand(prefix), ...groups, ...padding]) ^ BECH32;
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
