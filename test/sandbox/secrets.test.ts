import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { checkSecrets, openSecrets, readSecrets } from '../../src/sandbox/data-folder.ts';
import { fingerprintOf } from '../../src/store/ownership.ts';

const folders: string[] = [];
function newFolder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'scrip-secrets-'));
  folders.push(dir);
  return dir;
}
afterAll(() => {
  for (const dir of folders) rmSync(dir, { recursive: true, force: true });
});

describe('the secret of a data folder', () => {
  it('is made once, private, and gives the same keys again', () => {
    const dir = newFolder();
    const first = openSecrets(dir)('vouchers');
    expect(openSecrets(dir)('vouchers')).toEqual(first);
    expect(openSecrets(dir)('fee payer')).not.toEqual(first);
    expect(statSync(join(dir, 'secret.key')).mode & 0o777).toBe(0o600);
  });

  it('differs from folder to folder', () => {
    expect(openSecrets(newFolder())('vouchers')).not.toEqual(openSecrets(newFolder())('vouchers'));
  });

  it('is refused when it was cut short', () => {
    const dir = newFolder();
    writeFileSync(join(dir, 'secret.key'), 'short');
    expect(() => openSecrets(dir)).toThrow(expect.objectContaining({ code: 'STORE_UNUSABLE' }));
  });

  it('is refused beside a database that was begun with another', () => {
    const dataDir = newFolder();
    const known = fingerprintOf(openSecrets(dataDir));
    const check = (secretDir: string, database?: string) => () =>
      checkSecrets(readSecrets(secretDir), known, { dataDir: secretDir, database });
    expect(check(dataDir)).not.toThrow();
    const other = newFolder();
    openSecrets(other);
    expect(check(other)).toThrow('secret.key does not belong to this sandbox.db');
    expect(check(other, 'postgres://h/d')).toThrow('secret.key does not belong to this database');
    expect(check(newFolder(), 'postgres://h/d')).toThrow('There is no secret.key in ');
  });
});
