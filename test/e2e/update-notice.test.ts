/** What a person at a terminal is told of a newer release, and who is asked for it: the registry of their own npm. */
import {
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { hostThat } from '../support/at-end.ts';
import { makeHome } from '../support/cli.ts';
import { installPackage } from '../support/installed.ts';
import { noTerminalBecause, openProgram } from '../support/terminal.ts';

const NEWEST = '99.1.0';
const DAY_S = 86_400;
const TOLD = `scrip ${NEWEST} is available`;

const registry = { asked: [] as string[], status: 200 };
const url = await hostThat(({ url: path }, response) => {
  registry.asked.push(path ?? '');
  const dist = { tarball: `${url}/scrip-cli.tgz`, shasum: '0'.repeat(40) };
  const version = { name: 'scrip-cli', version: NEWEST, dist };
  const text = JSON.stringify({
    ...{ _id: 'scrip-cli', name: 'scrip-cli', 'dist-tags': { latest: NEWEST } },
    versions: { [NEWEST]: version },
  });
  response.writeHead(registry.status, { 'content-type': 'application/json' });
  response.end(registry.status === 200 ? text : '{"error":"not found"}');
});

const installed = await installPackage();
afterAll(() => installed.remove());
const bin = join(installed.dir, 'node_modules', 'scrip-cli', 'bin', 'scrip.js');
const home = makeHome();
writeFileSync(join(home.dir, '.npmrc'), `registry=${url}/\n`);
const file = join(home.dir, '.cache', 'scrip', 'latest-version');

const words = ['config', 'path'];
async function run(env: Readonly<Record<string, string>> = {}, more: readonly string[] = []) {
  const program = [process.execPath, bin, ...words, ...more];
  const terminal = openProgram(program, home, { env: { ...env } });
  expect(await terminal.ended).toBe(0);
  return terminal.written();
}
const left = () => (existsSync(file) ? readFileSync(file, 'utf8').trim() : undefined);
function leave(text: string, ageS = 0): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  const atS = Date.now() / 1_000 - ageS;
  utimesSync(file, atS, atS);
}

beforeEach(() => {
  rmSync(file, { force: true });
  registry.asked.length = 0;
  registry.status = 200;
});

describe.skipIf(noTerminalBecause !== undefined)('at a terminal', () => {
  it('the registry of the user’s npm is asked behind the command, and the next one tells once', async () => {
    expect(await run()).not.toContain('available');
    await expect.poll(left).toBe(NEWEST);
    expect(registry.asked).toEqual(['/scrip-cli']);
    expect(await run()).toContain(TOLD);
    for (const _ of [1, 2]) expect(await run()).not.toContain('available');
    expect(left()).toBe('');
    expect(registry.asked).toHaveLength(1);
  });

  it('it is asked again after a day, whatever the clock', async () => {
    for (const ageS of [DAY_S + 60, -DAY_S - 60]) {
      leave('', ageS);
      await run();
      await expect.poll(left).toBe(NEWEST);
    }
    expect(registry.asked).toHaveLength(2);
    leave('', DAY_S - 60);
    await run();
    expect(left()).toBe('');
  });

  it('nothing is told of a package that was never published', async () => {
    registry.status = 404;
    expect(await run()).not.toContain('available');
    await expect.poll(() => registry.asked).toEqual(['/scrip-cli']);
    expect(await run()).not.toMatch(/404|available/);
    expect(left()).toBe('');
  });

  it.each(['0.0.1', '99.1.0-beta.1', 'not a version', '\u001b[31m99.1.0'])(
    'nothing is told of %j',
    async (text) => {
      leave(text);
      expect(await run()).not.toContain('available');
    },
  );

  it.each<[string, Readonly<Record<string, string>>, readonly string[]]>([
    ['CI', { CI: 'true' }, []],
    ['NO_UPDATE_NOTIFIER', { NO_UPDATE_NOTIFIER: '1' }, []],
    ['the setting', { SCRIP_UPDATE_NOTICE: 'off' }, []],
    ['--json', {}, ['--json']],
  ])('%s silences it: nothing is told, and nobody is asked', async (_what, env, more) => {
    leave(NEWEST);
    expect(await run(env, more)).not.toContain('available');
    leave('', DAY_S + 60);
    const { mtimeMs } = statSync(file);
    await run(env, more);
    expect(statSync(file).mtimeMs).toBe(mtimeMs);
    expect(registry.asked).toEqual([]);
  });
});

it('a pipe is told nothing, and nobody is asked', async () => {
  leave(NEWEST);
  const other = makeHome([process.execPath, bin]);
  const { stderr } = await other.run(words, { env: { HOME: home.dir } });
  expect(stderr).toBe('');
  expect(left()).toBe(NEWEST);
});
