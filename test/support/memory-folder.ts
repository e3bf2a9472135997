/**
 * Homes and data folders of tests lie in memory, where there is enough of it: half of the time that they
 * take on the processor goes into a disk that nobody reads again.
 */
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Names the folder in which the workers of a run leave things for each other (`once-in-run.ts`). */
export const SHARED_FOLDER = 'SCRIP_TEST_SHARED';
/** The server of `postgres-server.ts` there, and the file of its process. */
export const POSTGRES = 'postgres';
export const POSTGRES_PID = 'server.pid';
const MEMORY = '/dev/shm';
const LEAST_BYTES = 4 * 1024 ** 3;

/** Called by vitest before the first file, and what it gives after the last one. */
export function setup(): () => void {
  const forget = useFolder();
  const shared = mkdtempSync(join(tmpdir(), 'scrip-shared-'));
  chmodSync(shared, 0o755);
  process.env[SHARED_FOLDER] = shared;
  return () => {
    endServer(join(shared, POSTGRES, POSTGRES_PID));
    rmSync(shared, { recursive: true, force: true });
    forget();
  };
}

/** Of `postgres-server.ts`, if any test asked for one. */
function endServer(pidFile: string): void {
  if (!existsSync(pidFile)) return;
  const pid = Number(readFileSync(pidFile, 'utf8'));
  try {
    // Its immediate shutdown, which ends its processes too.
    process.kill(pid, 'SIGQUIT');
  } catch {
    // It has ended by itself.
  }
}

function useFolder(): () => void {
  const folder = mkdtempSync(join(isFit() ? MEMORY : tmpdir(), 'scrip-'));
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
