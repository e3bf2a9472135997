/** A small typed client of an EVM node's JSON-RPC: only what paying and settling need. */

import { t } from '../../domain/message/message.ts';
import {
  asList,
  asText,
  field,
  openTransport,
  type Transport,
  type TransportOptions,
  unreadable,
} from '../rpc-transport.ts';
import { readAddress } from './address.ts';

export interface Block {
  readonly number: number;
  readonly hash: string;
  /** Unix seconds. */
  readonly time: number;
  /** In wei; 0 on a chain without it. */
  readonly baseFee: bigint;
  readonly isFirst: boolean;
}

export interface Log {
  /** With its checksum. */
  readonly address: string;
  readonly topics: readonly string[];
  readonly data: string;
  readonly block: number;
  readonly blockHash: string;
  readonly transaction: string;
  /** Place in its block. */
  readonly index: number;
}

export interface Receipt {
  readonly block: number;
  readonly isDone: boolean;
  readonly from: string;
  readonly logs: readonly Log[];
}

export type BlockTag = 'latest' | 'finalized';

/** A block by its tag, or by its hash if it is of the node's chain. */
type At = BlockTag | { readonly blockHash: string; readonly requireCanonical: true };

/** What to look for: topics by position, `null` for any, several for each of them. */
export interface LogFilter {
  readonly address: string;
  readonly topics: readonly (string | readonly string[] | null)[];
}

export interface Range {
  readonly from: number;
  readonly to: number;
}

/**
 * All calls throw only ScripError CHAIN_UNREACHABLE; `details.rpcCode` is set if the node answered with an error,
 * also when a call reverted.
 */
export type EvmRpc = ReturnType<typeof evmRpcOver>;

export function createEvmRpc(options: TransportOptions): EvmRpc {
  return evmRpcOver(openTransport(options));
}

export function evmRpcOver({ request, requestAll }: Transport) {
  const blockParams = (at: BlockTag | number) => [
    typeof at === 'number' ? quantity(at) : at,
    false,
  ];
  const block = async (at: BlockTag | number | 'earliest'): Promise<Block | null> => {
    const params = at === 'earliest' ? [at, false] : blockParams(at);
    return readBlock(await request('eth_getBlockByNumber', params));
  };
  return {
    chainId: async () => asNumber(await request('eth_chainId', []), t`a number`),
    block,
    head: async (tag: BlockTag): Promise<Block> => (await block(tag)) ?? unreadable(t`a block`),
    /** Blocks of these numbers, in their order. */
    blocks: async (numbers: readonly number[]): Promise<readonly Block[]> => {
      const found = await requestAll('eth_getBlockByNumber', numbers.map(blockParams));
      return found.map((one) => readBlock(one) ?? unreadable(t`a block`));
    },
    /** In wei. */
    balance: async (address: string) =>
      asBig(await request('eth_getBalance', [address, 'latest']), t`a balance`),
    code: async (address: string) =>
      asText(await request('eth_getCode', [address, 'latest']), t`the code of an account`),
    /** Number of the transactions that an account has sent. */
    count: async (address: string) =>
      asNumber(await request('eth_getTransactionCount', [address, 'latest']), t`a number`),
    /** Returns what a call of a contract returns, as hexadecimal text. */
    call: async (to: string, data: string, at: At = 'latest') =>
      asText(await request('eth_call', [{ to, data }, at]), t`the result of a call`),
    /** The same of several calls, by the newest block. */
    calls: async (to: string, list: readonly string[]): Promise<readonly string[]> => {
      const asked = list.map((data) => [{ to, data }, 'latest']);
      const results = await requestAll('eth_call', asked);
      return results.map((one) => asText(one, t`the result of a call`));
    },
    /** @param call runs with at most this gas, so that code that never ends keeps no node */
    estimateGas: async ({
      gas,
      ...call
    }: {
      from: string;
      to: string;
      data: string;
      gas: bigint;
    }) => asBig(await request('eth_estimateGas', [{ ...call, gas: quantity(gas) }]), t`a number`),
    priorityFee: async () => asBig(await request('eth_maxPriorityFeePerGas', []), t`a number`),
    logs: async ({ address, topics }: LogFilter, { from, to }: Range): Promise<readonly Log[]> => {
      const range = { fromBlock: quantity(from), toBlock: quantity(to) };
      const found = await request('eth_getLogs', [{ address, topics, ...range }]);
      return asList(found, t`logs`).map(readLog);
    },
    receipt: async (transaction: string): Promise<Receipt | null> => {
      const found = await request('eth_getTransactionReceipt', [transaction]);
      return found === null ? null : readReceipt(found);
    },
    /** What a transaction cost its sender, with its part of the fee of Ethereum; undefined if the node does not have it. */
    fee: async (transaction: string): Promise<bigint | undefined> => {
      const found = await request('eth_getTransactionReceipt', [transaction]);
      if (found === null) return undefined;
      const of = (name: string) => asBig(field(found, name), t`a fee`);
      return of('gasUsed') * of('effectiveGasPrice') + (field(found, 'l1Fee') ? of('l1Fee') : 0n);
    },
    /** Those of several transactions, in their order. */
    receipts: async (transactions: readonly string[]): Promise<readonly Receipt[]> => {
      const asked = transactions.map((one) => [one]);
      return (await requestAll('eth_getTransactionReceipt', asked)).map(readReceipt);
    },
    /** The data of a transaction's call; undefined if the node does not have it. */
    input: async (transaction: string): Promise<string | undefined> => {
      const input = field(await request('eth_getTransactionByHash', [transaction]), 'input');
      return typeof input === 'string' ? input.toLowerCase() : undefined;
    },
    send: async (wire: Uint8Array): Promise<void> => {
      await request('eth_sendRawTransaction', [`0x${Buffer.from(wire).toString('hex')}`]);
    },
  };
}

/** Without leading zeros. */
export const quantity = (value: number | bigint) => `0x${value.toString(16)}`;

function asBig(value: unknown, what: ReturnType<typeof t>): bigint {
  const isQuantity = typeof value === 'string' && /^0x[0-9a-fA-F]{1,64}$/.test(value);
  return isQuantity ? BigInt(value) : unreadable(what);
}

function asNumber(value: unknown, what: ReturnType<typeof t>): number {
  const number = Number(asBig(value, what));
  return Number.isSafeInteger(number) ? number : unreadable(what);
}

function readBlock(value: unknown): Block | null {
  if (value === null) return null;
  const baseFee = field(value, 'baseFeePerGas') ?? '0x0';
  return {
    number: asNumber(field(value, 'number'), t`a block`),
    hash: asText(field(value, 'hash'), t`a block`),
    time: asNumber(field(value, 'timestamp'), t`a block`),
    baseFee: asBig(baseFee, t`a number`),
    isFirst: /^0x0*$/.test(asText(field(value, 'parentHash'), t`a block`)),
  };
}

function readReceipt(value: unknown): Receipt {
  return {
    block: asNumber(field(value, 'blockNumber'), t`a block`),
    isDone: asNumber(field(value, 'status'), t`a transaction`) === 1,
    from: asAddress(field(value, 'from')),
    logs: asList(field(value, 'logs'), t`logs`).map(readLog),
  };
}

function readLog(value: unknown): Log {
  return {
    address: asAddress(field(value, 'address')),
    topics: asList(field(value, 'topics'), t`logs`).map((topic) => asText(topic, t`logs`)),
    data: asText(field(value, 'data'), t`logs`),
    block: asNumber(field(value, 'blockNumber'), t`a block`),
    blockHash: asText(field(value, 'blockHash'), t`a block`),
    transaction: asText(field(value, 'transactionHash'), t`logs`),
    index: asNumber(field(value, 'logIndex'), t`logs`),
  };
}

function asAddress(value: unknown): string {
  const address = typeof value === 'string' ? readAddress(value) : undefined;
  return address ?? unreadable(t`an address`);
}
