/** Reads the parameters of a call; refuses invalid ones with -32602. */

import { ScripError } from '../../domain/message/errors.ts';
import { verbatim } from '../../domain/message/message.ts';
import { addressBytes, decodeBase58 } from '../../rails/solana/address.ts';
import type { Chain, Commitment } from '../chain/chain.ts';

export type Params = readonly unknown[];
export type Config = Readonly<Record<string, unknown>>;

/** One method of the protocol. */
export type Method = (chain: Chain, params: Params) => Promise<unknown>;

const SIGNATURE_BYTES = 64;

export function addressAt(params: Params, index: number): string {
  return address(params[index], `parameter ${index}`);
}

export function address(value: unknown, what: string): string {
  const text = textOf(value, what);
  addressBytes(text);
  return text;
}

export function textAt(params: Params, index: number): string {
  return textOf(params[index], `parameter ${index}`);
}

function textOf(value: unknown, what: string): string {
  if (typeof value !== 'string') throw badParams(`Invalid param: ${what} must be a string`);
  return value;
}

export function signature(value: unknown): string {
  const text = textOf(value, 'a signature');
  if (decodeBase58(text).length !== SIGNATURE_BYTES) {
    throw badParams('Invalid param: WrongSize of a signature');
  }
  return text;
}

export function countAt(params: Params, index: number): number {
  const value = params[index];
  if (!Number.isSafeInteger(value) || Number(value) < 0) {
    throw badParams(`Invalid param: parameter ${index} must be a whole number from 0`);
  }
  return Number(value);
}

export function listAt(params: Params, index: number, most: number): readonly unknown[] {
  const value = params[index];
  if (!Array.isArray(value)) throw badParams(`Invalid param: parameter ${index} must be a list`);
  if (value.length > most) throw badParams(`Too many inputs provided; max ${most}`);
  return value;
}

/** Reads the options at an index; absent or null means empty options. */
export function configAt(params: Params, index: number): Config {
  const value = params[index] ?? {};
  return record(value) ?? refuse(`parameter ${index} must be an object`);
}

/** Returns the value as an object, or undefined. */
export function record(value: unknown): Config | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? { ...value }
    : undefined;
}

function refuse(message: string): never {
  throw badParams(`Invalid param: ${message}`);
}

/** Commitments, including the names that older clients use. */
const COMMITMENTS: ReadonlyMap<unknown, Commitment> = new Map([
  ['processed', 'processed'],
  ['confirmed', 'confirmed'],
  ['finalized', 'finalized'],
  ['recent', 'processed'],
  ['single', 'confirmed'],
  ['singleGossip', 'confirmed'],
  ['max', 'finalized'],
  ['root', 'finalized'],
]);

/** Reads the commitment, by default `finalized`. */
export function commitmentOf(config: Config): Commitment {
  const asked = config.commitment ?? 'finalized';
  return COMMITMENTS.get(asked) ?? refuse(`unknown commitment ${JSON.stringify(asked)}`);
}

/** For histories: like nodes, they leave out transactions that the next block could still undo. */
export function settledCommitmentOf(config: Config): Commitment {
  const commitment = commitmentOf(config);
  if (commitment === 'processed') {
    throw badParams('Method does not support commitment below `confirmed`');
  }
  return commitment;
}

/** Returns the slot at the commitment; refuses with -32016 if it is below `minContextSlot`. */
export async function bankOf(chain: Chain, config: Config) {
  const commitment = commitmentOf(config);
  const slot = await chain.slot(commitment);
  const least = config.minContextSlot;
  if (typeof least === 'number' && slot < least) {
    throw fault('contextSlot', 'Minimum context slot has not been reached', { contextSlot: slot });
  }
  return { slot, commitment };
}

export const API_VERSION = '2.3.0';

/** Wraps a result that depends on a slot. */
export function inContext(slot: number, value: unknown) {
  return { context: { apiVersion: API_VERSION, slot }, value };
}

interface Call {
  readonly params: Params;
  readonly config: Config;
  readonly commitment: Commitment;
}

/** A method whose options are at an index, and whose result depends on the slot that they ask for. */
export function atBank(
  index: number,
  read: (chain: Chain, call: Call) => Promise<unknown>,
): Method {
  return async (chain, params) => {
    const config = configAt(params, index);
    const { slot, commitment } = await bankOf(chain, config);
    return inContext(slot, await read(chain, { params, config, commitment }));
  };
}

// Errors of Solana's JSON-RPC, as ScripErrors with the protocol's error number.

export const RPC_CODES = {
  parse: -32700,
  request: -32600,
  method: -32601,
  params: -32602,
  internal: -32603,
  server: -32000,
  preflight: -32002,
  signature: -32003,
  noBlock: -32004,
  version: -32015,
  contextSlot: -32016,
  reverted: 3,
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
export function fault(
  name: keyof typeof RPC_CODES,
  message: string,
  data?: unknown,
  cause?: unknown,
): ScripError {
  return new ScripError('INPUT_INVALID', verbatim(message), {
    details: { rpcCode: RPC_CODES[name], rpcData: data },
    cause,
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
