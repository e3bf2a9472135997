/**
 * The whole crash matrix: `npm run test:faults`. `FAULT_SEED` repeats a run, `FAULT_DRAWN` says how
 * many purchases are drawn beside the matrix, `FAULT_LANES` how many run side by side, `FAULT_SPEED`
 * how fast the chain lives: slower is kinder to a busy machine. `FAULT_ONLY` takes the cases alone
 * that have it in their name, such as `reserved`.
 */
import { expect, it } from 'vitest';
import { runCampaign, verdict } from './campaign.ts';
import {
  BROKEN_BUYERS,
  brokenCases,
  brokenRefunds,
  drawnCases,
  proxiedMatrix,
  refundCases,
  wholeMatrix,
} from './cases.ts';
import type { CaseResult } from './harness.ts';

const seed = Number(process.env.FAULT_SEED ?? Math.floor(Math.random() * 2 ** 31));
const drawn = Number(process.env.FAULT_DRAWN ?? 60);
const lanes = Number(process.env.FAULT_LANES ?? 3);
const only = process.env.FAULT_ONLY ?? '';
const BROKEN_CASES = 40;
const FEWEST_DEATHS = 5;
/** Of all purchases, those may come to nothing whose every blockhash was over on a slow machine. */
const MOST_UNCHARGED = 0.02;

function told(total: number) {
  return (result: CaseResult, done: number): void => {
    if (result.violations.length > 0) console.log(`  ${explain(result)}`);
    if (done % 50 === 0 || done === total) console.log(`  ${done} of ${total}`);
  };
}

function explain({ name, violations, books, deaths, reports }: CaseResult): string {
  const ends = reports.map(({ kind, code, reason = '' }) => `${code ?? kind} ${reason}`).join('; ');
  return `${violations.join(', ')}: ${name}; landed ${books.landed}, sold ${books.sold}, completed ${books.completed}; died at ${deaths.join(' ') || 'no point'}; ${ends}`;
}

it('every point, every fault of the network, every pair, and what the seed draws', async () => {
  console.log(`seed ${seed}`);
  const cases = [
    ...wholeMatrix(),
    ...proxiedMatrix(),
    ...refundCases(),
    ...drawnCases(seed, drawn),
  ].filter(({ name }) => name.includes(only));
  const campaign = await runCampaign(cases, { lanes, told: told(cases.length) });
  for (const [point, deaths] of campaign.deaths) {
    console.log(`  ${String(deaths).padStart(5)} deaths at ${point}`);
  }
  console.log(`${verdict(campaign)} (seed ${seed})`);
  expect(campaign.results.filter(({ violations }) => violations.length > 0)).toEqual([]);
  const uncharged = campaign.results.filter(({ books }) => books.landed === 0);
  expect(uncharged.length).toBeLessThanOrEqual(cases.length * MOST_UNCHARGED);
  if (only !== '') return;
  for (const [point, deaths] of campaign.deaths) {
    expect(deaths, `deaths at ${point}`).toBeGreaterThanOrEqual(FEWEST_DEATHS);
  }
});

it.each(BROKEN_BUYERS)('a buyer that %s on %s is caught', async (broken, place) => {
  const campaign = await runCampaign(brokenCases(broken, BROKEN_CASES, place), { lanes });
  console.log(`a buyer on ${place} that ${broken}: ${verdict(campaign)}`);
  expect(campaign.count('double payment')).toBeGreaterThan(0);
});

it('a refund that is paid twice, or to another address, is caught', async () => {
  const campaign = await runCampaign(brokenRefunds(), { lanes: 1 });
  const found = new Map(campaign.results.map(({ name, violations }) => [name, violations]));
  expect(found.get('paid twice')).toEqual(['double refund']);
  expect(found.get('paid elsewhere')).toEqual(['lost refund']);
});
