/** `scrip errors`: the table of everything that can go wrong. */
import type { Command } from 'commander';
import { CODES } from '../../domain/errors.ts';
import type { Bind } from '../commands.ts';
import { addExamples } from '../examples.ts';
import { listView, type View } from '../output/view.ts';

export function register(command: Command, bind: Bind): void {
  command.action(() => bind(run));
  addExamples(command, ['errors', "errors --json | jq '.[] | select(.exit == 9)'"]);
}

async function run(): Promise<View> {
  const records = Object.entries(CODES).map(([code, { exit, retryable, fundsAtRisk, hint }]) => ({
    code,
    exit,
    retryable,
    funds_at_risk: fundsAtRisk,
    hint,
  }));
  return listView({
    records,
    columns: [
      { header: 'CODE', cell: ({ code }) => code, isWhole: true },
      { header: 'EXIT', cell: ({ exit }) => String(exit), align: 'right' },
      { header: 'RETRY', cell: ({ retryable }) => (retryable ? 'yes' : 'no') },
      { header: 'MONEY MOVED', cell: ({ funds_at_risk }) => funds_at_risk },
      { header: 'WHAT TO DO', cell: ({ hint }) => hint },
    ],
  });
}
