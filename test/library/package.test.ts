/** The package as other programs import it, from its tarball. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CODES } from '../../src/domain/message/errors.ts';
import { type Installed, installWithService } from '../support/installed.ts';

const DONE = { status: 0, signal: null, stderr: '' };

let installed: Installed;

beforeAll(async () => {
  installed = await installWithService();
  installed.link('@types/node');
  installed.link('undici-types');
});

afterAll(() => installed?.remove());

/** Buys on the embedded service. */
const PROGRAM = `import { createScrip, ScripError } from 'scrip-cli';
await using scrip = await createScrip({ sandbox: { dataDir: './shop' } });
const [product] = await scrip.find('amazon', { country: 'us', value: '25' });
if (product === undefined) throw new Error('not sold');
const outcome = await scrip.order(
  { productId: product.id, to: 'friend@example.com' },
  { idempotencyKey: 'ten-lines', maxAmount: '26', confirm: ({ price }) => price === '25.25' },
).catch((error: unknown) => (error instanceof ScripError ? error.code : Promise.reject(error)));
if (typeof outcome === 'string' || outcome.status !== 'delivered') throw new Error('not delivered');
console.log(outcome.deliveries[0]?.reveal().code);
`;

/** Stands wherever the global one does. */
const FETCHING = `import type { Scrip } from 'scrip-cli';
declare const scrip: Scrip;
export const same: typeof fetch = scrip.fetch;
const url = new URL('https://api.example/summary');
export const text: Promise<string> = scrip
  .fetch(url, { method: 'POST', body: 'a question', headers: { accept: 'text/plain' }, maxAmount: '1' })
  .then((answer) => answer.text());
`;

describe('a program of ten lines', () => {
  const NODENEXT = { module: ts.ModuleKind.NodeNext };
  const BUNDLER = {
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
  };
  const NODE = { types: ['node'] };
  const BROWSER = { lib: ['lib.es2022.d.ts', 'lib.dom.d.ts'] };

  it.each([
    ['under bundler', { ...BUNDLER, ...NODE }],
    [
      'under nodenext, with every strictness there is',
      { ...NODENEXT, ...NODE, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true },
    ],
    ['without the types of Node', { ...NODENEXT, ...BROWSER }],
  ])('is without a fault for the compiler %s, declarations included', (_where, options) => {
    const sources = { 'program.mts': PROGRAM, 'fetching.mts': FETCHING };
    expect(installed.problems(sources, options)).toEqual([]);
  });

  it('is told of what there is not', () => {
    const wrong = `import { createScrip, type ScripErrorCode } from 'scrip-cli';
const code: ScripErrorCode = 'NO_SUCH_CODE';
const scrip = await createScrip({ sandbox: { dataDir: './shop' }, maxAmount: '5' });
await scrip.fetch('https://api.example/', { maxAmount: 5 });
`;
    expect(installed.problems({ 'wrong.mts': wrong }, { ...NODENEXT, ...NODE })).toEqual([
      expect.stringContaining('NO_SUCH_CODE'),
      expect.stringContaining('maxAmount'),
      expect.stringContaining("'number' is not assignable"),
    ]);
  });

  it('buys, and ends by itself', async () => {
    const { stdout, ...end } = await installed.run('program.ts', PROGRAM);
    expect(end).toEqual(DONE);
    expect(stdout).toMatch(/^TEST(-[0-9A-Z]{4}){3}\n$/);
  });
});

it('an error that a program does not catch says what happened and what to do, and shows no built code', async () => {
  const program = `import { createScrip } from 'scrip-cli';
const scrip = await createScrip({ sandbox: { dataDir: './shop-without' } });
await scrip.order(
  { productId: 'none', country: 'us', brand: 'Amazon.com', value: '25', to: 'friend@example.com' },
  { idempotencyKey: 'none', confirm: () => true },
);
`;
  const { status, stdout, stderr } = await installed.run('uncaught.ts', program);
  expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
  const [head = '', ...rest] = stderr.split('ScripError [PRODUCT_UNKNOWN]: ');
  expect(head).not.toContain('dist');
  expect(rest.join('')).toMatch(
    /^Amazon\.com has no product "none" in US\nhint: To see what is sold: /,
  );
});

it('an error that a program does not catch names its options, with the hint as a text', async () => {
  const program = `import { createScrip } from 'scrip-cli';
const scrip = await createScrip({ sandbox: { dataDir: './shop-too-dear' } });
const [{ id: productId }] = await scrip.find('amazon', { country: 'us', value: '25' });
await scrip.order({ productId, to: 'friend@example.com' }, { maxAmount: '20', confirm: () => true });
`;
  const { stderr } = await installed.run('dear.mjs', program);
  const hint = 'Raise maxAmount to accept this price.';
  expect(stderr).toContain(`, more than the 20 allowed\nhint: ${hint}\n    at `);
  expect(stderr).toContain(`  hint: '${hint}',`);
});

describe('the declarations', () => {
  const text = () =>
    readFileSync(join(installed.dir, 'node_modules', 'scrip-cli', 'dist', 'library.d.ts'), 'utf8');

  it('name no other file and no package', () => {
    expect(text()).not.toMatch(/\bimport\b|\bfrom '|require\(|reference (path|types)/);
  });

  it('have every error code', () => {
    const union = /^type Code = (.*);$/m.exec(text())?.[1] ?? '';
    expect(union.split(' | ')).toEqual(Object.keys(CODES).map((code) => `'${code}'`));
  });

  it('have the values that there are', async () => {
    const declared = [...text().matchAll(/^export declare const (\w+)/gm)].map(([, name]) => name);
    const { stdout } = await installed.run(
      'names.mjs',
      "console.log(JSON.stringify(Object.keys(await import('scrip-cli'))));",
    );
    expect(JSON.parse(stdout)).toEqual(declared.toSorted());
  });
});

describe('the package', () => {
  it('can be required', async () => {
    const source = `const { createScrip, ScripError } = require('scrip-cli');
createScrip({}).catch((error) => console.log(error instanceof ScripError, error.code));
`;
    const { status, stdout } = await installed.run('required.cjs', source);
    expect({ status, stdout }).toEqual({ status: 0, stdout: 'true USAGE\n' });
  });

  it('does nothing when it is imported: says, hears, reads and holds nothing', async () => {
    // What Node's own loader looks at is its own.
    const source = `const read = [];
const told = { get: (env, name) => (read.push(name), env[name]), has: (env, name) => (read.push(name), name in env) };
process.env = new Proxy(process.env, told);
const before = process.eventNames().map((name) => [name, process.listenerCount(name)]);
const exits = [];
process.exit = (code) => exits.push(code);
await import('scrip-cli');
const after = process.eventNames().map((name) => [name, process.listenerCount(name)]);
const ours = read.filter((name) => name !== 'WATCH_REPORT_DEPENDENCIES');
console.log(JSON.stringify({ read: ours, exits, isSame: JSON.stringify(before) === JSON.stringify(after) }));
`;
    const { stdout, ...end } = await installed.run('imported.mjs', source);
    expect(end).toEqual(DONE);
    expect(JSON.parse(stdout)).toEqual({ read: [], exits: [], isSame: true });
  });

  it('buys without reading the environment, and leaves the web as it is', {
    timeout: 180_000,
  }, async () => {
    const source = `const read = new Set();
process.env = new Proxy(process.env, { get: (env, name) => (read.add(name), env[name]) });
const web = [Request, Response, Headers];
const { createScrip } = await import('scrip-cli');
const scrip = await createScrip({ sandbox: { dataDir: './quiet-shop' } });
const [product] = await scrip.find('amazon', { country: 'us', value: '10' });
const { status } = await scrip.order({ productId: product.id, to: 'friend@example.com' }, { confirm: () => true });
await scrip.close();
const isWhole = web.every((one, index) => one === [Request, Response, Headers][index]);
console.log(JSON.stringify({ status, isWhole, read: [...read].filter((name) => /HOME|XDG|SCRIP|PATH|LANG|LC_/.test(name)) }));
`;
    const { stdout, ...end } = await installed.run('quiet.mjs', source);
    expect(end).toEqual(DONE);
    expect(JSON.parse(stdout)).toEqual({ status: 'delivered', isWhole: true, read: [] });
  });
});
