/** What is published: exactly this. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { packed } from './support/installed.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Files whose names the build gives: chunks and texts. */
const BUILT = /^dist\/(chunks\/[\w.-]+\.js|texts\/[\w/-]+)$/;

it('a package holds what runs, and nothing else', { timeout: 180_000 }, async () => {
  const { files } = await packed();
  const paths = files.map(({ path }) => path);
  expect(paths.filter((path) => !BUILT.test(path)).toSorted()).toEqual([
    'CHANGELOG.md',
    'LICENSE',
    'README.md',
    'bin/load.js',
    'bin/old-node.js',
    'bin/package.json',
    'bin/scrip.js',
    'bin/start.js',
    'completions/_scrip',
    'completions/scrip.bash',
    'completions/scrip.fish',
    'dist/THIRD-PARTY-NOTICES.txt',
    'dist/build-id',
    'dist/chunks/package.json',
    'dist/complete.cjs',
    'dist/embedded.js',
    'dist/first-screen.cjs',
    'dist/library.d.ts',
    'dist/library.js',
    'dist/usual.js',
    'docs/scrip.1',
    'package.json',
    'skills/scrip/SKILL.md',
  ]);
  const chunks = readdirSync(`${root}dist/chunks`).map((name) => `dist/chunks/${name}`);
  expect(paths.filter((path) => path.startsWith('dist/chunks/')).toSorted()).toEqual(
    chunks.toSorted(),
  );
  expect(paths.filter((path) => path.startsWith('dist/texts/')).length).toBeGreaterThan(50);
});

describe('the notices of what is bundled', () => {
  const [, ...sections] = readFileSync(`${root}dist/THIRD-PARTY-NOTICES.txt`, 'utf8').split(
    `\n${'-'.repeat(80)}\n`,
  );
  const names = sections.flatMap((section) => section.match(/^\S+ [\d.]+\S* \(.+\)$/gm) ?? []);

  it('tell the copyright of a package beside its name and version', () => {
    const { version } = JSON.parse(readFileSync(`${root}node_modules/libsql/package.json`, 'utf8'));
    const section = sections.find((text) => text.includes(`libsql ${version} (MIT)`));
    expect(section).toMatch(/Copyright .*Permission is hereby granted.*THE SOFTWARE IS PROVIDED/s);
  });

  it('hold nothing that wants more than a notice, or the address of its source', () => {
    expect(names.length).toBeGreaterThan(50);
    const permissive = /\((Apache-2\.0|BSD-[23]-Clause|ISC|MIT|MIT-0|Unlicense)\)$/;
    const sourceNamed =
      /^(\S+) (\S+) \(MPL-2\.0; source: https:\/\/www\.npmjs\.com\/package\/\1\/v\/\2\)$/;
    expect(names.filter((name) => !permissive.test(name) && !sourceNamed.test(name))).toEqual([]);
  });
});
