import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { writeSecretFile } from '../../src/disk/files.ts';
import { ScripError } from '../../src/domain/message/errors.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'secret-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const at = (name: string) => join(dir, name);

function refusal(path: string): ScripError {
  try {
    writeSecretFile(path, 'TEST-1');
  } catch (error) {
    if (error instanceof ScripError) return error;
    throw error;
  }
  return expect.unreachable();
}

/** The texts of the files in the folder of the test. */
function texts(): readonly string[] {
  return readdirSync(dir, { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => readFileSync(at(name), 'utf8'));
}

describe('a file with codes', () => {
  it('is for its owner alone', () => {
    writeSecretFile(at('card.json'), 'TEST-1');
    expect(readFileSync(at('card.json'), 'utf8')).toBe('TEST-1');
    expect(statSync(at('card.json')).mode & 0o777).toBe(0o600);
  });

  it.each<readonly [string, string, string, (path: string) => void]>([
    ['in the place of another', 'card.json', 'EEXIST', (path) => writeFileSync(path, 'mine')],
    [
      'through a link to a file',
      'card.json',
      'EEXIST',
      (path) => {
        writeFileSync(at('target'), 'mine');
        symlinkSync(at('target'), path);
      },
    ],
    [
      'through a link to nothing',
      'card.json',
      'EEXIST',
      (path) => symlinkSync(at('nothing'), path),
    ],
    ['in a folder that is not there', 'no/card.json', 'ENOENT', () => undefined],
  ])('is not written %s, and the error does not hold the code', (_what, name, cause, make) => {
    make(at(name));
    const before = texts();
    const error = refusal(at(name));
    expect(error).toMatchObject({ code: 'OUTPUT_UNWRITABLE', exit: 13, cause: { code: cause } });
    expect(JSON.stringify(error) + String(error)).not.toContain('TEST-1');
    expect(texts()).toEqual(before);
  });
});
