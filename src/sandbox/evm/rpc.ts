/** JSON-RPC over the EVM chain, as nodes of Base serve it. */

import { bytesToHex, setLengthLeft } from '@ethereumjs/util';
import type { ScripError } from '../../domain/message/errors.ts';
import { quantity } from '../../rails/evm/rpc.ts';
import { answerBody, endpointOver } from '../rpc/handler.ts';
import { badParams, type Config, fault, type Params, record } from '../rpc/protocol.ts';
import {
  addressFrom,
  type BlockTag,
  type EvmBlock,
  type EvmChain,
  type EvmChainOptions,
  type EvmFunds,
  openEvmChain,
  parentHash,
} from './chain.ts';
import { BASE_FEE, type Call, type CallResult, CHAIN_ID, call, estimate } from './machine.ts';
import {
  blockShape,
  logShapes,
  type Mined,
  minedIn,
  receiptShape,
  revertMessage,
  transactionShape,
} from './shapes.ts';

type Method = (chain: EvmChain, params: Params) => Promise<unknown>;

/** What a transaction offers beyond the base fee, by default. */
const PRIORITY_FEE = 1_000_000n;
const MOST_HISTORY = 1024;
const WORD = 32;

const METHODS: ReadonlyMap<string, Method> = new Map<string, Method>(
  Object.entries({
    web3_clientVersion: async () => 'scrip-sandbox/1',
    net_version: async () => String(CHAIN_ID),
    eth_chainId: async () => quantity(CHAIN_ID),
    eth_blockNumber: async (chain) => quantity(await chain.numberOf('latest')),
    eth_gasPrice: async () => quantity(BASE_FEE + PRIORITY_FEE),
    eth_maxPriorityFeePerGas: async () => quantity(PRIORITY_FEE),
    eth_feeHistory: feeHistory,
    eth_getBlockByNumber: async (chain, [asked, isWhole]) =>
      shown(chain, await blockAsked(chain, asked), isWhole === true),
    eth_getBlockByHash: async (chain, [hash, isWhole]) =>
      shown(chain, await chain.blockByHash(hashFrom(hash)), isWhole === true),
    eth_getBlockReceipts: async (chain, [asked]) => {
      const block = await blockAsked(chain, asked);
      return block ? minedIn(block).map(receiptShape) : null;
    },
    eth_getTransactionByHash: async (chain, [hash]) =>
      (await mined(chain, hash)).map(transactionShape)[0] ?? null,
    eth_getTransactionReceipt: async (chain, [hash]) =>
      (await mined(chain, hash)).map(receiptShape)[0] ?? null,
    eth_getLogs: logs,
    eth_getBalance: async (chain, [address, asked]) =>
      quantity((await accountAt(chain, address, asked))?.balance ?? 0n),
    eth_getTransactionCount: async (chain, [address, asked]) =>
      quantity((await accountAt(chain, address, asked))?.nonce ?? 0n),
    eth_getCode: async (chain, [address, asked]) =>
      bytesToHex(await (await stateAsked(chain, asked)).manager.getCode(addressAt(address))),
    eth_getStorageAt: async (chain, [address, slot, asked]) => {
      const { manager } = await stateAsked(chain, asked);
      const value = await manager.getStorage(addressAt(address), slotFrom(slot));
      return bytesToHex(setLengthLeft(value, WORD));
    },
    eth_call: async (chain, [asked, block, overrides]) => {
      if (overrides !== undefined) throw badParams('state overrides are not supported');
      const place = await standing(chain, block);
      const result = await call(chain.stateAt(place.number), callFrom(asked), place);
      if (result.failure !== undefined) throw failureOf(result);
      return bytesToHex(result.returned);
    },
    eth_estimateGas: async (chain, [asked, block]) => {
      const place = await standing(chain, block);
      const result = await estimate(() => chain.stateAt(place.number), callFrom(asked), place);
      if (result.failure !== undefined) throw failureOf(result);
      return quantity(result.gasNeeded);
    },
    eth_sendRawTransaction: (chain, [wire]) => chain.send(bytesFrom(wire)),
    sandboxFaucet: async (chain, [address, amounts]) => {
      await chain.fund(textFrom(address), fundsFrom(record(amounts) ?? {}));
      return true;
    },
    /** For tests: the chain is reorganized, and its newest transactions come again, or not at all. */
    sandboxReorganize: async (chain, [depth, isLost]) => {
      await chain.reorganize({ depth: Number(integerFrom(depth)), isLost: isLost === true });
      return quantity(await chain.numberOf('latest'));
    },
    sandboxHoldFinality: async (chain, [isHeld]) => {
      await chain.holdFinality(isHeld === true);
      return true;
    },
  } satisfies Record<string, Method>),
);

function methodsOf(chain: EvmChain) {
  return (name: string) => {
    const method = METHODS.get(name);
    return async (params: Params): Promise<unknown> => {
      // Clients look for these words.
      if (!method) throw fault('method', `the method ${name} does not exist/is not available`);
      return method(chain, params);
    };
  };
}

/** Answers a parsed body: a single call with its answer, a batch with a list. Never throws. */
export function createEvmHandler(chain: EvmChain): (body: unknown) => Promise<unknown> {
  return (body) => answerBody(body, methodsOf(chain));
}

/** Opens the store's EVM chain, or creates it, and serves it by HTTP. @throws {ScripError} STORE_UNUSABLE */
export async function openEvmEndpoint(
  options: EvmChainOptions,
): Promise<(request: Request) => Promise<Response>> {
  return endpointOver(createEvmHandler(await openEvmChain(options)));
}

// Parameters.

const TAGS: ReadonlyMap<unknown, BlockTag> = new Map([
  ['latest', 'latest'],
  // A transaction is executed at once, so nothing is pending.
  ['pending', 'latest'],
  ['safe', 'safe'],
  ['finalized', 'finalized'],
  ['earliest', 'earliest'],
]);

/** Reads a tag, a number, or an object with either hash or number (EIP-1898); by default the newest block. */
async function blockAsked(
  chain: EvmChain,
  asked: unknown = 'latest',
): Promise<EvmBlock | undefined> {
  const { blockHash, blockNumber } = record(asked) ?? {};
  if (blockHash !== undefined) return chain.blockByHash(hashFrom(blockHash));
  return chain.block(await numberAsked(chain, blockNumber ?? asked));
}

async function numberAsked(chain: EvmChain, asked: unknown): Promise<number> {
  const tag = TAGS.get(asked);
  return tag ? chain.numberOf(tag) : Number(integerFrom(asked));
}

/** The same; refuses a block that there is not. */
async function standing(chain: EvmChain, asked: unknown): Promise<EvmBlock> {
  const block = await blockAsked(chain, asked);
  if (block) return block;
  throw fault('server', 'header not found');
}

async function stateAsked(chain: EvmChain, asked: unknown) {
  return chain.stateAt((await standing(chain, asked)).number);
}

async function accountAt(chain: EvmChain, address: unknown, asked: unknown) {
  return (await stateAsked(chain, asked)).manager.getAccount(addressAt(address));
}

async function mined(chain: EvmChain, hash: unknown): Promise<readonly Mined[]> {
  return minedIn(await chain.transaction(hashFrom(hash)));
}

async function shown(chain: EvmChain, block: EvmBlock | undefined, isWhole: boolean) {
  return block ? blockShape(block, await parentHash(chain, block.number), isWhole) : null;
}

function textFrom(value: unknown): string {
  if (typeof value === 'string') return value;
  throw badParams('invalid argument: expected a string');
}

function addressAt(value: unknown) {
  return addressFrom(textFrom(value));
}

function hashFrom(value: unknown): string {
  const text = textFrom(value).toLowerCase();
  if (/^0x[0-9a-f]{64}$/.test(text)) return text;
  throw badParams('invalid argument: expected 32 bytes in hex');
}

function bytesFrom(value: unknown): Uint8Array {
  const text = textFrom(value);
  if (/^0x([0-9a-f]{2})*$/i.test(text)) return Buffer.from(text.slice(2), 'hex');
  throw badParams('invalid argument: expected bytes in hex');
}

/** A quantity; nodes accept no decimal digits. */
function integerFrom(value: unknown): bigint {
  const text = textFrom(value);
  if (/^0x[0-9a-f]{1,64}$/i.test(text)) return BigInt(text);
  throw badParams('invalid argument: expected a hex quantity');
}

function slotFrom(value: unknown): Uint8Array {
  return Buffer.from(
    integerFrom(value)
      .toString(16)
      .padStart(2 * WORD, '0'),
    'hex',
  );
}

function callFrom(value: unknown): Call {
  const { from, to, data, input, value: amount, gas, authorizationList } = record(value) ?? {};
  return {
    from: given(from, addressAt),
    to: given(to, addressAt),
    data: given(input ?? data, bytesFrom) ?? new Uint8Array(),
    value: given(amount, integerFrom) ?? 0n,
    delegations: Array.isArray(authorizationList) ? authorizationList.length : 0,
    gas: given(gas, integerFrom),
  };
}

function given<T>(value: unknown, read: (value: unknown) => T): T | undefined {
  return value === undefined || value === null ? undefined : read(value);
}

/** Decimal digits, as Solana's faucet takes them. */
function fundsFrom({ usdc = '0', wei = '0' }: Config): EvmFunds {
  const amount = (value: unknown): bigint => {
    const text = textFrom(value);
    if (/^\d{1,30}$/.test(text)) return BigInt(text);
    throw badParams('invalid argument: expected decimal digits');
  };
  return { usdcAtomic: amount(usdc), wei: amount(wei) };
}

function failureOf({ failure, returned }: CallResult): ScripError {
  if (failure !== 'revert') return fault('server', failure ?? '');
  return fault('reverted', revertMessage(returned), bytesToHex(returned));
}

// What needs more than one step.

async function feeHistory(chain: EvmChain, [count, newest, percentiles]: Params) {
  const asked = typeof count === 'number' ? count : Number(integerFrom(count));
  const last = (await standing(chain, newest)).number;
  const blocks = Math.min(asked, MOST_HISTORY);
  const rewards = Array.isArray(percentiles) ? percentiles.map(() => quantity(PRIORITY_FEE)) : [];
  return {
    oldestBlock: quantity(last - blocks + 1),
    baseFeePerGas: Array.from({ length: blocks + 1 }, () => quantity(BASE_FEE)),
    gasUsedRatio: Array.from({ length: blocks }, () => 0),
    ...(rewards.length > 0 ? { reward: Array.from({ length: blocks }, () => rewards) } : {}),
  };
}

async function logs(chain: EvmChain, [filter]: Params) {
  const { fromBlock, toBlock, blockHash, address, topics } = record(filter) ?? {};
  const isAt = oneOf(address);
  const isAbout = (Array.isArray(topics) ? topics : []).map(oneOf);
  const blocks =
    blockHash === undefined
      ? await chain.blocksBetween(
          await numberAsked(chain, fromBlock ?? 'latest'),
          await numberAsked(chain, toBlock ?? 'latest'),
        )
      : [await standing(chain, { blockHash })];
  return blocks
    .flatMap(minedIn)
    .flatMap(logShapes)
    .filter(
      (log) => isAt(log.address) && isAbout.every((isMeant, index) => isMeant(log.topics[index])),
    );
}

/** Matches one value, any of a list, or every value. */
function oneOf(asked: unknown): (value: string | undefined) => boolean {
  if (asked === undefined || asked === null) return () => true;
  const wanted = (Array.isArray(asked) ? asked : [asked]).map((one) => textFrom(one).toLowerCase());
  return (value) => value !== undefined && (wanted.length === 0 || wanted.includes(value));
}
