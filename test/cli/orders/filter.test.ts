import { describe, expect, it } from 'vitest';
import { type OrderFilterFlags, orderFilter } from '../../../src/cli/orders/export.ts';
import { explorerUrl } from '../../../src/cli/output/link.ts';
import { ScripError } from '../../../src/domain/message/errors.ts';
import { maskBeneficiary } from '../../../src/domain/product/beneficiary.ts';
import { manualClock } from '../../support/manual-clock.ts';

const RECORDS = (
  [
    ['a', 'no-wallet', 'completed', 'embedded:sandbox', '2026-10-31T23:59:59.999Z'],
    ['b', 'W1', 'failed', 'https://host.example', '2026-11-01T00:00:00.000Z'],
    ['c', 'W1', 'completed', 'http://127.0.0.1:4020', '2026-11-30T23:59:59.999Z'],
    ['d', 'W2', 'unknown', 'https://host.example:8443', '2026-12-01T00:00:00.000Z'],
  ] as const
).map(([id, payer, status, host, created_at]) => ({ id, payer, status, host, created_at }));

function chosen(flags: OrderFilterFlags): string {
  const clock = { ...manualClock(), now: () => Date.parse('2026-12-01T12:00:00Z') };
  const isWanted = orderFilter(flags, clock);
  return RECORDS.filter(isWanted)
    .map(({ id }) => id)
    .join('');
}

describe('purchases are chosen', () => {
  const cases: readonly (readonly [flags: OrderFilterFlags, ids: string])[] = [
    [{}, 'abcd'],
    [{ since: '2026-11-01' }, 'bcd'],
    [{ until: '2026-11-30' }, 'abc'],
    [{ since: '2026-11-01', until: '2026-11-30' }, 'bc'],
    [{ until: '2026-11-01T00:00Z' }, 'a'],
    [{ since: '2026-12-01T00:00:00.000Z' }, 'd'],
    [{ since: '1d' }, 'cd'],
    [{ status: 'completed' }, 'ac'],
    [{ host: 'embedded' }, 'a'],
    [{ host: 'embedded:sandbox' }, 'a'],
    [{ host: 'host.example' }, 'bd'],
    [{ host: 'https://host.example' }, 'b'],
    [{ host: 'host.example:8443' }, 'd'],
    [{ host: '127.0.0.1' }, 'c'],
    [{ wallet: 'W1' }, 'bc'],
    [{ wallet: 'no-wallet' }, 'a'],
    [{ host: 'nowhere.example', status: 'completed' }, ''],
  ];
  it.each(cases)('by %j: %s', (flags, ids) => expect(chosen(flags)).toBe(ids));

  it.each(['yesterday', '2026-13-01', '2026-02-30', '2026-1-1', '', '01/11/2026', '-1d'])(
    'by a date, which "%s" is not',
    (text) => {
      expect(() => chosen({ since: text })).toThrow(ScripError);
      expect(() => chosen({ until: text })).toThrow(ScripError);
    },
  );
});

describe('a beneficiary', () => {
  it.each([
    ['friend@example.com', 'f***@example.com'],
    ['"a@b"@example.com', '"***@example.com'],
    ['+5511987654321', '+551****21'],
    ['+12345', '***'],
    ['', '***'],
  ])('%s is masked as %s', (text, masked) => expect(maskBeneficiary(text)).toBe(masked));
});

describe('the page of a payment', () => {
  const SIGNATURE = '5'.repeat(87);
  it.each([
    ['https://host.example', SIGNATURE, `https://explorer.solana.com/tx/${SIGNATURE}`],
    ['https://host.example', null, undefined],
    ['https://host.example', '../../evil', undefined],
    ['embedded:sandbox', SIGNATURE, undefined],
    ['http://127.0.0.1:4020', SIGNATURE, undefined],
  ])('of %s and %s', (host, transaction, url) => expect(explorerUrl(host, transaction)).toBe(url));
});
