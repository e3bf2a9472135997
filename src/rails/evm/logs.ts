/** Logs over any number of blocks: nodes differ in how many they search in one call. */

import { ScripError } from '../../domain/message/errors.ts';
import { t } from '../../domain/message/message.ts';
import { rpcCodeOf } from '../rpc-transport.ts';
import type { Block, EvmRpc, Log, LogFilter, Range } from './rpc.ts';

/** Calls after which a search is given up: it would take minutes. */
const MOST_CALLS = 400;
/** Base's; a chain with shorter blocks is searched a little further back. */
const BLOCK_SECONDS = 2;

/**
 * Returns the logs of a range, oldest first, also from nodes that refuse long ranges.
 * @throws {ScripError} CHAIN_UNREACHABLE, also if the node takes too many calls
 */
export async function logsIn(
  rpc: EvmRpc,
  filter: LogFilter,
  range: Range,
): Promise<readonly Log[]> {
  const found: Log[] = [];
  for await (const logs of searched(rpc, filter, range)) found.push(...logs);
  return found.toSorted(byPlace);
}

export function byPlace(one: Log, other: Log): number {
  return one.block - other.block || one.index - other.index;
}

/** Returns the newest log up to a block. @throws as `logsIn` */
export async function newestLog(
  rpc: EvmRpc,
  filter: LogFilter,
  to: number,
): Promise<Log | undefined> {
  for await (const logs of searched(rpc, filter, { from: 0, to })) {
    const newest = logs.at(-1);
    if (newest !== undefined) return newest;
  }
  return undefined;
}

/** Searches a range from its end, in parts that the node takes. */
async function* searched(
  rpc: EvmRpc,
  filter: LogFilter,
  { from, to }: Range,
): AsyncGenerator<readonly Log[]> {
  let size = to - from + 1;
  for (let [last, calls] = [to, 0]; last >= from; calls += 1) {
    if (calls >= MOST_CALLS) {
      throw new ScripError(
        'CHAIN_UNREACHABLE',
        t`The RPC searches at most ${size} blocks in one call, which is too few for ${to - from + 1}`,
      );
    }
    const first = Math.max(from, last - size + 1);
    const logs = await rpc.logs(filter, { from: first, to: last }).catch((error: unknown) => {
      if (rpcCodeOf(error) === undefined || first === last) throw error;
      return undefined;
    });
    if (logs === undefined) {
      size = Math.ceil((last - first + 1) / 2);
      continue;
    }
    yield logs.filter((log) => isAsked(log, filter));
    last = first - 1;
  }
}

/** A node that ignores the filter must not make other people's logs ours. */
function isAsked({ address, topics }: Log, filter: LogFilter): boolean {
  return (
    address === filter.address &&
    filter.topics.every((asked, at) => asked === null || [asked].flat().includes(topics[at] ?? ''))
  );
}

/**
 * Returns the number of a block whose time is not after an instant, or of the chain's first block; undefined if the
 * node has neither.
 * @param seconds Unix time
 */
export async function blockBefore(
  rpc: EvmRpc,
  seconds: number,
  newest: Block,
): Promise<number | undefined> {
  if (newest.time <= seconds) return newest.number;
  let step = Math.ceil((newest.time - seconds) / BLOCK_SECONDS);
  for (; step < newest.number; step *= 4) {
    const block = await rpc.block(newest.number - step);
    if (block === null) break;
    if (block.time <= seconds) return block.number;
  }
  const first = await rpc.block('earliest');
  return first?.isFirst ? first.number : undefined;
}
