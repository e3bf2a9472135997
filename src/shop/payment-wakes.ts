/**
 * Has orders looked at as soon as a node reports a change of their account. Looking at them in turn goes on: without
 * news, or with wrong ones, payments are found later.
 */

import { SOLANA_MAINNET, USDC_MINT } from '../contract/x402.ts';
import type { Clock } from '../domain/clock.ts';
import type { AccountNews, AccountNewsOptions } from '../rails/solana/account-news.ts';
import { associatedTokenAddress } from '../rails/solana/address.ts';
import { metricLines } from '../service/http/observation.ts';
import type { Store } from '../store/store.ts';
import { SINGLE } from '../store/writes.ts';
import { isOfOrder } from './leases.ts';

export interface PaymentWakesOptions {
  readonly store: Store;
  readonly clock: Clock;
  /** Most accounts that the node is asked to report. */
  readonly most: number;
  open(onChange: AccountNewsOptions['onChange']): AccountNews;
}

const RENEW_MS = 5_000;
/** The node that is asked may be behind the one that reports, so the order is looked at again. */
const WAKE_EVERY_MS = 1_000;
const WAKE_FOR_MS = 2_000;

export function createPaymentWakes(options: PaymentWakesOptions) {
  const { store, clock, most } = options;
  /** Owners by their accounts. */
  let owners: ReadonlyMap<string, string> = new Map();
  /** Until when the orders of these owners are woken. */
  const changed = new Map<string, number>();
  let [renewAtMs, wakeAtMs, wakeUps] = [0, 0, 0];
  const news = options.open((account) => {
    const owner = owners.get(account);
    if (owner !== undefined) changed.set(owner, clock.now() + WAKE_FOR_MS);
  });

  async function renew(nowMs: number): Promise<void> {
    if (nowMs < renewAtMs) return;
    renewAtMs = nowMs + RENEW_MS;
    const rows = await store.tables.receivingAccounts.open(SOLANA_MAINNET);
    const known = new Map([...owners].map(([account, owner]) => [owner, account]));
    const newest = rows
      .filter(isOfOrder)
      .toSorted((one, other) => (other.leasedAtMs ?? 0) - (one.leasedAtMs ?? 0))
      .slice(0, most)
      .map(({ owner }) => owner);
    owners = new Map(
      newest.map((owner) => [known.get(owner) ?? associatedTokenAddress(owner, USDC_MINT), owner]),
    );
    news.watch([...owners.keys()]);
  }

  async function wake(nowMs: number): Promise<void> {
    if (changed.size === 0 || nowMs < wakeAtMs) return;
    wakeAtMs = nowMs + WAKE_EVERY_MS;
    const addresses = [...changed.keys()];
    wakeUps += addresses.length;
    for (const [owner, untilMs] of changed) if (untilMs <= nowMs) changed.delete(owner);
    await store.write(({ partnerOrders }) => partnerOrders.wake({ addresses }, nowMs), SINGLE);
  }

  return {
    /** Names the accounts of the newest orders, and wakes the orders whose account changed, if it is due. */
    async hear() {
      const nowMs = clock.now();
      await renew(nowMs);
      await wake(nowMs);
    },
    lines: () => [
      ...metricLines('scrip_chain_subscriptions', 'gauge', [{ value: news.subscribed() }]),
      ...metricLines('scrip_chain_wakeups_total', 'counter', [{ value: wakeUps }]),
    ],
    close: () => news.close(),
  };
}

export type PaymentWakes = ReturnType<typeof createPaymentWakes>;
