/** Sums of an order: to the unit, whatever is taken off. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { orderSummary } from '../../src/contract/partner-orders.ts';
import { type Atomic, atomic, parseDecimal } from '../../src/domain/money/money.ts';
import { type OrderPrice, summarise } from '../../src/domain/money/partner-amounts.ts';
import { fuzzRuns } from '../support/fuzz.ts';

const usd = (text: string) => parseDecimal(text, 6);
const nothing = atomic(0n);

/** A line in a coin that is worth a dollar, without margin. */
const line = (text: string) => ({
  coinAtomic: usd(text),
  priceUsd: usd(text),
  valueUsd: usd(text),
});
const price = (more: Partial<OrderPrice> = {}): OrderPrice => ({
  lines: [line('25')],
  decimals: 6,
  discountUsd: nothing,
  nftAtomic: nothing,
  feeBps: 0,
  ...more,
});
const partsOf = (order: OrderPrice) => {
  const { summary } = summarise(order);
  return [
    summary.coin_amount_before_discount,
    summary.coin_amount_after_discount,
    summary.coin_amount_to_pay_in_crypto,
    summary.coin_amount_to_pay_via_nft,
    summary.coin_amount_to_pay_via_coupon,
  ];
};

describe('a summary', () => {
  it.each<[name: string, change: Partial<OrderPrice>, parts: string[]]>([
    ['of a plain order', {}, ['25', '25', '25', '0', '0']],
    ['of a discount', { discountUsd: usd('2.5') }, ['25', '22.5', '22.5', '0', '2.5']],
    ['of a discount over the price', { discountUsd: usd('99') }, ['25', '0', '0', '0', '25']],
    ['of a fee', { feeBps: 100 }, ['25.25', '25.25', '25.25', '0', '0']],
    [
      'of a fee on the rest alone',
      { feeBps: 100, discountUsd: usd('5'), nftAtomic: usd('10') },
      ['25.1', '20.1', '10.1', '10', '5'],
    ],
    [
      'of NFT cards over the rest',
      { feeBps: 100, discountUsd: usd('5'), nftAtomic: usd('99') },
      ['25', '20', '0', '20', '5'],
    ],
    ['of nothing', { lines: [] }, ['0', '0', '0', '0', '0']],
    [
      'of a fee below a unit',
      { lines: [line('0.000001')], feeBps: 1 },
      ['0.000002', '0.000002', '0.000002', '0', '0'],
    ],
  ])('%s adds up', (_name, change, parts) => {
    expect(partsOf(price(change))).toEqual(parts);
  });

  it('rounds a discount down to the coin: a third of one unit is none', () => {
    const lines = [{ coinAtomic: atomic(1n), priceUsd: usd('3'), valueUsd: usd('3') }];
    expect(partsOf(price({ lines, decimals: 8, discountUsd: usd('1') }))).toEqual([
      ...['0.00000001', '0.00000001', '0.00000001'],
      ...['0', '0'],
    ]);
  });

  it('gives each line its share of the coupon, to the unit', () => {
    const lines = [line('10'), line('10'), line('10')];
    const { lines: shares } = summarise(price({ lines, discountUsd: usd('10') }));
    expect(shares.map(({ coinAtomic }) => coinAtomic)).toEqual([
      6_666_667n,
      6_666_667n,
      6_666_666n,
    ]);
    expect(shares.map(({ originalCoinAtomic }) => originalCoinAtomic)).toEqual(
      lines.map(({ coinAtomic }) => coinAtomic),
    );
  });

  it('counts a point for every whole dollar of a line', () => {
    const { points, lines } = summarise(price({ lines: [line('10.99'), line('0.5'), line('3')] }));
    expect([points, lines.map((entry) => entry.points)]).toEqual([13n, [10n, 0n, 3n]]);
  });
});

const amount = (max: bigint) => fc.bigInt({ min: 0n, max }).map(atomic);
const anyLine = fc.record({
  coinAtomic: amount(10n ** 15n),
  priceUsd: amount(10n ** 11n),
  valueUsd: amount(10n ** 11n),
});
const anyPrice = fc.record({
  lines: fc.array(anyLine, { maxLength: 10 }),
  decimals: fc.constantFrom(6, 8, 9),
  discountUsd: amount(2n * 10n ** 11n),
  nftAtomic: amount(10n ** 15n),
  feeBps: fc.nat(500),
});

describe('any order', () => {
  it('adds up exactly, as text too, and never below zero', () => {
    fc.assert(
      fc.property(anyPrice, (order) => {
        const result = summarise(order);
        const summary = orderSummary().parse(result.summary);
        const read = (text: string): bigint => parseDecimal(text, order.decimals);
        const before = read(summary.coin_amount_before_discount);
        const coupon = read(summary.coin_amount_to_pay_via_coupon);
        const nft = read(summary.coin_amount_to_pay_via_nft);
        const crypto = read(summary.coin_amount_to_pay_in_crypto);
        expect(crypto + nft + coupon).toBe(before);
        expect(read(summary.coin_amount_after_discount)).toBe(before - coupon);
        expect([result.coinAtomic, result.originalCoinAtomic]).toEqual([crypto, before]);
        const sum = (amounts: readonly Atomic[]) => amounts.reduce((all, one) => all + one, 0n);
        const lines = result.lines.map((entry) => entry.coinAtomic);
        expect(sum(lines) + result.feeAtomic).toBe(before - coupon);
        expect(sum(order.lines.map((entry) => entry.coinAtomic)) + result.feeAtomic).toBe(before);
      }),
      { numRuns: fuzzRuns(500) },
    );
  });

  it('is never discounted by more than the coupon is worth', () => {
    fc.assert(
      fc.property(anyPrice, (order) => {
        const { summary } = summarise(order);
        const coupon = parseDecimal(summary.coin_amount_to_pay_via_coupon, order.decimals);
        const goods = order.lines.reduce((all, { coinAtomic }) => all + coinAtomic, 0n);
        const goodsUsd = order.lines.reduce((all, { priceUsd }) => all + priceUsd, 0n);
        // coupon / goods <= discount / price, without a division.
        expect(coupon * goodsUsd <= order.discountUsd * goods).toBe(true);
      }),
    );
  });
});
