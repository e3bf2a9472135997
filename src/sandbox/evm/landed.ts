/** What landed on the stand-in for Base, by its records, for the audit. */

import { nonceKey } from '../../rails/evm/authorization.ts';
import { BASE_NETWORK } from '../../rails/evm/networks.ts';
import { evmSigner } from '../../rails/evm/secp256k1.ts';
import { addressOfTopic, TOPICS, topicOfAddress } from '../../rails/evm/usdc.ts';
import type { EvmBlockRow } from '../../store/tables/evm.ts';
import { BASE_TREASURY, type Draw } from '../data-folder.ts';
import { BASE_USDC } from './chain.ts';
import type { Execution } from './machine.ts';

/** USDC that moved by an authorization. */
interface Authorized {
  readonly transaction: string;
  readonly atMs: number;
  readonly amountAtomic: bigint;
  /** Of the claim that it settles. */
  readonly messageHash: string;
}

/** The logs of USDC in a block. */
function logsOf({ receipt }: Pick<EvmBlockRow, 'receipt'>): Execution['logs'] {
  const { logs }: Partial<Execution> = JSON.parse(receipt ?? '{}');
  return (logs ?? []).filter(({ address }) => address.toLowerCase() === BASE_USDC);
}

export function authorizedIn(row: EvmBlockRow): readonly Authorized[] {
  const logs = logsOf(row);
  const { transaction, timeMs: atMs } = row;
  return logs.flatMap(({ topics: [event, from = '', nonce = ''] }, index) => {
    // The transfer of an authorization is the log after its use.
    const moved = logs[index + 1];
    if (!transaction || event !== TOPICS.used) return [];
    if (moved?.topics[0] !== TOPICS.transfer) return [];
    const messageHash = nonceKey(BASE_NETWORK, { from: `0x${from.slice(-40)}`, nonce });
    return [{ transaction, atMs, amountAtomic: BigInt(moved.data), messageHash }];
  });
}

/** The shop's treasury on Base. */
export function baseTreasuryOf(draw: Draw): string {
  return evmSigner(draw(BASE_TREASURY)).address;
}

/** Each transfer of USDC in a block, with its recipient. */
export function transfersIn(row: EvmBlockRow) {
  const { transaction, timeMs: atMs } = row;
  return logsOf(row).flatMap(({ topics: [event, , to = ''], data }) =>
    event === TOPICS.transfer && transaction
      ? [{ transaction, atMs, amountAtomic: BigInt(data), payTo: addressOfTopic(to) }]
      : [],
  );
}

/** USDC that a transaction brought to an owner. */
export function creditedIn(row: EvmBlockRow, owner: string): bigint {
  return logsOf(row)
    .filter(({ topics }) => topics[0] === TOPICS.transfer && topics[2] === topicOfAddress(owner))
    .reduce((sum, { data }) => sum + BigInt(data), 0n);
}
