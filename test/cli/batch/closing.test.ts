import { describe, expect, it } from 'vitest';
import { boughtView } from '../../../src/cli/batch/closing.ts';
import type { LineResult } from '../../../src/cli/batch/results.ts';
import { atomic } from '../../../src/domain/money/money.ts';
import { cartRow } from '../../support/cart-row.ts';
import { smallContext } from '../../support/small-context.ts';

const CONTEXT = smallContext();

function line(status: LineResult['status'], isBefore = false): LineResult {
  return {
    row: cartRow(),
    status,
    isBefore,
    orderIds: [],
    transactions: [],
    codes: [],
    amountAtomic: atomic(1_000_000n),
    errors: [],
  };
}

function close(...lines: readonly LineResult[]) {
  return boughtView(CONTEXT, lines, { isRevealed: false, waitMs: 1, orders: [] });
}

describe('a cart of which a part failed', () => {
  it.each([
    ['failed', 'spent', 'send the merchant'],
    ['processing', 'spent', 'Run the same command again'],
    ['attention', 'spent', 'Run the same command again'],
    ['unknown', 'possible', 'Run the same command again'],
    ['unpaid', 'none', 'Run the same command again'],
    ['open', 'none', 'Run the same command again'],
    ['invalid', 'none', 'Fix those lines'],
  ] as const)('with a line that is %s: money %s, and "%s"', (status, fundsAtRisk, hint) => {
    const { error } = close(line('completed'), line(status));
    expect(error).toMatchObject({ code: 'BATCH_PARTIAL', fundsAtRisk });
    expect(String(error?.hint)).toContain(hint);
  });

  it('is run again for what is open, whatever failed for good', () => {
    expect(String(close(line('failed'), line('open')).error?.hint)).toContain(
      'Run the same command',
    );
    expect(String(close(line('failed'), line('invalid')).error?.hint)).toContain(
      'send the merchant',
    );
  });

  it('says which lines were left out on purpose', () => {
    const wrong = { ...line('invalid'), row: cartRow({ number: 7 }) };
    const only = close(line('completed'), wrong).error;
    expect(String(only?.sentence)).toBe('Left out (--skip-invalid): line 7');
    const more = close(line('completed'), line('open'), wrong).error;
    expect(String(more?.sentence)).toBe(
      'Not bought: 2 of 3 lines. Left out (--skip-invalid): line 7',
    );
  });

  it('says that nothing was paid if earlier runs bought every line', () => {
    const { note } = close(line('completed', true), line('completed', true));
    expect([note].flat().map(String)).toEqual([
      'Nothing was paid this time: 2 of 2 lines bought in 0 orders for 2.00 USDC by earlier runs.',
      'To buy it again, add --allow-duplicate and a new --idempotency-key.',
    ]);
  });

  it('does not count what failed before as bought before', () => {
    const { note } = close(line('completed', true), line('failed', true));
    expect(String(note)).toContain('1 of 2 lines bought');
    expect(String(note)).toContain('Bought by earlier runs: 1.');
  });
});
