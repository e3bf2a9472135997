/** Reads the data of the few instructions that a payment consists of. */

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

export interface TransferData {
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
