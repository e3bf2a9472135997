/**
 * Homes and data folders of tests lie in memory, where there is enough of it: half of the time that they
 * take on the processor goes into a disk that nobody reads again.
 */
import { chmodSync, mkdtempSync, readFileSync, rmSync, statfsSync } from 'node:fs';

const MEMORY = '/dev/shm';
const LEAST_BYTES = 4 * 1024 ** 3;

/** Called by vitest before the first file, and what it gives after the last one. */
export function setup(): () => void {
  if (!isFit()) return () => undefined;
  const folder = mkdtempSync(`${MEMORY}/scrip-`);
  // Others may pass through it, as through /tmp: some tests run as an ordinary user.
  chmodSync(folder, 0o755);
  process.env.TMPDIR = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}

/** Large enough, and programs may be run from it. */
function isFit(): boolean {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    const mounts = readFileSync('/proc/mounts', 'utf8');
    const mount = mounts.split('\n').find((line) => line.split(' ')[1] === MEMORY);
    return bavail * bsize >= LEAST_BYTES && mount !== undefined && !mount.includes('noexec');
  } catch {
    return false;
  }
}
