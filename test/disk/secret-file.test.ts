import { readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { writeSecretFile } from '../../src/disk/files.ts';
import { thrownBy } from '../support/failure.ts';
import { tempFolder } from '../support/temp-folder.ts';

let dir: string;
beforeEach(() => {
  dir = tempFolder();
});

const at = (name: string) => join(dir, name);

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
    const error = thrownBy(() => writeSecretFile(at(name), 'TEST-1'));
    expect(error).toMatchObject({ code: 'OUTPUT_UNWRITABLE', exit: 13, cause: { code: cause } });
    expect(JSON.stringify(error) + String(error)).not.toContain('TEST-1');
    expect(texts()).toEqual(before);
  });
});
