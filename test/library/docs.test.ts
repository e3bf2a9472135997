/** docs/automate/library.md: its whole examples are type-checked and run as they stand, from the tarball. */
import { readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeHome } from '../support/cli.ts';
import { type Installed, installWithService } from '../support/installed.ts';
import { onBase, paidHost } from '../support/paid-host.ts';
import { serveHere } from '../support/served-here.ts';

const page = readFileSync(
  fileURLToPath(new URL('../../docs/automate/library.md', import.meta.url)),
  'utf8',
);
const blocks = [...page.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, text = '']) => text);
const programs = blocks.filter((text) => text.startsWith('import '));

/** What each prints; each has a shop of its own. */
const PRINTED = [
  [/^TEST(-[0-9A-Z]{4}){3}\n$/, /^\d+\.\d\d USDC to embedded:sandbox\n$/],
  [/^ada: delivered\nbob: SPENDING_LIMIT, .*\neve: SPENDING_LIMIT, .*\n$/, /^$/],
  [/^200 \{ report: 'fine', at: '[0-9a-f]{16}' \}\n$/, /^$/],
  [/^(processing\n)?completed: 1 delivered\nlater: Steam, delivered\n$/, /^$/],
] as const;

let installed: Installed;
let reportUrl: string;

beforeAll(async () => {
  installed = await installWithService();
  // The host of the answer is paid on the chain of the example's sandbox.
  const home = makeHome();
  const { url } = await serveHere(home);
  const dataDir = join(home.dir, '.local', 'state', 'scrip', 'sandbox');
  symlinkSync(dataDir, join(installed.dir, 'paid-answers'));
  reportUrl = `${(await paidHost(2, await onBase(url))).url}/report`;
  installed.link('@types/node');
  installed.link('undici-types');
});

afterAll(() => installed?.remove());

/** One for each verb, as an editor shows them. */
function verbExamples(): readonly string[] {
  const file = fileURLToPath(new URL('../../src/api/library/public.ts', import.meta.url));
  const found = [...readFileSync(file, 'utf8').matchAll(/@example (.+)$/gm)];
  return found.map(([, line = '']) => line);
}

describe('docs/automate/library.md', () => {
  it('has four whole programs', () => {
    expect(programs).toHaveLength(PRINTED.length);
  });

  it('is about every verb, and each has an example', () => {
    const verbs = verbExamples().map((line) => /scrip\.(\w+)\(/.exec(line)?.[1]);
    expect(verbs).toEqual([
      ...['find', 'brands', 'catalog', 'price', 'validate', 'order', 'pay'],
      ...['fetch', 'track', 'orders'],
    ]);
  });

  it('has nothing that the compiler finds fault with, nor has README', () => {
    const named = blocks.map((text, index) => {
      const whole = text.startsWith('import ')
        ? text
        : `import type { ScripOptions } from 'scrip-cli';\n${text}export { options };\n`;
      return [`example-${index}.mts`, whole] as const;
    });
    const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
    const [, short = ''] = /^```ts\n([\s\S]*?)^```$/m.exec(readme) ?? [];
    expect(short).toContain("from 'scrip-cli'");
    const options = { module: ts.ModuleKind.NodeNext, types: ['node'] };
    const sources = {
      ...Object.fromEntries(named),
      'readme.mts': short,
      'verbs.mts': `import type { Scrip } from 'scrip-cli';
declare const scrip: Scrip, productId: string, orderId: string;
${verbExamples()
  .map((line) => `{ ${line} }`)
  .join('\n')}
`,
    };
    expect(installed.problems(sources, options)).toEqual([]);
  });

  it.each(PRINTED.map(([stdout, stderr], index) => ({ index, stdout, stderr })))(
    'example $index does what the page says',
    { timeout: 180_000 },
    async ({ index, stdout, stderr }) => {
      const result = await installed.run(`example-${index}.ts`, programs[index] ?? '', {
        REPORT_URL: reportUrl,
      });
      expect(result).toEqual({
        ...{ status: 0, signal: null },
        ...{ stdout: expect.stringMatching(stdout), stderr: expect.stringMatching(stderr) },
      });
    },
  );
});
