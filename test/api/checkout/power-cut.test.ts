/** The power goes at every step that the journal takes on the disk (reliability T6). */
import { appendFileSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { PurchaseDeps } from '../../../src/api/checkout/purchase-deps.ts';
import { repairJournal } from '../../../src/api/recovery/journal-repair.ts';
import { type Disk, realDisk } from '../../../src/disk/files.ts';
import { ScripError } from '../../../src/domain/message/errors.ts';
import { openJournalCare } from '../../../src/records/journal-care.ts';
import { openJournal } from '../../../src/records/journal-files.ts';
import { withInsight } from '../../support/chain-insight.ts';
import { purchase } from '../../support/purchase.ts';
import { aRequest, type Fault, makeWorld, type World } from '../../support/purchase-world.ts';
import { tempFolder } from '../../support/temp-folder.ts';

interface FailingDisk {
  readonly disk: Disk;
  readonly steps: () => number;
  readonly isOff: () => boolean;
  readonly off: Promise<void>;
  /** Names that no sync of their folder has made durable. */
  readonly unsynced: ReadonlySet<string>;
}

/** A disk whose machine loses its power after so many steps. */
function diskUntil(lastStep: number): FailingDisk {
  const unsynced = new Set<string>();
  let steps = 0;
  let cut: () => void = () => undefined;
  const off = new Promise<void>((resolve) => {
    cut = resolve;
  });
  const isOff = () => steps >= lastStep;
  const step = (run: () => void): void => {
    if (isOff()) throw new Error('no power');
    run();
    steps += 1;
    if (isOff()) cut();
  };
  const disk: Disk = {
    create: (path, text) => step(() => realDisk.create(path, text)),
    link: (from, to) =>
      step(() => {
        realDisk.link(from, to);
        unsynced.add(to);
      }),
    remove: (path) => step(() => realDisk.remove(path)),
    replace: (from, to) => step(() => realDisk.replace(from, to)),
    makeDirectory: (path) => step(() => realDisk.makeDirectory(path)),
    syncDirectory: (path) =>
      step(() => {
        realDisk.syncDirectory(path);
        for (const name of [...unsynced].filter((one) => dirname(one) === path)) {
          unsynced.delete(name);
        }
      }),
  };
  return { disk, steps: () => steps, isOff, off, unsynced };
}

/** A process on that disk: without power nothing it asks is ever answered. */
function processOn(world: World, dir: string, failing: FailingDisk): PurchaseDeps {
  const never = new Promise<never>(() => undefined);
  const deps = world.deps();
  return {
    ...deps,
    journal: openJournal({ dir, payer: world.signer.address, disk: failing.disk }),
    fetch: (url, init) => (failing.isOff() ? never : deps.fetch(url, init)),
    rail: {
      ...deps.rail,
      sign: (input) => (failing.isOff() ? never : deps.rail.sign(input)),
      fate: (payment) => (failing.isOff() ? never : deps.rail.fate(payment)),
      isLive: (payment) => (failing.isOff() ? never : deps.rail.isLive(payment)),
    },
    clock: {
      now: deps.clock.now,
      sleep: (ms, signal) => (failing.isOff() ? never : deps.clock.sleep(ms, signal)),
    },
  };
}

/** Cuts the power at one step; true when the purchase was over before it. */
async function cutAt(
  step: number,
  { fault, isTailLost }: { readonly fault: Fault; readonly isTailLost: boolean },
): Promise<boolean> {
  const world = await makeWorld();
  const dir = tempFolder();
  world.faults.push(fault);
  const failing = diskUntil(step);
  const ended = purchase(processOn(world, dir, failing), aRequest()).then(
    () => undefined,
    () => undefined,
  );
  await Promise.race([ended, failing.off]);
  const isOver = !failing.isOff();
  if (isTailLost) for (const path of failing.unsynced) rmSync(path, { force: true });
  const journal = openJournal({ dir, payer: world.signer.address });
  const outcome = await purchase(world.deps({ journal }), aRequest());
  expect(outcome, `step ${step}`).toMatchObject({ kind: 'delivered' });
  expect(world.landed.size, `step ${step}`).toBe(1);
  return isOver;
}

describe('a power cut', () => {
  const cases = (['none', 'reply lost', 'accepted, never sent to the chain'] as const).flatMap(
    (fault) => [true, false].map((isTailLost) => ({ fault, isTailLost })),
  );
  it.each(cases)(
    'at any step of a purchase with the fault "$fault" costs no second payment (unsynced names lost: $isTailLost)',
    async (how) => {
      let step = 1;
      while (!(await cutAt(step, how))) step += 1;
      // Intent, attempt, accepted and goods take four steps each, and the intent's folder more.
      expect(step).toBeGreaterThan(16);
    },
    120_000,
  );
});

describe('a power cut while a journal is written anew', () => {
  const damage = (dir: string): void => {
    const [name = ''] = readdirSync(dir, { recursive: true, encoding: 'utf8' }).filter((one) =>
      one.endsWith('intent.rec'),
    );
    appendFileSync(join(dir, name), 'x');
  };

  it('leaves a journal that refuses to pay, and the next repair ends it', async () => {
    let isOver = false;
    for (let step = 1; !isOver; step += 1) {
      // A world of its own: another purchase on its chain would be found by the repair.
      const world = await makeWorld();
      const seen = withInsight(world);
      const payer = world.signer.address;
      const toolsAt = (at: string) => seen.deps({ journal: openJournal({ dir: at, payer }) });
      const dir = tempFolder();
      const request = aRequest();
      await purchase(toolsAt(dir), request);
      world.clock.advance(60_000);
      damage(dir);
      const paid = world.landed.size;
      const failing = diskUntil(step);
      const cut = openJournalCare({ dir, payer, stamp: () => 'cut', disk: failing.disk });
      const first = await repairJournal({
        ...toolsAt(dir),
        care: cut,
        payer,
        ownOrders: async () => [],
      }).catch(() => undefined);
      isOver = first !== undefined && !failing.isOff();
      // Whole again, or refused: never taken for empty, which would let the key pay once more.
      const between = await purchase(toolsAt(dir), request).catch((error) => error);
      expect([between.code, between.kind], `step ${step}`).toEqual(
        between instanceof ScripError ? ['JOURNAL_UNUSABLE', undefined] : [null, 'delivered'],
      );
      const care = openJournalCare({ dir, payer, stamp: () => 'again' });
      await repairJournal({ ...toolsAt(dir), care, payer, ownOrders: async () => [] });
      expect(await purchase(toolsAt(dir), request)).toMatchObject({ kind: 'delivered' });
      expect(world.landed.size).toBe(paid);
    }
  });
});
