/** The gate itself: each seeded violation of the house rules must be seen. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { tempFolder } from './support/temp-folder.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Each line stands alone in a file of that folder, under the project's own linter settings. */
const SEEDS: readonly (readonly [rule: string, folder: string, source: string])[] = [
  ['noRestrictedGlobals', 'api', 'export const home = process.env;'],
  ['noRestrictedGlobals', 'api', 'export const later = () => setTimeout(() => undefined, 1);'],
  ['noConsole', 'api', "export const say = () => console.log('hello');"],
  ['noExplicitAny', 'api', 'export const loose = (value: any): any => value;'],
  ['noDefaultExport', 'api', 'export default 1;'],
  ['noNonNullAssertion', 'api', 'export const first = (list: string[]) => list[0]!.length;'],
  [
    'noFloatingPromises',
    'api',
    'async function act(): Promise<void> {}\nexport function start(): void {\n  act();\n}',
  ],
];

describe('the linter', () => {
  const dir = tempFolder();
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
    writeFileSync(join(dir, 'src/api/fine.ts'), 'export const fine = 1;\n');
    const args = ['lint', '--reporter=json', '--max-diagnostics=none', '.'];
    const result = spawnSync(`${root}node_modules/.bin/biome`, args, {
      cwd: dir,
      encoding: 'utf8',
    });
    findings = readFindings(result.stdout);
  });

  it.each(SEEDS.map((seed, index) => [...seed, index] as const))(
    '%s bites in %s: %s',
    (rule, folder, _source, index) => {
      const here = findings.filter(({ file }) => file.endsWith(`src/${folder}/seed-${index}.ts`));
      expect(here.map(({ category }) => category.split('/').at(-1))).toContain(rule);
    },
  );

  it('lets other code through', () => {
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

/** Where a line of source stands, and what is said of it. */
const TRESPASSES: readonly (readonly [kind: string, file: string, source: string])[] = [
  ['folder', 'contract/a.ts', "export { ScripError } from '../domain/errors.ts';"],
  ['folder', 'api/a.ts', "export { createService } from '../service/app.ts';"],
  ['folder', 'sandbox/a.ts', "import '../api/checkout/purchase.ts';"],
  ['file', 'wallet/a.ts', "export { small } from '../records/small-files.ts';"],
  ['file', 'complete.ts', "export { Context } from './cli/context.ts';"],
  ['file outside src', 'domain/a.ts', "import manifest from '../../package.json';"],
  ['type import', 'domain/b.ts', "import type { Store } from '../store/store.ts';"],
  ['type import', 'domain/c.ts', "import { type Store } from '../store/store.ts';"],
  ['type import', 'rails/a.ts', "export type { Store } from '../store/store.ts';"],
  ['type in place', 'domain/d.ts', "export type S = import('../store/store.ts').Store;"],
  ['dynamic import', 'cli/a.ts', "export const open = () => import('../sandbox/sandbox.ts');"],
  ['computed import', 'cli/b.ts', 'export const open = (name: string) => import(name);'],
  ['package', 'domain/e.ts', "export { encode } from 'uqr';"],
  ['package', 'domain/f.ts', "export { generateMnemonic } from '@scure/bip39';"],
  ['package', 'wallet/b.ts', "export { PublicKey } from '@solana/web3.js';"],
  ['part of a package', 'api/b.ts', "export { stream } from 'hono/streaming';"],
  ['package of another file', 'cli/output/a.ts', "export const load = () => import('chalk');"],
  ['built-in', 'contract/b.ts', "export { join } from 'node:path';"],
  ['built-in', 'rails/b.ts', "export { readFileSync } from 'node:fs';"],
  ['built-in of another file', 'service/a.ts', "export { createServer } from 'node:http';"],
  ['built-in by its old name', 'records/a.ts', "export { readFileSync } from 'fs';"],
  ['name', 'cli/doctor/a.ts', "import type { Context } from '../context.ts';"],
  [
    'name among others',
    'cli/doctor/b.ts',
    "import { type Context, type With } from '../context.ts';",
  ],
  ['name by another', 'cli/doctor/c.ts', "import type { Context as Whole } from '../context.ts';"],
  ['name among all', 'cli/doctor/d.ts', "import type * as all from '../context.ts';"],
  ['name in place', 'cli/doctor/e.ts', "export type All = import('../context.ts').Context;"],
  ['name handed on', 'cli/doctor/f.ts', "export type { Context } from '../context.ts';"],
];

const RINGS: readonly (readonly [kind: string, files: Readonly<Record<string, string>>])[] = [
  [
    'two files',
    {
      'domain/one.ts': "export { two as one } from './two.ts';",
      'domain/two.ts': "export { one as two } from './one.ts';",
    },
  ],
  [
    'a type import',
    {
      'service/one.ts': "import { two } from './partner/two.ts';",
      'service/partner/two.ts': "import type { One } from '../one.ts';",
    },
  ],
  [
    'a dynamic import of three files',
    {
      'cli/table.ts': "export const load = () => import('./keys/row.ts');",
      'cli/keys/row.ts': "export { cell } from './cell.ts';",
      'cli/keys/cell.ts': "export type Table = typeof import('../table.ts');",
    },
  ],
];

const COMMANDS = {
  'cli/commands.ts': "export const load = () => import('./commands/one.ts');",
  'cli/commands/one.ts': "export const load = () => import('./two.ts');",
  'cli/commands/two.ts': "export { part } from './big/part.ts';",
  'cli/commands/big/part.ts': "export { other } from './other.ts';",
  'cli/commands/big/other.ts': 'export const other = 1;',
  'cli/wizard/room.ts': "import type { One } from '../commands/one.ts';",
};

describe('the walls', () => {
  const walls = JSON.parse(readFileSync(`${root}walls.json`, 'utf8'));
  const map = readFileSync(`${root}AGENTS.md`, 'utf8');

  function problemsOf(
    files: Readonly<Record<string, string>>,
    {
      debt = [],
      agents = map,
      limits = {},
    }: {
      readonly debt?: readonly string[];
      readonly agents?: string;
      readonly limits?: Readonly<Record<string, number>>;
    } = {},
  ): readonly string[] {
    const dir = tempFolder();
    writeFileSync(join(dir, 'walls.json'), JSON.stringify({ ...walls, debt, limits }));
    writeFileSync(join(dir, 'AGENTS.md'), agents);
    mkdirSync(join(dir, 'src'));
    for (const [file, source] of Object.entries(files)) {
      mkdirSync(join(dir, 'src', dirname(file)), { recursive: true });
      writeFileSync(join(dir, 'src', file), `${source}\n`);
    }
    const args = [`${root}scripts/walls.mjs`, dir];
    const { stdout, status } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    const problems = stdout.split('\n').filter((line) => line !== '');
    expect(status).toBe(problems.length === 0 ? 0 : 1);
    return problems;
  }

  let seeded: readonly string[] = [];
  beforeAll(() => {
    seeded = problemsOf({
      ...Object.fromEntries(TRESPASSES.map(([, file, source]) => [file, source])),
      ...Object.assign({}, ...RINGS.map(([, files]) => files)),
      ...COMMANDS,
    });
  });
  const placesOf = (problems: readonly string[]) =>
    problems.map((line) => line.replace(/:.*/, '')).toSorted();

  it('stop every import that no row names', () => {
    const found = seeded.filter((line) => /walls\.json|needs a literal/.test(line));
    expect(placesOf(found)).toEqual(TRESPASSES.map(([, file]) => `src/${file}`).toSorted());
  });

  it.each(RINGS)('stop a circle of %s', (_kind, files) => {
    const names = Object.keys(files);
    const found = seeded.filter((line) => names.some((file) => line.startsWith(`src/${file}:`)));
    expect(found).toHaveLength(1);
    for (const file of ['circle of imports', ...names]) expect(found[0]).toContain(file);
  });

  it('stop a command that imports another, and a room that imports a command', () => {
    const found = seeded.filter((line) => line.includes('the command'));
    expect(placesOf(found)).toEqual([
      'src/cli/commands/one.ts',
      'src/cli/commands/two.ts',
      'src/cli/wizard/room.ts',
    ]);
  });

  it('let through what a row names, and a debt', () => {
    const files = {
      'api/fine.ts': "export { ScripError } from '../domain/errors.ts';",
      'cli/schemas/fine.ts': "export { z } from 'zod';",
      'mcp/fine.ts': "import '@modelcontextprotocol/server';",
      'wallet/fine.ts': "export { write } from '../disk/files.ts';",
      'service/http/node.ts': "export { createServer } from 'node:http';",
      'domain/quoted.ts': "export const quote = /[`']/; // import('../store/store.ts')",
      'domain/owed.ts': "export { encode } from 'uqr';",
      'cli/program.ts': "import type { Context } from './context.ts';",
      'cli/doctor/fine.ts': "import type { With } from '../context.ts';",
      'cli/partner/owed.ts': "import type { Context } from '../context.ts';",
    };
    const debt = ['domain/owed.ts > uqr', 'cli/partner/owed.ts > cli/context.ts Context'];
    expect(problemsOf(files, { debt })).toEqual([]);
  });

  it('name a debt that is paid, and what AGENTS.md says otherwise', () => {
    const agents = map.replace('fastest-levenshtein', 'uqr').replace('api · service', 'service');
    expect(problemsOf({}, { debt: ['domain/paid.ts > uqr'], agents })).toEqual([
      expect.stringContaining('domain/paid.ts > uqr'),
      expect.stringContaining('AGENTS.md: what domain/'),
      expect.stringContaining('AGENTS.md: the layers'),
    ]);
  });

  it('name each limit of size that is passed, and no other', () => {
    const files = {
      'domain/one.ts': "/** A comment. */\n\nexport { two } from './two.ts';",
      'domain/two.ts': 'export const two = 2;\n// Why.\nexport const three = 3;',
      'loose.ts': 'export const four = 4;',
    };
    const measured = {
      ...{ files: 3, lines: 7, code: 3, 'files under 40 lines': 3, 'files in a folder': 2 },
      ...{ 'files under 60 lines with one importer': 1, 'loose files': 1 },
    };
    expect(Object.keys(walls.limits).toSorted()).toEqual(Object.keys(measured).toSorted());
    expect(problemsOf(files, { limits: measured })).toEqual([]);
    const less = Object.entries(measured).map(([what, most]) => [what, most - 1] as const);
    expect(problemsOf(files, { limits: Object.fromEntries(less) })).toEqual(
      less.map(([what, most]) => `src: ${most + 1} ${what}; ${most} are allowed (walls.json)`),
    );
  });

  /** What opens and runs the chains has to name them; and the settings, and the header of MPP, where they are read. */
  const NAMING =
    /^(?:rails|sandbox|shop|run)\/|^domain\/address\/base-address\.ts$|^domain\/payment\/mpp\.ts$/;

  it('hold no code that asks which chain it is, outside of rails/ and of what opens the chains', () => {
    const asking =
      /[!=]== '(?:solana|eip155|base|base-sepolia)\b|[!=]== (?:BASE|BASE_SEPOLIA|SOLANA_MAINNET)\b|startsWith\('(?:solana|eip155)|includes\('(?:solana|eip155)/;
    const files = readdirSync(`${root}src`, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts') && !NAMING.test(file))
      .filter((file) => asking.test(readFileSync(`${root}src/${file}`, 'utf8')));
    expect(files).toEqual([]);
  });

  it('have no debt', () => {
    expect(walls.debt).toEqual([]);
  });
});

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

  it('runs no install script but those that docs/inside/safety.md names, denied as it says', () => {
    const { packages }: { packages: Record<string, { hasInstallScript?: boolean }> } =
      JSON.parse(lock);
    const named = Object.keys(packages).filter((path) => packages[path]?.hasInstallScript);
    const { allowScripts } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'));
    const rows = named.map((path) => {
      const name = path.replace(/^.*node_modules\//, '');
      return `${name} ${allowScripts?.[name] === false ? 'yes' : 'no'}`;
    });
    const told = readFileSync(`${root}docs/inside/safety.md`, 'utf8');
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
    expect(
      ranges.filter((range) => !/^(?:npm:.+@)?\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(String(range))),
    ).toEqual([]);
  });
});
