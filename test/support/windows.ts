/**
 * The real Node for Windows, under Wine. `npm run test:windows` fetches it and sets SCRIP_WINDOWS_NODE. Wine writes to
 * files better than to the pipes that Node makes.
 */
import { spawn, spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CliResult } from './cli.ts';

const NODE = process.env.SCRIP_WINDOWS_NODE ?? '';
const WINE = ['wine64', 'wine', '/usr/lib/wine/wine64'].find(
  (program) => NODE !== '' && spawnSync(program, ['--version']).status === 0,
);
export const noWindowsBecause =
  WINE === undefined ? 'needs Wine and SCRIP_WINDOWS_NODE: npm run test:windows' : undefined;

export interface WindowsHome {
  /** The user's profile folder, as Linux names it. */
  readonly profile: string;
  /** The words that start a script of the checkout, for a terminal. */
  readonly words: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  run(args: readonly string[], env?: Readonly<Record<string, string>>): Promise<CliResult>;
}

/** A fresh Windows, in a folder of its own. @param script of the checkout */
export async function windowsHome(folder: string, script: string): Promise<WindowsHome> {
  const env = {
    ...{ PATH: process.env.PATH ?? '', HOME: folder, WINEPREFIX: join(folder, 'prefix') },
    ...{ WINEDEBUG: '-all', WINEDLLOVERRIDES: 'mscoree,mshtml=' },
  };
  const start = async (words: readonly string[], more = {}): Promise<CliResult> => {
    const place = mkdtempSync(join(folder, 'run-'));
    const [out, err] = [join(place, 'stdout'), join(place, 'stderr')];
    const stdio = [openSync('/dev/null', 'r'), openSync(out, 'w'), openSync(err, 'w')];
    const child = spawn(WINE ?? '', words, { cwd: folder, env: { ...env, ...more }, stdio });
    for (const file of stdio) closeSync(file);
    return new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (status, signal) => {
        const [stdout, stderr] = [readFileSync(out, 'utf8'), readFileSync(err, 'utf8')];
        resolve({ status, signal, stdout, stderr });
      });
    });
  };
  // Node refuses what Wine is by default.
  await start(['reg', 'add', 'HKCU\\Software\\Wine', '/v', 'Version', '/d', 'win10', '/f']);
  const users = join(env.WINEPREFIX, 'drive_c', 'users');
  const [user = ''] = readdirSync(users).filter((name) => name !== 'Public');
  return {
    profile: join(users, user),
    words: [WINE ?? '', NODE, script],
    env,
    run: (args, more) => start([NODE, script, ...args], more),
  };
}
