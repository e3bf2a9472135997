/** Sums of money by the records of a shop, beside what the chain and the supplier say of the same. */

import { USDC_DECIMALS } from '../contract/usdc.ts';
import { caip2Of } from '../domain/money/coins.ts';
import { FACE_DECIMALS, formatSigned, parseDecimal } from '../domain/money/money.ts';
import type { MoneySum } from '../domain/operator/audit.ts';
import type { BalanceChange, ShopRail } from '../rails/merchant-rail.ts';
import { sumOf } from '../service/audit/checks.ts';
import type { Landed, SupplierLedger } from '../service/audit/evidence.ts';
import type { Tables } from '../store/store.ts';

/** What the shop has on one network. */
export interface ShopPlace {
  readonly rail: ShopRail;
  /** Undefined where the operator pays refunds. */
  readonly refundWallet: string | undefined;
  /** Wallet that sales over x402 are paid to; it may have other business. */
  readonly treasury: string;
  /** Address that countersigns payments of the shop alone. */
  readonly feePayer: string;
  /** The owner of a receiving account; undefined where orders get none. */
  readonly ownerAt?: ((position: number) => string) | undefined;
}

/** An account's changes by the shop's own node. */
export interface History {
  readonly owner: string;
  readonly changes: readonly BalanceChange[];
}

type About = Pick<MoneySum, 'what' | 'network' | 'coin'> & { readonly decimals: number };

export type Money = ReturnType<typeof createMoney>;

export function createMoney() {
  const sums = new Map<string, { about: About; books: bigint | null; found: bigint | null }>();
  return {
    /** Adds to what the records and the others say; what neither said stays unknown. */
    add(
      about: About,
      { books, found }: { readonly books?: bigint; readonly found?: bigint },
    ): void {
      const key = JSON.stringify(about);
      const sum = sums.get(key) ?? { about, books: null, found: null };
      if (books !== undefined) sum.books = (sum.books ?? 0n) + books;
      if (found !== undefined) sum.found = (sum.found ?? 0n) + found;
      sums.set(key, sum);
    },
    records: (): readonly MoneySum[] =>
      [...sums.values()].map(({ about: { decimals, ...about }, books, found }) => {
        const text = (sum: bigint | null) => (sum === null ? null : formatSigned(sum, decimals));
        return { ...about, books: text(books), found: text(found) };
      }),
  };
}

export const usdcOn = (network: string, what: MoneySum['what']): About => ({
  ...{ what, network, coin: 'USDC', decimals: USDC_DECIMALS },
});

interface Accounts {
  /** Changes of receiving accounts, by account; all of them, where the chain was read from the beginning. */
  readonly receiving: readonly History[];
  readonly isWhole: boolean;
}

/**
 * What came to the receiving accounts of a place and left them for the treasury, and what its accounts hold now.
 * @throws {ScripError} CHAIN_UNREACHABLE
 */
export async function addAccounts(
  money: Money,
  { claims }: Tables,
  { rail, treasury, refundWallet }: ShopPlace,
  { receiving, isWhole }: Accounts,
): Promise<void> {
  const about = (what: MoneySum['what']) => usdcOn(rail.network, what);
  const changes = receiving.flatMap((one) => one.changes);
  let [swept, isKnown] = [0n, true];
  for (const { transaction, change } of changes) {
    if (change >= 0n) continue;
    const claim = await claims.byTransaction(transaction);
    // What an earlier version moved is on record without its amount.
    if (claim?.swept == null) isKnown = false;
    swept += BigInt(claim?.swept ?? 0);
    money.add(about('swept'), { found: -change });
  }
  if (isKnown) money.add(about('swept'), { books: swept });
  const came = changes.reduce((sum, { change }) => (change > 0n ? sum + change : sum), 0n);
  const left = isKnown && isWhole ? { books: came - swept } : {};
  const held = async (owners: readonly string[]) =>
    (await rail.usdcOf(owners)).reduce<bigint>((sum, amount) => sum + (amount ?? 0n), 0n);
  const owners = receiving.map(({ owner }) => owner);
  money.add(about('receiving_accounts'), { ...left, found: await held(owners) });
  money.add(about('treasury'), { found: await held([treasury]) });
  if (refundWallet) money.add(about('refund_wallet'), { found: await held([refundWallet]) });
  const { coin, decimals, balance: found } = await rail.feeAccount();
  money.add({ what: 'fee_account', network: rail.network, coin, decimals }, { found });
}

/** What orders since then were paid, by their records and by the chain. */
export async function addReceived(
  money: Money,
  tables: Tables,
  { bySession, byPartnerOrder }: Landed,
  sinceMs: number,
): Promise<void> {
  for await (const row of tables.partnerOrders.rows()) {
    const network = row.coin === 'USDC' ? caip2Of(row.network) : undefined;
    if (row.createdAtMs < sinceMs || network === undefined) continue;
    const found = sumOf(byPartnerOrder.get(row.orderId) ?? []);
    money.add(usdcOn(network, 'partner_orders'), { books: BigInt(row.receivedAtomic), found });
  }
  for await (const { sessionId, network, state, createdAtMs } of tables.settlements.rows()) {
    if (createdAtMs < sinceMs || state !== 'settled') continue;
    const books = BigInt((await tables.sessions.byId(sessionId))?.amountAtomic ?? 0);
    const found = sumOf(bySession.get(sessionId) ?? []);
    money.add(usdcOn(network, 'checkout_orders'), { books, found });
  }
}

/** Adds each cost that the supplier tells, and the one that was kept when it sold. */
export function countingCosts(
  ledger: SupplierLedger,
  { sales }: Tables,
  money: Money,
): SupplierLedger {
  const add = (cost: { amount: string; currency: string } | undefined, by: 'books' | 'found') => {
    if (cost === undefined) return;
    const about = { what: 'purchases', network: null, coin: cost.currency } as const;
    const amount = parseDecimal(cost.amount, FACE_DECIMALS);
    money.add({ ...about, decimals: FACE_DECIMALS }, { [by]: amount });
  };
  return {
    ...ledger,
    async sold(row) {
      const sold = await ledger.sold(row);
      add(sold?.cost, 'found');
      add(await sales.costOf(row.deliveryId), 'books');
      return sold;
    },
  };
}
