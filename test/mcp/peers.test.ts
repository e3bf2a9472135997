/** Programs of others that speak MCP: the inspector lists and calls every tool, conformance is tested. */
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TOOLS } from '../../src/contract/agent.ts';
import { type Home, makeHome } from '../support/cli.ts';
import { orderBody } from '../support/partner-sandbox.ts';
import { type ServedSandbox, serveSandbox } from '../support/served-sandbox.ts';

const rootOf = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const INSPECTOR = rootOf('node_modules/.bin/mcp-inspector');
const INSPECTOR_CALLS = rootOf('test/support/inspector-calls.mjs');
const CONFORMANCE = rootOf('node_modules/.bin/conformance');
const BUN = rootOf('node_modules/.bin/bun');
const BASELINE = rootOf('test/mcp/conformance-baseline.yml');
const BIN = rootOf('bin/scrip.js');
/** How the inspector ends when a tool answers with an error. */
const FAILED_TOOL = 5;
const PATIENCE = { timeout: 240_000 };

let home: Home;
let shop: ServedSandbox;
beforeAll(async () => {
  home = makeHome();
  shop = await serveSandbox(home);
});
afterAll(async () => {
  await shop.stop();
});

function runPeer(program: string, args: readonly string[], runtime = process.execPath) {
  const child = spawn(runtime, [program, ...args], {
    cwd: home.dir,
    env: { PATH: process.env.PATH ?? '', HOME: home.dir },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
    said += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  return new Promise<{ status: number | null; stdout: string; said: string }>((resolve) => {
    child.once('close', (status) => resolve({ status, stdout, said }));
  });
}

const { payment, deliveries, user } = orderBody();
const ORDER = [payment, deliveries, user].map((part) => JSON.stringify(part));
const asOrder = [`payment=${ORDER[0]}`, `deliveries=${ORDER[1]}`, `user=${ORDER[2]}`];

/** Arguments of each tool; the status is asked of the order that was made before it. */
const ARGUMENTS: Readonly<Record<string, readonly string[]>> = {
  purchaseElicitation: [],
  getCurrencies: [],
  listBrands: ['country_code=us'],
  listProductsForCountry: ['country_code=us', 'brand_name=Amazon.com', 'coin=USDC'],
  getPaymentViasWithCurrencies: [],
  getProductPrice: ['country_code=us', 'brand_name=Amazon.com', 'face_value=30', 'coin=USDC'],
  validateOrder: asOrder,
  createOrder: asOrder,
  searchProducts: ['country_code=us', 'q=amazn'],
};

const MODERN = ['--protocol-era', 'modern'];

const HOMES: readonly (readonly [name: string, target: () => readonly string[]])[] = [
  ['stdio', () => [process.execPath, BIN, 'mcp']],
  [
    'HTTP',
    () => [`${shop.url}/mcp`, '--transport', 'http', '--header', 'X-Cr-Application: inspector'],
  ],
  ['stdio, of 2026-07-28', () => [process.execPath, BIN, 'mcp', ...MODERN]],
  ['HTTP, of 2026-07-28', () => [`${shop.url}/mcp`, '--transport', 'http', ...MODERN]],
];

describe.each(HOMES)('the inspector over %s', (_name, target) => {
  const inspect = (args: readonly string[]) => runPeer(INSPECTOR, ['--cli', ...target(), ...args]);
  const known = TOOLS.filter(({ name }) => ARGUMENTS[name] !== undefined);
  const calls = [
    ...known.map(({ name }) => [name, ...(ARGUMENTS[name] ?? [])]),
    ['getOrderStatus', 'order_id=MADE'],
    ['listBrands', 'country_code=usa'],
  ];

  /** Each call is a connection of its own, as the inspector makes it; loading it takes longer than a call. */
  const callAll = () => {
    const lines = calls.map(([name = '', ...pairs]) => {
      const args = pairs.length === 0 ? [] : ['--tool-arg', ...pairs];
      return [...target(), '--method', 'tools/call', '--tool-name', name, ...args];
    });
    return runPeer(INSPECTOR_CALLS, [JSON.stringify(lines)]);
  };
  let all: ReturnType<typeof callAll> | undefined;
  const called = async () => {
    all ??= callAll();
    const { status, stdout, said } = await all;
    expect([status, status === FAILED_TOOL ? '' : said]).toEqual([FAILED_TOOL, '']);
    const printed: string[] = JSON.parse(stdout);
    return printed.map((text) => JSON.parse(text));
  };

  it('lists every tool, with schemas that are fit for others', PATIENCE, async () => {
    const { status, stdout } = await inspect(['--method', 'tools/list', '--strict']);
    expect(status).toBe(0);
    const { tools } = JSON.parse(stdout);
    expect(tools.map(({ name }: { name: string }) => name)).toEqual(TOOLS.map(({ name }) => name));
  });

  it('calls every tool', PATIENCE, async () => {
    const results = (await called()).map(({ structuredContent }) => structuredContent?.result);
    const made = results[known.findIndex(({ name }) => name === 'createOrder')];
    expect(made.order_id).toEqual(expect.any(String));
    expect(results[known.length].order_id).toBe(made.order_id);
  });

  it('sees a failure as one', PATIENCE, async () => {
    const replies = await called();
    expect(replies.map(({ isError = false }) => isError)).toEqual([
      ...Array(calls.length - 1).fill(false),
      true,
    ]);
  });
});

const PASSED = [
  ...['server-initialize', 'server-session-lifecycle', 'ping', 'tools-list', 'prompts-list'],
  ...['resources-list', 'sep-2164-resource-not-found', 'dns-rebinding-protection', 'caching'],
  ...['http-header-validation', 'server-sse-multiple-streams'],
  ...['input-required-result-unsupported-methods', 'input-required-result-validate-input'],
];

describe('the conformance tool', () => {
  it('finds what the baseline expects, and no more', PATIENCE, async () => {
    const open = await serveSandbox(home, ['--data', 'other']);
    try {
      const words = ['server', '--url', `${open.url}/mcp`, '--suite', 'all'];
      const args = [...words, '--expected-failures', BASELINE];
      // It wants Node 22; Bun runs it wherever this is an older one.
      const runtime = 'globSync' in fs ? process.execPath : BUN;
      const { status, said } = await runPeer(CONFORMANCE, args, runtime);
      expect([status, status === 0 ? '' : said]).toEqual([0, '']);
      for (const name of PASSED) expect(said).toContain(`✓ ${name}`);
    } finally {
      await open.stop();
    }
  });
});
