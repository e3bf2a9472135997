/** `scrip policy spend`: what the wallet has spent, and its limits. */

import type { Command } from 'commander';
import { t, verbatim } from '../../domain/message.ts';
import { spendingPeriods } from '../../domain/partner-spending.ts';
import { hostKey, usdcText } from '../../domain/policy.ts';
import { heldText, priceText } from '../../domain/shown-amount.ts';
import { DAY_MS, type SpendHistory, spentSince } from '../../domain/spending.ts';
import type { Bind } from '../command.ts';
import { addExamples } from '../examples.ts';
import { underWay } from '../orders/ledger.ts';
import { ordersCounted } from '../output/counts.ts';
import type { View } from '../output/view.ts';
import type { ScripContext } from '../scrip-deps.ts';

export function register(command: Command, bind: Bind): void {
  command.action(() => bind(run));
  addExamples(command, ['policy spend', 'policy spend --json | jq .today.left']);
}

async function run(context: ScripContext): Promise<View> {
  const { countedText, leftAt, walletSpending } = await import('../spending/wallet-spending.ts');
  const wallet = await walletSpending(context);
  const { address, entries, history, policy, nowMs, isChainCounted } = wallet;
  const { monthFromMs } = spendingPeriods(nowMs);
  const dayFromMs = nowMs - DAY_MS;
  const since = (fromMs: number) => usdcText(spentSince(history, fromMs));
  const sinceAt = (fromMs: number, merchant: string | undefined) =>
    usdcText(spentSince(only(history, merchant), fromMs));
  const today = {
    from: new Date(dayFromMs).toISOString(),
    spent: since(dayFromMs),
    limit: usdcText(policy.perDay),
    // For a merchant without payments: only the limit per day applies.
    left: leftAt(wallet, ''),
    elsewhere: sinceAt(dayFromMs, undefined),
    counted: isChainCounted ? ('chain' as const) : ('journal' as const),
  };
  const month = { from: new Date(monthFromMs).toISOString(), spent: since(monthFromMs - 1) };
  const merchants = merchantsOf(history, Math.min(monthFromMs, dayFromMs)).map((merchant) => ({
    merchant: hostKey(merchant),
    today: sinceAt(dayFromMs, merchant),
    left: leftAt(wallet, merchant),
    month: sinceAt(monthFromMs - 1, merchant),
  }));
  return {
    kind: 'record',
    record: {
      wallet: address ?? null,
      today,
      month,
      merchants,
      under_way: underWay(entries),
      open_payments: history.openIntents,
    },
    lines: [
      [t`24 hours`, t`${spent(today.spent)} of ${today.limit} USDC; ${left(today.left)} left`],
      [t`This month`, `${spent(month.spent)} USDC`],
      ...merchants.map(
        (one) =>
          [
            verbatim(one.merchant),
            t`${spent(one.today)} in 24 hours, ${spent(one.month)} this month; ${left(one.left)} left`,
          ] as const,
      ),
      ...(isChainCounted
        ? [[t`Elsewhere`, t`${spent(today.elsewhere)} USDC in 24 hours`] as const]
        : []),
      [t`Counted from`, countedText(wallet)],
      [t`In progress`, ordersCounted(underWay(entries))],
      [t`Payments in progress`, t`${history.openIntents} of ${policy.maxOpenIntents} at once`],
    ],
  };
}

const spent = (amount: string): string => priceText(amount, 'USDC');
const left = (amount: string): string => heldText(amount, 'USDC');

/** Only what was spent at this merchant; undefined selects transfers that are no payment of this machine. */
function only(history: SpendHistory, merchant: string | undefined): SpendHistory {
  return { ...history, spent: history.spent.filter((one) => one.merchant === merchant) };
}

function merchantsOf({ spent }: SpendHistory, fromMs: number): readonly string[] {
  const young = spent.filter(({ atMs }) => atMs >= fromMs);
  return [...new Set(young.flatMap(({ merchant }) => merchant ?? []))].toSorted();
}
