import { describe, expect, it } from 'vitest';
import { itemsCounted, linesCounted, ordersCounted } from '../../../src/cli/amount.ts';

describe('what is counted', () => {
  it.each([
    [0, '0 lines', '0 orders', '0 items'],
    [1, '1 line', '1 order', '1 item'],
    [2, '2 lines', '2 orders', '2 items'],
  ])('is one, or many: %d', (count, ...said) => {
    expect([linesCounted(count), ordersCounted(count), itemsCounted(count)]).toEqual(said);
  });
});
