import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkSecrets, openSecrets, readSecrets } from '../../src/sandbox/data-folder.ts';
import { fingerprintOf } from '../../src/store/ownership.ts';
import { tempFolder } from '../support/temp-folder.ts';

describe('the secret of a data folder', () => {
  it('is made once, private, and gives the same keys again', () => {
    const dir = tempFolder();
    const first = openSecrets(dir)('vouchers');
    expect(openSecrets(dir)('vouchers')).toEqual(first);
    expect(openSecrets(dir)('fee payer')).not.toEqual(first);
    expect(statSync(join(dir, 'secret.key')).mode & 0o777).toBe(0o600);
  });

  it('differs from folder to folder', () => {
    expect(openSecrets(tempFolder())('vouchers')).not.toEqual(
      openSecrets(tempFolder())('vouchers'),
    );
  });

  it('is refused when it was cut short', () => {
    const dir = tempFolder();
    writeFileSync(join(dir, 'secret.key'), 'short');
    expect(() => openSecrets(dir)).toThrow(expect.objectContaining({ code: 'STORE_UNUSABLE' }));
  });

  it('is refused beside a database that was begun with another', () => {
    const dataDir = tempFolder();
    const known = fingerprintOf(openSecrets(dataDir));
    const check = (secretDir: string, database?: string) => () =>
      checkSecrets(readSecrets(secretDir), known, { dataDir: secretDir, database });
    expect(check(dataDir)).not.toThrow();
    const other = tempFolder();
    openSecrets(other);
    expect(check(other)).toThrow('secret.key does not belong to this sandbox.db');
    expect(check(other, 'postgres://h/d')).toThrow('secret.key does not belong to this database');
    expect(check(tempFolder(), 'postgres://h/d')).toThrow('There is no secret.key in ');
  });
});
