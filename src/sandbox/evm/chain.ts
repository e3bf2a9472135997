/**
 * An EVM chain in a store, as a stand-in for Base: USDC at its address, blocks by the clock. A transaction
 * is executed at once, in a block of its own; all other blocks are empty and are not on record.
 */

import { createHash, randomBytes } from 'node:crypto';
import { Capability, createFeeMarket1559Tx, type TypedTransaction } from '@ethereumjs/tx';
import {
  Account,
  type Address,
  bytesToHex,
  createAddressFromPrivateKey,
  createAddressFromString,
} from '@ethereumjs/util';
import type { Clock } from '../../domain/clock.ts';
import { ScripError } from '../../domain/message/errors.ts';
import { bytesOf } from '../../rails/evm/address.ts';
import { BASE_NETWORK } from '../../rails/evm/networks.ts';
import { selectorOf, word } from '../../rails/evm/usdc.ts';
import type { ChainStore } from '../../store/store.ts';
import type { ChainTables } from '../../store/tables/chain.ts';
import type { EvmBlockRow } from '../../store/tables/evm.ts';
import { badParams, fault, RPC_CODES } from '../rpc/protocol.ts';
import {
  BASE_FEE,
  type BlockPlace,
  COMMON,
  type Execution,
  execute,
  readTransaction,
} from './machine.ts';
import { openState } from './state.ts';
import usdc from './usdc-code.json' with { type: 'json' };

/** Where the contract of USDC is, in lower case. */
export const BASE_USDC = BASE_NETWORK.asset.toLowerCase();

/** As many as slots of the Solana chain beside it; a timestamp is in whole seconds, so blocks share one. */
const BLOCK_MS = 400;
/** Far from 0, so that a block is not mistaken for a count. */
const FIRST_BLOCK = 40_000_000;
const SAFE_MS = 4_000;
/**
 * An empty block is shown after this time: until then, another process may still put a transaction into
 * its place.
 */
const EMPTY_MS = 200;
/** As on the Solana chain. */
const FINAL_BLOCKS = 32;

export type BlockTag = 'latest' | 'safe' | 'finalized' | 'earliest';

export interface EvmBlock extends BlockPlace {
  readonly hash: string;
  /** Its only transaction; undefined in an empty block. */
  readonly transaction: EvmTransaction | undefined;
}

export interface EvmTransaction {
  readonly hash: string;
  readonly tx: TypedTransaction;
  readonly execution: Execution;
}

export interface EvmChainOptions {
  readonly store: ChainStore;
  readonly clock: Clock;
  /** Blocks, by the clock, after which one is final. */
  readonly finalBlocks?: number | undefined;
}

export type EvmChain = Awaited<ReturnType<typeof openEvmChain>>;

/** Opens the store's EVM chain, or creates it. @throws {ScripError} STORE_UNUSABLE */
export async function openEvmChain({ store, clock, finalBlocks = FINAL_BLOCKS }: EvmChainOptions) {
  const finalMs = finalBlocks * BLOCK_MS;
  await createGenesis(store, clock);
  const time = createTime(clock);
  const { tables } = store;
  const lagsMs = { latest: EMPTY_MS, safe: Math.min(SAFE_MS, finalMs) };
  const numberOf = async (tag: BlockTag): Promise<number> => {
    if (tag === 'earliest') return FIRST_BLOCK;
    const { nowMs, head } = await time(tables);
    const number = await numberAt(
      tables,
      tag === 'finalized' ? await finalAtMs(tables, nowMs - finalMs) : nowMs - lagsMs[tag],
    );
    return tag === 'latest' ? Math.max(number, head) : number;
  };
  const block = async (number: number): Promise<EvmBlock | undefined> => {
    if (number < FIRST_BLOCK || number > (await numberOf('latest'))) return undefined;
    const row = await tables.evm.blockUpTo(number);
    return row && blockOf(row, number);
  };
  return {
    numberOf,
    block,
    /** Returns undefined for a block that is not, or is no more, of this chain. */
    blockByHash: async (hash: string): Promise<EvmBlock | undefined> => {
      const found = await block(numberInHash(hash));
      return found?.hash === hash ? found : undefined;
    },
    transaction: async (hash: string): Promise<EvmBlock | undefined> => {
      const row = await tables.evm.blockWith(hash);
      return row && blockOf(row, row.number);
    },
    /** Blocks with transactions, oldest first; both ends included. */
    blocksBetween: async (from: number, to: number): Promise<readonly EvmBlock[]> =>
      (await tables.evm.blocksBetween(from, to)).map((row) => blockOf(row, row.number)),
    /** The state after a block. */
    stateAt: (number: number) => openState(tables, number),
    /**
     * Executes and records a raw transaction; returns its hash. One that fails is recorded and pays too.
     * @throws {ScripError} INPUT_INVALID, with a node's code and words
     */
    send: (wire: Uint8Array): Promise<string> => {
      const tx = read(wire);
      return store.write(async (inside) => (await include(inside, time, tx)).hash);
    },
    /** Sends test money from the faucet, by transactions; amounts in atomic units and wei. */
    fund: (owner: string, funds: EvmFunds): Promise<void> =>
      store.write((inside) => fund(inside, time, owner, funds)),
    /**
     * Replaces the newest blocks by others, as a chain does when it is reorganized; none that is final.
     * Their transactions come into new blocks, if they still can, or are lost.
     */
    reorganize: ({ depth, isLost = false }: Reorganization): Promise<void> =>
      store.write(async (inside) => {
        const { nowMs } = await time(inside);
        const newest = await numberAt(inside, nowMs);
        const final = await numberAt(inside, await finalAtMs(inside, nowMs - finalMs));
        await reorganize(inside, time, { last: Math.max(final, newest - depth), isLost });
      }),
    /** Makes no more blocks final, or goes on with it. */
    holdFinality: (isHeld: boolean): Promise<void> =>
      store.write(async (inside) => {
        const { nowMs } = await time(inside);
        const atMs = await finalAtMs(inside, nowMs - finalMs);
        await inside.facts.set(HELD, isHeld ? String(atMs) : '');
      }),
  };
}

const HELD = 'evm.held';

/** The time up to which blocks are final: the usual one, unless it was held before that. */
async function finalAtMs({ facts }: Inside, usualMs: number): Promise<number> {
  const held = (await facts.get(HELD)) ?? '';
  return held === '' ? usualMs : Math.min(usualMs, Number(held));
}

export interface EvmFunds {
  readonly usdcAtomic: bigint;
  readonly wei: bigint;
}

interface Reorganization {
  readonly depth: number;
  readonly isLost?: boolean;
}

type Inside = Pick<ChainTables, 'evm' | 'facts'>;
type Time = (tables: Inside) => Promise<{ readonly nowMs: number; readonly head: number }>;

/**
 * The time, and the newest block on record. It is the clock's, but never before that block, nor before
 * what it was.
 */
function createTime(clock: Clock): Time {
  let latestMs = 0;
  return async ({ evm }) => {
    const head = await evm.blockUpTo(Number.MAX_SAFE_INTEGER);
    latestMs = Math.max(latestMs, clock.now(), head?.timeMs ?? 0);
    return { nowMs: latestMs, head: head?.number ?? FIRST_BLOCK };
  };
}

/** The newest block at a time. After a block on record come empty ones, until the next on record. */
async function numberAt({ evm }: Inside, timeMs: number): Promise<number> {
  const row = await evm.blockBy(timeMs);
  if (row === undefined) return FIRST_BLOCK;
  const number = row.number + Math.floor((timeMs - row.timeMs) / BLOCK_MS);
  const next = await evm.blockAfter(row.number);
  return next === undefined ? number : Math.min(number, next.number - 1);
}

function blockOf(row: EvmBlockRow, number: number): EvmBlock {
  const { hash, timeMs } = row;
  if (row.number < number) {
    const age = number - row.number;
    const place = { number, timeMs: timeMs + age * BLOCK_MS };
    return { ...place, hash: hashAfter(hash, number), transaction: undefined };
  }
  const { transaction, wire, receipt } = row;
  if (transaction === null || wire === null || receipt === null) {
    return { number, timeMs, hash, transaction: undefined };
  }
  const execution: Execution = JSON.parse(receipt);
  return {
    ...{ number, timeMs, hash },
    transaction: { hash: transaction, tx: readTransaction(wire), execution },
  };
}

/** A hash that ends in the block's number, so that a block is found by its hash, on record or not. */
function hashAfter(parent: string, number: number, content = ''): string {
  const digest = createHash('sha256').update(`${parent} ${number} ${content}`).digest('hex');
  return `0x${digest.slice(0, 48)}${number.toString(16).padStart(16, '0')}`;
}

function numberInHash(hash: string): number {
  return Number.parseInt(hash.slice(-16), 16);
}

/** Hash of the block before. */
export async function parentHash(chain: EvmChain, number: number): Promise<string> {
  return (await chain.block(number - 1))?.hash ?? `0x${'0'.repeat(64)}`;
}

function read(wire: Uint8Array): TypedTransaction {
  try {
    const tx = readTransaction(wire);
    tx.getSenderAddress();
    if (tx.type === BLOBS) throw refused('transaction type not supported');
    if (tx.type > 0 || tx.supports(Capability.EIP155ReplayProtection)) return tx;
  } catch (cause) {
    if (cause instanceof ScripError) throw cause;
    const isOfOtherChain = cause instanceof Error && /chain ?id/i.test(cause.message);
    throw refused(isOfOtherChain ? 'invalid chain id for signer' : 'invalid transaction', cause);
  }
  throw refused('only replay-protected (EIP-155) transactions allowed over RPC');
}

/** Base takes none. */
const BLOBS = 3;

/** Puts a transaction into the next block. */
async function include(inside: Inside, time: Time, tx: TypedTransaction): Promise<EvmTransaction> {
  const { nowMs: timeMs } = await time(inside);
  const number = (await numberAt(inside, timeMs)) + 1;
  const state = openState(inside, number - 1);
  await checkSender(state.manager, tx);
  const execution = await execute(state, tx, { number, timeMs }).catch((cause: unknown) => {
    throw refused(
      cause instanceof Error ? cause.message.replace(/ \(vm hf=.*$/s, '') : 'failed',
      cause,
    );
  });
  const transaction = bytesToHex(tx.hash());
  const parent = await inside.evm.blockUpTo(number - 1);
  const hash = hashAfter(parent?.hash ?? '', number, transaction);
  const receipt = JSON.stringify(execution);
  await inside.evm.addBlock({ number, hash, timeMs, transaction, wire: tx.serialize(), receipt });
  await state.save(number);
  return { hash: transaction, tx, execution };
}

/** What a node refuses before it runs anything, in its words, which clients look for. */
async function checkSender(
  { getAccount }: Pick<ReturnType<typeof openState>['manager'], 'getAccount'>,
  tx: TypedTransaction,
): Promise<void> {
  const sender = tx.getSenderAddress();
  const { nonce, balance } = (await getAccount(sender)) ?? new Account();
  const said = `address ${sender}, tx: ${tx.nonce} state: ${nonce}`;
  if (tx.nonce < nonce) throw refused(`nonce too low: ${said}`);
  if (tx.nonce > nonce) throw refused(`nonce too high: ${said}`);
  const price = 'maxFeePerGas' in tx ? tx.maxFeePerGas : tx.gasPrice;
  if (price < BASE_FEE) {
    throw refused(
      `max fee per gas less than block base fee: maxFeePerGas: ${price}, baseFee: ${BASE_FEE}`,
    );
  }
  const cost = tx.gasLimit * price + tx.value;
  if (balance < cost) {
    throw refused(`insufficient funds for gas * price + value: have ${balance} want ${cost}`);
  }
  if (tx.gasLimit < tx.getIntrinsicGas()) {
    throw refused(
      `intrinsic gas too low: gas ${tx.gasLimit}, minimum needed ${tx.getIntrinsicGas()}`,
    );
  }
}

function refused(why: string, cause?: unknown): ScripError {
  return fault('server', why, undefined, cause);
}

async function reorganize(
  inside: Inside,
  time: Time,
  { last, isLost }: { readonly last: number; readonly isLost: boolean },
): Promise<void> {
  const { evm } = inside;
  const replaced = await evm.blocksBetween(last + 1, Number.MAX_SAFE_INTEGER);
  const parent = await evm.blockUpTo(last);
  if (parent === undefined) return;
  await evm.removeAfter(last);
  const { hash, timeMs } = blockOf(parent, last);
  const number = last + 1;
  const salt = randomBytes(8).toString('hex');
  await evm.addBlock({
    ...{ number, hash: hashAfter(hash, number, salt), timeMs: timeMs + BLOCK_MS },
    ...{ transaction: null, wire: null, receipt: null },
  });
  for (const { wire } of isLost ? [] : replaced) {
    if (wire !== null) await include(inside, time, readTransaction(wire)).catch(isRefused);
  }
}

function isRefused(error: unknown): void {
  const isOurs = error instanceof ScripError && error.details.rpcCode === RPC_CODES.server;
  if (!isOurs) throw error;
}

// The beginning of the chain, and its test money.

/** Not secret: the faucet gives to any address. Its own address stands in usdc.sol. */
const FAUCET_KEY = createHash('sha256').update('the faucet of scrip’s sandbox').digest();
const FAUCET_WEI = 10n ** 60n;
const FAUCET_GAS = 200_000n;

async function createGenesis(store: ChainStore, clock: Clock): Promise<void> {
  if (await store.tables.evm.blockUpTo(FIRST_BLOCK)) return;
  await store.write(async (inside) => {
    if (await inside.evm.blockUpTo(FIRST_BLOCK)) return;
    const { manager, save } = openState(inside, FIRST_BLOCK);
    await manager.putCode(addressFrom(BASE_USDC), Buffer.from(usdc.code.slice(2), 'hex'));
    const balance = FAUCET_WEI;
    await manager.modifyAccountFields(createAddressFromPrivateKey(FAUCET_KEY), { balance });
    await save(FIRST_BLOCK);
    await inside.evm.addBlock({
      ...{ number: FIRST_BLOCK, timeMs: clock.now() },
      hash: hashAfter(randomBytes(32).toString('hex'), FIRST_BLOCK),
      ...{ transaction: null, wire: null, receipt: null },
    });
  });
}

async function fund(
  inside: Inside,
  time: Time,
  owner: string,
  { usdcAtomic, wei }: EvmFunds,
): Promise<void> {
  const to = addressFrom(owner);
  const send = async (target: Address, value: bigint, data: Uint8Array): Promise<void> => {
    const faucet = createAddressFromPrivateKey(FAUCET_KEY);
    const { head } = await time(inside);
    const account = await openState(inside, head).manager.getAccount(faucet);
    const fee = { maxFeePerGas: 2n * BASE_FEE, gasLimit: FAUCET_GAS };
    const tx = createFeeMarket1559Tx(
      { ...fee, nonce: account?.nonce ?? 0n, to: target, value, data },
      { common: COMMON },
    );
    const { execution } = await include(inside, time, tx.sign(FAUCET_KEY));
    if (execution.status === 0) throw refused(`${to} takes no money`);
  };
  if (wei > 0n) await send(to, wei, new Uint8Array());
  if (usdcAtomic > 0n) await send(addressFrom(BASE_USDC), 0n, mintCall(to, usdcAtomic));
}

/** Reads an address. @throws {ScripError} INPUT_INVALID */
export function addressFrom(text: string): Address {
  if (/^0x[0-9a-f]{40}$/i.test(text)) return createAddressFromString(text.toLowerCase());
  throw badParams(`invalid argument: ${text} is not an address`);
}

function mintCall(to: Address, amount: bigint): Uint8Array {
  return bytesOf(selectorOf('mint(address,uint256)') + word(to.toString()) + word(amount));
}
