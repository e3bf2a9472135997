/** The gate itself: each seeded violation of the house rules must be seen by the linter. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Each line stands alone in a file of that folder, under the project's own linter settings. */
const SEEDS: readonly (readonly [rule: string, folder: string, source: string])[] = [
  ['noRestrictedImports', 'contract', "export { ScripError } from '../domain/errors.ts';"],
  ['noRestrictedImports', 'contract', "export { join } from 'node:path';"],
  ['noRestrictedImports', 'domain', "export { readFileSync } from 'node:fs';"],
  ['noRestrictedImports', 'domain', "export type { Store } from '../storage/store.ts';"],
  ['noRestrictedImports', 'domain', "export { z } from 'zod';"],
  ['noRestrictedImports', 'storage', "export type { Context } from '../cli/context.ts';"],
  ['noRestrictedImports', 'rails', "export type { Store } from '../storage/store.ts';"],
  ['noRestrictedImports', 'wallet', "export { PublicKey } from '@solana/web3.js';"],
  ['noRestrictedImports', 'client', "export { readFileSync } from 'node:fs';"],
  ['noRestrictedImports', 'client', "export { createService } from '../service/app.ts';"],
  ['noRestrictedImports', 'service', "export { createHash } from 'node:crypto';"],
  ['noRestrictedImports', 'service', "export { openSandbox } from '../sandbox/sandbox.ts';"],
  ['noRestrictedImports', 'sandbox', "export { purchase } from '../client/purchase.ts';"],
  ['noRestrictedImports', 'cli', "export { openSandbox } from '../sandbox/sandbox.ts';"],
  ['noRestrictedImports', 'cli', "export { readFileSync } from 'node:fs';"],
  ['noRestrictedGlobals', 'client', 'export const home = process.env;'],
  ['noRestrictedGlobals', 'client', 'export const later = () => setTimeout(() => undefined, 1);'],
  ['noConsole', 'client', "export const say = () => console.log('hello');"],
  ['noExplicitAny', 'client', 'export const loose = (value: any): any => value;'],
  ['noDefaultExport', 'client', 'export default 1;'],
  ['noNonNullAssertion', 'client', 'export const first = (list: string[]) => list[0]!.length;'],
  [
    'noFloatingPromises',
    'client',
    'async function act(): Promise<void> {}\nexport function start(): void {\n  act();\n}',
  ],
  ['noImportCycles', 'client', "export { two as one } from './ring.ts';"],
];

describe('the gate', () => {
  const dir = mkdtempSync(join(tmpdir(), 'scrip-house-'));
  let findings: readonly { readonly category: string; readonly file: string }[] = [];

  beforeAll(() => {
    const settings = JSON.parse(readFileSync(`${root}biome.json`, 'utf8'));
    delete settings.$schema;
    settings.vcs.enabled = false;
    writeFileSync(join(dir, 'biome.json'), JSON.stringify(settings));
    SEEDS.forEach(([, folder, source], index) => {
      mkdirSync(join(dir, 'src', folder), { recursive: true });
      writeFileSync(join(dir, 'src', folder, `seed-${index}.ts`), `${source}\n`);
    });
    const ring = SEEDS.findIndex(([rule]) => rule === 'noImportCycles');
    writeFileSync(
      join(dir, 'src/client/ring.ts'),
      `export { one as two } from './seed-${ring}.ts';\n`,
    );
    writeFileSync(
      join(dir, 'src/client/fine.ts'),
      "export { ScripError } from '../domain/errors.ts';\n",
    );
    const args = ['lint', '--reporter=json', '--max-diagnostics=none', '.'];
    const result = spawnSync(`${root}node_modules/.bin/biome`, args, {
      cwd: dir,
      encoding: 'utf8',
    });
    findings = readFindings(result.stdout);
  });
  afterAll(() => rmSync(dir, { recursive: true, force: true }));

  it.each(SEEDS.map((seed, index) => [...seed, index] as const))(
    '%s bites in %s: %s',
    (rule, folder, _source, index) => {
      const here = findings.filter(({ file }) => file.endsWith(`src/${folder}/seed-${index}.ts`));
      expect(here.map(({ category }) => category.split('/').at(-1))).toContain(rule);
    },
  );

  it('lets a row of the import table through', () => {
    expect(findings.filter(({ file }) => file.endsWith('fine.ts'))).toEqual([]);
  });
});

function readFindings(stdout: string): { category: string; file: string }[] {
  const report: { diagnostics: { category: string; location?: { path?: unknown } }[] } =
    JSON.parse(stdout);
  return report.diagnostics.map(({ category, location }) => ({
    category,
    file: typeof location?.path === 'string' ? location.path : JSON.stringify(location?.path ?? ''),
  }));
}

describe('the lockfile', () => {
  const lock = readFileSync(`${root}package-lock.json`, 'utf8');

  it('names no download address', () => {
    expect(lock).not.toContain('"resolved"');
  });

  it('carries the native parts of every platform', () => {
    const platforms = [
      'linux-x64-gnu',
      'linux-arm64-gnu',
      'linux-x64-musl',
      'linux-arm64-musl',
      'darwin-x64',
      'darwin-arm64',
    ];
    const names = platforms.flatMap((platform) => [`@libsql/${platform}`, `litesvm-${platform}`]);
    for (const name of names) expect(lock).toContain(`"node_modules/${name}"`);
    const manifest = JSON.parse(readFileSync(`${root}package.json`, 'utf8'));
    expect(Object.keys(manifest.optionalDependencies).toSorted()).toEqual(names.toSorted());
  });

  it('runs no install script but those that docs/safety.md names, denied as it says', () => {
    const { packages }: { packages: Record<string, { hasInstallScript?: boolean }> } =
      JSON.parse(lock);
    const named = Object.keys(packages).filter((path) => packages[path]?.hasInstallScript);
    const { allowScripts } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'));
    const rows = named.map((path) => {
      const name = path.replace(/^.*node_modules\//, '');
      return `${name} ${allowScripts?.[name] === false ? 'yes' : 'no'}`;
    });
    const told = readFileSync(`${root}docs/safety.md`, 'utf8');
    const table = [...told.matchAll(/^\| `([^`]+)` \|[^|]*\| (yes|no) \|$/gm)];
    expect(table.map(([, name, denied]) => `${name} ${denied}`).toSorted()).toEqual(
      rows.toSorted(),
    );
  });

  it('brings nothing that the program needs everywhere: it is bundled', () => {
    expect(JSON.parse(readFileSync(`${root}package.json`, 'utf8')).dependencies).toBeUndefined();
  });

  // npm ci refuses a lockfile that leaves out what a package may need on another platform.
  it('holds every optional part that its packages name', () => {
    const { packages }: { packages: Record<string, { optionalDependencies?: object }> } =
      JSON.parse(lock);
    const named = Object.values(packages).flatMap((entry) =>
      Object.keys(entry.optionalDependencies ?? {}),
    );
    const missing = named.filter(
      (name) => !Object.keys(packages).some((path) => path.endsWith(`node_modules/${name}`)),
    );
    expect(missing).toEqual([]);
  });

  it('pins every direct dependency to one version', () => {
    const manifest = JSON.parse(readFileSync(`${root}package.json`, 'utf8'));
    const { optionalDependencies, devDependencies } = manifest;
    const ranges = Object.values({ ...optionalDependencies, ...devDependencies });
    expect(ranges.filter((range) => !/^\d+\.\d+\.\d+$/.test(String(range)))).toEqual([]);
  });
});
