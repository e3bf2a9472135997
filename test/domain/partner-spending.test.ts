/** Days and months begin at midnight in UTC. */
import { expect, it } from 'vitest';
import { spendingPeriods } from '../../src/domain/order/partner-limits.ts';

it.each([
  ['2026-02-28T23:59:59.999Z', '2026-02-28T00:00:00.000Z', '2026-02-01T00:00:00.000Z'],
  ['2026-03-01T00:00:00.000Z', '2026-03-01T00:00:00.000Z', '2026-03-01T00:00:00.000Z'],
  ['2026-01-01T00:30:00.000+02:00', '2025-12-31T00:00:00.000Z', '2025-12-01T00:00:00.000Z'],
])('at %s spending is counted from %s and from %s', (now, day, month) => {
  const { dayFromMs, monthFromMs } = spendingPeriods(Date.parse(now));
  expect([dayFromMs, monthFromMs]).toEqual([Date.parse(day), Date.parse(month)]);
});
