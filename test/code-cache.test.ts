/** The engine's compiled code, of the build or of a user's first run, makes it fast, and changes nothing else. */
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, it } from 'vitest';
import { amazonProducts, orderOf } from './support/shop.ts';
import { tempFolder } from './support/temp-folder.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const TELL_REJECTED = `
  const { createLoader } = require('./bin/load.js');
  const { load, scripts } = createLoader(process.cwd() + '/dist', true);
  load('main.js');
  console.log(JSON.stringify([...scripts.values()].map((script) => script.cachedDataRejected)));`;

const folder = tempFolder();
beforeAll(() => {
  for (const part of ['bin', 'dist', 'package.json']) {
    cpSync(join(root, part), join(folder, part), { recursive: true });
  }
});

function node(...words: readonly string[]) {
  const options = { cwd: folder, env: { HOME: folder }, encoding: 'utf8' } as const;
  const { status, stdout, stderr } = spawnSync(process.execPath, words, options);
  return { status, stdout, stderr };
}

function cacheFiles(): readonly string[] {
  const cache = join(folder, 'dist', 'code-cache');
  const names = readdirSync(cache, { recursive: true, encoding: 'utf8' });
  return names.filter((name) => name.endsWith('.bin')).map((name) => join(cache, name));
}

it('the cache that the build leaves is taken by the engine that it was built with', () => {
  const { status, stdout } = node('-e', TELL_REJECTED);
  expect(status).toBe(0);
  const told: unknown = JSON.parse(stdout);
  // Chunks that no usual command loads have none.
  expect(told).toContain(false);
  expect(told).not.toContain(true);
});

it('every chunk is ASCII, as it is read', () => {
  const dist = join(folder, 'dist');
  const chunks = readdirSync(join(dist, 'chunks')).map((name) => join('chunks', name));
  const others = [...chunks, 'usual.js', 'embedded.js'].filter((name) =>
    readFileSync(join(dist, name)).some((byte) => byte > 0x7f),
  );
  expect(others).toEqual([]);
});

it('a cache that is cut, of something else, or gone changes nothing that is printed', () => {
  const whole = node('bin/scrip.js', 'errors', '--json');
  expect(whole).toMatchObject({ status: 0, stderr: '' });
  expect(cacheFiles().length).toBeGreaterThan(10);
  for (const bytes of [
    Buffer.alloc(0),
    Buffer.from('not a code cache at all'),
    Buffer.alloc(4096),
  ]) {
    for (const file of cacheFiles()) writeFileSync(file, bytes);
    expect(node('bin/scrip.js', 'errors', '--json')).toEqual(whole);
  }
  rmSync(join(folder, 'dist', 'code-cache'), { recursive: true });
  expect(node('bin/scrip.js', 'errors', '--json')).toEqual(whole);
});

it('without a cache of the build, the first run of a user leaves one, which later runs take', () => {
  const cache = join(folder, '.cache/scrip/code');
  const told = () => JSON.parse(node('-e', TELL_REJECTED).stdout);
  rmSync(cache, { recursive: true, force: true });
  mkdirSync(join(cache, 'of-another-build'), { recursive: true, mode: 0o700 });
  expect(told()).not.toContain(false);
  const [kept, ...others] = readdirSync(cache);
  expect([kept, others]).toEqual([expect.stringMatching(/^[0-9a-f]{16}-/), []]);
  expect(told()).toEqual([false]);

  // Who can write there could have the program run their code.
  chmodSync(cache, 0o777);
  expect(told()).not.toContain(false);
  chmodSync(cache, 0o700);
  writeFileSync(join(folder, 'dist/build-id'), '0123456789abcdef');
  expect(told()).not.toContain(false);
});

it.each(['/proc', '/dev/null', '/nonexistent/home'])('runs with the home %s', (home) => {
  const options = { cwd: folder, env: { HOME: home }, timeout: 20_000 };
  expect(spawnSync(process.execPath, ['-e', TELL_REJECTED], options).status).toBe(0);
  expect(existsSync('/nonexistent')).toBe(false);
});

const TELL_REJECTED_OF_A_RUN = `
  const { createLoader } = require('./bin/load.js');
  const { load, scripts } = createLoader(process.cwd() + '/dist');
  process.on('exit', () => {
    const told = [...scripts].map(([name, script]) => [name, script.cachedDataRejected ?? null]);
    console.error(JSON.stringify(Object.fromEntries(told)));
  });
  load('main.js').main();`;

/** Runs the program; gives its document, and of each script whether its cache was refused, null without one. */
function toldBy(line: string) {
  const words = ['-e', TELL_REJECTED_OF_A_RUN, '--', 'scrip', ...line.split(' '), '--json'];
  const options = { cwd: root, env: { HOME: folder }, encoding: 'utf8' } as const;
  const { status, stdout, stderr } = spawnSync(process.execPath, words, options);
  expect([status, stderr]).toEqual([0, expect.stringMatching(/^\{.*\}\n$/)]);
  return { document: JSON.parse(stdout), refused: JSON.parse(stderr) };
}

it('a list of the embedded service is answered by code of the cache alone', () => {
  const { document, refused } = toldBy('brands --country us');
  expect(document).not.toEqual([]);
  expect(refused).toMatchObject({ 'usual.js': false, 'embedded.js': false });
});

it('a purchase is made by code of the cache alone', () => {
  toldBy('wallet new');
  toldBy('wallet fund');
  const { fixed } = amazonProducts();
  const order = orderOf(fixed.product_id).join(' ');
  const { document, refused } = toldBy(order);
  expect(document).toMatchObject({ status: 'completed' });
  expect(Object.entries(refused).filter(([, isRefused]) => isRefused !== false)).toEqual([]);
});
