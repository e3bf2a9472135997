import {
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { writeSecretFile } from '../../src/storage/secret-file.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'secret-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

describe('a file with codes', () => {
  it('is for its owner alone', () => {
    writeSecretFile(join(dir, 'card.json'), 'TEST-1');
    expect(readFileSync(join(dir, 'card.json'), 'utf8')).toBe('TEST-1');
    expect(statSync(join(dir, 'card.json')).mode & 0o777).toBe(0o600);
  });

  it('never replaces one that is there', () => {
    writeFileSync(join(dir, 'card.json'), 'mine');
    expect(() => writeSecretFile(join(dir, 'card.json'), 'TEST-1')).toThrow(
      expect.objectContaining({ code: 'OUTPUT_UNWRITABLE', exit: 13 }),
    );
    expect(readFileSync(join(dir, 'card.json'), 'utf8')).toBe('mine');
  });

  it.each(['target that exists', 'missing target'])('never follows a link to a %s', (kind) => {
    const target = join(dir, 'target');
    if (kind === 'target that exists') writeFileSync(target, 'mine');
    symlinkSync(target, join(dir, 'card.json'));
    expect(() => writeSecretFile(join(dir, 'card.json'), 'TEST-1')).toThrow(
      expect.objectContaining({ code: 'OUTPUT_UNWRITABLE' }),
    );
    expect(existsSync(target) && readFileSync(target, 'utf8')).not.toBe('TEST-1');
  });

  it('in a folder that does not exist is an error without the code', () => {
    try {
      writeSecretFile(join(dir, 'no', 'card.json'), 'TEST-1');
      expect.unreachable();
    } catch (error) {
      expect(String(error)).not.toContain('TEST-1');
      expect(error).toMatchObject({ code: 'OUTPUT_UNWRITABLE' });
    }
  });
});
