// Writes the licenses of all bundled packages: they must accompany every copy of the code.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './bundle.mjs';

/** Licenses that allow distribution within an MIT-licensed program if their notice is included. */
const PERMISSIVE = [
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'ISC',
  'MIT',
  'MIT-0',
  // Of code that is unchanged it asks, besides, to say where its source is.
  'MPL-2.0',
  'Unlicense',
];
/** Its manifest names no license; its LICENSE.md is the Unlicense. */
const NAMED_ELSEWHERE = { 'text-encoding-utf-8': 'Unlicense' };
const LICENCE_FILE = /^(licen[cs]e|copying|notice)([.-].*)?$/i;
const RULE = `\n${'-'.repeat(80)}\n\n`;

/**
 * Writes the notices. Fails on a license that asks for more than a notice.
 * @param metafiles of every published bundle
 */
export function writeNotices(metafiles, path) {
  const folders = [...new Set(metafiles.flatMap(foldersOf))].toSorted();
  const byText = new Map();
  for (const { name, text } of folders.map(noticeOf)) {
    byText.set(text, (byText.get(text) ?? new Set()).add(name));
  }
  const sections = [...byText].map(([text, names]) => `${[...names].join('\n')}\n\n${text}\n`);
  const first = 'Parts of this program come from the packages below, each under its own licence.\n';
  writeFileSync(path, [first, ...sections].join(RULE));
}

/** Folders of the packages whose code is in the bundle. */
function foldersOf({ outputs }) {
  return Object.values(outputs).flatMap(({ inputs }) =>
    Object.entries(inputs)
      .filter(([, { bytesInOutput }]) => bytesInOutput > 0)
      .flatMap(([path]) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? []),
  );
}

function noticeOf(folder) {
  const manifest = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
  const { name, version, license = NAMED_ELSEWHERE[name] } = manifest;
  if (!PERMISSIVE.includes(license)) throw new Error(`${name} is under ${license}: leave it out`);
  const source = license === 'MPL-2.0' ? `; source: ${urlOf(manifest)}` : '';
  return {
    name: `${name} ${version} (${license}${source})`,
    text: textOf(folder) ?? ownWords(manifest),
  };
}

function urlOf({ name, version }) {
  return `https://www.npmjs.com/package/${name}/v/${version}`;
}

function textOf(folder) {
  const texts = readdirSync(join(root, folder))
    .filter((name) => LICENCE_FILE.test(name))
    .toSorted()
    .map((name) => readFileSync(join(root, folder, name), 'utf8').trim());
  return texts.length > 0 ? texts.join('\n\n') : undefined;
}

/** The manifest's own data, for a package without a license text. */
function ownWords({ name, license, author, repository }) {
  const said = [author, repository].map((field) => field?.name ?? field?.url ?? field);
  return `${name} carries no text of its licence (${license}). ${said.filter(Boolean).join(', ')}`;
}
