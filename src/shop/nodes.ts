/** The nodes of the chain: whether they can be used, and the payments that both have to agree on. */

import { SOLANA_MAINNET, USDC_MINT } from '../contract/x402.ts';
import { hostLabel } from '../domain/address/loopback.ts';
import type { Clock } from '../domain/clock.ts';
import { ScripError } from '../domain/message/errors.ts';
import { t } from '../domain/message/message.ts';
import { atomic } from '../domain/money/money.ts';
import { changedOrders, type PaymentWatch } from '../rails/merchant-rail.ts';
import type { RailHealth } from '../rails/rail.ts';
import { type AccountNewsOptions, openAccountSocket } from '../rails/solana/account-news.ts';
import { associatedTokenAddress } from '../rails/solana/address.ts';
import type { CreditMemory } from '../rails/solana/credits.ts';
import { chainIdAt, chainTime, readHealth } from '../rails/solana/health.ts';
import type { SolanaRpc } from '../rails/solana/rpc.ts';
import { createSolanaWatch, type WatchOptions } from '../rails/solana/watch.ts';
import { adoptChain } from '../store/ownership.ts';
import type { Store } from '../store/store.ts';
import { SINGLE } from '../store/writes.ts';

interface Nodes {
  readonly rpc: SolanaRpc;
  readonly witness: SolanaRpc | undefined;
}

/** Gives the finalized height. @throws {ScripError} CHAIN_UNREACHABLE; INPUT_INVALID for another chain */
export async function checkChain(nodes: Nodes): Promise<number> {
  return checkHealth(await readHealth({ ...nodes, network: SOLANA_MAINNET, mint: USDC_MINT }));
}

/** The same of what the nodes of any rail tell. */
export function checkHealth(health: RailHealth): number {
  for (const { name, problem, isNetwork, hasAsset } of health.nodes) {
    if (problem !== null) throw new ScripError('CHAIN_UNREACHABLE', problem);
    if (!isNetwork) throw new ScripError('INPUT_INVALID', t`${name} serves another chain`);
    if (!hasAsset) throw new ScripError('INPUT_INVALID', t`${name} serves a chain without USDC`);
  }
  return Math.min(...health.nodes.map(({ block }) => block));
}

/**
 * Checks that the shop was begun on this chain, and remembers it: a chain of a sandbox has the name of mainnet,
 * and real goods would be delivered for its test money.
 * @throws {ScripError} STORE_UNUSABLE; CHAIN_UNREACHABLE
 */
export async function keepChain(store: Store, rpc: SolanaRpc): Promise<void> {
  await adoptChain(store, {
    where: 'chain.rpc',
    id: async () => (await chainIdAt(rpc)) ?? SOLANA_MAINNET,
    hint: t`Name a node of the shop’s own chain there, or another data_dir or database for a new shop.`,
  });
}

const FIRST_REPLY_MS = 10_000;

/** Tries the websocket that reports changes of accounts. @throws {ScripError} CHAIN_UNREACHABLE */
export async function checkWebsocket(
  place: Pick<AccountNewsOptions, 'url' | 'agent'>,
  account: string,
  clock: Clock,
): Promise<void> {
  const done = new AbortController();
  const { signal } = done;
  try {
    const socket = await openAccountSocket({ ...place, signal, onChange: () => undefined });
    socket.watch([account]);
    const late = clock.sleep(FIRST_REPLY_MS, signal).catch(() => undefined);
    await Promise.race([socket.agreed, socket.closed, late]);
    if (socket.subscribed() > 0) return;
    throw new ScripError(
      'CHAIN_UNREACHABLE',
      t`The websocket at ${hostLabel(place.url)} reports no accounts`,
    );
  } finally {
    done.abort();
  }
}

/** Blocks come every 0.4 seconds; a node that is this far behind tells of payments late. */
const MOST_LAG_MS = 60_000;

/** @throws {ScripError} CHAIN_UNREACHABLE when the node is away, or behind the chain */
export async function checkLag({ rpc }: Nodes, clock: Pick<Clock, 'now'>): Promise<void> {
  const timeMs = await chainTime(rpc);
  // Not every node keeps the time of its last block.
  if (timeMs === null) return void (await rpc.blockHeight('finalized'));
  const seconds = Math.round((clock.now() - timeMs) / 1_000);
  if (seconds * 1_000 <= MOST_LAG_MS) return;
  throw new ScripError('CHAIN_UNREACHABLE', t`The RPC is ${seconds} seconds behind the chain`);
}

/** @throws {ScripError} CHAIN_UNREACHABLE, INPUT_INVALID */
export async function checkTreasury(rpc: SolanaRpc, treasury: string): Promise<void> {
  const account = await rpc.tokenAccount(associatedTokenAddress(treasury, USDC_MINT));
  if (account === null) {
    throw new ScripError('INPUT_INVALID', t`The treasury ${treasury} has no USDC account`, {
      hint: t`Send any amount of USDC to it first: that opens its account.`,
    });
  }
  if (account.owner !== treasury || account.isFrozen) {
    throw new ScripError('INPUT_INVALID', t`The USDC account of ${treasury} cannot be paid to`);
  }
}

// Payments that two nodes have to agree on.

/** The watch of a shop: over its node, and over the second one if there is any; long histories are kept on record. */
export function openWatch(
  { rpc, witness }: Nodes,
  {
    store,
    ...options
  }: Pick<WatchOptions, 'finalFromAtomic' | 'since'> & {
    readonly store: Store;
  },
): PaymentWatch {
  const watchAt = (node: Nodes['rpc'], name: string) => {
    const memory: CreditMemory = {
      get: (account) => store.tables.facts.get(`credits ${name} ${account}`),
      set: (account, value) =>
        store.write(({ facts }) => facts.set(`credits ${name} ${account}`, value), SINGLE),
    };
    return createSolanaWatch({ ...options, memory, rpc: node, mints: { USDC: USDC_MINT } });
  };
  const own = watchAt(rpc, 'own');
  return witness === undefined ? own : witnessedWatch(own, watchAt(witness, 'witness'));
}

/** What both have confirmed counts; what either has seen is seen. */
export function witnessedWatch(watch: PaymentWatch, witness: PaymentWatch): PaymentWatch {
  return {
    changed: async (orders) => {
      const found = await Promise.all([watch, witness].map((one) => changedOrders(one, orders)));
      return new Set(found.flatMap((ids) => [...ids]));
    },
    received: async (order) => {
      const [one, other] = await Promise.all([watch.received(order), witness.received(order)]);
      const isLess = other.confirmedAtomic < one.confirmedAtomic;
      const seenAtomic = one.seenAtomic > other.seenAtomic ? one.seenAtomic : other.seenAtomic;
      return { ...(isLess ? other : one), seenAtomic: atomic(seenAtomic) };
    },
  };
}
