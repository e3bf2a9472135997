/** The documentation as a site: links lead somewhere, it is searched, and a browser asks no other host. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { atEnd, hostThat } from './support/at-end.ts';
import { HAS_BROWSER, openBrowser } from './support/browser.ts';
import { docPages } from './support/doc-commands.ts';
import { tempFolder } from './support/temp-folder.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = tempFolder();
execFileSync(process.execPath, [join(root, 'scripts/site/build.mjs'), folder]);
const read = (path: string) => readFileSync(join(folder, path), 'utf8');
const pages = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
  name.endsWith('.html'),
);

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
};

it('has every page of docs/', () => {
  const addresses = docPages().map((page) =>
    page === 'README.md' ? 'index.html' : page.replace('README', 'index').replace(/md$/, 'html'),
  );
  expect(pages).toEqual(expect.arrayContaining(addresses));
});

it('has no link that leads nowhere, and loads nothing of another host', () => {
  const lost = pages.flatMap((page) => {
    const links = [...read(page).matchAll(/ (href|src)="([^"]*)"/g)];
    return links.flatMap(([, kind, link = '']) => {
      if (/^https?:/.test(link)) return kind === 'src' ? [`${page} loads ${link}`] : [];
      const [path = '', anchor] = link.split('#');
      const target = path === '' ? page : posix.join(posix.dirname(page), path);
      const isThere =
        existsSync(join(folder, target)) &&
        (anchor === undefined || read(target).includes(` id="${anchor}"`));
      return isThere ? [] : [`${page}: ${link}`];
    });
  });
  expect(lost).toEqual([]);
});

describe.skipIf(!HAS_BROWSER)('in a browser', () => {
  it('finds by a word with a typing error, follows the colours of the system, and plays the recording', async () => {
    const url = await hostThat(({ url: path = '/' }, response) => {
      const file = join(folder, new URL(path, 'http://site.example').pathname);
      if (!existsSync(file)) return response.writeHead(404).end();
      response.writeHead(200, { 'content-type': TYPES[extname(file)] ?? 'text/plain' });
      return response.end(readFileSync(file));
    });
    const browser = await openBrowser({});
    atEnd(() => browser.close());
    const page = await browser.newPage({ colorScheme: 'dark' });
    const wrong: string[] = [];
    page.on('request', (request) => {
      const isOurs = request.url().startsWith(url) || request.url().startsWith('data:');
      if (!isOurs) wrong.push(request.url());
    });
    page.on('console', (line) => line.type() === 'error' && wrong.push(line.text()));
    page.on('pageerror', (error) => wrong.push(String(error)));

    await page.goto(`${url}/docs/use/wallet.html`);
    await page.fill('input', 'idempotncy');
    await page.click('#found a');
    await page.waitForURL(/#/);
    expect(await page.textContent('main')).toContain('--idempotency-key');

    const ground = () => page.evaluate('getComputedStyle(document.body).backgroundColor');
    const dark = await ground();
    await page.emulateMedia({ colorScheme: 'light' });
    expect([dark, await ground()]).toEqual(['rgb(20, 23, 27)', 'rgb(255, 255, 255)']);

    await page.goto(`${url}/docs/gallery.html`);
    await page.click('.ap-player');
    await page.getByText('scrip search').waitFor();
    expect(wrong).toEqual([]);
  });
});
