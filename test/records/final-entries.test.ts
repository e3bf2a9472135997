import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { openFinalEntries } from '../../src/records/journal-cache.ts';
import { folderOf, openJournal } from '../../src/records/journal-files.ts';
import { anAttempt, PAYER } from '../support/journal-records.ts';
import { START_MS } from '../support/manual-clock.ts';
import { buyLongAgo, oldIntent } from '../support/old-purchases.ts';
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
    const final = openFinalEntries(home());
    expect(final.without([folderOf(home(), 'old-1')], SINCE_MS).length).toBe(1);
  });
});
