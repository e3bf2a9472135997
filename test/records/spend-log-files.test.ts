import { mkdirSync, readdirSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { type Disk, realDisk } from '../../src/disk/files.ts';
import { isGone, ownMark } from '../../src/disk/process-mark.ts';
import type { ProcessMark } from '../../src/domain/policy/spend-log.ts';
import { readDerived, writeDerived } from '../../src/records/cache-files.ts';
import { CHAIN_START, sealRecord } from '../../src/records/record-files.ts';
import { openSpendLog } from '../../src/records/spend-log-files.ts';
import { PAYER } from '../support/journal-records.ts';
import { quickDisk } from '../support/quick-disk.ts';
import { tempFolder } from '../support/temp-folder.ts';

const HERE: ProcessMark = { pid: 1, started: '10', space: 'boot' };
const OTHER: ProcessMark = { pid: 2, started: '20', space: 'boot' };

let dir: string;
beforeEach(() => {
  dir = tempFolder();
});

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
    ['no first record', () => unlinkSync(join(folder(), '00000001.rec'))],
    [
      'a return that nobody sealed',
      () => writeFileSync(join(folder(), '00000001-back.rec'), 'x\n'),
    ],
    [
      'a return of nothing',
      () => writeFileSync(join(folder(), '00000004-back.rec'), textOf('', '{"number":4}')),
    ],
  ])('with %s lets nothing be signed', async (_what, damage) => {
    damage();
    await expect(log().read()).rejects.toMatchObject({ code: 'JOURNAL_UNUSABLE', exit: 13 });
  });
});

/** A record as if this program had sealed it. */
const textOf = (previous: string, line: string): string => {
  const { seal } = sealRecord(previous, line);
  return `${line}\n${seal}\n`;
};

describe('a record with a good seal', () => {
  const whole = { ...orderInput(1), owner: HERE };
  const { owner: _owner, ...ownerless } = whole;

  it.each<readonly [what: string, value: unknown]>([
    ['no object', null],
    ['a list', []],
    ['the number of another place', { ...whole, number: 2 }],
    ['a number that is a text', { ...whole, number: '1' }],
    ['no intent', { ...whole, intentId: undefined }],
    ['an attempt that is a text', { ...whole, attempt: '1' }],
    ['no merchant', { ...whole, merchant: null }],
    ['an amount that is a number', { ...whole, amountAtomic: 1_000_000 }],
    ['an amount of nothing', { ...whole, amountAtomic: '' }],
    ['an amount below zero', { ...whole, amountAtomic: '-1' }],
    ['an amount with more behind it', { ...whole, amountAtomic: '1x' }],
    ['an amount with more before it', { ...whole, amountAtomic: 'x1' }],
    ['an amount of 21 digits', { ...whole, amountAtomic: '1'.repeat(21) }],
    ['a time that is a text', { ...whole, atMs: '1001' }],
    ['no owner', ownerless],
    ['an owner of nothing', { ...whole, owner: null }],
    ['an owner without an id', { ...whole, owner: { ...HERE, pid: null } }],
    ['an owner whose id is a text', { ...whole, owner: { ...HERE, pid: '1' } }],
    ['an owner without a start', { ...whole, owner: { ...HERE, started: undefined } }],
    ['an owner without a space', { ...whole, owner: { ...HERE, space: 1 } }],
  ])('and %s is damaged', async (_what, value) => {
    mkdirSync(folder(), { recursive: true });
    writeFileSync(join(folder(), '00000001.rec'), textOf(CHAIN_START, JSON.stringify(value)));
    await expect(log().read()).rejects.toMatchObject({
      code: 'JOURNAL_UNUSABLE',
      fundsAtRisk: 'possible',
      message: expect.stringContaining('its content does not match its name'),
    });
  });

  it('and 20 digits is read', async () => {
    const amountAtomic = '1'.repeat(20);
    mkdirSync(folder(), { recursive: true });
    const line = JSON.stringify({ ...whole, amountAtomic });
    writeFileSync(join(folder(), '00000001.rec'), textOf(CHAIN_START, line));
    expect((await log().read()).held).toEqual([{ ...whole, amountAtomic }]);
  });
});

describe('the file that says where reading starts', () => {
  const BATCH = 64;
  const SINCE_MS = 5_000;
  const START = () => join(folder(), 'start.idx');
  const ofOld = () => log(HERE, [], quickDisk);

  /** Reservations of these instants, one after another. */
  async function reserved(instants: readonly number[]): Promise<void> {
    const one = ofOld();
    for (const [index, atMs] of instants.entries()) {
      await one.read();
      await one.reserve({ ...orderInput(index + 1), atMs });
    }
  }
  const old = (count: number, atMs = SINCE_MS) => Array.from({ length: count }, () => atMs);
  const numbers = async (sinceMs?: number) =>
    (await log().read(sinceMs)).held.map(({ number }) => number);

  it.each<readonly [what: string, instants: readonly number[], base: number | undefined]>([
    ['is written for a whole batch of the instant itself', old(BATCH), BATCH],
    ['is not written for one less', old(BATCH - 1), undefined],
    ['is not written behind a young one', [SINCE_MS + 1, ...old(BATCH)], undefined],
    ['ends before the first young one', [...old(BATCH), SINCE_MS + 1, SINCE_MS], BATCH],
  ])('%s', async (_what, instants, base) => {
    await reserved(instants);
    const { last, held } = await log().read(SINCE_MS);
    expect([last, held.length]).toEqual([instants.length, instants.length]);
    const line: unknown = JSON.parse(readDerived(START())?.[0] ?? '{}');
    expect(Object(line).base).toBe(base);
    // What is left out is old, and what is young is never left out.
    expect(await numbers(SINCE_MS)).toEqual(
      instants.flatMap((_atMs, index) => (index < (base ?? 0) ? [] : [index + 1])),
    );
    const next = log();
    await next.read(SINCE_MS);
    expect(await next.reserve(orderInput(instants.length + 1))).toBe(true);
    expect((await log().read(SINCE_MS)).last).toBe(instants.length + 1);
  });

  it('is written anew for the next batch', async () => {
    await reserved(old(BATCH));
    await log().read(SINCE_MS);
    const one = ofOld();
    for (let number = BATCH + 1; number <= 2 * BATCH; number += 1) {
      await one.read(SINCE_MS);
      await one.reserve({ ...orderInput(number), atMs: SINCE_MS });
    }
    await log().read(SINCE_MS);
    expect(JSON.parse(readDerived(START())?.[0] ?? '')).toMatchObject({ base: 2 * BATCH });
    expect(await log().read(SINCE_MS)).toEqual({ last: 2 * BATCH, held: [] });
  });

  it('leaves out none that can still be given back', async () => {
    await reserved([...old(BATCH), SINCE_MS + 1]);
    const one = log();
    for (let time = 0; time < 2; time += 1) await one.read(SINCE_MS);
    for (const number of [BATCH + 1, BATCH, 1]) await one.release(number);
    const held = await numbers();
    expect([held.length, held[0], held.at(-1)]).toEqual([BATCH - 2, 2, BATCH - 1]);
  });

  it.each([
    ['amid', [4_000, 2_000]],
    ['last', [2_000, 4_000]],
  ])('is not used where the newest that it leaves out is younger, %s', async (_where, newest) => {
    await reserved([...old(BATCH - 2, 1_000), ...newest]);
    await log().read(SINCE_MS);
    expect(await numbers(4_000)).toEqual([]);
    expect((await numbers(3_999)).length).toBe(BATCH);
  });

  it.each<readonly [what: string, change: Readonly<Record<string, unknown>>]>([
    ['names a seal that the next record does not continue', { seal: 'f'.repeat(64) }],
    ['names a place beyond the end', { base: BATCH + 9 }],
    ['names no place', { base: 'x' }],
    ['names no seal', { seal: null }],
    ['names no instant', { newestMs: undefined }],
  ])('is read past where it %s', async (_what, change) => {
    await reserved([...old(BATCH), SINCE_MS + 1]);
    await log().read(SINCE_MS);
    const line: unknown = JSON.parse(readDerived(START())?.[0] ?? '');
    writeDerived(START(), [JSON.stringify({ ...Object(line), ...change })]);
    const one = log();
    const { last, held } = await one.read(SINCE_MS);
    expect([last, held.length]).toEqual([BATCH + 1, BATCH + 1]);
    expect(await one.reserve(orderInput(BATCH + 2))).toBe(true);
    expect((await log().read()).last).toBe(BATCH + 2);
  });

  it.each(['no place\n', ''])('is read past where it is %j', async (text) => {
    await reserved([...old(BATCH), SINCE_MS + 1]);
    await log().read(SINCE_MS);
    writeFileSync(START(), text);
    expect((await numbers(SINCE_MS)).length).toBe(BATCH + 1);
  });

  it('hides no damage behind it, nor before', async () => {
    await reserved([...old(BATCH), SINCE_MS + 1]);
    await log().read(SINCE_MS);
    for (const name of ['00000065.rec', '00000001.rec']) {
      const kept = readFileSync(join(folder(), name));
      unlinkSync(join(folder(), name));
      if (name === '00000065.rec') writeFileSync(join(folder(), name), 'x\n');
      await expect(log().read(SINCE_MS)).rejects.toMatchObject({ code: 'JOURNAL_UNUSABLE' });
      writeFileSync(join(folder(), name), kept);
    }
    expect(await numbers(SINCE_MS)).toEqual([BATCH + 1]);
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
