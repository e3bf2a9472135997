/** Finds USDC that came to an order's own address on an EVM chain. */

import { atomic } from '../../domain/money/money.ts';
import type { PaymentWatch, Receipts } from '../merchant-rail.ts';
import { rpcCodeOf } from '../rpc-transport.ts';
import { asAmount, type ChainSource } from './fate.ts';
import { creditsTo } from './history.ts';
import { balanceCall } from './usdc.ts';

export interface EvmWatchOptions extends ChainSource {
  /** From this sum on, in atomic units, only final credits count; without it those of the newest block always do. */
  readonly finalFromAtomic?: bigint | undefined;
  /** Number of the newest block before an address got its order; undefined if only this order uses it. */
  readonly since?: ((address: string) => Promise<string | undefined>) | undefined;
}

const NOTHING: Receipts = {
  confirmedAtomic: atomic(0n),
  seenAtomic: atomic(0n),
  transactions: [],
};

/** Watches addresses that only receive payments: what the logs show counts, a balance without them is only seen. */
export function createEvmWatch({
  rpc,
  network,
  finalFromAtomic,
  since,
}: EvmWatchOptions): PaymentWatch {
  const balances = async (owners: readonly string[]) =>
    (await rpc.calls(network.asset, owners.map(balanceCall))).map(asAmount);
  return {
    changed: async (orders) => {
      const asked = orders.flatMap(({ address, ...order }) =>
        address === null ? [] : [{ ...order, address }],
      );
      const held = await balances(asked.map(({ address }) => address));
      const changed = asked.filter(
        ({ seenAtomic, isConfirmed }, at) => !isConfirmed || held[at] !== seenAtomic,
      );
      return new Set(changed.map(({ orderId }) => orderId));
    },
    received: async ({ address }) => {
      if (address === null) return NOTHING;
      const [held = 0n] = await balances([address]);
      if (held === 0n) return NOTHING;
      const from = Number((await since?.(address)) ?? 0);
      const credits = await creditsTo({ rpc, network }, address, from);
      const isLarge = finalFromAtomic !== undefined && sumOf(credits) >= finalFromAtomic;
      const final = isLarge ? (await rpc.head('finalized')).number : Number.POSITIVE_INFINITY;
      const counted = credits.filter(({ block }) => block <= final);
      const confirmedAtomic = sumOf(counted);
      const unexplained =
        held > sumOf(credits) ? await unexplainedIn({ rpc, network }, address, credits) : 0n;
      return {
        confirmedAtomic: atomic(confirmedAtomic),
        seenAtomic: atomic(held > confirmedAtomic ? held : confirmedAtomic),
        unexplainedAtomic: atomic(unexplained),
        transactions: [...new Set(counted.map(({ transaction }) => transaction))],
      };
    },
  };
}

/** What a final balance holds beyond all transfers in final blocks that the node shows; 0 where it keeps few states. */
async function unexplainedIn(
  { rpc, network }: ChainSource,
  address: string,
  credits: readonly { readonly block: number; readonly amount: bigint }[],
): Promise<bigint> {
  const { number, hash: blockHash } = await rpc.head('finalized');
  const at = { blockHash, requireCanonical: true } as const;
  const told = await rpc.call(network.asset, balanceCall(address), at).catch((error: unknown) => {
    if (rpcCodeOf(error) === undefined) throw error;
    return undefined;
  });
  const rest =
    (told === undefined ? 0n : asAmount(told)) -
    sumOf(credits.filter(({ block }) => block <= number));
  return rest > 0n ? rest : 0n;
}

function sumOf(credits: readonly { readonly amount: bigint }[]): bigint {
  return credits.reduce((sum, { amount }) => sum + amount, 0n);
}
