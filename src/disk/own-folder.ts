/** Creates folders that only their owner may read; the one place that creates any. */
import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { errorCode } from '../domain/error-code.ts';

/**
 * Creates a folder with mode 0700 and its missing parents; returns the topmost one that was created. Node's
 * own recursive mkdir never ends, and blocks SIGTERM, where the system says ENOENT for a name whose parent
 * exists: /proc does.
 * @throws the file system's error
 */
export function makeFolder(path: string): string | undefined {
  try {
    return create(path);
  } catch (error) {
    const parent = dirname(path);
    if (errorCode(error) !== 'ENOENT' || parent === path) throw error;
    const top = makeFolder(parent);
    const own = create(path);
    return top ?? own;
  }
}

/** Undefined for a folder that exists. Some systems name another error than EEXIST for one. */
function create(path: string): string | undefined {
  try {
    mkdirSync(path, { mode: 0o700 });
    return path;
  } catch (error) {
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return undefined;
    throw error;
  }
}
