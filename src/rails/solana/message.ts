/** Decodes the wire format of a Solana transaction strictly: any bytes have one meaning or are refused. */

import { createHash } from 'node:crypto';
import { ScripError } from '../../domain/message/errors.ts';
import { type Message, t } from '../../domain/message/message.ts';
import { encodeBase58 } from './address.ts';

/** One IPv6 packet: the runtime's limit. */
const MAX_TRANSACTION_BYTES = 1232;
const SIGNATURE_BYTES = 64;
const KEY_BYTES = 32;
/** Set in the first byte of a versioned message; in a legacy message that byte is the signature count. */
const VERSION_FLAG = 0x80;

interface MessageHeader {
  readonly requiredSignatures: number;
  readonly readonlySigned: number;
  readonly readonlyUnsigned: number;
}

/** A compiled instruction: indexes into the account keys. */
export interface CompiledInstruction {
  readonly programIndex: number;
  readonly accounts: readonly number[];
  readonly data: Uint8Array;
}

export interface DecodedTransaction {
  /** The whole transaction. */
  readonly wire: Uint8Array;
  readonly signatures: readonly Uint8Array[];
  /** The signed bytes. */
  readonly message: Uint8Array;
  /** Hex sha256 of the message. */
  readonly messageHash: string;
  readonly version: 0 | 'legacy';
  readonly header: MessageHeader;
  /** The static keys, base58, without those of lookup tables. */
  readonly accountKeys: readonly string[];
  readonly recentBlockhash: string;
  readonly instructions: readonly CompiledInstruction[];
  /** Number of address lookup tables. */
  readonly lookupTables: number;
}

/**
 * Decodes signatures and message. Lengths must be canonical, indexes in range and keys distinct; no
 * bytes may follow.
 * @throws {ScripError} PAYMENT_MALFORMED
 */
export function decodeTransaction(wire: Uint8Array): DecodedTransaction {
  if (wire.length > MAX_TRANSACTION_BYTES) {
    malformed(t`${wire.length} bytes are more than a transaction can have`);
  }
  const reader = openReader(wire);
  const signatures = reader.list(() => reader.bytes(SIGNATURE_BYTES));
  const message = reader.rest();
  const messageHash = createHash('sha256').update(message).digest('hex');
  const decoded = DECODED.get(messageHash) ?? decodeMessage(message);
  if (DECODED.size >= MOST_DECODED) DECODED.clear();
  DECODED.set(messageHash, decoded);
  if (signatures.length !== decoded.header.requiredSignatures) {
    malformed(t`its ${signatures.length} signatures do not match the number in its header`);
  }
  return { wire: Uint8Array.from(wire), signatures, message, messageHash, ...decoded };
}

/**
 * A cache by hash of the message: a payment is decoded when it is inspected, verified and settled,
 * and by the embedded chain.
 */
const DECODED = new Map<string, DecodedMessage>();
const MOST_DECODED = 200;

/**
 * Decodes the transaction of a payment payload from standard base64 in canonical form.
 * @throws {ScripError} PAYMENT_MALFORMED
 */
export function decodePayment(base64: string): DecodedTransaction {
  const bytes = Buffer.from(base64, 'base64');
  // Buffer skips invalid characters; encoding again shows whether it skipped any.
  if (encodeWire(bytes) !== base64) malformed(t`it is not standard base64`);
  return decodeTransaction(bytes);
}

/** Encodes wire bytes as standard base64. */
export function encodeWire(wire: Uint8Array): string {
  return Buffer.from(wire).toString('base64');
}

/** Returns a copy of the wire bytes with one signature replaced; the message is unchanged. */
export function withSignature(
  wire: Uint8Array,
  index: number,
  signature: Uint8Array,
): Uint8Array<ArrayBuffer> {
  const copy = Uint8Array.from(wire);
  // The count before the signatures is one byte: a packet holds fewer than 128 signatures.
  copy.set(signature, 1 + index * SIGNATURE_BYTES);
  return copy;
}

/** Whether the header makes the account at this index of the static keys writable. */
export function isWritable(transaction: DecodedTransaction, index: number): boolean {
  const { requiredSignatures, readonlySigned, readonlyUnsigned } = transaction.header;
  return index < requiredSignatures
    ? index < requiredSignatures - readonlySigned
    : index < transaction.accountKeys.length - readonlyUnsigned;
}

type DecodedMessage = Omit<DecodedTransaction, 'wire' | 'signatures' | 'message' | 'messageHash'>;

function decodeMessage(message: Uint8Array): DecodedMessage {
  const reader = openReader(message);
  const version = readVersion(reader);
  const header = {
    requiredSignatures: reader.byte(),
    readonlySigned: reader.byte(),
    readonlyUnsigned: reader.byte(),
  };
  const accountKeys = reader.list(() => encodeBase58(reader.bytes(KEY_BYTES)));
  const recentBlockhash = encodeBase58(reader.bytes(KEY_BYTES));
  const instructions = reader.list(() => readInstruction(reader));
  const lookups = version === 0 ? reader.list(() => readLookup(reader)) : [];
  reader.end();
  const loadedKeys = lookups.reduce((sum, keys) => sum + keys, 0);
  checkHeader(header, accountKeys);
  checkIndexes(instructions, accountKeys.length, loadedKeys);
  return {
    version,
    header,
    accountKeys,
    recentBlockhash,
    instructions,
    lookupTables: lookups.length,
  };
}

function readVersion(reader: Reader): 0 | 'legacy' {
  if ((reader.peek() & VERSION_FLAG) === 0) return 'legacy';
  const version = reader.byte() & ~VERSION_FLAG;
  return version === 0 ? 0 : malformed(t`message version ${version} is unknown`);
}

function readInstruction(reader: Reader): CompiledInstruction {
  const programIndex = reader.byte();
  const accounts = [...reader.bytes(reader.length())];
  const data = reader.bytes(reader.length());
  return { programIndex, accounts, data };
}

/** Skips one address table lookup; returns the number of keys it loads. */
function readLookup(reader: Reader): number {
  reader.bytes(KEY_BYTES);
  const writable = reader.bytes(reader.length()).length;
  const readonly = reader.bytes(reader.length()).length;
  return writable + readonly === 0 ? malformed(t`an empty lookup`) : writable + readonly;
}

/** The runtime's first checks. */
function checkHeader(header: MessageHeader, accountKeys: readonly string[]): void {
  const { requiredSignatures, readonlySigned, readonlyUnsigned } = header;
  if (requiredSignatures === 0 || readonlySigned >= requiredSignatures) {
    malformed(t`no account signs and pays the fee`);
  }
  if (requiredSignatures + readonlyUnsigned > accountKeys.length) {
    malformed(t`the header counts more accounts than the message has`);
  }
  if (new Set(accountKeys).size !== accountKeys.length) malformed(t`an account occurs twice`);
}

function checkIndexes(
  instructions: readonly CompiledInstruction[],
  staticKeys: number,
  loadedKeys: number,
): void {
  for (const { programIndex, accounts } of instructions) {
    // Account 0 pays the fee and is never a program; programs are never loaded from a table.
    if (programIndex === 0 || programIndex >= staticKeys) malformed(t`a program out of range`);
    if (accounts.some((index) => index >= staticKeys + loadedKeys)) {
      malformed(t`an account out of range`);
    }
  }
}

interface Reader {
  peek(): number;
  byte(): number;
  bytes(count: number): Uint8Array<ArrayBuffer>;
  /** A length in Solana's compact form: seven bits per byte, at most three bytes, canonical. */
  length(): number;
  list<T>(read: () => T): T[];
  rest(): Uint8Array<ArrayBuffer>;
  end(): void;
}

function openReader(source: Uint8Array): Reader {
  let offset = 0;
  const bytes = (count: number): Uint8Array<ArrayBuffer> => {
    if (offset + count > source.length) malformed(t`it ends too early`);
    offset += count;
    return Uint8Array.from(source.subarray(offset - count, offset));
  };
  const byte = (): number => bytes(1)[0] ?? 0;
  const length = (): number => readLength(byte);
  return {
    peek: () => source[offset] ?? malformed(t`it ends too early`),
    byte,
    bytes,
    length,
    list: (read) => Array.from({ length: length() }, read),
    rest: () => bytes(source.length - offset),
    end: () => {
      if (offset !== source.length) malformed(t`${source.length - offset} bytes too many`);
    },
  };
}

function readLength(byte: () => number): number {
  let value = 0;
  for (let position = 0; position < 3; position += 1) {
    const next = byte();
    value |= (next & 0x7f) << (7 * position);
    if ((next & 0x80) !== 0) continue;
    // A last byte of zero would give one length several encodings.
    if (next === 0 && position > 0) malformed(t`a length is not in canonical form`);
    return value > 0xffff ? malformed(t`a length over 16 bits`) : value;
  }
  return malformed(t`a length of more than three bytes`);
}

function malformed(reason: Message): never {
  throw new ScripError('PAYMENT_MALFORMED', t`The transaction could not be decoded: ${reason}`);
}

const SET_LIMIT_TAG = 2;
const SET_PRICE_TAG = 3;
const PLAIN_TRANSFER_TAG = 3;
const TRANSFER_CHECKED_TAG = 12;
const SYSTEM_TRANSFER_TAG = 2;

/** Compute units of a SetComputeUnitLimit, or undefined when the data is not exactly that. */
export function readComputeUnitLimit(data: Uint8Array): number | undefined {
  return data.length === 5 && data[0] === SET_LIMIT_TAG ? view(data).getUint32(1, true) : undefined;
}

/** Micro-lamports per unit of a SetComputeUnitPrice, or undefined when the data is not exactly that. */
export function readComputeUnitPrice(data: Uint8Array): bigint | undefined {
  return data.length === 9 && data[0] === SET_PRICE_TAG
    ? view(data).getBigUint64(1, true)
    : undefined;
}

interface TransferData {
  readonly amount: bigint;
  readonly decimals: number;
}

/** Amount and decimals of a TransferChecked, or undefined when the data is not exactly that. */
export function readTransferChecked(data: Uint8Array): TransferData | undefined {
  return data.length === 10 && data[0] === TRANSFER_CHECKED_TAG
    ? { amount: view(data).getBigUint64(1, true), decimals: view(data).getUint8(9) }
    : undefined;
}

/** Whether the data is a plain Transfer, which names neither mint nor decimals. */
export function isPlainTransfer(data: Uint8Array): boolean {
  return data.length === 9 && data[0] === PLAIN_TRANSFER_TAG;
}

/** Lamports of the System program's Transfer, or undefined when the data is not exactly that. */
export function readSystemTransfer(data: Uint8Array): bigint | undefined {
  const isTransfer = data.length === 12 && view(data).getUint32(0, true) === SYSTEM_TRANSFER_TAG;
  return isTransfer ? view(data).getBigUint64(4, true) : undefined;
}

/** The text of a memo, or undefined when the bytes are not UTF-8. */
export function readMemo(data: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(data);
  } catch {
    return undefined;
  }
}

function view(data: Uint8Array): DataView {
  return new DataView(data.buffer, data.byteOffset, data.length);
}
