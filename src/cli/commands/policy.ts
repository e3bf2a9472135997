/** `scrip policy`: the rules on what may be spent; `scrip policy spend`: what the wallet has spent, and its limits. */

import type { Command } from 'commander';
import { ScripError } from '../../domain/message/errors.ts';
import { t, verbatim } from '../../domain/message/message.ts';
import { heldText, priceText } from '../../domain/money/shown-amount.ts';
import { spendingPeriods } from '../../domain/order/partner-limits.ts';
import { hostKey, usdcText } from '../../domain/policy/policy.ts';
import { DAY_MS, type SpendHistory, spentSince } from '../../domain/policy/spending.ts';
import { PRODUCT_KINDS } from '../../domain/product/product.ts';
import { ordersCounted, parseUsdc } from '../amount.ts';
import { addExamples, addOptions, type Bind, type FlagsOf } from '../command.ts';
import type { BuyerContext, With } from '../context.ts';
import { underWay } from '../orders/ledger.ts';
import type { RecordView, View } from '../output/view.ts';

const CHECK_OPTIONS = {
  '--host <host>': 'host to be paid (default: the checkout host of your settings)',
  '--to <beneficiary>': 'recipient of the order',
  '--kind <kind>': { what: 'kind of the product', choices: PRODUCT_KINDS },
  '--unattended': 'treat the payment as non-interactive',
} as const;

type CheckFlags = FlagsOf<typeof CHECK_OPTIONS> & { readonly amount: string };

export function register(command: Command, bind: Bind): void {
  declareShow(command, bind);
  declareSet(command, bind);
  declareCheck(command, bind);
  const path = command
    .command('path')
    .description('print where the policy file is')
    .action(() =>
      bind(async ({ parts }) => {
        const { path } = parts.policyFile;
        return { kind: 'text', text: `${path}\n`, record: { path } };
      }),
    );
  addExamples(path, ['policy path']);
}

function declareShow(command: Command, bind: Bind): void {
  const shown = command
    .command('show', { isDefault: true })
    .description('print every rule, its source, and what is left today (the default)')
    .action(() =>
      bind(async (context) => (await import('../spending/policy-view.ts')).policyView(context)),
    );
  addExamples(shown, ['policy show', 'policy show --json | jq .today.left']);
}

function declareSet(command: Command, bind: Bind): void {
  const set = command
    .command('set')
    .description('change one rule; allowing more needs confirmation in a terminal')
    .argument('<key>', 'such as perOrder, kinds, nonInteractive.enabled or hosts.<host>')
    .argument('<value>', 'an amount, true, a comma-separated list, or JSON; `default` removes it')
    .action((key: string, value: string) => bind((context) => change(context, key, value)));
  addExamples(set, [
    'policy set perOrder 20',
    'policy set recipients "*@example.org,+39*"',
    'policy set hosts.x402.example any',
    'policy set nonInteractive.enabled true',
    'policy set perDay default',
  ]);
}

function declareCheck(command: Command, bind: Bind): void {
  const check = command
    .command('check')
    .description('check whether the policy would allow a payment now; sends nothing')
    .requiredOption('--amount <usdc>', 'what it would cost');
  addOptions(check, CHECK_OPTIONS).action((flags: CheckFlags) => {
    const amountAtomic = parseUsdc(flags.amount);
    return bind(async (context) => {
      const { checkView } = await import('../spending/policy-view.ts');
      return checkView(context, { ...flags, amountAtomic });
    });
  });
  addExamples(check, [
    'policy check --amount 15',
    'policy check --amount 25 --host x402.example --to friend@example.com --kind giftcard',
  ]);
}

/** Anyone may tighten a rule; loosening one needs a person at a terminal, so that a script cannot do it. */
async function change(context: BuyerContext, key: string, typed: string): Promise<RecordView> {
  const { loosened, setPolicyKey } = await import('../../domain/policy/policy-change.ts');
  const { formatPolicy, policyOf } = await import('../../domain/policy/policy-file.ts');
  const { readPolicyFile } = await import('../../api/payment/spending.ts');
  const before = await readPolicyFile(context.parts);
  const after = setPolicyKey(before, key, typed);
  const more = [false, true].flatMap((isPlayMoney) =>
    loosened(policyOf(before, isPlayMoney), policyOf(after, isPlayMoney)),
  );
  if (more.length > 0) await confirmLooser(context, { key, typed });
  await context.parts.policyFile.write(formatPolicy(after));
  const { path } = context.parts.policyFile;
  return {
    kind: 'record',
    record: { key, value: typed, allows_more: more.length > 0, path },
    lines: [
      [verbatim(key), typed],
      [t`Policy file`, path],
    ],
    note: t`See the whole policy: scrip policy show`,
  };
}

/** @throws {ScripError} TERMINAL_REQUIRED, DECLINED */
async function confirmLooser(
  { settings, io: { prompter } }: With<'settings' | 'io'>,
  { key, typed }: { readonly key: string; readonly typed: string },
): Promise<void> {
  if (!settings.mayPrompt) {
    throw new ScripError(
      'TERMINAL_REQUIRED',
      t`${key} ${typed} would allow more than the policy does`,
      {
        hint: t`Run it in a terminal, where you can confirm it.`,
        details: { key },
      },
    );
  }
  if (await prompter.confirm(t`${key} ${typed} allows more than the policy does. Change it?`))
    return;
  throw new ScripError('DECLINED', t`You declined; the policy was not changed`);
}

export function registerSpend(command: Command, bind: Bind): void {
  command.action(() => bind(showSpending));
  addExamples(command, ['policy spend', 'policy spend --json | jq .today.left']);
}

async function showSpending(context: BuyerContext): Promise<View> {
  const { countedText, leftAt, walletSpending } = await import('../spending/policy-view.ts');
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
