import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeEach, describe, expect, it } from 'vitest';
import { openStore } from '../../src/store/open.ts';
import { openSqliteChain, openSqliteStore } from '../../src/store/sqlite.ts';
import { connect } from '../../src/store/sqlite-driver.ts';
import type { LookFirst } from '../../src/store/store.ts';
import { bundleProgram } from '../support/bundle.ts';
import { increment } from '../support/increment.ts';
import { describeChainStore, describeStore, orderRow, sessionRow } from '../support/store-suite.ts';
import { tempFolder } from '../support/temp-folder.ts';

describeStore('SQLite in memory', () => openSqliteStore(':memory:'));
describeChainStore('SQLite in memory', () => openSqliteChain(':memory:'));

describe('a SQLite file', () => {
  let folder: string;
  let path: string;
  beforeEach(async () => {
    folder = tempFolder();
    path = join(folder, 'state', 'sandbox.db');
  });

  it('is private, with its folder and its side files', async () => {
    const store = await openSqliteStore(path);
    await store.tables.facts.set('a', 'b');
    const mode = async (name: string) => ((await stat(name)).mode & 0o777).toString(8);
    expect(await mode(join(folder, 'state'))).toBe('700');
    for (const name of [path, `${path}-wal`, `${path}-shm`]) expect(await mode(name)).toBe('600');
    await store.close();
  });

  it('becomes private again', async () => {
    await openSqliteStore(path).then(({ close }) => close());
    await chmod(path, 0o644);
    await openSqliteStore(path).then(({ close }) => close());
    expect(((await stat(path)).mode & 0o777).toString(8)).toBe('600');
  });

  it('shows what it holds before anything is written: nothing while no shop was begun in it', async () => {
    const seen: unknown[] = [];
    const look: LookFirst = async (facts) => {
      seen.push(existsSync(path), await facts?.get('a'));
    };
    const first = await openSqliteStore(path, look);
    await first.tables.facts.set('a', 'b');
    await first.close();
    await openSqliteStore(path, look).then(({ close }) => close());
    expect(seen).toEqual([false, undefined, true, 'b']);
    const empty = join(folder, 'empty.db');
    await writeFile(empty, '');
    await openSqliteStore(empty, async (facts) => {
      seen.push(facts);
    }).then(({ close }) => close());
    expect(seen.at(-1)).toBeUndefined();
    expect(seen).toHaveLength(5);
    await openSqliteStore(':memory:', async (facts) => {
      seen.push(facts);
    }).then(({ close }) => close());
    expect(seen.slice(5)).toEqual([undefined]);
  });

  it('is left as it was when the look refuses it or a newer program changed what older ones know', async () => {
    const fault = new RangeError('of another shop');
    const refuse = () => openSqliteStore(path, () => Promise.reject(fault));
    await expect(refuse()).rejects.toBe(fault);
    expect(existsSync(path)).toBe(false);
    const store = await openSqliteStore(path);
    await store.close();
    await expect(refuse()).rejects.toBe(fault);
    const { run, close } = await connect(path);
    await run('pragma application_id = 1000');
    await (await openSqliteStore(path)).close();
    await run('pragma user_version = 1000');
    await close();
    const newer = { code: 'STORE_UNUSABLE', message: expect.stringContaining('version 1000') };
    await expect(openSqliteStore(path)).rejects.toMatchObject(newer);
  });

  it('keeps everything over a restart', async () => {
    const first = await openSqliteStore(path);
    await first.write(async (tables) => {
      await tables.sessions.insert(sessionRow());
      await tables.orders.insert(orderRow(), []);
    });
    await first.close();
    const second = await openStore(`sqlite:${path}`);
    expect(await second.tables.sessions.byId('session-1')).toEqual(sessionRow());
    expect(await second.tables.orders.byId('order-1')).toEqual(orderRow());
    await second.close();
  });

  it('tells the servers that closed, those that live, and those that died', async () => {
    const [one, other] = await Promise.all([openSqliteStore(path), openSqliteStore(path)]);
    await one.write((tables) => one.presence.note(tables));
    const [mark = ''] = await other.tables.servers.all();
    const ofMark = (more: object) => JSON.stringify({ ...JSON.parse(mark), ...more });
    const dead = ofMark({ started: '1' });
    await other.tables.servers.add(dead);
    await other.tables.servers.add(ofMark({ pid: 1, space: 'another machine' }));
    expect(await other.presence.dead(other.tables)).toEqual([dead]);
    await one.close();
    expect(await other.tables.servers.all()).not.toContain(mark);
    await other.close();
  });

  it('is shared by two connections of one process, whose writes wait for each other', async () => {
    const stores = await Promise.all([openSqliteStore(path), openSqliteStore(path)]);
    await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        stores[index % 2]?.write(({ facts }) => increment(facts)),
      ),
    );
    expect(await stores[0].tables.facts.get('counter')).toBe('40');
    await Promise.all(stores.map((store) => store.close()));
  });

  it('writers that come together share a commit, and the fault of one undoes its own work alone', async () => {
    const store = await openSqliteStore(path);
    const beside = await openSqliteStore(path);
    const fault = new RangeError('no');
    const seen: unknown[] = [];
    const outcomes = await Promise.allSettled([
      // The first has the lock at once; the others wait for it together.
      store.write(({ facts }) => facts.set('one', '1')),
      store.write(({ facts }) => facts.set('two', '2')),
      store.write(async ({ facts }) => {
        await facts.set('three', '3');
        throw fault;
      }),
      store.write(async ({ facts }) => {
        await facts.set('four', '4');
        seen.push(await beside.tables.facts.get('two'));
        return 'done';
      }),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual([
      'fulfilled',
      'fulfilled',
      'rejected',
      'fulfilled',
    ]);
    expect(outcomes[2]).toMatchObject({ reason: fault });
    // The second was not on disk while the fourth was at work.
    expect(seen).toEqual([undefined]);
    const { facts } = beside.tables;
    const read = ['one', 'two', 'three', 'four'].map((name) => facts.get(name));
    expect(await Promise.all(read)).toEqual(['1', '2', undefined, '4']);
    await Promise.all([store.close(), beside.close()]);
  });

  it('shows a reader what is committed and nothing else', async () => {
    const writer = await openSqliteStore(path);
    const reader = await openSqliteStore(path);
    await writer.write(async ({ facts }) => {
      await facts.set('a', 'b');
      expect(await reader.tables.facts.get('a')).toBeUndefined();
    });
    expect(await reader.tables.facts.get('a')).toBe('b');
    await Promise.all([writer.close(), reader.close()]);
  });

  it('is made and written by several processes at once', async () => {
    const program = await bundleProgram('counting-process', folder);
    const run = promisify(execFile);
    await Promise.all(
      Array.from({ length: 4 }, () => run(process.execPath, [program, path, '25'])),
    );
    const store = await openSqliteStore(path);
    expect(await store.tables.facts.get('counter')).toBe('100');
    await store.close();
  });

  // The kernel drops a process's locks on a file when it closes any descriptor of that file: another
  // process would then take itself for the last one, and delete what this one goes on writing to.
  it('a second connection of this process leaves the locks of the first in place', async () => {
    const program = await bundleProgram('counting-process', folder);
    const count = () => promisify(execFile)(process.execPath, [program, path, '1']);
    const first = await openSqliteStore(path);
    const second = await openSqliteStore(path);
    await count();
    await first.write(({ facts }) => increment(facts));
    await count();
    expect(await first.tables.facts.get('counter')).toBe('3');
    await Promise.all([first.close(), second.close()]);
  });

  it('is refused when it is no database', async () => {
    await mkdir(join(folder, 'state'));
    await writeFile(path, 'not a database, but long enough to be read as one'.repeat(100));
    await expect(openSqliteStore(path)).rejects.toMatchObject({ code: 'STORE_UNUSABLE' });
    expect(await readFile(path, 'utf8')).toContain('not a database');
  });

  it('is refused when the folder cannot be made', async () => {
    await writeFile(join(folder, 'state'), '');
    await expect(openSqliteStore(path)).rejects.toMatchObject({ code: 'STORE_UNUSABLE' });
  });
});

it('an unknown kind of store is refused by name', async () => {
  await expect(openStore('mysql://host/db')).rejects.toMatchObject({ code: 'USAGE' });
});
