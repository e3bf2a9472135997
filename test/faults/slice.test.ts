/** Some of each kind of fault, the same ones every time; the whole is `npm run test:faults`. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Breakage } from './broken-buyers.ts';
import { runCampaign } from './campaign.ts';
import {
  BROKEN_BUYERS,
  brokenCases,
  drawnCases,
  matrixOn,
  proxiedMatrix,
  refundCases,
  slice,
} from './cases.ts';
import { buildShop, type ShopProgram } from './harness.ts';

/** One at a time, so that buyers that live to their end need no process. */
const HOW = { lanes: 1, livesInWorker: true } as const;
const SLICE = 12;
const DRAWN = 2;
const SEED = 1;
const REFUNDS = [
  'overpaid x refund-claiming, refund-sent',
  'on Base: partly failed x refund-sent, refund-closing',
];
/** On Base: a buyer and a shop that die, a lost reply, a payment that is dead, and blocks that do not stay. */
const ON_BASE = [
  'attempt-written x pass at payment',
  'submitted x drop reply at payment',
  'dead-recorded x reset before at payment',
  'fee-transaction-stored x pass',
  'broadcast x reorganized',
  'signed x not final',
].map((name) => `on Base: ${name}`);
/** Each thing that a proxy does to a payment, and a buyer that dies beside it. */
const PROXIED = [
  'submitted x reset before',
  'submitted x drop reply',
  'payment-sent x duplicate',
  'attempt-written x 502 before',
  'goods-read x 502 after',
  'goods-read x truncate',
  'on Base: submitted x duplicate',
  'on Base: payment-sent x 502 after',
].map((name) => `proxied: ${name} at payment`);
/** Where nothing waits for the chain, a busy machine may have time to pay before a blockhash is over. */
const MOST_SPEED: Partial<Record<Breakage, number>> = { 'records after sending': 3 };

let program: ShopProgram;
beforeAll(async () => {
  program = await buildShop();
});
afterAll(() => program.remove());

describe('a slice of the crash matrix', () => {
  it('pays once, delivers once and refunds once, whatever dies', { timeout: 300_000 }, async () => {
    const refunds = refundCases().filter(({ name }) => REFUNDS.includes(name));
    expect(refunds).toHaveLength(REFUNDS.length);
    const cases = [...slice(SEED, SLICE), ...drawnCases(SEED, DRAWN), ...refunds];
    const { results, faults, deaths } = await runCampaign(cases, { ...HOW, program });
    expect(results).toHaveLength(cases.length);
    expect(results.filter(({ violations }) => violations.length > 0)).toEqual([]);
    expect(faults).toBeGreaterThanOrEqual(SLICE / 2);
    const dead = ['refund-claiming', 'refund-sent', 'refund-closing'].map((at) => deaths.get(at));
    expect(dead).toEqual([1, 2, 1]);
  });

  it('pays once and delivers once on Base, whatever dies', { timeout: 300_000 }, async () => {
    const cases = matrixOn('base').filter(({ name }) => ON_BASE.includes(name));
    const { results, deaths } = await runCampaign(cases, { ...HOW, program });
    expect(results.map(({ name }) => name).toSorted()).toEqual(ON_BASE.toSorted());
    expect(results.filter(({ violations }) => violations.length > 0)).toEqual([]);
    expect(results.map(({ books }) => books.landed)).toEqual(ON_BASE.map(() => 1));
    expect(deaths.get('fee-transaction-stored')).toBe(1);
  });

  it('pays once and delivers once behind a proxy that cuts, repeats and answers by itself', {
    timeout: 300_000,
  }, async () => {
    const cases = proxiedMatrix().filter(({ name }) => PROXIED.includes(name));
    const { results, faults } = await runCampaign(cases, { ...HOW, program });
    expect(results.map(({ name }) => name).toSorted()).toEqual(PROXIED.toSorted());
    expect(results.filter(({ violations }) => violations.length > 0)).toEqual([]);
    expect(results.map(({ books }) => books.landed)).toEqual(PROXIED.map(() => 1));
    // A death and a spoilt payment each, and tunnels that were refused or cut.
    expect(faults).toBeGreaterThan(2 * PROXIED.length);
  });

  // The others take long on Base, and differ little from the one before.
  it.each(BROKEN_BUYERS.slice(0, 4))(
    'catches a buyer that %s on %s',
    { timeout: 180_000 },
    async (broken, place) => {
      const cases = brokenCases(broken, 2, place);
      const { results } = await runCampaign(cases, {
        ...HOW,
        program,
        mostSpeed: MOST_SPEED[broken],
      });
      expect(results.flatMap(({ violations }) => violations)).toContain('double payment');
    },
  );
});
