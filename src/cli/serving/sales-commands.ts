/** `scrip serve sales`: what a shop sold, for its accountant. */

import { type Command, Option } from 'commander';
import { networkTitle } from '../../contract/usdc.ts';
import { commandText } from '../../domain/message/command-text.ts';
import { type Said, t } from '../../domain/message/message.ts';
import { SALES_BY, type SalesBy } from '../../domain/operator/operator.ts';
import type { SaleLineRecord, SalesRecord } from '../../domain/operator/operator-records.ts';
import { addExamples, type Bind } from '../command.ts';
import { listView, type View } from '../output/view.ts';
import { startOf } from '../parsing/words.ts';
import { exampleOf, onStore, SHOP, sinceOf } from './operated.ts';

interface SalesFlags {
  readonly since?: string;
  readonly until?: string;
  readonly by?: SalesBy | 'line';
}

export function declareSales(command: Command, bind: Bind): void {
  const sales = command
    .command('sales')
    .description('sum up sales, refunds, costs and fees, or list them line by line with --csv')
    .option('--since <date>', 'from this day or instant on, or the last 30d (default: this month)')
    .option('--until <date>', 'until before this day or instant (default: now)')
    .addOption(
      new Option(
        '--by <what>',
        'a row for each, or each line (default: day, with --csv line)',
      ).choices([...SALES_BY, 'line']),
    )
    .action(({ since, until, by }: SalesFlags, self: Command) =>
      onStore(bind, SHOP, self, async ({ admin, context: { parts }, command: other }) => {
        const nowMs = parts.clock.now();
        const month = `${new Date(nowMs).toISOString().slice(0, 7)}-01`;
        const period = {
          sinceMs: sinceOf(since ?? month, nowMs),
          untilMs: until === undefined ? nowMs + 1 : startOf(until, '--until', nowMs),
        };
        const isCsv = self.optsWithGlobals<{ readonly csv?: boolean }>().csv === true;
        const asked = by ?? (isCsv ? 'line' : 'day');
        if (asked === 'line') return linesView(await admin.saleLines(period));
        const records = await admin.sales({ ...period, by: asked });
        return sumsView(records, commandText`Each line: ${other('sales', '--by', 'line')}`);
      }),
    );
  addExamples(sales, [
    exampleOf(SHOP, 'sales'),
    exampleOf(SHOP, 'sales --since 2026-11-01 --until 2026-12-01 --by product'),
    exampleOf(SHOP, 'sales --since 2026-11-01 --until 2026-12-01 --csv'),
  ]);
}

const EMPTY = t`Nothing was sold in this time.`;

function sumsView(records: readonly SalesRecord[], note: ReturnType<typeof commandText>): View {
  const none = (amount: string | null) => (amount === null || amount === '0' ? '' : amount);
  return listView<SalesRecord>({
    records,
    columns: [
      { header: t`OF`, cell: ofCell },
      { header: t`COIN`, cell: ({ coin }) => coin },
      { header: t`LINES`, cell: ({ lines }) => String(lines), align: 'right', dropOrder: 1 },
      { header: t`GROSS`, cell: ({ gross }) => none(gross), align: 'right' },
      { header: t`REFUNDS`, cell: ({ refunds }) => none(refunds), align: 'right' },
      { header: t`COST`, cell: ({ cost }) => cost ?? '', align: 'right', dropOrder: 5 },
      { header: t`MARGIN`, cell: ({ margin }) => margin ?? '', align: 'right' },
      {
        header: t`COST UNKNOWN`,
        cell: ({ cost_unknown: lines }) => (lines === 0 ? '' : String(lines)),
        // Without it, a cost that is shown looks like all of it.
        ...{ align: 'right', dropOrder: 6 },
      },
      { header: t`FEES`, cell: ({ fees }) => none(fees), align: 'right' },
      { header: t`SWEEPS`, cell: ({ sweeps }) => none(sweeps), align: 'right', dropOrder: 0 },
      {
        header: t`UNDELIVERED`,
        cell: ({ undelivered }) => none(undelivered),
        ...{ align: 'right', dropOrder: 3 },
      },
      {
        header: t`REFUNDS DUE`,
        cell: ({ refunds_due: due }) => none(due),
        ...{ align: 'right', dropOrder: 2 },
      },
    ],
    empty: EMPTY,
    ...(records.length > 0 && { note }),
  });
}

/** Fees and moves to the treasury are of no product, partner or country. */
function ofCell({ is_total: isTotal, name, key, sweeps }: SalesRecord): Said {
  if (isTotal) return t`total`;
  return name ?? key ?? (sweeps === '0' ? t`fees` : t`sweeps`);
}

function linesView(records: readonly SaleLineRecord[]): View {
  return listView<SaleLineRecord>({
    records,
    columns: [
      { header: t`WHEN`, cell: ({ at }) => at },
      { header: t`RECEIPT`, cell: ({ receipt }) => receipt?.toString() ?? '', align: 'right' },
      { header: t`KIND`, cell: ({ kind }) => kind },
      { header: t`PRODUCT`, cell: ({ product }) => product ?? '', dropOrder: 2 },
      { header: t`AMOUNT`, cell: ({ amount }) => amount, align: 'right' },
      { header: t`COIN`, cell: ({ coin }) => coin },
      { header: t`NETWORK`, cell: ({ network }) => networkTitle(network ?? ''), dropOrder: 1 },
      { header: t`TRANSACTION`, cell: (row) => row.transaction ?? '', isWhole: true, dropOrder: 0 },
    ],
    empty: EMPTY,
  });
}
