/** `scrip sandbox audit`: for the operator of a data folder. */

import type { Command } from 'commander';
import { type AuditReport, type NotChecked, type OperatedBy, todoOf } from '../../domain/audit.ts';
import { ScripError } from '../../domain/errors.ts';
import { t } from '../../domain/message.ts';
import { addExamples, type Bind } from '../command.ts';
import { startOf } from '../orders/filter.ts';
import type { Line, View } from '../output/view.ts';
import { exampleOf, onStore, SANDBOX, SHOP, showPlace } from './operated.ts';

export function declareAudit(command: Command, bind: Bind): void {
  const audit = showPlace(command.command('audit'), SANDBOX)
    .description('check orders, payments, purchases and refunds against each other')
    .option('--chain-data <dir>', 'data folder of the chain, if another process serves it')
    .action((_flags: unknown, self: Command) =>
      onStore(bind, SANDBOX, self, async ({ admin }) => auditView(await admin.audit(), 'sandbox')),
    );
  addExamples(audit, ['sandbox audit', 'sandbox audit --data ./shop --json']);
}

export function declareBooks(command: Command, bind: Bind): void {
  const books = command
    .command('books')
    .description('check orders, payments and refunds against both nodes and the supplier')
    .option(
      '--since <date>',
      'only orders from this day (2026-11-01) or instant on, or the last 30d',
    )
    .action(({ since }: { since?: string }, self: Command) =>
      onStore(bind, SHOP, self, async ({ admin, context: { parts } }) => {
        const sinceMs =
          since === undefined ? undefined : startOf(since, '--since', parts.clock.now());
        return auditView(await admin.books(sinceMs), 'serve');
      }),
    );
  addExamples(books, [exampleOf(SHOP, 'books'), exampleOf(SHOP, 'books --since 30d')]);
}

function auditView(report: AuditReport, operated: OperatedBy): View {
  return {
    kind: 'record',
    record: report,
    title: report.agrees ? t`No mismatches found` : t`Mismatches found`,
    lines: [...countLines(report), ...mismatchLines(report, operated)],
    ...(report.agrees ? {} : { error: disagreement(report) }),
  };
}

function countLines({
  checked,
  open,
  not_checked: skipped,
  callers,
}: AuditReport): readonly Line[] {
  return [
    [t`Transfers`, t`${checked.transfers} of ${checked.transactions} transactions`],
    [t`Payments`, t`${checked.settlements} on the checkout host`],
    [t`Orders`, t`${checked.partner_orders} of the partner API`],
    [t`Lines`, t`${checked.lines}; sales that the supplier lists: ${checked.purchases}`],
    [t`Refunds`, String(checked.refunds)],
    [t`Undecided`, t`${open} (payments, lines and sales)`],
    ...(skipped === null ? [] : [skippedLine(skipped)]),
    ...callers.map(callerLine),
  ];
}

function skippedLine({ before, ...skipped }: NotChecked): Line {
  const { settlements, partner_orders: orders, lines, refunds } = skipped;
  return [
    t`Not looked at`,
    t`before ${before}: ${settlements} payments, ${orders} orders, ${lines} lines, ${refunds} refunds`,
  ];
}

function callerLine({ caller, payments, lamports }: AuditReport['callers'][number]) {
  return [t`Settled for`, t`${caller}: ${payments} payments today, ${lamports} lamports`] as const;
}

function mismatchLines({ mismatches }: AuditReport, operated: OperatedBy): readonly Line[] {
  return mismatches.flatMap(({ kind, order_id, subject, expected, found }) => [
    [t`Mismatch`, t`${kind}: expected ${expected}, found ${found}`] as const,
    [t`About`, order_id === null ? subject : t`order ${order_id}, ${subject}`] as const,
    [t`To do`, todoOf({ kind, order_id, subject }, operated)] as const,
  ]);
}

function disagreement({ mismatches }: AuditReport): ScripError {
  const count = mismatches.length;
  const message = count === 1 ? t`1 mismatch found` : t`${count} mismatches found`;
  return new ScripError('AUDIT_MISMATCH', message, { details: { mismatches: count } });
}
