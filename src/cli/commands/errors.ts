/** `scrip errors`: the table of everything that can go wrong. */
import type { Command } from 'commander';
import { CODES } from '../../domain/errors.ts';
import type { Bind } from '../commands.ts';
import { errorRecords } from '../error-records.ts';
import { addExamples } from '../examples.ts';
import { listView, type View } from '../output/view.ts';

export function register(command: Command, bind: Bind): void {
  command.action(() => bind(run));
  addExamples(command, ['errors', "errors --json | jq '.[] | select(.exit == 9)'"]);
}

async function run(): Promise<View> {
  const own = errorRecords();
  // One spelling may be both ours and the partner API's; ours says what the command exits with.
  const problems = (await problemRecords()).filter(({ code }) => !Object.hasOwn(CODES, code));
  const records = [...own, ...problems].toSorted((a, b) => a.exit - b.exit);
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

/** The partner API's problems of an order: every one ends `scrip validate` with the same exit status. */
async function problemRecords() {
  const [{ PROBLEM_CODES, SUSPENSION_CODES }, { explainProblem }] = await Promise.all([
    import('../../contract/codes.ts'),
    import('../problem.ts'),
  ]);
  const { exit, retryable, fundsAtRisk } = CODES.ORDER_PROBLEMS;
  return [...Object.keys(PROBLEM_CODES), ...Object.keys(SUSPENSION_CODES)].map((code) => ({
    code,
    exit,
    retryable,
    funds_at_risk: fundsAtRisk,
    hint: explainProblem({ problem: code }).remedy,
  }));
}
