/** What a file must be to be read: each row breaks one rule. */
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  linkSync,
  mkdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { type FileRules, readChecked } from '../../src/disk/checked-file.ts';
import { tempFolder } from '../support/temp-folder.ts';

const isRoot = process.geteuid?.() === 0;
const STRICT: FileRules = {
  maxBytes: 4,
  ownWithout: 0o077,
  isFolderChecked: true,
  hasOneName: true,
};

let dir: string;
let path: string;
beforeEach(() => {
  dir = tempFolder();
  path = join(dir, 'file');
  writeFileSync(path, 'text', { mode: 0o600 });
});

/** Puts something else where the file was. */
function instead(make: () => void): void {
  rmSync(path);
  make();
}

function toOther(): void {
  writeFileSync(join(dir, 'other'), 'text', { mode: 0o600 });
  instead(() => symlinkSync(join(dir, 'other'), path));
}

describe('a file that is read under every rule', () => {
  it('is given with its bytes', () => {
    const file = readChecked(path, STRICT);
    expect(file.fault === undefined && file.bytes.toString()).toBe('text');
  });

  it.each([
    ['that is not there', 'missing', () => rmSync(path)],
    ['behind a link', 'link', toOther],
    ['behind a link to nothing', 'link', () => instead(() => symlinkSync('/nowhere/x', path))],
    ['that is a folder', 'irregular', () => instead(() => mkdirSync(path))],
    [
      'that is a pipe, without waiting for it',
      'irregular',
      () => instead(() => void spawnSync('mkfifo', [path])),
    ],
    ['that the group may read', 'exposed', () => chmodSync(path, 0o640)],
    ['that has a byte too many', 'too-large', () => writeFileSync(path, '12345')],
    ['in a folder that others may write to', 'open-folder', () => chmodSync(dir, 0o777)],
    ['that has a second name', 'second-name', () => linkSync(path, join(dir, 'other'))],
  ])('%s is refused: %s', (_what, fault, spoil) => {
    spoil();
    expect(readChecked(path, STRICT).fault).toBe(fault);
  });

  it.runIf(isRoot)('of another user is refused: not-own', () => {
    chownSync(path, 12_345, 0);
    expect(readChecked(path, STRICT).fault).toBe('not-own');
  });

  it('below a file is refused with the error of the file system', () => {
    const file = readChecked(join(path, 'below'), STRICT);
    expect(file).toMatchObject({ fault: 'missing', cause: { code: 'ENOTDIR' } });
  });
});

describe('a rule that is left out', () => {
  it.each<readonly [string, FileRules, () => void]>([
    ['a link', { maxBytes: 4, isLinkFollowed: true }, toOther],
    ['a loose mode', { maxBytes: 4 }, () => chmodSync(path, 0o666)],
    [
      'a mode without the bits that matter',
      { maxBytes: 4, ownWithout: 0o022 },
      () => chmodSync(path, 0o644),
    ],
    [
      'a loose folder',
      { maxBytes: 4, ownWithout: 0o077, hasOneName: true },
      () => chmodSync(dir, 0o777),
    ],
    ['a sticky folder, as /tmp is', STRICT, () => chmodSync(dir, 0o1777)],
    ['a second name', { maxBytes: 4 }, () => linkSync(path, join(dir, 'other'))],
  ])('allows %s', (_what, rules, loosen) => {
    loosen();
    expect(readChecked(path, rules).fault).toBeUndefined();
  });
});
