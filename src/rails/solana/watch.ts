/** Finds payments to an order's own address on Solana: its USDC account, or its SOL. */
import { atomic } from '../../domain/money/money.ts';
import type { PaymentWatch, Receipts, WatchedOrder } from '../merchant-rail.ts';
import { associatedTokenAddress } from './address.ts';
import { type Credit, type CreditHistory, type CreditMemory, creditsTo } from './credits.ts';
import type { SolanaRpc } from './rpc.ts';
import { type AccountInfo, readTokenAccount } from './rpc-answers.ts';

export interface WatchOptions {
  readonly rpc: SolanaRpc;
  /** Mint of each watched token, by ticker; `SOL` needs none. */
  readonly mints: Readonly<Record<string, string>>;
  /** From this sum on, in atomic units, only finalized credits count; without it confirmed ones always do. */
  readonly finalFromAtomic?: bigint | undefined;
  /**
   * Returns the last transaction of an address before its order; undefined if only this order uses
   * the address.
   */
  since?(address: string): Promise<string | undefined>;
  /** By default this process alone keeps it. */
  readonly memory?: CreditMemory | undefined;
}

const NOTHING: Receipts = {
  confirmedAtomic: atomic(0n),
  seenAtomic: atomic(0n),
  unexplainedAtomic: atomic(0n),
  transactions: [],
};

/**
 * Watches addresses that only receive payments. Confirmed transactions count, by their ids: a node
 * may show a balance before its transaction. A processed balance may be on an abandoned fork, so it
 * is seen but not counted.
 */
export function createSolanaWatch(options: WatchOptions): PaymentWatch {
  const { rpc, mints, finalFromAtomic, memory = ownMemory() } = options;
  const placeOf = ({ address, coin }: WatchedOrder): Place | undefined => {
    if (address === null) return undefined;
    const mint = Object.hasOwn(mints, coin) ? mints[coin] : undefined;
    if (mint !== undefined) return { account: associatedTokenAddress(address, mint), mint };
    return coin === 'SOL' ? { account: address, mint } : undefined;
  };
  return {
    changed: async (orders) => {
      const asked = orders.flatMap((order) => {
        const place = placeOf(order);
        return place === undefined ? [] : [{ ...order, ...place }];
      });
      const infos = await rpc.accounts(
        asked.map(({ account }) => account),
        'processed',
      );
      const changed = asked.filter(
        ({ seenAtomic, isConfirmed, mint }, index) =>
          !isConfirmed || balanceIn(infos[index] ?? null, mint) !== seenAtomic,
      );
      return new Set(changed.map(({ orderId }) => orderId));
    },
    received: async (order) => {
      const { address } = order;
      const place = placeOf(order);
      if (address === null || place === undefined) return NOTHING;
      const { account, mint } = place;
      const seenAtomic = balanceIn(await rpc.accountInfo(account, 'processed'), mint);
      if (seenAtomic === 0n) return NOTHING;
      const until = await options.since?.(address);
      const read = () => creditsTo(rpc, account, { mint, until, memory });
      const { credits, isWhole } = await read();
      const isLarge = finalFromAtomic !== undefined && sumOf(credits) >= finalFromAtomic;
      const counted = isLarge ? credits.filter(({ isFinal }) => isFinal) : credits;
      const confirmedAtomic = sumOf(counted);
      const isSuspect = isWhole && mint !== undefined && seenAtomic > sumOf(credits);
      const unexplained = isSuspect ? await unexplainedIn({ rpc, account, mint }, read) : 0n;
      return {
        confirmedAtomic: atomic(confirmedAtomic),
        seenAtomic: atomic(seenAtomic > confirmedAtomic ? seenAtomic : confirmedAtomic),
        unexplainedAtomic: atomic(unexplained),
        transactions: counted.map(({ signature }) => signature),
      };
    },
  };
}

/** What a final balance holds beyond all transactions that the node shows after it told the balance. */
async function unexplainedIn(
  { rpc, account, mint }: { readonly rpc: SolanaRpc } & Place,
  read: () => Promise<CreditHistory>,
): Promise<bigint> {
  const balance = balanceIn(await rpc.accountInfo(account, 'finalized'), mint);
  const { credits, isWhole } = await read();
  const sum = sumOf(credits);
  return isWhole && balance > sum ? balance - sum : 0n;
}

function ownMemory(): CreditMemory {
  const kept = new Map<string, string>();
  return {
    get: async (account) => kept.get(account),
    set: async (account, value) => {
      kept.set(account, value);
    },
  };
}

function sumOf(credits: readonly Credit[]): bigint {
  return credits.reduce((sum, { amountAtomic }) => sum + amountAtomic, 0n);
}

/** Where an order's payments arrive. */
interface Place {
  readonly account: string;
  /** Undefined for SOL. */
  readonly mint: string | undefined;
}

/** The balance of an account; without a mint, its lamports. */
function balanceIn(info: AccountInfo | null, mint: string | undefined): bigint {
  if (mint === undefined) return info?.lamports ?? 0n;
  return (info && readTokenAccount(info)?.amount) ?? 0n;
}
