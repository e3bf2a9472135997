import { mkdtempSync, readdirSync, readFileSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Disk, realDisk } from '../../src/disk/files.ts';
import { isGone, ownMark } from '../../src/disk/process-mark.ts';
import type { ProcessMark } from '../../src/domain/policy/spend-log.ts';
import { openSpendLog } from '../../src/records/spend-log-files.ts';
import { PAYER } from '../support/journal-records.ts';

const HERE: ProcessMark = { pid: 1, started: '10', space: 'boot' };
const OTHER: ProcessMark = { pid: 2, started: '20', space: 'boot' };

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'spend-log-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const folder = () => join(dir, PAYER, 'spend');
const log = (owner = HERE, gone: readonly number[] = [], disk: Disk = realDisk) =>
  openSpendLog({ dir, payer: PAYER, owner, isGone: ({ pid }) => gone.includes(pid), disk });
const orderInput = (number: number) => ({
  number,
  intentId: `intent-${number}`,
  attempt: 1,
  merchant: 'https://shop.example',
  amountAtomic: '1000000',
  atMs: 1_000 + number,
});

describe('a spend log', () => {
  it('that was never written to is empty and leaves no trace', async () => {
    expect(await log().read()).toEqual({ last: 0, held: [] });
    expect(readdirSync(dir)).toEqual([]);
  });

  it('shows other processes what is reserved', async () => {
    const ours = log();
    await ours.read();
    expect(await ours.reserve(orderInput(1))).toBe(true);
    expect(await log(OTHER).read()).toEqual({ last: 1, held: [{ ...orderInput(1), owner: HERE }] });
  });

  it('gives each place to one process', async () => {
    const [one, other] = [log(), log(OTHER)];
    await Promise.all([one.read(), other.read()]);
    expect(await one.reserve(orderInput(1))).toBe(true);
    expect(await other.reserve({ ...orderInput(1), intentId: 'second' })).toBe(false);
    expect((await other.read()).held).toEqual([{ ...orderInput(1), owner: HERE }]);
  });

  it('holds nothing that was given back, or whose process is gone', async () => {
    for (const number of [1, 2, 3]) {
      const one = log(number === 2 ? OTHER : HERE);
      await one.read();
      await one.reserve(orderInput(number));
    }
    await log().release(3);
    const { last, held } = await log(HERE, [OTHER.pid]).read();
    expect(last).toBe(3);
    expect(held.map(({ number }) => number)).toEqual([1]);
  });

  it('cannot skip a place', async () => {
    await expect(log().reserve(orderInput(3))).rejects.toMatchObject({ code: 'INTERNAL' });
  });

  it('a full disk reserves nothing', async () => {
    const full: Disk = {
      ...realDisk,
      create: () => {
        throw Object.assign(new Error('full'), { code: 'ENOSPC' });
      },
    };
    await expect(log(HERE, [], full).reserve(orderInput(1))).rejects.toMatchObject({
      code: 'JOURNAL_UNUSABLE',
    });
    expect(await log().read()).toEqual({ last: 0, held: [] });
  });
});

describe('a damaged spend log', () => {
  beforeEach(async () => {
    for (const number of [1, 2, 3]) {
      const one = log();
      await one.read();
      await one.reserve(orderInput(number));
    }
  });

  it.each([
    ['a missing record', () => unlinkSync(join(folder(), '00000002.rec'))],
    [
      'a changed amount',
      () => {
        const path = join(folder(), '00000002.rec');
        writeFileSync(path, readFileSync(path, 'utf8').replace('1000000', '1'));
      },
    ],
    ['a record of no place', () => writeFileSync(join(folder(), 'x.rec'), 'x')],
    [
      'a return that nobody sealed',
      () => writeFileSync(join(folder(), '00000001-back.rec'), 'x\n'),
    ],
  ])('with %s lets nothing be signed', async (_what, damage) => {
    damage();
    await expect(log().read()).rejects.toMatchObject({ code: 'JOURNAL_UNUSABLE', exit: 13 });
  });
});

describe('the mark of a process', () => {
  it('is that of one that runs', () => {
    expect(isGone(ownMark())).toBe(false);
  });

  it('tells one that is gone, and one whose id another has', () => {
    const own = ownMark();
    expect(isGone({ ...own, pid: 2 ** 22 + 1 })).toBe(true);
    if (own.started !== '') expect(isGone({ ...own, started: `${own.started}1` })).toBe(true);
  });

  it('tells nothing of another machine', () => {
    expect(isGone({ ...ownMark(), pid: 2 ** 22 + 1, space: 'another boot' })).toBe(false);
  });
});
