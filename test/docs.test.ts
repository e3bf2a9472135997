/** README and docs: links lead somewhere, the index has every page, and texts name pages that exist. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { docPages } from './support/doc-commands.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const read = (path: string) => readFileSync(`${root}${path}`, 'utf8');
const PAGES = [...docPages(), 'AGENTS.md', 'CHANGELOG.md', 'skills/scrip/SKILL.md'];

const SOURCES = ['src', 'scripts', 'bench', 'test', 'skills'].flatMap((folder) =>
  readdirSync(`${root}${folder}`, { encoding: 'utf8', recursive: true })
    .filter((name) => /\.(ts|mjs|json|md)$/.test(name))
    .map((name) => `${folder}/${name}`),
);

/** As GitHub makes them of headings: lower case, spaces as `-`, without punctuation. */
function anchorsOf(page: string): ReadonlySet<string> {
  const prose = read(page).replace(/^```[\s\S]*?^```$/gm, '');
  const anchors = new Set<string>();
  for (const [, heading = ''] of prose.matchAll(/^#+ (.+)$/gm)) {
    const text = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
    const anchor = text.replace(/[^\p{L}\p{N} _-]/gu, '').replaceAll(' ', '-');
    const seen = [...anchors].filter((one) => one.replace(/-\d+$/, '') === anchor).length;
    anchors.add(seen === 0 ? anchor : `${anchor}-${seen}`);
  }
  return anchors;
}

function linksOf(page: string): readonly string[] {
  const prose = read(page).replace(/^```[\s\S]*?^```$/gm, '');
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, link = '']) => link)
    .filter((link) => !/^[a-z]+:/.test(link));
}

/** Whether a link of a page leads to a file, and to a heading where it names one. */
function leadsSomewhere(page: string, link: string): boolean {
  const [path = '', anchor] = link.split('#');
  const target = path === '' ? page : posix.join(posix.dirname(page), path);
  if (!existsSync(`${root}${target}`)) return false;
  return anchor === undefined || anchorsOf(target).has(anchor);
}

describe('the documentation', () => {
  it.each(PAGES)('every link of %s leads to a file and a heading', (page) => {
    expect(linksOf(page).filter((link) => !leadsSomewhere(page, link))).toEqual([]);
  });

  it('every page is in its index', () => {
    const listed = linksOf('docs/README.md').map((link) => posix.join('docs', link));
    const pages = docPages().filter((page) => page !== 'docs/README.md');
    expect(pages.filter((page) => !listed.includes(page))).toEqual([]);
  });

  it('what sources and texts call docs/… exists', () => {
    const named = SOURCES.flatMap(
      (path) => read(path).match(/docs\/[a-z0-9/-]+\.(md|svg)\b/g) ?? [],
    );
    expect([...new Set(named)].filter((path) => !existsSync(root + path))).toEqual([]);
  });
});
