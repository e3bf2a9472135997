/** The file of kept answers: whole, for its owner alone, and gone when it is removed. */
import { readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { createSmallFile } from '../../src/records/small-files.ts';
import { tempFolder } from '../support/temp-folder.ts';

let folder: string;
beforeEach(() => {
  folder = tempFolder();
});

describe('a small file', () => {
  it('is none at first, and removing none is no error', async () => {
    const draft = createSmallFile(join(folder, 'missing', 'draft.json'));
    expect(await draft.read()).toBeUndefined();
    await draft.remove();
  });

  it('is replaced whole, is private, and leaves nothing beside it', async () => {
    const path = join(folder, 'state', 'draft.json');
    const draft = createSmallFile(path);
    await draft.write('first, and longer than the second');
    await draft.write('second');
    expect(await draft.read()).toBe('second');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(join(folder, 'state')).mode & 0o777).toBe(0o700);
    expect(readdirSync(join(folder, 'state'))).toEqual(['draft.json']);
    await draft.remove();
    expect(await draft.read()).toBeUndefined();
  });

  it('is not read through a link, nor when it is too large', async () => {
    const path = join(folder, 'draft.json');
    writeFileSync(join(folder, 'elsewhere'), 'text');
    symlinkSync(join(folder, 'elsewhere'), path);
    const draft = createSmallFile(path);
    await expect(draft.read()).rejects.toMatchObject({ code: 'STORE_UNUSABLE' });
    rmSync(path);
    writeFileSync(path, 'x'.repeat(65_537));
    await expect(draft.read()).rejects.toMatchObject({ code: 'STORE_UNUSABLE' });
  });

  it('says so when the folder cannot be made', async () => {
    writeFileSync(join(folder, 'file'), '');
    const draft = createSmallFile(join(folder, 'file', 'draft.json'));
    await expect(draft.write('x')).rejects.toMatchObject({ code: 'STORE_UNUSABLE' });
  });

  it('is not replaced when another program changed it meanwhile', async () => {
    const path = join(folder, 'settings.json');
    const settings = createSmallFile(path);
    await settings.replace(undefined, 'one');
    await expect(settings.replace(undefined, 'two')).rejects.toMatchObject({
      code: 'STORE_UNUSABLE',
    });
    expect(await settings.read()).toBe('one');
    await settings.replace('one', 'two');
    expect(await settings.read()).toBe('two');
  });
});
