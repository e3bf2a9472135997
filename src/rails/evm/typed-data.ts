/** EIP-712 typed data with flat structs: the text that a signer reads, and the digest that it signs. */

import { keccak_256 } from '@noble/hashes/sha3.js';
import { parseJson } from '../../domain/attempt.ts';
import { ScripError } from '../../domain/message/errors.ts';
import { t } from '../../domain/message/message.ts';
import { field } from '../rpc-transport.ts';
import { bytesOf } from './address.ts';

interface Field {
  readonly name: string;
  readonly type: string;
}

type Values = Readonly<Record<string, string | number>>;

export interface TypedData {
  readonly types: Readonly<Record<string, readonly Field[]>>;
  readonly primaryType: string;
  readonly domain: Values;
  readonly message: Values;
}

const DOMAIN = 'EIP712Domain';

export function encodeTypedData(data: TypedData): Uint8Array {
  return Buffer.from(JSON.stringify(data), 'utf8');
}

/**
 * Reads typed data: a domain and one struct, each with exactly the fields of its type.
 * @throws {ScripError} INPUT_INVALID
 */
export function decodeTypedData(text: Uint8Array): TypedData {
  const value = parseJson(Buffer.from(text).toString('utf8'));
  const primaryType = field(value, 'primaryType');
  if (typeof primaryType !== 'string' || primaryType === DOMAIN) return invalid();
  const types = {
    [DOMAIN]: readType(field(field(value, 'types'), DOMAIN)),
    [primaryType]: readType(field(field(value, 'types'), primaryType)),
  };
  const domain = readValues(field(value, 'domain'), types[DOMAIN] ?? []);
  const message = readValues(field(value, 'message'), types[primaryType] ?? []);
  return { types, primaryType, domain, message };
}

/** The 32 bytes that are signed. @throws {ScripError} INPUT_INVALID */
export function digestOfTypedData({ types, primaryType, domain, message }: TypedData): Uint8Array {
  return keccak_256(
    Buffer.concat([
      Uint8Array.of(0x19, 0x01),
      hashOfDomain(types, domain),
      hashStruct(primaryType, types[primaryType] ?? [], message),
    ]),
  );
}

/** What a contract tells as its domain separator. */
export function hashOfDomain(types: TypedData['types'], domain: TypedData['domain']): Uint8Array {
  return hashStruct(DOMAIN, types[DOMAIN] ?? [], domain);
}

function hashStruct(name: string, fields: readonly Field[], values: Values): Uint8Array {
  const type = `${name}(${fields.map((one) => `${one.type} ${one.name}`).join(',')})`;
  const words = fields.map((one) => wordOf(one.type, values[one.name]));
  return keccak_256(Buffer.concat([keccak_256(Buffer.from(type)), ...words]));
}

const WORD = 32;
const MOST = 2n ** 256n - 1n;

function wordOf(type: string, value: string | number | undefined): Uint8Array {
  const text = String(value);
  if (type === 'string' && typeof value === 'string') return keccak_256(Buffer.from(value, 'utf8'));
  if (type === 'address' && /^0x[0-9a-fA-F]{40}$/.test(text)) return leftPadded(text.slice(2));
  if (type === 'bytes32' && /^0x[0-9a-fA-F]{64}$/.test(text)) return bytesOf(text);
  if (type === 'uint256' && /^(0|[1-9]\d{0,77})$/.test(text) && BigInt(text) <= MOST) {
    return leftPadded(BigInt(text).toString(16));
  }
  return invalid();
}

function leftPadded(hex: string): Uint8Array {
  return Buffer.from(hex.padStart(2 * WORD, '0'), 'hex');
}

function readType(value: unknown): readonly Field[] {
  if (!Array.isArray(value)) return invalid();
  return value.map((one: unknown) => {
    const [name, type] = [field(one, 'name'), field(one, 'type')];
    return typeof name === 'string' && typeof type === 'string' ? { name, type } : invalid();
  });
}

function readValues(value: unknown, fields: readonly Field[]): Values {
  const entries = Object.entries(Object(value));
  const names = new Set(fields.map(({ name }) => name));
  const isEach = names.size === fields.length && entries.length === fields.length;
  // A value that the type does not name would be shown and not signed.
  if (!isEach || !entries.every(([name]) => names.has(name))) return invalid();
  return Object.fromEntries(
    entries.map(([name, one]): [string, string | number] =>
      typeof one === 'string' || typeof one === 'number' ? [name, one] : invalid(),
    ),
  );
}

function invalid(): never {
  throw new ScripError('INPUT_INVALID', t`The text to sign is not typed data of a known form`);
}
