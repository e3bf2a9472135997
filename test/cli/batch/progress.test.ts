import { describe, expect, it } from 'vitest';
import { followProgress, progressText } from '../../../src/cli/batch/progress.ts';
import { type LineResult, NOTHING } from '../../../src/cli/batch/results.ts';
import { inEnglish } from '../../../src/cli/i18n/localize.ts';
import { ScripError } from '../../../src/domain/message/errors.ts';
import { type Message, t } from '../../../src/domain/message/message.ts';
import { cartRow } from '../../support/cart-row.ts';
import { manualClock } from '../../support/manual-clock.ts';
import { capture } from '../../support/small-context.ts';

const AROUND = { what: t`Buying`, unit: t`items`, localize: inEnglish };

function bar(done: number, elapsedMs: number, columns = 120): string {
  return String(progressText({ done, total: 20, elapsedMs }, { ...AROUND, columns }));
}

describe('how far a cart is', () => {
  it.each([
    [0, 0, 'Buying [------------------------] 0/20 items'],
    [1, 900, 'Buying [#-----------------------] 1/20 items'],
    [5, 2_000, 'Buying [######------------------] 5/20 items, 3/s, about 6 s left'],
    [2, 60_000, 'Buying [##----------------------] 2/20 items, 2/min, about 9 min left'],
    [20, 9_000, 'Buying [########################] 20/20 items'],
  ])('after %i in %i ms', (done, elapsedMs, text) => {
    expect(bar(done, elapsedMs)).toBe(text);
  });

  it.each([120, 80, 60, 50])('stands on one line of %i columns', (columns) => {
    // The spinner and the blank behind it stand before the line.
    for (const done of [0, 5, 19])
      expect(bar(done, 60_000, columns).length + 2).toBeLessThan(columns);
  });
});

function told(ended: readonly LineResult[], { columns = 80, isTerminal = true } = {}): string[] {
  const said: string[] = [];
  const context = {
    io: {
      progress: {
        step: () => undefined,
        done: (text?: Message, mark = '✔') => void (text && said.push(`${mark} ${text}`)),
      },
      stderr: capture({ columns, isTerminal }),
      localize: inEnglish,
    },
    parts: { clock: manualClock() },
  } as unknown as Parameters<typeof followProgress>[0];
  followProgress(context, { total: 1, unit: t`items`, what: t`Buying` })(1, ended);
  return said;
}

const BOUGHT: LineResult = {
  ...{ ...NOTHING, status: 'completed', orderIds: [], transactions: [], errors: [] },
  row: cartRow({ number: 3, saidValue: '25 USD' }),
};
const refused = (status: LineResult['status'], reason: Message): LineResult => ({
  ...{ ...BOUGHT, status, errors: [new ScripError('INTERNAL', reason)] },
});
const REFUSED = refused(
  'unpaid',
  t`nothing was charged: the merchant refused the payment because it has nothing left of it`,
);

describe('a line that ended', () => {
  it('is told with its number, goods and recipient; of a reason the first words', () => {
    expect(told([BOUGHT, REFUSED])).toEqual([
      '✔ 3 Amazon.com 25 USD → friend@example.com',
      '✖ 3 Amazon.com 25 USD → friend@example.com: nothing was charged: the',
      '    merchant refused the payment because it has nothing left of it',
    ]);
  });

  it('is broken between words where the terminal is narrow', () => {
    expect(told([REFUSED], { columns: 50 })).toEqual([
      '✖ 3 Amazon.com 25 USD → friend@example.com:',
      '    nothing was charged: the merchant refused …',
    ]);
  });

  it('that waits for its goods is no failure', () => {
    const [first] = told([refused('processing', t`not here yet`)]);
    expect(first).toBe('… 3 Amazon.com 25 USD → friend@example.com: not here yet');
  });

  it('is told at a terminal alone', () => {
    expect(told([BOUGHT], { isTerminal: false })).toEqual([]);
  });
});
