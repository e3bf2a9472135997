/** Limits across real processes, some of them killed at every point of a payment. */
import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { openJournal } from '../../../src/records/journal-files.ts';
import { bundleProgram } from '../../support/bundle.ts';
import { PAYER } from '../../support/journal-records.ts';
import { spendLogAt } from '../../support/spending.ts';
import { tempFolder } from '../../support/temp-folder.ts';

const LIMIT = 100_000_000n;
const AMOUNT = 7_000_000n;
const TIMES = 4;
/** A quarter of them die. */
const DEATHS = ['', '', '', 'reserved:1', '', '', '', 'signed:2', '', '', '', 'written:1'];

const dir = tempFolder();
let program: string;
beforeAll(async () => {
  program = await bundleProgram('spending-process', dir);
});

interface Ended {
  readonly signal: unknown;
  readonly words: readonly string[];
}

async function run(journalDir: string, name: string, dieAt: string): Promise<Ended> {
  const words = [journalDir, name, String(TIMES), String(AMOUNT), String(LIMIT), dieAt];
  try {
    const { stdout } = await promisify(execFile)(process.execPath, [program, ...words]);
    return { signal: null, words: stdout.trim().split('\n') };
  } catch (error) {
    const { signal, stdout } = error as { signal: unknown; stdout: string };
    if (signal !== 'SIGKILL') throw error;
    return { signal, words: stdout.trim().split('\n') };
  }
}

async function spentIn(journalDir: string): Promise<bigint> {
  const entries = await openJournal({ dir: journalDir, payer: PAYER }).all();
  return entries
    .flatMap(({ attempts }) => attempts)
    .reduce((sum, { amountAtomic }) => sum + BigInt(amountAtomic), 0n);
}

describe('twelve processes under one limit, a quarter of them killed', () => {
  let first: readonly Ended[];
  let ended: readonly Ended[];
  let journalDir: string;

  beforeAll(async () => {
    journalDir = join(dir, 'journal');
    const points = ['reserved:1', 'signed:1', 'written:1'];
    first = await Promise.all(points.map((dieAt, at) => run(journalDir, `first${at}`, dieAt)));
    ended = await Promise.all(DEATHS.map((dieAt, at) => run(journalDir, `p${at}`, dieAt)));
  });

  it('those that came first died where they were told to', () => {
    expect(first.map(({ signal }) => signal)).toEqual(['SIGKILL', 'SIGKILL', 'SIGKILL']);
  });

  it('what they signed for is never above it', async () => {
    expect(await spentIn(journalDir)).toBeLessThanOrEqual(LIMIT);
  });

  it('whoever was refused was refused for the limit', () => {
    const words = new Set(ended.flatMap((one) => one.words).filter((word) => word !== ''));
    expect([...words].toSorted()).toEqual(['SPENDING_LIMIT', 'paid']);
  });

  it('no reservation is missing in the chain, and none is held by the dead', async () => {
    const { last, held } = await spendLogAt(journalDir, PAYER).read();
    const files = readdirSync(join(journalDir, PAYER, 'spend'));
    const reservations = files.filter((name) => /^\d{8}\.rec$/.test(name));
    expect(reservations).toHaveLength(last);
    expect(held).toEqual([]);
  });

  it('the next process uses all that is left, and not more', async () => {
    const after = [await run(journalDir, 'next', ''), await run(journalDir, 'last', '')];
    expect(after.every(({ signal }) => signal === null)).toBe(true);
    expect(await spentIn(journalDir)).toBe((LIMIT / AMOUNT) * AMOUNT);
  });
});
