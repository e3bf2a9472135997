/** Goods and rates that come from elsewhere. */
import { describe, expect, it } from 'vitest';
import { createShopRates } from '../../src/shop/rates.ts';
import { manualClock } from '../support/manual-clock.ts';
import { jsonReply, scriptedFetch } from '../support/scripted-fetch.ts';

const MINUTE_MS = 60_000;

describe('rates', () => {
  const asOf = (ms: number) => new Date(ms).toISOString();
  const rates = (...answers: unknown[]) => {
    const clock = manualClock();
    const { fetch } = scriptedFetch(...answers.map((answer) => jsonReply(200, answer)));
    const options = { host: { fetch, timeoutMs: 1_000 }, url: 'https://rates.example' };
    const made = createShopRates({
      ...options,
      clock,
      refreshMs: MINUTE_MS,
      maxAgeMs: 5 * MINUTE_MS,
    });
    return { clock, made };
  };
  const table = (ms: number, units: object = { EUR: '0.8' }) => ({
    as_of: asOf(ms),
    units_per_usd: units,
  });

  it('are used while they are fresh, and not past their age', async () => {
    const clock = manualClock();
    const { made } = rates(table(clock.now()));
    expect([made.picoUsdPer('EUR'), made.asOfMs, made.isFresh]).toEqual([undefined, null, false]);
    await made.refresh();
    expect(made.picoUsdPer('EUR')).toBe(1_250_000_000_000n);
    expect(made.picoUsdPer('JPY')).toBeUndefined();
    expect([made.asOfMs, made.isFresh]).toEqual([clock.now(), true]);
  });

  it.each([
    ['3', 333_333_333_334n],
    ['0.3', 3_333_333_333_334n],
    ['4', 250_000_000_000n],
    ['1.000000000001', 999_999_999_999n + 1n],
    ['9999999999.999999999999', 101n],
  ])('%s units for a dollar are rounded up to %s', async (units, pico) => {
    const { made } = rates(table(manualClock().now(), { EUR: units }));
    await made.refresh();
    expect(made.picoUsdPer('EUR')).toBe(pico);
  });

  it('change their version when they go stale, and dollars stay', async () => {
    const { clock, made } = rates(table(manualClock().now()), 'broken');
    await made.refresh();
    const { version } = made;
    clock.advance(5 * MINUTE_MS);
    expect(made.picoUsdPer('EUR')).toBe(1_250_000_000_000n);
    clock.advance(1);
    await expect(made.refresh()).rejects.toMatchObject({ code: 'MERCHANT_REPLY_INVALID' });
    expect([made.picoUsdPer('EUR'), made.picoUsdPer('USD')]).toEqual([undefined, 10n ** 12n]);
    expect(made.version).not.toBe(version);
  });

  it('are asked for no more often than the refresh says', async () => {
    const { clock, made } = rates(table(manualClock().now()), table(manualClock().now() + 1));
    await made.refresh();
    const { version } = made;
    await made.refresh();
    expect(made.version).toBe(version);
    clock.advance(MINUTE_MS);
    await made.refresh();
    expect(made.version).not.toBe(version);
  });

  it('without a feed are those of dollars alone, and always fresh', async () => {
    const made = createShopRates();
    await made.refresh();
    expect([made.picoUsdPer('USD'), made.picoUsdPer('EUR')]).toEqual([10n ** 12n, undefined]);
    expect([made.isFresh, made.asOfMs, made.version]).toEqual([true, null, 'rates-0']);
  });

  it('of a clock that is a minute ahead are taken', async () => {
    const { made } = rates({
      ...table(manualClock().now() + MINUTE_MS),
      as_of: '2026-01-01T02:01:00+02:00',
    });
    await made.refresh();
    expect(made.picoUsdPer('EUR')).toBe(1_250_000_000_000n);
  });

  it.each([
    ['a rate of zero', table(0, { EUR: '0' })],
    ['a number', table(0, { EUR: 0.8 })],
    ['a time that is not here yet', table(manualClock().now() + 5 * MINUTE_MS)],
    ['no time', { units_per_usd: {} }],
  ])('with %s are refused', async (_name, answer) => {
    const { made } = rates(answer);
    await expect(made.refresh()).rejects.toMatchObject({ code: 'MERCHANT_REPLY_INVALID' });
  });
});
