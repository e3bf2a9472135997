/** `scrip orders`: what this machine bought, by its journal. */

import type { Command } from 'commander';
import type { Patience } from '../../api/patience.ts';
import { standingOf } from '../../api/receipt.ts';
import { commandText } from '../../domain/command-text.ts';
import { t } from '../../domain/message.ts';
import { parseDuration } from '../amount.ts';
import type { Bind } from '../command.ts';
import type { With } from '../context.ts';
import { addExamples } from '../examples.ts';
import { NOTE, PURCHASE_COLUMNS, WALLET } from '../orders/columns.ts';
import type { ExportFlags } from '../orders/export.ts';
import { addOrderFilters, type OrderFilterFlags, orderFilter } from '../orders/filter.ts';
import { isSigned, ownAddress, readLedger } from '../orders/ledger.ts';
import { purchaseRecord } from '../orders/receipt.ts';
import { listView, type View } from '../output/view.ts';
import type { PurchaseRecord } from '../schemas/purchase.ts';

interface ResumeOptions {
  readonly all?: boolean;
  readonly timeout?: string;
}

const WHOLE_ID = 'order id, intent id, idempotency key or transaction';
const ANY_ID = 'order id, intent id, idempotency key or transaction, or how it begins';
const ANY_UNFINISHED =
  'order id, intent id, idempotency key or transaction, or how it begins; all unfinished ones without it';

export function register(command: Command, bind: Bind): void {
  const list = command
    .command('list', { isDefault: true })
    .description('list what was bought, newest first (the default)');
  addOrderFilters(list).action((flags: OrderFilterFlags) =>
    bind((context) => listOrders(context, flags)),
  );
  const resume = command
    .command('resume')
    .description('find out what became of interrupted purchases, and finish those that were paid')
    .argument('[id]', ANY_UNFINISHED)
    .option('--all', 'those that were given up as well')
    .option(
      '--timeout <time>',
      'how long to wait for each: delivery (30s), proof of a payment (150s)',
    )
    .action((id: string | undefined, options: ResumeOptions) => {
      const patience = resumePatience(options.timeout);
      const request = { id, ...patience, isAll: options.all ?? false };
      return bind(async (context) =>
        (await import('../orders/resuming.ts')).resumeOrders(context, request),
      );
    });
  addExamples(command, [
    'orders',
    'orders show <order_id>',
    'orders resume',
    'orders reveal <order_id> --output card.json',
  ]);
  addExamples(list, ['orders', 'orders list --json', 'orders --status completed --since 30d']);
  declareExport(command, bind);
  addExamples(resume, ['orders resume', 'orders resume <intent_id> --timeout 10m']);
  registerLookingBack(command, bind);
}

/** Finding out what became of a payment is what this is for: without a word it takes what that takes. */
function resumePatience(timeout: string | undefined): Patience {
  const waitMs = parseDuration(timeout ?? '30s');
  return { waitMs, settleMs: timeout === undefined ? undefined : waitMs };
}

function declareExport(command: Command, bind: Bind): void {
  const exported = command
    .command('export')
    .description('print purchases for the books, oldest first: what was paid, and what for');
  addOrderFilters(exported)
    .option('--reveal', 'beneficiaries in full; without it they are masked')
    .action((flags: ExportFlags) =>
      bind(async (context) => (await import('../orders/export.ts')).exportOrders(context, flags)),
    );
  addExamples(exported, [
    'orders export > purchases.csv',
    'orders export --since 2026-11-01 --until 2026-11-30 --json',
    'orders export --status completed --host host.example --csv --reveal',
  ]);
}

/** What needs neither chain nor merchant. */
function registerLookingBack(command: Command, bind: Bind): void {
  const load = () => import('../orders/looking-back.ts');
  const show = command
    .command('show')
    .description('show one purchase again; its codes are masked')
    .argument('<id>', ANY_ID)
    .action((id: string) => bind(async (context) => (await load()).showPurchase(context, id)));
  const reveal = command
    .command('reveal')
    .description('print the codes of one purchase, or write them to a new file')
    .argument('<id>', ANY_ID)
    .option('--output <file>', 'a new file for you alone (mode 0600), instead of standard output')
    .action((id: string, { output }: { readonly output?: string }) =>
      bind(async (context) => (await load()).revealPurchase(context, { id, output })),
    );
  const forget = command
    .command('forget')
    .description('remove the codes of one purchase from this machine')
    .argument('<id>', WHOLE_ID)
    .action((id: string) => bind(async (context) => (await load()).forgetPurchase(context, id)));
  addExamples(show, ['orders show <order_id>']);
  addExamples(reveal, [
    'orders reveal <order_id>',
    'orders reveal <order_id> --output card.json',
    "orders reveal <order_id> --json | jq -r '.deliveries[0].voucher_code'",
  ]);
  addExamples(forget, ['orders forget <order_id>']);
}

async function listOrders(
  context: With<'settings' | 'parts' | 'keys'>,
  flags: OrderFilterFlags,
): Promise<View> {
  const isWanted = orderFilter(flags, context.parts.clock);
  const { entries, problem } = await readLedger(context);
  const records = entries
    .filter(isSigned)
    .map((entry) => purchaseRecord(standingOf(entry)))
    .filter(isWanted)
    .toReversed();
  if (records.length === 0 && problem !== undefined) throw problem;
  const open = records.filter(({ status }) => status === 'unknown').length;
  return listView({
    records,
    learned: { orders: records.flatMap(({ order_id }) => order_id ?? []) },
    columns: await columnsFor(context, records),
    empty:
      Object.keys(flags).length === 0
        ? t`Nothing was bought from this machine yet.`
        : t`No purchase of this machine is like that.`,
    ...(open === 0
      ? {}
      : { note: commandText`${open} of unknown outcome. Run: scrip orders resume` }),
    ...(problem === undefined ? {} : { error: problem }),
  });
}

async function columnsFor(context: With<'settings' | 'keys'>, records: readonly PurchaseRecord[]) {
  const own = records.length === 0 ? undefined : await ownAddress(context);
  return [
    ...PURCHASE_COLUMNS,
    ...(records.some(({ note }) => note !== null) ? [NOTE] : []),
    ...(records.some(({ payer }) => payer !== own) ? [WALLET] : []),
  ];
}
