// Makes the documentation a static site: `npm run site -- [folder]` (default: build/site). Any web server serves
// it, and its pages ask nothing of other hosts.
import { cpSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, posix, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { Marked } from 'marked';

const root = fileURLToPath(new URL('../..', import.meta.url));
const FIRST = 'README.md';
/** The menu is its list of pages. */
const INDEX = 'docs/README.md';
/** Recordings of a terminal (asciicast). */
const RECORDING = /\.cast$/;

/** Writes the site into the folder, which is emptied first, and returns the addresses of its pages. */
export async function buildSite(folder) {
  rmSync(folder, { recursive: true, force: true });
  const pages = new Map();
  const waiting = [FIRST, INDEX];
  for (const path of waiting) {
    if (pages.has(path)) continue;
    if (path.endsWith('.md')) pages.set(path, readPage(path));
    else copy(path, join(folder, path));
    for (const target of pages.get(path)?.targets ?? []) {
      if (!waiting.includes(target)) waiting.push(target);
    }
  }
  const menu = menuOf(pages.get(INDEX).tokens);
  for (const [path, page] of pages)
    write(join(folder, addressOf(path)), wholePage(path, page, menu));
  const sections = [...pages].flatMap(([path, page]) => sectionsOf(path, page));
  write(join(folder, 'site/sections.js'), `window.sections=${JSON.stringify(sections)};\n`);
  for (const name of ['search', 'recordings']) {
    await build({
      entryPoints: [join(root, `scripts/site/${name}.js`)],
      outfile: join(folder, `site/${name}.js`),
      ...{ bundle: true, minify: true, target: 'es2022', logLevel: 'error' },
    });
  }
  copy('scripts/site/style.css', join(folder, 'site/style.css'));
  return [...pages.keys()].map(addressOf);
}

function write(path, text) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

function copy(path, to) {
  cpSync(join(root, path), to, { recursive: true, preserveTimestamps: false });
}

/** The address of a page within the site. */
function addressOf(path) {
  return path === FIRST
    ? 'index.html'
    : path.replace(/README\.md$/, 'index.html').replace(/\.md$/, '.html');
}

/** Reads a page and what it leads to within the repository. Each heading gets the anchor that GitHub gives it. */
function readPage(path) {
  const targets = new Set();
  const anchors = new Map();
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth, anchor }) {
        const text = this.parser.parseInline(tokens);
        return `<h${depth} id="${anchor}"><a href="#${anchor}">${text}</a></h${depth}>\n`;
      },
      link({ href, tokens }) {
        // Addresses of examples, which Markdown makes links.
        if (href.startsWith('mailto:')) return this.parser.parseInline(tokens);
        const isRecording = RECORDING.test(href) ? ' class="recording"' : '';
        return `<a href="${escaped(href)}"${isRecording}>${this.parser.parseInline(tokens)}</a>`;
      },
      code({ text, lang = '' }) {
        // A second word is for the tests of the samples.
        return `<pre class="${escaped(lang.split(' ')[0] ?? '')}"><code>${escaped(text)}\n</code></pre>\n`;
      },
      // Comments for tools; no page has HTML of its own.
      html: () => '',
    },
  });
  const tokens = marked.lexer(readFileSync(join(root, path), 'utf8'));
  void marked.walkTokens(tokens, (token) => {
    if (token.type === 'heading') token.anchor = anchorOf(token, anchors);
    if (token.type === 'link' || token.type === 'image')
      token.href = hrefOf(path, token.href, targets);
  });
  const title = plainText(tokens.find(({ type }) => type === 'heading')) || path;
  return { tokens, title, targets, html: marked.parser(tokens) };
}

/** Lower case, spaces as `-`, without punctuation, and numbered when it was there before. */
function anchorOf(heading, anchors) {
  const anchor = plainText(heading)
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
  const before = anchors.get(anchor) ?? 0;
  anchors.set(anchor, before + 1);
  return before === 0 ? anchor : `${anchor}-${before}`;
}

function hrefOf(page, href, targets) {
  if (/^[a-z]+:/.test(href) || href.startsWith('#')) return href;
  const [to, anchor] = href.split('#');
  const target = posix.join(posix.dirname(page), to);
  // A folder of the repository is no page.
  if (!statSync(join(root, target)).isFile()) return href;
  targets.add(target);
  const address = posix.relative(posix.dirname(page), addressOf(target));
  return anchor === undefined ? address : `${address}#${anchor}`;
}

/** The text of a token, without its marks. */
function plainText(token) {
  if (token === undefined) return '';
  const inner = token.tokens ?? token.items ?? (token.rows && [token.header, ...token.rows].flat());
  return inner ? inner.map(plainText).join(token.tokens ? '' : ' ') : (token.text ?? '');
}

/** What is searched: the text below each heading. */
function sectionsOf(path, { tokens, title }) {
  const sections = [];
  for (const token of tokens) {
    if (token.type === 'heading') {
      const heading = plainText(token);
      const id = `${addressOf(path)}#${token.anchor}`;
      sections.push({ id, title: heading === title ? title : `${title}: ${heading}`, text: '' });
    } else if (sections.length > 0) sections.at(-1).text += ` ${plainText(token)}`;
  }
  return sections.map((one) => ({ ...one, text: one.text.replace(/\s+/g, ' ').trim() }));
}

/** The headings of the index, each with its links. */
function menuOf(tokens) {
  const groups = [];
  for (const token of tokens) {
    if (token.type === 'heading' && token.depth === 2) {
      groups.push({ title: plainText(token).replace(/:.*/, ''), links: [] });
    }
    if (token.type === 'list') groups.at(-1)?.links.push(...linksIn(token));
  }
  return groups;
}

function linksIn(token) {
  if (token.type === 'link')
    return [{ title: plainText(token), address: posix.join('docs', token.href) }];
  return (token.tokens ?? token.items ?? []).flatMap(linksIn);
}

function wholePage(path, { title, html, targets }, menu) {
  const address = addressOf(path);
  const to = (target) => escaped(posix.relative(posix.dirname(address), target));
  const entry = (link) => {
    const here = link.address === address ? ' aria-current="page"' : '';
    return `<li><a href="${to(link.address)}"${here}>${escaped(link.title)}</a></li>`;
  };
  const groups = menu.map(({ title: name, links }) => {
    const isHere = links.some((link) => link.address === address) ? ' open' : '';
    return `<details${isHere}><summary>${escaped(name)}</summary><ul>${links.map(entry).join('')}</ul></details>`;
  });
  const hasRecording = [...targets].some((target) => RECORDING.test(target));
  const player = hasRecording ? `<script src="${to('site/recordings.js')}" defer></script>\n` : '';
  const css = hasRecording ? `<link rel="stylesheet" href="${to('site/recordings.css')}">\n` : '';
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; img-src 'self' data:; font-src 'self' data:">
<title>${escaped(title === 'scrip' ? title : `${title} · scrip`)}</title>
${css}<link rel="stylesheet" href="${to('site/style.css')}">
<script src="${to('site/sections.js')}" defer></script>
<script src="${to('site/search.js')}" data-root="${to('.') || '.'}" defer></script>
${player}<header><a href="${to('index.html')}">scrip</a><a href="${to('docs/index.html')}">Documentation</a>
<label>Search <input type="search" autocomplete="off"></label><ol id="found" aria-live="polite"></ol></header>
<nav aria-label="Pages">${groups.join('')}</nav>
<main>
${html}</main>
</html>
`;
}

function escaped(text) {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const folder = resolve(process.argv[2] ?? join(root, 'build/site'));
  console.log(`${(await buildSite(folder)).length} pages in ${folder}`);
}
