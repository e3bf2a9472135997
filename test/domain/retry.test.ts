import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ScripError } from '../../src/domain/message/errors.ts';
import { t } from '../../src/domain/message/message.ts';
import {
  backoffMs,
  parseRetryAfter,
  RETRYABLE_BEFORE_SIGNING,
  waitBeforeRetry,
} from '../../src/domain/payment/retry.ts';

const NOW = Date.UTC(2026, 0, 1);

describe('backoff', () => {
  it('doubles from half a second and stays at five', () => {
    expect([1, 2, 3, 4, 5, 6, 1_000].map((tries) => backoffMs(tries))).toEqual([
      500, 1_000, 2_000, 4_000, 5_000, 5_000, 5_000,
    ]);
  });
});

it('is made of no error that would come again', () => {
  const wait = (retryable?: boolean) =>
    waitBeforeRetry(
      new ScripError('NETWORK_UNREACHABLE', t`no`, retryable === undefined ? {} : { retryable }),
      1,
      RETRYABLE_BEFORE_SIGNING,
    );
  expect([wait(), wait(false)]).toEqual([500, undefined]);
});

describe('Retry-After', () => {
  it.each([
    ['0', 0],
    ['120', 120_000],
    [' 5 ', 5_000],
    ['Thu, 01 Jan 2026 00:00:30 GMT', 30_000],
    ['Wed, 31 Dec 2025 23:59:00 GMT', 0],
  ])('%j is %i ms', (header, ms) => {
    expect(parseRetryAfter(header, NOW)).toBe(ms);
  });

  it.each([null, '', '-1', '1.5', '5 apples', '1e3', 'tomorrow', '9999999999', '2026-01-01'])(
    '%j says nothing',
    (header) => {
      expect(parseRetryAfter(header, NOW)).toBeUndefined();
    },
  );

  it('is never negative and never throws', () => {
    fc.assert(
      fc.property(fc.string(), (header) => {
        expect(parseRetryAfter(header, NOW) ?? 0).toBeGreaterThanOrEqual(0);
      }),
    );
  });
});
