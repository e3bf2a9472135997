/** Runs transactions and calls on the EVM of @ethereumjs/vm, each over a state of its own. */

import { type Block, createBlock } from '@ethereumjs/block';
import { Common, Hardfork, Mainnet } from '@ethereumjs/common';
import { getActivePrecompiles } from '@ethereumjs/evm';
import { createFeeMarket1559Tx, createTxFromRLP, type TypedTransaction } from '@ethereumjs/tx';
import {
  type Address,
  bigIntMax,
  bigIntMin,
  bytesToHex,
  createZeroAddress,
} from '@ethereumjs/util';
import { createVM, runTx, type VM } from '@ethereumjs/vm';
import type { State } from './state.ts';

/** Base (CAIP-2 eip155:8453): standard clients know this USDC address on no other network. */
export const CHAIN_ID = 8453;
/** In wei, the same in every block: Base's lowest. It is burnt. */
export const BASE_FEE = 5_000_000n;
/** Who gets what transactions offer beyond it. */
export const FEE_VAULT = '0x4200000000000000000000000000000000000011' as const;
export const BLOCK_GAS = 60_000_000n;
/** Most that a transaction or a call may use. */
const CALL_GAS = 30_000_000n;
const DELEGATION_GAS = 25_000n;
/** An estimate may be higher than what is needed by this part of it. */
const ESTIMATE_STEP = 32n;

export const COMMON = new Common({
  chain: { ...Mainnet, name: 'base', chainId: CHAIN_ID },
  hardfork: Hardfork.Prague,
});

export interface BlockPlace {
  readonly number: number;
  readonly timeMs: number;
}

export function secondsOf({ timeMs }: Pick<BlockPlace, 'timeMs'>): number {
  return Math.floor(timeMs / 1000);
}

export interface Log {
  readonly address: string;
  readonly topics: readonly string[];
  readonly data: string;
}

/** What an executed transaction gave, as it is put on record. Amounts are decimal digits. */
export interface Execution {
  readonly from: string;
  readonly status: 0 | 1;
  readonly gasUsed: number;
  readonly gasPrice: string;
  readonly contract: string | null;
  readonly logs: readonly Log[];
  readonly bloom: string;
}

export interface Call {
  readonly from: Address | undefined;
  readonly to: Address | undefined;
  readonly data: Uint8Array;
  readonly value: bigint;
  /** How many accounts it would delegate (EIP-7702). */
  readonly delegations: number;
  /** Undefined for as much as a call may use. */
  readonly gas: bigint | undefined;
}

export interface CallResult {
  /** What failed, in the machine's words; undefined if nothing did. */
  readonly failure: string | undefined;
  readonly returned: Uint8Array;
  /** Before refunds: a transaction needs at least this limit. */
  readonly gasNeeded: bigint;
}

/** Reads a raw transaction. Throws what the library throws. */
export function readTransaction(wire: Uint8Array): TypedTransaction {
  return createTxFromRLP(wire, { common: COMMON });
}

/** Executes a signed transaction; throws what the library throws for one that cannot run. */
export async function execute(
  state: State,
  tx: TypedTransaction,
  place: BlockPlace,
): Promise<Execution> {
  const vm = await machineOver(state);
  const ran = await runTx(vm, { tx, block: blockAt(place, BASE_FEE) });
  const { logs = [], exceptionError } = ran.execResult;
  return {
    from: tx.getSenderAddress().toString(),
    status: exceptionError === undefined ? 1 : 0,
    gasUsed: Number(ran.totalGasSpent),
    gasPrice: String(ran.totalGasSpent === 0n ? 0n : ran.amountSpent / ran.totalGasSpent),
    contract: ran.createdAddress?.toString() ?? null,
    logs: logs.map(([address, topics, data]) => ({
      address: bytesToHex(address),
      topics: topics.map(bytesToHex),
      data: bytesToHex(data),
    })),
    bloom: bytesToHex(ran.bloom.bitvector),
  };
}

/** Runs a call as a transaction would, without fee and nonce; the state keeps its changes unsaved. */
export async function call(state: State, asked: Call, place: BlockPlace): Promise<CallResult> {
  const { from = createZeroAddress(), to, data, value, gas = CALL_GAS } = asked;
  const { intrinsic, least } = gasBefore(asked);
  if (gas < least) {
    return { failure: 'intrinsic gas too low', returned: new Uint8Array(), gasNeeded: least };
  }
  const { evm } = await machineOver(state);
  // What a transaction finds warm (EIP-2929, EIP-3651).
  const warm = [...getActivePrecompiles(COMMON).keys(), from, to, FEE_VAULT];
  for (const address of warm) if (address) evm.journal.addAlwaysWarmAddress(address.toString());
  const { execResult } = await evm.runCall({
    ...{ caller: from, origin: from, data, value },
    ...(to ? { to } : {}),
    gasLimit: bigIntMin(gas, CALL_GAS) - intrinsic,
    block: blockAt(place, 0n),
  });
  return {
    failure: execResult.exceptionError?.error,
    returned: execResult.returnValue,
    gasNeeded: bigIntMax(least, intrinsic + execResult.executionGasUsed),
  };
}

/** What a transaction pays before it runs, and the least that it pays in all (EIP-7623). */
function gasBefore({ to, data, value, delegations }: Call) {
  const fields = { data, value, gasLimit: CALL_GAS, ...(to ? { to } : {}) };
  const tx = createFeeMarket1559Tx(fields, { common: COMMON });
  const delegating = BigInt(delegations) * DELEGATION_GAS;
  return {
    intrinsic: tx.getIntrinsicGas() + delegating,
    least: tx.getMinimumGasLimit() + delegating,
  };
}

/**
 * Finds a gas limit with which a call succeeds. What it uses is not always enough: calls inside it get
 * 63/64 of what is left. Returns the failure of a call that fails with any limit.
 */
export async function estimate(
  open: () => State,
  asked: Call,
  place: BlockPlace,
): Promise<CallResult> {
  const most = bigIntMin(asked.gas ?? CALL_GAS, CALL_GAS);
  const whole = await call(open(), { ...asked, gas: most }, place);
  if (whole.failure !== undefined) return whole;
  let gas = whole.gasNeeded;
  while (gas < most && (await call(open(), { ...asked, gas }, place)).failure !== undefined) {
    gas = bigIntMin(gas + gas / ESTIMATE_STEP, most);
  }
  return { ...whole, gasNeeded: gas };
}

function machineOver({ manager }: State): Promise<VM> {
  return createVM({ common: COMMON, stateManager: manager });
}

function blockAt({ number, timeMs }: BlockPlace, baseFeePerGas: bigint): Block {
  const timestamp = secondsOf({ timeMs });
  const header = { number, timestamp, gasLimit: BLOCK_GAS, baseFeePerGas, coinbase: FEE_VAULT };
  return createBlock({ header }, { common: COMMON, skipConsensusFormatValidation: true });
}
