import {
  chmodSync,
  chownSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readForeignFile, replaceForeignFile } from '../../src/records/foreign-file.ts';
import { readPolicyFile } from '../../src/records/small-files.ts';
import { thrownBy } from '../support/failure.ts';
import { tempFolder } from '../support/temp-folder.ts';

const AT_MS = Date.UTC(2026, 0, 2, 3, 4, 5, 678);
const STAMP = '20260102T030405Z';

let dir: string;
let path: string;
beforeEach(() => {
  dir = tempFolder();
  path = join(dir, 'settings.json');
});
afterEach(() => {
  chmodSync(dir, 0o700);
});

function modeOf(file: string): number {
  return statSync(file).mode & 0o777;
}

function codeOf(work: () => unknown): string {
  const { code, message } = thrownBy(work);
  return `${code}: ${message}`;
}

/** The super-user may write anywhere: the work is done as somebody else. */
function asOrdinaryUser<T>(work: () => T): T {
  const isSuper = process.geteuid?.() === 0;
  if (!isSuper) return work();
  process.seteuid?.(65_534);
  try {
    return work();
  } finally {
    process.seteuid?.(0);
  }
}

describe('a file of another program', () => {
  it('that is not there is made, with its folder, for its owner alone', () => {
    const deep = join(dir, 'a', 'b', 'settings.json');
    const file = readForeignFile(deep);
    expect(file).toEqual({ path: deep, target: deep, text: undefined });
    expect(replaceForeignFile(file, '{}\n', AT_MS)).toBeUndefined();
    expect(readFileSync(deep, 'utf8')).toBe('{}\n');
    expect(modeOf(deep)).toBe(0o600);
    expect(modeOf(join(dir, 'a'))).toBe(0o700);
  });

  it('is replaced with its mode kept, and what was there is kept beside it', () => {
    writeFileSync(path, 'old');
    chmodSync(path, 0o640);
    const copy = replaceForeignFile(readForeignFile(path), 'new', AT_MS);
    expect(copy).toBe(`${path}.scrip-backup-${STAMP}`);
    expect(readFileSync(path, 'utf8')).toBe('new');
    expect(readFileSync(`${copy}`, 'utf8')).toBe('old');
    expect(modeOf(path)).toBe(0o640);
    expect(modeOf(`${copy}`)).toBe(0o600);
    expect(readdirSync(dir)).toHaveLength(2);
  });

  it('keeps a byte order mark', () => {
    writeFileSync(path, '\uFEFF{}');
    expect(readForeignFile(path).text).toBe('\uFEFF{}');
  });

  it('replaced twice in a second leaves two copies', () => {
    writeFileSync(path, 'one');
    replaceForeignFile(readForeignFile(path), 'two', AT_MS);
    const copy = replaceForeignFile(readForeignFile(path), 'three', AT_MS);
    expect(copy).toBe(`${path}.scrip-backup-${STAMP}-2`);
    expect(readFileSync(`${copy}`, 'utf8')).toBe('two');
    expect(readFileSync(`${path}.scrip-backup-${STAMP}`, 'utf8')).toBe('one');
  });

  it('behind a link is replaced where it is; the link stays', () => {
    mkdirSync(join(dir, 'dotfiles'));
    const target = join(dir, 'dotfiles', 'real.json');
    writeFileSync(target, 'old');
    symlinkSync(target, path);
    const file = readForeignFile(path);
    expect(file).toEqual({ path, target, text: 'old' });
    replaceForeignFile(file, 'new', AT_MS);
    expect(lstatSync(path).isSymbolicLink()).toBe(true);
    expect(readFileSync(target, 'utf8')).toBe('new');
    expect(readdirSync(join(dir, 'dotfiles')).toSorted()).toEqual([
      'real.json',
      `real.json.scrip-backup-${STAMP}`,
    ]);
  });

  it('that another program has changed since is left to it', () => {
    writeFileSync(path, 'old');
    const file = readForeignFile(path);
    writeFileSync(path, 'theirs');
    expect(codeOf(() => replaceForeignFile(file, 'ours', AT_MS))).toMatch(
      /^AGENT_CONFIG_UNUSABLE: .* was changed by another program meanwhile/,
    );
    expect(readFileSync(path, 'utf8')).toBe('theirs');
    expect(readdirSync(dir)).toEqual(['settings.json']);
  });

  it('that came into being since is left to whoever made it', () => {
    const file = readForeignFile(path);
    writeFileSync(path, 'theirs');
    expect(codeOf(() => replaceForeignFile(file, 'ours', AT_MS))).toContain('meanwhile');
    expect(readFileSync(path, 'utf8')).toBe('theirs');
  });

  it('in a folder that may not be written to is left as it is', () => {
    writeFileSync(path, 'old');
    if (process.geteuid?.() === 0) {
      // Theirs, in a folder of theirs.
      for (const own of [dir, path]) chownSync(own, 65_534, 65_534);
    }
    chmodSync(dir, 0o500);
    const said = asOrdinaryUser(() =>
      codeOf(() => replaceForeignFile(readForeignFile(path), 'new', AT_MS)),
    );
    expect(said).toMatch(
      /^AGENT_CONFIG_UNUSABLE: .* cannot be written \(EACCES\); nothing was changed$/,
    );
    chmodSync(dir, 0o700);
    expect(readdirSync(dir)).toEqual(['settings.json']);
    expect(readFileSync(path, 'utf8')).toBe('old');
  });

  it.each([
    ['is a folder', 'is not a regular file', () => mkdirSync(path)],
    ['is a link to nothing', 'is a link to a missing file', () => symlinkSync('/nowhere/x', path)],
    ['is a link to itself', 'cannot be read (ELOOP)', () => symlinkSync(path, path)],
    [
      'is read-only',
      'is read-only',
      () => {
        writeFileSync(path, '');
        chmodSync(path, 0o444);
      },
    ],
    [
      'has a second name',
      'has a second name (hard link)',
      () => {
        writeFileSync(path, '');
        linkSync(path, join(dir, 'other'));
      },
    ],
  ])('that %s is refused', (_what, why, make) => {
    make();
    expect(codeOf(() => readForeignFile(path))).toBe(
      `AGENT_CONFIG_UNUSABLE: ${path} ${why}; nothing was changed`,
    );
  });

  it.runIf(process.geteuid?.() === 0)('that belongs to another user is refused', () => {
    writeFileSync(path, '');
    chownSync(path, 65_534, 65_534);
    expect(codeOf(() => readForeignFile(path))).toContain('belongs to another user');
  });

  it('that is no text is refused', () => {
    writeFileSync(path, Uint8Array.of(0x7b, 0xff, 0x7d));
    expect(codeOf(() => readForeignFile(path))).toMatch(
      /^AGENT_CONFIG_INVALID: .* is not UTF-8 text/,
    );
  });
});

describe('the policy file', () => {
  it('is refused in a folder that others may write to, with what closes it', () => {
    const policy = join(dir, 'policy.json');
    writeFileSync(policy, '{}', { mode: 0o600 });
    expect(readPolicyFile(policy)).toBe('{}');
    chmodSync(dir, 0o775);
    expect(() => readPolicyFile(policy)).toThrow(
      expect.objectContaining({
        code: 'POLICY_INVALID',
        message: `The policy file ${policy} is in a folder that others can write to`,
      }),
    );
  });
});
