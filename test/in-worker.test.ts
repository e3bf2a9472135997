/** Command lines that run in the tests' own process: as a process does, and leaving nothing behind. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { isExecutable, makeHome } from './support/cli.ts';
import { BIN } from './support/in-worker.ts';
import { createOwnNode } from './support/own-node.ts';

const home = makeHome();

const ORDER = ['order', 'demo', '--dry-run'];
const LINES: readonly (readonly string[])[] = [
  [],
  ['--version'],
  ['order', '--help'],
  ['completion', '--values', 'order', '--country', ''],
  ['errors', '--json'],
  ['nonsense'],
  ['brands', '--json'],
  ['brands', '--country', 'de'],
  ['config', 'set', 'country', 'no such country'],
  ['wallet', 'show', '--json'],
];

describe.skipIf(isExecutable)('a command line in the tests’ process', () => {
  it.each(LINES.map((line) => [line]))('says what a process says: %j', async (line) => {
    const here = await home.run(line);
    expect(here).toEqual(await home.run(line, { isProcess: true }));
  });

  it('leaves folder, mask, environment and listeners as they were', async () => {
    const around = () => ({
      folder: process.cwd(),
      mask: process.umask(),
      env: { ...process.env },
      listeners: process.eventNames().map((name) => [name, process.listenerCount(name)]),
      globals: Object.getOwnPropertyDescriptors(globalThis),
    });
    const before = around();
    const env = { SCRIP_PASSPHRASE: 'three words long', NO_COLOR: '1', FORCE_COLOR: '1' };
    await home.run(['price', 'amazon', '--country', 'us', '--value', '25'], { env });
    await home.run(ORDER);
    expect(around()).toEqual(before);
  });

  it('leaves no connection and no timer', async () => {
    const server = createServer((_request, response) => response.end('{}'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const url = `http://127.0.0.1:${port}`;
    await home.run(['brands', '--country', 'us', '--checkout-url', url]);
    const isFree = new Promise((resolve) => server.close(resolve));
    // A connection that is kept alive would keep it open.
    await isFree;
  });
});

describe('the Node of a command line', () => {
  const ended = (env: Readonly<Record<string, string>> = {}) => {
    const leaks: string[] = [];
    const leaked = (what: string) => leaks.push(what);
    const call = { args: ['test'], env, cwd: home.dir, input: '', bin: BIN, leaked };
    const node = createOwnNode(call);
    return { node, leaks };
  };

  it.each([
    ['setTimeout', ({ scope }) => scope.setTimeout(() => undefined, 1)],
    ['setInterval', ({ scope }) => scope.setInterval(() => undefined, 1)],
    ['setImmediate', ({ scope }) => scope.setImmediate(() => undefined)],
    ['fs.writeFileSync', ({ builtIn }) => call(builtIn('node:fs'), 'writeFileSync')],
    ['fs/promises.open', ({ builtIn }) => call(builtIn('node:fs/promises'), 'open')],
    ['request', ({ builtIn }) => call(builtIn('node:http'), 'request')],
    ['createServer', ({ builtIn }) => call(builtIn('node:http'), 'createServer')],
    ['spawn', ({ builtIn }) => call(builtIn('node:child_process'), 'spawn')],
  ] satisfies [string, (node: ReturnType<typeof createOwnNode>) => unknown][])(
    'refuses %s after the end, and tells',
    (name, begin) => {
      const { node, leaks } = ended();
      node.exit();
      expect(() => begin(node)).toThrow('after the end of test');
      expect(leaks).toEqual([name]);
    },
  );

  it('ends its timers with the command line', async () => {
    const { node, leaks } = ended();
    const state = { isCalled: false };
    node.scope.setImmediate(() => {
      state.isCalled = true;
    });
    node.exit(3);
    expect(await node.ended).toBe(3);
    await new Promise((resolve) => setImmediate(resolve));
    expect({ ...state, leaks }).toEqual({ isCalled: false, leaks: [] });
  });
});

function call(module: unknown, name: string): unknown {
  return (module as Record<string, () => unknown>)[name]?.();
}
