/**
 * Tells of a newer release. The user's own npm looks for it, by its own settings, in a process that nobody waits
 * for; what it finds is told by the next command.
 */

import { closeSync } from 'node:fs';
import { dirname } from 'node:path';
import { t } from '../domain/message/message.ts';
import { startNpm } from '../net/user-program.ts';
import {
  cacheTimeMs,
  openCacheFile,
  readCacheFile,
  writeCacheFile,
} from '../records/cache-files.ts';

const DAY_MS = 86_400_000;
/** npm prints the version, or nothing: it is silent about packages that it does not find. */
const LATEST = ['view', 'scrip-cli', 'dist-tags.latest'];
const QUICKLY = ['--loglevel=silent', '--no-update-notifier', '--fetch-retries=0', '--logs-max=0'];

interface Release {
  /** Of this program. */
  readonly version: string;
  /** The file that runs, links resolved. */
  readonly script: string;
  readonly updateNotice: string;
  /** Cache file: what npm found last, or empty since it was told; its time is that of either. */
  readonly updatePath: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly nowMs: number;
}

/** Returns what to tell, at most once a day. @throws the file system's error */
export function updateNotice({ version, script, env, nowMs, ...settings }: Release) {
  const { updatePath: path } = settings;
  const isAutomated = !/^(?:false|0)?$/.test(env.CI ?? '') || env.NO_UPDATE_NOTIFIER !== undefined;
  const isOfNpm = /[\\/]node_modules[\\/]scrip-cli[\\/]/.test(script);
  if (settings.updateNotice !== 'on' || isAutomated || !isOfNpm) return undefined;
  const found = readCacheFile(path)?.trim() ?? '';
  if (isNewer(found, version)) {
    writeCacheFile(path, '');
    return t`scrip ${found} is available; this is ${version}. To update: npm install --global scrip-cli`;
  }
  const writtenMs = cacheTimeMs(path);
  if (writtenMs !== undefined && Math.abs(nowMs - writtenMs) < DAY_MS) return undefined;
  const to = openCacheFile(path);
  startNpm([...LATEST, ...QUICKLY], { to, folder: dirname(path) });
  closeSync(to);
  return undefined;
}

/** Releases alone: what is tried out before one is for those who ask for it. */
function isNewer(found: string, version: string): boolean {
  const [one, other] = [found, version].map((text) => /^(\d+)\.(\d+)\.(\d+)$/.exec(text));
  if (!one || !other) return false;
  const at = [1, 2, 3].find((part) => one[part] !== other[part]);
  return at !== undefined && Number(one[at]) > Number(other[at]);
}
