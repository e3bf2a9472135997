/** Errors of Solana's JSON-RPC, as ScripErrors with the protocol's error number. */

import { ScripError } from '../../domain/errors.ts';
import { verbatim } from '../../domain/message.ts';

export const RPC_CODES = {
  parse: -32700,
  request: -32600,
  method: -32601,
  params: -32602,
  internal: -32603,
  preflight: -32002,
  signature: -32003,
  noBlock: -32004,
  version: -32015,
  contextSlot: -32016,
} as const;

export interface RpcFault {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** Creates the error for invalid parameters. */
export function badParams(message: string): ScripError {
  return new ScripError('INPUT_INVALID', verbatim(message));
}

/** Creates an error that has its own number in the protocol. */
export function fault(name: keyof typeof RPC_CODES, message: string, data?: unknown): ScripError {
  return new ScripError('INPUT_INVALID', verbatim(message), {
    details: { rpcCode: RPC_CODES[name], rpcData: data },
  });
}

/** Our codes that mean invalid parameters. */
const CALLER_CODES = new Set(['INPUT_INVALID', 'AMOUNT_INVALID', 'PAYMENT_MALFORMED']);

/** Converts anything thrown by a call to a protocol error. */
export function faultOf(error: unknown): RpcFault {
  if (!(error instanceof ScripError)) {
    return { code: RPC_CODES.internal, message: 'Internal error' };
  }
  const { rpcCode, rpcData } = error.details;
  if (typeof rpcCode === 'number') {
    const { message } = error;
    return { code: rpcCode, message, ...(rpcData === undefined ? {} : { data: rpcData }) };
  }
  const code = CALLER_CODES.has(error.code) ? RPC_CODES.params : RPC_CODES.internal;
  return { code, message: error.message };
}
