/** `scrip spend`: what the wallet has spent, against what it may. */
import type { Command } from 'commander';
import { spendingPeriods } from '../../domain/partner-spending.ts';
import { hostKey, usdcText } from '../../domain/policy.ts';
import { policyOf } from '../../domain/policy-file.ts';
import { DAY_MS, headroom, type SpendHistory, spentSince } from '../../domain/spending.ts';
import type { Bind } from '../commands.ts';
import type { Context } from '../context.ts';
import { addExamples } from '../examples.ts';
import { underWay } from '../orders/ledger.ts';
import { ordersCounted } from '../output/counts.ts';
import type { View } from '../output/view.ts';
import { isPlayMoney } from '../settings/money.ts';

export function register(command: Command, bind: Bind): void {
  command.action(() => bind(run));
  addExamples(command, ['spend', 'spend --json | jq .today.left']);
}

async function run(context: Context): Promise<View> {
  const [{ readPolicyFile }, { walletSpending }] = await Promise.all([
    import('../buying/spending.ts'),
    import('../buying/policy-view.ts'),
  ]);
  const { clock } = context;
  const { address, entries, history } = await walletSpending(context);
  const merchantUrl = context.settings.checkoutUrl;
  const isPlay = await isPlayMoney(context, { address, merchantUrl });
  const policy = policyOf(await readPolicyFile(context), isPlay);
  const nowMs = clock.now();
  const { monthFromMs } = spendingPeriods(nowMs);
  const since = (fromMs: number, merchant?: string) =>
    usdcText(spentSince(history, fromMs, merchant));
  const dayFromMs = nowMs - DAY_MS;
  const today = {
    from: new Date(dayFromMs).toISOString(),
    spent: since(dayFromMs),
    limit: usdcText(policy.perDay),
    // Of any merchant: one that has nothing yet is bound by the day alone.
    left: usdcText(headroom(policy, history, { merchant: '', nowMs })),
  };
  const month = { from: new Date(monthFromMs).toISOString(), spent: since(monthFromMs - 1) };
  const merchants = merchantsOf(history, Math.min(monthFromMs, dayFromMs)).map((merchant) => ({
    merchant: hostKey(merchant),
    today: since(dayFromMs, merchant),
    left: usdcText(headroom(policy, history, { merchant, nowMs })),
    month: since(monthFromMs - 1, merchant),
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
      ['24 hours', `${today.spent} of ${today.limit} USDC; ${today.left} left`],
      ['This month', `${month.spent} USDC`],
      ...merchants.map(
        (one) =>
          [
            one.merchant,
            context.tell(`${one.today} in 24 hours, ${one.month} this month; ${one.left} left`),
          ] as const,
      ),
      ['Under way', ordersCounted(underWay(entries))],
      ['Open payments', `${history.openIntents} of ${policy.maxOpenIntents} at once`],
    ],
  };
}

function merchantsOf({ spent }: SpendHistory, fromMs: number): readonly string[] {
  return [
    ...new Set(spent.filter(({ atMs }) => atMs >= fromMs).map(({ merchant }) => merchant)),
  ].toSorted();
}
