/** A Node that is too old is told so, before anything that it cannot run is loaded. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { nodeCheck } from '../src/cli/doctor/examination.ts';
import { isExecutable, makeHome } from './support/cli.ts';
import { tempFolder } from './support/temp-folder.ts';

const entries = ['scrip.js', 'old-node.js'].map((name) =>
  readFileSync(fileURLToPath(new URL(`../bin/${name}`, import.meta.url)), 'utf8'),
);
const { engines } = JSON.parse(
  readFileSync(fileURLToPath(new URL('../package.json', import.meta.url)), 'utf8'),
);
const home = makeHome();
const folder = tempFolder();
const pretended = join(folder, 'pretended.cjs');

beforeAll(() => {
  // It claims to be another Node, and lets the entry load nothing.
  writeFileSync(
    pretended,
    `const node = process.env.PRETENDED;
     Object.defineProperty(process, 'versions', { value: { ...process.versions, node } });
     const { Module } = require('node:module');
     const load = Module._load;
     Module._load = (id, ...more) => {
       if ((id.startsWith('.') && id !== './old-node.js') || id.startsWith('node:')) throw new Error('loaded ' + id);
       return load(id, ...more);
     };`,
  );
});

const runOn = (node: string, words: readonly string[]) => {
  const env = { NODE_OPTIONS: `--require "${pretended}"`, PRETENDED: node };
  return home.run(words, { env, isProcess: true });
};

describe.skipIf(isExecutable)('on an old Node', () => {
  it.each(['18.20.8', '20.18.3', '4.9.1'])(
    '%s every command says in one line what it needs',
    async (node) => {
      for (const words of [['doctor'], ['--version'], [], ['order', '--help']]) {
        expect(await runOn(node, words)).toMatchObject({
          status: 13,
          stdout: '',
          stderr: `error: scrip needs Node 20.19 or newer, this is ${node}\n`,
        });
      }
    },
  );

  it('a program is told in JSON', async () => {
    const { status, stderr } = await runOn('18.20.8', ['orders', '--json']);
    expect(status).toBe(13);
    expect(JSON.parse(stderr).error).toMatchObject({ code: 'MACHINE_UNFIT', exit: 13 });
  });

  it('the entry has no syntax that such a Node cannot parse', () => {
    for (const source of entries)
      expect(source).not.toMatch(/\?\.|\?\?|catch \{|\.\.\.|\basync\b|\bimport\b|\*\*/);
  });
});

it('what is refused is what package.json and the doctor refuse', () => {
  const [, least = ''] = /^>=(\d+\.\d+)$/.exec(engines.node) ?? [];
  const [major, minor] = least.split('.');
  expect(entries[0]).toContain(
    `node[0] < ${major} || (node[0] === ${major} && node[1] < ${minor})`,
  );
  expect(entries[1]).toContain(`needs Node ${least} or newer`);
  expect(nodeCheck({ nodeVersion: `${least}.0` }).state).toBe('ok');
  expect(nodeCheck({ nodeVersion: '20.18.3' }).state).toBe('fail');
});
