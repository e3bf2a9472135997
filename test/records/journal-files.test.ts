import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { type Disk, realDisk } from '../../src/disk/files.ts';
import type { Attempt, JournalEvent } from '../../src/domain/journal/journal.ts';
import { openJournalCare } from '../../src/records/journal-care.ts';
import { journalWallets, openJournal, unfinishedEntries } from '../../src/records/journal-files.ts';
import { anAttempt, anIntent, PAYER } from '../support/journal-records.ts';
import { tempFolder } from '../support/temp-folder.ts';

const DEAD: JournalEvent = { fact: 'dead', attempt: 1, proof: 'expired' };
const ACCEPTED = { fact: 'accepted', attempt: 1, orderId: 'cr_1' } as const;
const CLOSED: JournalEvent = { fact: 'closed', reason: 'declined' };

let dir: string;
beforeEach(() => {
  dir = tempFolder();
});

const journal = (disk: Disk = realDisk) => openJournal({ dir, payer: PAYER, disk });
const folder = (key = 'key-1') => join(dir, PAYER, createHash('sha256').update(key).digest('hex'));
const files = (key?: string) => readdirSync(folder(key)).toSorted();

/** An entry with every kind of record but one that ends it. */
async function fullEntry(): Promise<void> {
  await journal().open(anIntent());
  await journal().addAttempt(anIntent(), anAttempt(1));
  await journal().addFact(anIntent(), ACCEPTED);
  await journal().addFact(anIntent(), DEAD);
  await journal().addAttempt(anIntent(), anAttempt(2));
  await journal().addFact(anIntent(), { ...ACCEPTED, attempt: 2, orderId: 'cr_2' });
  await journal().addFact(anIntent(), CLOSED);
}

describe('records', () => {
  it('a journal that was never written to is empty and leaves no trace', async () => {
    expect(await journal().all()).toEqual([]);
    expect(await journal().byKey('key-1')).toBeUndefined();
    expect(readdirSync(dir)).toEqual([]);
  });

  it('what was written is read back by another process', async () => {
    await fullEntry();
    const entry = await journal().byKey('key-1');
    expect(entry?.intent).toEqual(anIntent());
    expect(entry?.attempts).toEqual([anAttempt(1), anAttempt(2)]);
    expect(entry?.facts).toHaveLength(4);
    expect(entry?.facts).toContainEqual(ACCEPTED);
    expect(await journal().all()).toEqual([entry]);
  });

  it('entries come oldest first', async () => {
    await journal().open(anIntent({ key: 'b', intentId: 'b', createdAtMs: 2 }));
    await journal().open(anIntent({ key: 'a', intentId: 'a', createdAtMs: 3 }));
    await journal().open(anIntent({ key: 'c', intentId: 'c', createdAtMs: 1 }));
    await journal().open(anIntent({ key: 'e', intentId: 'd2', createdAtMs: 3 }));
    await journal().open(anIntent({ key: 'd', intentId: 'd1', createdAtMs: 3 }));
    const oldestFirst = ['c', 'b', 'a', 'd', 'e'];
    expect((await journal().all()).map(({ intent }) => intent.key)).toEqual(oldestFirst);
    expect((await journal().recent(0)).map(({ intent }) => intent.key)).toEqual(oldestFirst);
  });

  it('are read and written by nobody while a repair replaces them', async () => {
    await fullEntry();
    const mark = join(dir, `${PAYER}.repair`);
    writeFileSync(mark, '');
    const refused = { code: 'JOURNAL_UNUSABLE', fundsAtRisk: 'possible' };
    for (const work of [
      () => journal().open(anIntent()),
      () => journal().all(),
      () => journal().recent(0),
      () => journal().addAttempt(anIntent(), anAttempt(2)),
    ]) {
      await expect(work()).rejects.toMatchObject(refused);
    }
    // What was done meanwhile is one of the wallets whose records are replaced.
    mkdirSync(join(dir, 'another'));
    mkdirSync(join(dir, 'third.old'));
    expect(journalWallets(dir)).toEqual([PAYER, 'another'].toSorted());
    rmSync(mark);
    expect(await journal().all()).toHaveLength(1);
  });

  it('files are the owner’s alone and nothing temporary stays', async () => {
    await fullEntry();
    expect(files()).toEqual([
      'attempt-1.rec',
      'attempt-2.rec',
      'fact-0-closed.rec',
      'fact-1-accepted.rec',
      'fact-1-dead.rec',
      'fact-2-accepted.rec',
      'intent.rec',
    ]);
    expect(statSync(folder()).mode & 0o777).toBe(0o700);
    expect(statSync(join(dir, PAYER)).mode & 0o777).toBe(0o700);
    for (const name of files()) expect(statSync(join(folder(), name)).mode & 0o777).toBe(0o600);
  });

  it('wallets do not see each other’s entries', async () => {
    await journal().open(anIntent());
    const other = openJournal({ dir, payer: 'other' });
    expect(await other.all()).toEqual([]);
    await expect(other.open(anIntent())).rejects.toMatchObject({ code: 'INTERNAL' });
    expect(readdirSync(dir)).toEqual([PAYER]);
  });
});

describe('a journal that is read again and again', () => {
  const twoEntries = async () => {
    await journal().open(anIntent());
    await journal().open(anIntent({ key: 'key-2', intentId: 'id-2', createdAtMs: 9e15 }));
  };

  it('reads again what has changed, and nothing else', async () => {
    await twoEntries();
    const own = journal();
    const [one, two] = await own.all();
    await own.addAttempt(anIntent(), anAttempt(1));
    const [first, second] = await own.all();
    expect(first?.attempts).toEqual([anAttempt(1)]);
    expect(first).not.toBe(one);
    expect(second).toBe(two);
  });

  it('sees at once what another process has written, replaced or opened', async () => {
    await twoEntries();
    const own = journal();
    await own.all();
    await journal().addAttempt(anIntent(), anAttempt(1));
    const goods: JournalEvent = {
      fact: 'goods',
      attempt: 1,
      status: 'completed',
      sealed: 'v1.sealed',
    };
    await journal().addFact(anIntent(), goods);
    expect((await own.all())[0]?.facts).toEqual([goods]);
    const care = openJournalCare({ dir, payer: PAYER, stamp: () => 'now' });
    await care.forgetGoods('key-1');
    expect((await own.all())[0]?.facts).toEqual([{ ...goods, sealed: '' }]);
    await journal().open(anIntent({ key: 'key-3', intentId: 'id-3' }));
    expect(await own.all()).toEqual(await journal().all());
    expect(await own.all()).toHaveLength(3);
  });

  it('finds the damage that was done since', async () => {
    await twoEntries();
    const own = journal();
    await own.all();
    const path = join(folder(), 'intent.rec');
    writeFileSync(path, `${readFileSync(path, 'utf8')}x`);
    await expect(own.all()).rejects.toMatchObject({ code: 'JOURNAL_UNUSABLE' });
    rmSync(path);
    expect(await own.all()).toHaveLength(1);
  });
});

describe('codes that are forgotten', () => {
  const GOODS: JournalEvent = {
    fact: 'goods',
    attempt: 1,
    status: 'completed',
    sealed: 'v1.sealed',
  };
  const care = (disk: Disk = realDisk) =>
    openJournalCare({ dir, payer: PAYER, stamp: () => 'now', disk });

  async function delivered(): Promise<void> {
    await journal().open(anIntent());
    await journal().addAttempt(anIntent(), anAttempt(1));
    await journal().addFact(anIntent(), GOODS);
  }

  it('are in no record any more, and the delivery stays a fact', async () => {
    await delivered();
    await care().forgetGoods('key-1');
    const [entry] = await journal().all();
    expect(entry?.facts).toEqual([{ ...GOODS, sealed: '' }]);
    for (const name of files()) {
      expect(readFileSync(join(folder(), name), 'utf8')).not.toContain('v1.sealed');
    }
    expect(files()).toEqual(['attempt-1.rec', 'fact-1-goods.rec', 'intent.rec']);
  });

  it('are forgotten once: a second time and an unknown key change nothing', async () => {
    await delivered();
    await care().forgetGoods('key-1');
    await care().forgetGoods('key-1');
    await care().forgetGoods('key-9');
    expect(await journal().all()).toHaveLength(1);
  });

  it('stay when the disk fails, and the journal stays whole', async () => {
    await delivered();
    const broken: Disk = {
      ...realDisk,
      replace: () => {
        throw Object.assign(new Error('replace'), { code: 'EIO' });
      },
    };
    await expect(care(broken).forgetGoods('key-1')).rejects.toMatchObject({
      code: 'JOURNAL_UNUSABLE',
    });
    expect((await journal().all())[0]?.facts).toEqual([GOODS]);
  });
});

describe('who comes second', () => {
  it('a second intent with the same key is given the first one’s entry', async () => {
    await journal().open(anIntent());
    const entry = await journal().open(anIntent({ intentId: 'intent-2', body: '{}' }));
    expect(entry.intent).toEqual(anIntent());
  });

  it('a second attempt of the same number is given the first one', async () => {
    await journal().open(anIntent());
    await journal().addAttempt(anIntent(), anAttempt(1, { header: 'first' }));
    const attempt = await journal().addAttempt(anIntent(), anAttempt(1, { header: 'second' }));
    expect(attempt.header).toBe('first');
  });

  it('an attempt written between reading and linking wins', async () => {
    await journal().open(anIntent());
    let rival: Promise<Attempt> | undefined;
    const overtaken: Disk = {
      ...realDisk,
      link: (from, to) => {
        rival ??= journal().addAttempt(anIntent(), anAttempt(1, { header: 'rival' }));
        realDisk.link(from, to);
      },
    };
    const attempt = await journal(overtaken).addAttempt(anIntent(), anAttempt(1));
    expect(attempt.header).toBe('rival');
    expect((await rival)?.header).toBe('rival');
  });

  it('the same fact found twice is written once', async () => {
    await fullEntry();
    await journal().addFact(anIntent(), { ...DEAD, proof: 'found again' });
    const facts = (await journal().byKey('key-1'))?.facts.filter(({ fact }) => fact === 'dead');
    expect(facts).toEqual([DEAD]);
  });

  it('a second attempt is refused while the first is not proven dead', async () => {
    await journal().open(anIntent());
    await journal().addAttempt(anIntent(), anAttempt(1));
    await expect(journal().addAttempt(anIntent(), anAttempt(2))).rejects.toMatchObject({
      code: 'INTERNAL',
    });
    expect(files()).toEqual(['attempt-1.rec', 'intent.rec']);
  });

  it('a fact about an attempt that was never written is refused', async () => {
    await journal().open(anIntent());
    await expect(journal().addFact(anIntent(), ACCEPTED)).rejects.toMatchObject({
      code: 'INTERNAL',
    });
  });
});

describe('damage', () => {
  const isFound = async (): Promise<void> => {
    await expect(journal().all()).rejects.toMatchObject({ code: 'JOURNAL_UNUSABLE' });
    await expect(journal().byKey('key-1')).rejects.toMatchObject({ code: 'JOURNAL_UNUSABLE' });
  };

  it('any changed byte of any record is found, and the file named', async () => {
    await fullEntry();
    for (const name of files()) {
      const path = join(folder(), name);
      const bytes = readFileSync(path);
      for (let index = 0; index < bytes.length; index += 1) {
        const changed = Buffer.from(bytes);
        changed[index] = (bytes[index] ?? 0) ^ (1 << (index % 8));
        writeFileSync(path, changed);
        const error: unknown = await journal()
          .byKey('key-1')
          .catch((thrown: unknown) => thrown);
        // What cannot be read may be of a payment that landed.
        const expected = { code: 'JOURNAL_UNUSABLE', fundsAtRisk: 'possible' };
        expect(error, `${name}, byte ${index}`).toMatchObject(expected);
        expect(String(error)).toContain('.rec');
      }
      writeFileSync(path, bytes);
    }
    expect(await journal().all()).toHaveLength(1);
  });

  it('a record cut anywhere, or longer than it was, is found', async () => {
    await fullEntry();
    const path = join(folder(), 'fact-1-dead.rec');
    const bytes = readFileSync(path);
    for (let length = 0; length < bytes.length; length += 1) {
      writeFileSync(path, bytes.subarray(0, length));
      await isFound();
    }
    writeFileSync(path, Buffer.concat([bytes, Buffer.from('\n')]));
    await isFound();
  });

  it.each(['intent.rec', 'attempt-1.rec', 'fact-1-dead.rec'])(
    'a missing %s is found',
    async (name) => {
      await fullEntry();
      rmSync(join(folder(), name));
      await isFound();
    },
  );

  it.each([
    ['attempt-2.rec', 'attempt-1.rec'],
    ['fact-1-accepted.rec', 'fact-2-accepted.rec'],
    ['fact-1-accepted.rec', 'fact-1-landed.rec'],
    ['fact-0-closed.rec', 'fact-0-other.rec'],
    ['intent.rec', 'intent-2.rec'],
  ])('%s in the place of %s is found', async (from, to) => {
    await fullEntry();
    copyFileSync(join(folder(), from), join(folder(), to));
    await isFound();
  });

  it('an entry under another key is found', async () => {
    await fullEntry();
    renameSync(folder(), folder('key-2'));
    await expect(journal().all()).rejects.toMatchObject({ code: 'JOURNAL_UNUSABLE' });
  });

  it('another wallet’s entry is found', async () => {
    await fullEntry();
    mkdirSync(join(dir, 'other'));
    renameSync(folder(), join(dir, 'other', folder().split('/').at(-1) ?? ''));
    await expect(openJournal({ dir, payer: 'other' }).all()).rejects.toMatchObject({
      code: 'JOURNAL_UNUSABLE',
    });
  });

  it('a record of another version is refused', async () => {
    await journal()
      .open({ ...anIntent(), version: 2 as 1 })
      .catch(() => undefined);
    await isFound();
  });
});

describe('a disk that fails', () => {
  /** Fails at the nth step with the code. */
  function failingDisk(nth: number, code: string): Disk {
    let steps = 0;
    const step =
      <Args extends readonly unknown[]>(name: string, run: (...args: Args) => void) =>
      (...args: Args) => {
        steps += 1;
        if (steps === nth) throw Object.assign(new Error(name), { code });
        run(...args);
      };
    return {
      create: step('create', realDisk.create),
      link: step('link', realDisk.link),
      remove: realDisk.remove,
      replace: step('replace', realDisk.replace),
      makeDirectory: step('makeDirectory', realDisk.makeDirectory),
      syncDirectory: step('syncDirectory', realDisk.syncDirectory),
    };
  }

  it.each(['ENOSPC', 'EIO', 'EROFS', 'EPERM'])(
    '%s at any step is JOURNAL_UNUSABLE',
    async (code) => {
      for (let nth = 1; nth <= 6; nth += 1) {
        const disk = failingDisk(nth, code);
        await expect(journal(disk).open(anIntent({ key: `${code}-${nth}` }))).rejects.toMatchObject(
          {
            code: 'JOURNAL_UNUSABLE',
          },
        );
      }
      await journal(failingDisk(7, code)).open(anIntent({ key: 'all steps' }));
    },
  );

  it('an attempt that could not be linked is not there', async () => {
    await journal().open(anIntent());
    const disk = failingDisk(2, 'EIO');
    await expect(journal(disk).addAttempt(anIntent(), anAttempt(1))).rejects.toMatchObject({
      code: 'JOURNAL_UNUSABLE',
    });
    expect((await journal().byKey('key-1'))?.attempts).toEqual([]);
  });

  it('a temporary file of a crash is ignored, and swept when it is old', async () => {
    await journal().open(anIntent());
    const [fresh, old] = ['1', '2'].map((digit) =>
      join(folder(), `.${digit}b9f4f0e-3c3b-4d8e-9f0a-6f3d1f7a2b4c.tmp`),
    ) as [string, string];
    writeFileSync(fresh, 'half a rec');
    writeFileSync(old, 'half a rec');
    utimesSync(old, 1_000, 1_000);
    expect(await journal().all()).toHaveLength(1);
    await journal().addAttempt(anIntent(), anAttempt(1));
    expect([existsSync(fresh), existsSync(old)]).toEqual([true, false]);
  });

  it('a folder without an intent is no entry', async () => {
    mkdirSync(folder(), { recursive: true });
    writeFileSync(join(folder(), '.0b9f4f0e-3c3b-4d8e-9f0a-6f3d1f7a2b4c.tmp'), '');
    expect(await journal().all()).toEqual([]);
  });
});

describe('what the first screen shows of all wallets', () => {
  const shown = () => unfinishedEntries(dir).map(({ intent }) => intent.key);
  const entry = async (key: string, ...facts: readonly JournalEvent[]) => {
    const intent = anIntent({ key, intentId: key });
    await journal().open(intent);
    await journal().addAttempt(intent, anAttempt(1));
    for (const fact of facts) await journal().addFact(intent, fact);
  };

  it('is what may be paid and what is ordered, and nothing that ended or was never signed', async () => {
    await entry('in flight');
    await entry('ordered', ACCEPTED);
    await entry('delivered', { fact: 'goods', attempt: 1, status: 'completed', sealed: 'x' });
    await entry('for a person', { fact: 'attention', reason: 'r' });
    await entry('dead', DEAD);
    await journal().open(anIntent({ key: 'unsigned', intentId: 'unsigned' }));
    expect(shown().toSorted()).toEqual(['in flight', 'ordered']);
  });

  it('is nothing where a journal is damaged', async () => {
    await entry('in flight');
    writeFileSync(join(folder('in flight'), 'intent.rec'), 'no record');
    expect(shown()).toEqual([]);
  });
});
