import { describe, expect, it } from 'vitest';
import { itemsCounted, linesCounted, ordersCounted } from '../../../src/cli/amount.ts';
import { fail, ok, worstOf } from '../../../src/cli/doctor/finding.ts';
import { t } from '../../../src/domain/message/message.ts';

describe('what is counted', () => {
  it.each([
    [0, '0 lines', '0 orders', '0 items'],
    [1, '1 line', '1 order', '1 item'],
    [2, '2 lines', '2 orders', '2 items'],
  ])('is one, or many: %d', (count, ...said) => {
    expect([linesCounted(count), ordersCounted(count), itemsCounted(count)]).toEqual(said);
  });

  it('is counted so in what a doctor finds', () => {
    const wallet = fail('wallet', 'unsafe', { code: 'WALLET_UNSAFE', fix: t`x` });
    const journal = fail('journal', 'damaged', { code: 'JOURNAL_UNUSABLE', fix: t`x` });
    expect(worstOf([ok('node', 'fine'), wallet])?.message).toBe('1 check fails: wallet');
    expect(worstOf([journal, wallet])?.message).toBe('2 checks fail: journal, wallet');
  });
});
