/** Folders of tests: all lie in that of the run, which is gone after it (`memory-folder.ts`). */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export function tempFolder(): string {
  return mkdtempSync(join(tmpdir(), 'test-'));
}
