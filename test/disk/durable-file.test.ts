/** Files that are written whole: each step that fails leaves what was there. */
import fs, {
  chownSync,
  fstatSync,
  linkSync,
  lutimesSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { makeFolder } from '../../src/disk/checked-file.ts';
import {
  createDurably,
  type Disk,
  realDisk,
  replaceDurably,
  sweepFolder,
  syncFolder,
} from '../../src/disk/files.ts';
import { tempFolder } from '../support/temp-folder.ts';

let dir: string;
let path: string;
beforeEach(() => {
  dir = tempFolder();
  path = join(dir, 'file');
});

const failing = (step: keyof Disk): Disk => ({
  ...realDisk,
  [step]: () => {
    throw Object.assign(new Error(step), { code: 'EIO' });
  },
});

/** What is brought to disk meanwhile, in order; a file that fails there has the disk's fault. */
function synced(work: () => void, fault?: Error): readonly string[] {
  const seen: string[] = [];
  const { fsyncSync, openSync, closeSync } = fs;
  let open = 0;
  Object.assign(fs, {
    fsyncSync: (file: number) => {
      seen.push(fstatSync(file).isDirectory() ? 'folder' : 'file');
      if (fault !== undefined) throw fault;
      fsyncSync(file);
    },
    openSync: (...args: Parameters<typeof openSync>) => {
      const file = openSync(...args);
      open += 1;
      return file;
    },
    closeSync: (file: number) => {
      open -= 1;
      closeSync(file);
    },
  });
  syncBuiltinESMExports();
  try {
    work();
  } finally {
    Object.assign(fs, { fsyncSync, openSync, closeSync });
    syncBuiltinESMExports();
  }
  expect(open).toBe(0);
  return seen;
}

describe('on disk, when the call returns,', () => {
  it.each<[string, () => void]>([
    ['a new file', () => createDurably(path, 'text')],
    ['a file that is whole at once', () => createDurably(path, 'text', { isWholeAtOnce: true })],
    ['a file in the place of another', () => replaceDurably(path, 'text')],
  ])('are the bytes of %s, and then its name', (_what, write) => {
    expect(synced(write)).toEqual(['file', 'folder']);
  });

  it('are the names of the folders that were made for it', () => {
    const write = () => replaceDurably(join(dir, 'a', 'b', 'file'), 'text');
    expect(synced(write).filter((what) => what === 'folder')).toHaveLength(3);
  });

  it('is nothing where the disk is broken', () => {
    const broken = Object.assign(new Error('broken'), { code: 'EIO' });
    const write = () => createDurably(path, 'text');
    expect(synced(() => expect(write).toThrow(broken), broken)).toEqual(['file']);
    expect(readdirSync(dir)).toEqual([]);
    expect(() => syncFolder(join(dir, 'none'))).toThrow(
      expect.objectContaining({ code: 'ENOENT' }),
    );
  });

  it('is the name of a file that another process was faster to make', () => {
    writeFileSync(path, 'theirs');
    const write = () => createDurably(path, 'ours', { isWholeAtOnce: true });
    expect(synced(() => expect(write).toThrow())).toEqual(['file', 'folder']);
  });
});

describe.each([false, true])('a new file, whole at once: %s', (isWholeAtOnce) => {
  it('is its owner’s alone, and nothing is left beside it', () => {
    createDurably(path, 'text', { isWholeAtOnce });
    expect(readFileSync(path, 'utf8')).toBe('text');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(dir)).toEqual(['file']);
  });

  it.each([
    ['a file', () => writeFileSync(path, 'mine')],
    ['a link to nothing', () => symlinkSync('/nowhere/x', path)],
  ])('is refused where there is %s', (_what, make) => {
    make();
    const create = () => createDurably(path, 'text', { isWholeAtOnce });
    expect(create).toThrow(expect.objectContaining({ code: 'EEXIST' }));
    expect(readdirSync(dir)).toEqual(['file']);
  });

  it('is made without hard links, unless it has to be whole at once', () => {
    const create = () => createDurably(path, 'text', { isWholeAtOnce, disk: failing('link') });
    if (isWholeAtOnce) expect(create).toThrow(expect.objectContaining({ code: 'EIO' }));
    else create();
    expect(readdirSync(dir)).toEqual(isWholeAtOnce ? [] : ['file']);
  });

  it('is not there when its name could not be made durable', () => {
    const disk = failing('syncDirectory');
    const create = () => createDurably(path, 'text', { isWholeAtOnce, disk });
    expect(create).toThrow(expect.objectContaining({ code: 'EIO' }));
    expect(readdirSync(dir)).toEqual(isWholeAtOnce ? ['file'] : []);
  });

  it('is not there when it could not be made', () => {
    const create = () => createDurably(path, 'text', { isWholeAtOnce, disk: failing('create') });
    expect(create).toThrow(expect.objectContaining({ code: 'EIO' }));
    expect(readdirSync(dir)).toEqual([]);
  });
});

describe('a file in the place of another', () => {
  it.each(['create', 'replace'] as const)('stays as it was when %s fails', (step) => {
    writeFileSync(path, 'old');
    const replace = () => replaceDurably(path, 'new', { disk: failing(step) });
    expect(replace).toThrow(expect.objectContaining({ code: 'EIO' }));
    expect(readFileSync(path, 'utf8')).toBe('old');
    expect(readdirSync(dir)).toEqual(['file']);
  });

  it('is made with its folder where there is none, in the mode that was asked for', () => {
    const deep = join(dir, 'a', 'b', 'file');
    replaceDurably(deep, 'new', { mode: 0o640 });
    expect(statSync(deep).mode & 0o777).toBe(0o640);
    expect(statSync(join(dir, 'a')).mode & 0o777).toBe(0o700);
  });

  it('takes the place of a link, and not of what it leads to', () => {
    writeFileSync(join(dir, 'target'), 'mine');
    symlinkSync(join(dir, 'target'), path);
    replaceDurably(path, 'new');
    expect(readFileSync(join(dir, 'target'), 'utf8')).toBe('mine');
    expect(readFileSync(path, 'utf8')).toBe('new');
  });
});

describe('what a killed process left', () => {
  const LEFTOVER = '.0b9f4f0e-3c3b-4d8e-9f0a-6f3d1f7a2b4c.tmp';

  it.each([
    ['is removed when it is old', LEFTOVER, 1, ['file']],
    ['stays while it may be in use', LEFTOVER, undefined, [LEFTOVER, 'file']],
    ['stays under a name that is not ours', '.backup.tmp', 1, ['.backup.tmp', 'file']],
  ])('%s', (_what, name, time, left) => {
    writeFileSync(join(dir, name), 'half a te');
    if (time !== undefined) utimesSync(join(dir, name), time, time);
    createDurably(path, 'text');
    sweepFolder(path);
    expect(readdirSync(dir)).toEqual(left);
  });

  it('stays for exactly an hour', () => {
    createDurably(path, 'text');
    utimesSync(path, 10_000, 10_000);
    for (const [name, at] of [
      [LEFTOVER, 6_400],
      ['.1b9f4f0e-3c3b-4d8e-9f0a-6f3d1f7a2b4c.tmp', 6_399],
    ] as const) {
      writeFileSync(join(dir, name), 'half a te');
      utimesSync(join(dir, name), at, at);
    }
    sweepFolder(path);
    expect(readdirSync(dir)).toEqual([LEFTOVER, 'file']);
  });

  it.runIf(process.getuid?.() === 0)('stays when it is another user’s', () => {
    writeFileSync(join(dir, LEFTOVER), 'half a te');
    utimesSync(join(dir, LEFTOVER), 1, 1);
    chownSync(join(dir, LEFTOVER), 12_345, 12_345);
    createDurably(path, 'text');
    sweepFolder(path);
    expect(readdirSync(dir)).toContain(LEFTOVER);
  });

  it('stays when it is a link', () => {
    writeFileSync(join(dir, 'target'), 'mine');
    symlinkSync(join(dir, 'target'), join(dir, LEFTOVER));
    lutimesSync(join(dir, LEFTOVER), 1, 1);
    createDurably(path, 'text');
    linkSync(path, join(dir, 'second'));
    sweepFolder(path);
    expect(readdirSync(dir)).toContain(LEFTOVER);
  });
});

describe('a folder', () => {
  it('is made with its parents, each its owner’s alone; the topmost is told', () => {
    expect(makeFolder(join(dir, 'a', 'b', 'c'))).toBe(join(dir, 'a'));
    for (const made of ['a', 'a/b', 'a/b/c']) {
      expect(statSync(join(dir, made)).mode & 0o777).toBe(0o700);
    }
    expect(makeFolder(join(dir, 'a', 'b', 'c'))).toBeUndefined();
    expect(makeFolder('/')).toBeUndefined();
  });

  it('is an error where a file or a link to nothing stands', () => {
    writeFileSync(path, '');
    symlinkSync(join(dir, 'nowhere'), join(dir, 'link'));
    expect(() => makeFolder(path)).toThrow(/EEXIST/);
    expect(() => makeFolder(join(path, 'below'))).toThrow(/ENOTDIR/);
    expect(() => makeFolder(join(dir, 'link'))).toThrow(/EEXIST/);
  });

  it.skipIf(process.platform !== 'linux')('is an error, and no loop, in /proc', () => {
    expect(() => makeFolder('/proc/scrip/a/b')).toThrow(/ENOENT/);
  });
});
