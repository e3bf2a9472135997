import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { type FinalEntries, openFinalEntries } from '../../src/records/journal-cache.ts';
import { folderOf, openJournal } from '../../src/records/journal-files.ts';
import { openSpendLog } from '../../src/records/spend-log-files.ts';
import { anAttempt, PAYER } from '../support/journal-records.ts';
import { START_MS } from '../support/manual-clock.ts';
import { buyLongAgo, oldIntent, reserveLongAgo } from '../support/old-purchases.ts';
import { quickDisk } from '../support/quick-disk.ts';
import { tempFolder } from '../support/temp-folder.ts';

const DAY_MS = 86_400_000;
const OLD_MS = START_MS - 3 * DAY_MS;
const SINCE_MS = START_MS - DAY_MS;
const MANY = 70;

let dir: string;
beforeEach(() => {
  dir = tempFolder();
});

const home = () => join(dir, PAYER);
/** As another process opens it. */
const journal = () => openJournal({ dir, payer: PAYER, disk: quickDisk });
const recent = async (sinceMs = SINCE_MS) =>
  (await journal().recent(sinceMs)).map(({ intent }) => intent.key);
const buy = (from: number, to: number, atMs = OLD_MS) =>
  buyLongAgo({ dir, payer: PAYER }, { from, to, atMs });
const index = () => join(home(), 'final.idx');

describe('purchases that ended long ago', () => {
  it('are read once more, and then no more', async () => {
    await buy(1, MANY);
    expect((await recent()).length).toBe(MANY);
    expect(await recent()).toEqual([]);
    expect((await journal().all()).length).toBe(MANY);
    expect((await journal().byKey('old-1'))?.intent.key).toBe('old-1');
  });

  it('are left out, those after them are not', async () => {
    await buy(1, MANY);
    await recent();
    await buy(MANY + 1, MANY + 2, START_MS);
    expect(await recent()).toEqual([`old-${MANY + 1}`, `old-${MANY + 2}`]);
  });

  it('are looked at where a clock was set back, or where more is asked for', async () => {
    await buy(1, MANY);
    await recent();
    expect((await recent(OLD_MS - 1)).length).toBe(MANY);
  });

  it.each([
    ['changed', () => writeFileSync(index(), 'no index\n')],
    ['cut off', () => writeFileSync(index(), '')],
    ['that of other entries', () => rmSync(folderOf(home(), 'old-1'), { recursive: true })],
  ])('are all read where the file about them is %s', async (_what, spoil) => {
    await buy(1, MANY);
    await recent();
    spoil();
    expect((await recent()).length).toBeGreaterThanOrEqual(MANY - 1);
  });

  it('are none of those that may still be paid, or again', async () => {
    const open = oldIntent(1_000, { createdAtMs: OLD_MS });
    const declined = oldIntent(1_001, { createdAtMs: OLD_MS });
    const dead = oldIntent(1_002, { createdAtMs: OLD_MS });
    for (const intent of [open, declined, dead]) await journal().open(intent);
    await journal().addAttempt(open, anAttempt(1, { createdAtMs: OLD_MS }));
    await journal().addFact(declined, { fact: 'closed', reason: 'declined' });
    await journal().addAttempt(dead, anAttempt(1, { createdAtMs: OLD_MS }));
    await journal().addFact(dead, { fact: 'dead', attempt: 1, proof: 'expired' });
    await journal().addFact(dead, { fact: 'closed', reason: 'over the cap' });
    await buy(1, MANY);
    await recent();
    expect((await recent()).toSorted()).toEqual(['old-1000', 'old-1001', 'old-1002']);
  });

  it('are none of the further payments for an order, which count with it', async () => {
    const partner = { coin: 'USDC', network: 'Solana', decimals: 6, refundAddress: null };
    const more = { createdAtMs: OLD_MS, partner: { ...partner, topUpOf: 'cr_1' } };
    const topUp = oldIntent(1_000, more);
    await journal().open(topUp);
    await journal().addAttempt(topUp, anAttempt(1, { createdAtMs: OLD_MS }));
    await journal().addFact(topUp, { fact: 'landed', attempt: 1, transaction: 'tx', slot: 1 });
    await buy(1, MANY);
    await recent();
    expect(await recent()).toEqual(['old-1000']);
  });

  it('are written down in batches', async () => {
    await buy(1, 3);
    await recent();
    expect(readdirSync(home())).not.toContain('final.idx');
    const final: FinalEntries = openFinalEntries(home());
    expect(final.without([folderOf(home(), 'old-1')], SINCE_MS).length).toBe(1);
  });
});

describe('reservations of long ago', () => {
  const log = () =>
    openSpendLog({
      ...{ dir, payer: PAYER, disk: quickDisk },
      owner: { pid: 1, started: '', space: '' },
      isGone: () => false,
    });
  const slot = (number: number) => ({ number, intentId: `i-${number}`, attempt: 1 });
  const young = { merchant: 'shop', amountAtomic: '1', atMs: START_MS };
  const start = () => join(home(), 'spend', 'start.idx');

  beforeEach(() => reserveLongAgo({ dir, payer: PAYER }, { count: MANY, atMs: OLD_MS }));

  it('are read no more, and the chain goes on from them', async () => {
    await log().read(SINCE_MS);
    const next = log();
    expect(await next.read(SINCE_MS)).toMatchObject({ last: MANY });
    expect(await next.reserve({ ...slot(MANY + 1), ...young })).toBe(true);
    const { last, held } = await log().read(SINCE_MS);
    expect(last).toBe(MANY + 1);
    // The last few wait for their batch.
    expect([held.at(-1)?.number, held.length < MANY]).toEqual([MANY + 1, true]);
    expect((await log().read()).held.length).toBe(MANY + 1);
  });

  it('can be given back', async () => {
    const one = log();
    await one.read(SINCE_MS);
    await one.reserve({ ...slot(MANY + 1), ...young });
    await one.release(MANY + 1);
    await one.release(1);
    const numbers = (await log().read()).held.map(({ number }) => number);
    expect([numbers.includes(1), numbers.includes(2), numbers.includes(MANY + 1)]).toEqual([
      false,
      true,
      false,
    ]);
  });

  it.each([
    ['changed', 'no place\n'],
    ['cut off', ''],
  ])('are all read where the file about them is %s', async (_what, text) => {
    await log().read(SINCE_MS);
    writeFileSync(start(), text);
    expect((await log().read(OLD_MS - 1)).held.length).toBe(MANY);
    expect(await log().read(SINCE_MS)).toMatchObject({ last: MANY });
  });

  it('are all read where a clock was set back', async () => {
    await log().read(SINCE_MS);
    expect((await log().read(OLD_MS - 1)).held.length).toBe(MANY);
  });
});
