/** Classifies IP addresses as public, own or special, by the IANA special-purpose registries. */

/** Ranges that this program sends nothing to (RFC 6890 and its registry). */
const SPECIAL_V4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
] as const;

/** In IPv6, only the global unicast block is public, except its reserved and tunnel ranges. */
const GLOBAL_V6 = '2000::/3';
const SPECIAL_V6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'] as const;

/**
 * This machine and private networks (RFC 1918, RFC 4193). Excludes link-local addresses, where clouds serve
 * credentials.
 */
const OWN = [
  '127.0.0.0/8',
  '10.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '::1/128',
  'fc00::/7',
] as const;

/** IPv4 addresses as dual-stack sockets report them. */
const MAPPED_V4 = '::ffff:0:0/96';

const V4_BITS = 32n;
const V6_BITS = 128n;
const LONGEST_ADDRESS = 45;

/** An address as a number, with its width in bits. */
interface Parsed {
  readonly value: bigint;
  readonly bits: bigint;
}

/** Whether the text is one IP address, version 4 or 6, without a zone or a port. */
export function isIpAddress(text: string): boolean {
  return parse(text) !== undefined;
}

/** Whether an IP address is on the public internet; false if the text is not an address. */
export function isPublicAddress(text: string): boolean {
  const address = parse(text);
  if (!address) return false;
  if (address.bits === V4_BITS) return !SPECIAL_V4.some((range) => isWithin(address, range));
  return isWithin(address, GLOBAL_V6) && !SPECIAL_V6.some((range) => isWithin(address, range));
}

/** Whether an IP address is this machine's or in a private network; false if the text is not an address. */
export function isOwnAddress(text: string): boolean {
  const address = parse(text);
  return address !== undefined && OWN.some((range) => isWithin(address, range));
}

/** Whether the text is an IP address or a network such as `10.0.0.0/8`. */
export function isIpRange(text: string): boolean {
  const [start = '', length, ...rest] = text.split('/');
  const base = parse(start);
  if (!base || rest.length > 0) return false;
  return length === undefined || (/^\d{1,3}$/.test(length) && BigInt(length) <= base.bits);
}

/** Whether an IP address, in any notation, is in one of the ranges. */
export function isInRanges(text: string, ranges: readonly string[]): boolean {
  if (ranges.length === 0) return false;
  const [plain = ''] = text.split('%');
  const named = parse(plain);
  if (!named) return false;
  const isMapped = isWithin(named, MAPPED_V4);
  const address = isMapped ? { value: named.value & 0xffffffffn, bits: V4_BITS } : named;
  return ranges.some((range) => isWithin(address, range));
}

const NETWORK_BITS = 64n;

/**
 * Returns the key that identifies a caller: its IPv4 address, or the first half of its IPv6 address, because
 * one caller usually has that whole network. Any other text is its own key.
 */
export function networkOf(text: string): string {
  const [plain = ''] = text.split('%');
  const address = parse(plain);
  if (!address || address.bits === V4_BITS) return plain;
  if (isWithin(address, MAPPED_V4)) return formatV4(address.value);
  const groups = [3n, 2n, 1n, 0n].map(
    (group) => (address.value >> (NETWORK_BITS + group * 16n)) & 0xffffn,
  );
  return `${groups.map((group) => group.toString(16)).join(':')}::/${NETWORK_BITS}`;
}

/**
 * Returns the network around a caller's key that is usually handed out as a whole: /24 of IPv4, /56 of IPv6.
 * Any other text is its own.
 * @param key from `networkOf`
 */
export function siteOf(key: string): string {
  const [, v4] = /^(\d+\.\d+\.\d+)\.\d+$/.exec(key) ?? [];
  if (v4 !== undefined) return `${v4}.0/24`;
  const [, start, last] = /^([0-9a-f:]+):([0-9a-f]+)::\/64$/.exec(key) ?? [];
  if (start === undefined || last === undefined) return key;
  return `${start}:${(Number.parseInt(last, 16) & 0xff00).toString(16)}::/56`;
}

function formatV4(value: bigint): string {
  return [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 0xffn).join('.');
}

function isWithin(address: Parsed, range: string): boolean {
  const [start = '', length = ''] = range.split('/');
  const base = parse(start);
  if (base?.bits !== address.bits) return false;
  const shift = length === '' ? 0n : address.bits - BigInt(length);
  return base.value >> shift === address.value >> shift;
}

function parse(text: string): Parsed | undefined {
  if (text.length > LONGEST_ADDRESS) return undefined;
  const value = text.includes(':') ? parseV6(text) : parseV4(text);
  return value === undefined ? undefined : { value, bits: text.includes(':') ? V6_BITS : V4_BITS };
}

/** Parses four decimal numbers; rejects leading zeros, which other parsers read as octal. */
function parseV4(text: string): bigint | undefined {
  const parts = text.split('.');
  if (parts.length !== 4) return undefined;
  if (!parts.every((part) => /^(0|[1-9]\d{0,2})$/.test(part) && Number(part) <= 255)) {
    return undefined;
  }
  return parts.reduce((sum, part) => (sum << 8n) | BigInt(part), 0n);
}

function parseV6(text: string): bigint | undefined {
  const halves = text.split('::');
  if (halves.length > 2) return undefined;
  const [head, tail] = [groupsOf(halves[0] ?? ''), groupsOf(halves[1] ?? '')];
  if (!head || !tail) return undefined;
  const missing = 8 - head.length - tail.length;
  if (halves.length === 2 ? missing < 1 : missing !== 0) return undefined;
  const groups = [...head, ...Array.from({ length: missing }, () => 0n), ...tail];
  return groups.reduce((sum, group) => (sum << 16n) | group, 0n);
}

/** Parses groups of 16 bits; the last two may be written as an IPv4 address. */
function groupsOf(text: string): readonly bigint[] | undefined {
  if (text === '') return [];
  const parts = text.split(':');
  const last = parts.at(-1) ?? '';
  const embedded = last.includes('.') ? parseV4(last) : undefined;
  if (last.includes('.') && embedded === undefined) return undefined;
  const plain = embedded === undefined ? parts : parts.slice(0, -1);
  if (!plain.every((part) => /^[0-9a-fA-F]{1,4}$/.test(part))) return undefined;
  const groups = plain.map((part) => BigInt(`0x${part}`));
  return embedded === undefined ? groups : [...groups, embedded >> 16n, embedded & 0xffffn];
}
