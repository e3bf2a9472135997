import { describe, expect, it } from 'vitest';
import { type Disk, realDisk } from '../../../src/disk/files.ts';
import { openJournal } from '../../../src/records/journal-files.ts';
import { IS_FULL } from '../../support/fuzz.ts';
import { purchase } from '../../support/purchase.ts';
import { aRequest, type Fault, makeWorld } from '../../support/purchase-world.ts';
import { tempFolder } from '../../support/temp-folder.ts';

interface Failing {
  readonly disk: Disk;
  readonly hasFailed: () => boolean;
}

/** Works for `nth - 1` steps; a fault that passes is over after one, one that stays is not. */
function failingDisk(nth: number, { code, stays }: Trouble): Failing {
  let steps = 0;
  const step = (run: () => void): void => {
    steps += 1;
    if (steps === nth || (stays && steps > nth)) throw Object.assign(new Error(code), { code });
    run();
  };
  const disk: Disk = {
    create: (path, text) => step(() => realDisk.create(path, text)),
    link: (from, to) => step(() => realDisk.link(from, to)),
    remove: (path) => realDisk.remove(path),
    replace: (from, to) => step(() => realDisk.replace(from, to)),
    makeDirectory: (path) => step(() => realDisk.makeDirectory(path)),
    syncDirectory: (path) => step(() => realDisk.syncDirectory(path)),
  };
  return { disk, hasFailed: () => steps >= nth };
}

const FAULTS: readonly Fault[] = IS_FULL ? ['none', 'reply lost'] : ['reply lost'];

interface Trouble {
  readonly code: string;
  readonly stays: boolean;
}

/** The program tells them apart by nothing: an ordinary run takes one that stays and one that passes. */
const TROUBLES: readonly Trouble[] = IS_FULL
  ? ['ENOSPC', 'EIO', 'EROFS', 'EDQUOT'].flatMap((code) =>
      [true, false].map((stays) => ({ code, stays })),
    )
  : [
      { code: 'ENOSPC', stays: true },
      { code: 'EIO', stays: false },
    ];

/** Buys on such a disk, then again on a sound one; true when the fault came too late to be met. */
async function buyAt(nth: number, trouble: Trouble, fault: Fault): Promise<boolean> {
  const world = await makeWorld();
  const dir = tempFolder();
  world.faults.push(fault);
  const { disk, hasFailed } = failingDisk(nth, trouble);
  const journalOn = (one: Disk) => openJournal({ dir, payer: world.signer.address, disk: one });
  const request = aRequest({ key: 'k' });
  const first = await purchase(world.deps({ journal: journalOn(disk) }), request).catch(
    (error: unknown) => error,
  );
  const where = `step ${nth}`;
  if (world.sent.length === 0) {
    // Nothing was sent: that is what is said, at the exit code of a machine that is unfit.
    expect(first, where).toMatchObject({ code: 'JOURNAL_UNUSABLE', fundsAtRisk: 'none', exit: 13 });
    expect(world.landed.size, where).toBe(0);
  } else if (first instanceof Error) {
    expect(first, where).toMatchObject({ fundsAtRisk: expect.stringMatching(/possible|spent/) });
  }
  const again = await purchase(world.deps({ journal: journalOn(realDisk) }), request);
  expect(again, where).toMatchObject({ kind: 'delivered' });
  expect(world.landed.size, where).toBe(1);
  return !hasFailed();
}

describe('a disk that fails at any step of a purchase', () => {
  const cases = TROUBLES.flatMap(({ code, stays }) =>
    FAULTS.map((fault) => [code, stays, fault] as const),
  );
  it.each(cases)(
    '%s (stays: %s), with the fault "%s": nothing is sent unrecorded, nothing is paid twice',
    async (code, stays, fault) => {
      let step = 1;
      while (!(await buyAt(step, { code, stays }, fault))) step += 1;
      expect(step).toBeGreaterThan(14);
    },
    120_000,
  );
});
