/** Blocks, transactions, receipts and logs as an Ethereum node shows them. */

import { bytesToHex } from '@ethereumjs/util';
import { quantity } from '../../rails/evm/rpc.ts';
import type { EvmBlock, EvmTransaction } from './chain.ts';
import { BASE_FEE, BLOCK_GAS, CHAIN_ID, FEE_VAULT, secondsOf } from './machine.ts';

const ZERO_HASH = `0x${'0'.repeat(64)}`;
const EMPTY_BLOOM = `0x${'0'.repeat(512)}`;
const NO_UNCLES = '0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347';
const EMPTY_ROOT = '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421';

export function blockShape(block: EvmBlock, parentHash: string, isWhole: boolean): unknown {
  const { number, hash, transaction } = block;
  const whole = isWhole ? transactionShape : ({ transaction: one }: Mined) => one.hash;
  return {
    number: quantity(number),
    hash,
    parentHash,
    nonce: '0x0000000000000000',
    mixHash: ZERO_HASH,
    sha3Uncles: NO_UNCLES,
    logsBloom: transaction?.execution.bloom ?? EMPTY_BLOOM,
    // Ours: there are no tries, so no proof can be checked against a root.
    transactionsRoot: EMPTY_ROOT,
    stateRoot: EMPTY_ROOT,
    receiptsRoot: EMPTY_ROOT,
    withdrawalsRoot: EMPTY_ROOT,
    parentBeaconBlockRoot: ZERO_HASH,
    miner: FEE_VAULT,
    difficulty: '0x0',
    totalDifficulty: '0x0',
    extraData: '0x',
    size: quantity(1_000),
    gasLimit: quantity(BLOCK_GAS),
    gasUsed: quantity(transaction?.execution.gasUsed ?? 0),
    timestamp: quantity(secondsOf(block)),
    baseFeePerGas: quantity(BASE_FEE),
    blobGasUsed: '0x0',
    excessBlobGas: '0x0',
    transactions: minedIn(block).map(whole),
    uncles: [],
    withdrawals: [],
  };
}

export type Mined = EvmBlock & { readonly transaction: EvmTransaction };

/** The block, if it has a transaction. */
export function minedIn(block: EvmBlock | undefined): readonly Mined[] {
  const transaction = block?.transaction;
  return block && transaction ? [{ ...block, transaction }] : [];
}

export function transactionShape(mined: Mined): unknown {
  const { hash, tx, execution } = mined.transaction;
  const { data, gasLimit, ...fields } = tx.toJSON();
  const isTyped = tx.type !== 0;
  return {
    ...placeOf(mined),
    hash,
    from: execution.from,
    ...fields,
    to: tx.to?.toString() ?? null,
    gas: gasLimit,
    input: data,
    gasPrice: quantity(BigInt(execution.gasPrice)),
    type: quantity(tx.type),
    chainId: quantity(CHAIN_ID),
    ...(isTyped ? { yParity: fields.v } : {}),
  };
}

export function receiptShape(mined: Mined): unknown {
  const { tx, execution } = mined.transaction;
  const { from, status, gasUsed, gasPrice, contract, bloom } = execution;
  return {
    ...placeOf(mined),
    transactionHash: mined.transaction.hash,
    from,
    to: tx.to?.toString() ?? null,
    contractAddress: contract,
    cumulativeGasUsed: quantity(gasUsed),
    gasUsed: quantity(gasUsed),
    effectiveGasPrice: quantity(BigInt(gasPrice)),
    logs: logShapes(mined),
    logsBloom: bloom,
    type: quantity(tx.type),
    status: quantity(status),
  };
}

export function logShapes(mined: Mined) {
  const { hash, execution } = mined.transaction;
  return execution.logs.map((log, index) => ({
    ...log,
    ...placeOf(mined),
    blockTimestamp: quantity(secondsOf(mined)),
    transactionHash: hash,
    logIndex: quantity(index),
    removed: false,
  }));
}

function placeOf({ number, hash }: EvmBlock) {
  return { blockHash: hash, blockNumber: quantity(number), transactionIndex: '0x0' };
}

/** The message of a revert: the reason, if the data is an `Error(string)`. */
export function revertMessage(returned: Uint8Array): string {
  const reason = reasonIn(Buffer.from(returned));
  return reason === undefined ? 'execution reverted' : `execution reverted: ${reason}`;
}

const ERROR_SELECTOR = '0x08c379a0';
const HEAD_BYTES = 68;

function reasonIn(data: Buffer): string | undefined {
  if (data.length < HEAD_BYTES || bytesToHex(data.subarray(0, 4)) !== ERROR_SELECTOR)
    return undefined;
  const length = data.readUInt32BE(HEAD_BYTES - 4);
  return data.subarray(HEAD_BYTES, HEAD_BYTES + length).toString('utf8');
}
