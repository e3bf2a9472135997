// Runs common commands in a temporary home and saves V8's compiled code, so that later runs start without
// compiling. The cache works only with this machine's Node; any other Node compiles as usual.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const RECORDER = fileURLToPath(new URL('./record.cjs', import.meta.url));

/** This product has the same id in the embedded catalog on every machine. */
const PRODUCT = '75735efd-8e6a-8e93-acbf-9dcb174eb7e9 --country us --brand Amazon.com';
const GOODS = `order ${PRODUCT} --to you@example.com --email you@example.com`;
const AGREED = '--yes --max-amount 20 --allow-duplicate --json';

/** Every command reads this pack's cache, so keep code out of it that only purchases use. */
const USUAL = 'usual.js';
/** Likewise the embedded service's pack, which holds what lists and purchases use. */
const PACKS = [USUAL, 'embedded.js'];

/** The first messages of an MCP client. */
const GREETING = [
  {
    id: 1,
    method: 'initialize',
    params: {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'build', version: '1' },
    },
  },
  { method: 'notifications/initialized' },
  { id: 2, method: 'tools/list' },
]
  .map((message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  .join('');

/** Run in this order: each run adds the functions it used to the cache, except to the packs in `kept`. */
const RUNS = [
  { line: 'wallet new' },
  { line: 'wallet fund --usdc 50' },
  { line: 'brands --country us --json' },
  { line: 'brands --country us --json --checkout-url HOST' },
  { line: 'brands --country us --search amazon --csv' },
  { line: 'catalog --country us --brand Amazon.com --ndjson' },
  { line: 'orders list --json' },
  // Purchases load chunks of their own; the one that builds transactions is as large as the rest of the
  // program.
  { line: `${GOODS} ${AGREED}`, kept: [USUAL] },
  { line: `${GOODS} ${AGREED} --via partner --coin USDC --network Solana --pay`, kept: [USUAL] },
  { line: `${GOODS} --yes --allow-duplicate --coin BTC --network Mainnet`, kept: PACKS },
  { line: `${GOODS} --dry-run`, kept: PACKS },
  { line: `validate ${PRODUCT} --to you@example.com --email you@example.com --json`, kept: PACKS },
  { line: `price ${PRODUCT} --json`, kept: PACKS },
  { line: 'orders resume --json', kept: PACKS },
  { line: 'policy show --json', kept: PACKS },
  { line: 'doctor --json', kept: PACKS },
  { line: 'mcp', input: GREETING, kept: PACKS },
  { line: 'sandbox --port 0 --json', isServing: true, kept: PACKS },
];

/** Limits the time of each run, so that it never blocks a build. */
const PATIENCE_MS = 20_000;

export async function writeCodeCache() {
  const home = mkdtempSync(join(tmpdir(), 'scrip-cache-'));
  const host = await serveBrands();
  try {
    for (const { line, ...run } of RUNS) {
      await record({ line: line.replace('HOST', host.url), ...run }, home);
    }
  } finally {
    host.close();
    rmSync(home, { recursive: true, force: true });
  }
}

/** A checkout host to be read over the network. */
async function serveBrands() {
  const brand = { brand_name: 'One', family: 'Gift Cards', category: 'games' };
  const server = createServer((_request, response) => response.end(JSON.stringify([brand])));
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${server.address().port}`, close: () => server.close() };
}

/** @param isServing whether the command runs until it is stopped, which happens at its first output */
function record({ line, kept = [], input = '', isServing = false }, home) {
  const child = spawn(process.execPath, [RECORDER, ...line.split(' ')], {
    env: { PATH: process.env.PATH, HOME: home, RECORD_KEPT: kept.join() },
    stdio: ['pipe', 'pipe', 'pipe'],
    timeout: PATIENCE_MS,
    killSignal: 'SIGKILL',
  });
  let said = '';
  child.stderr.on('data', (text) => {
    said += text;
  });
  child.stdout.once('data', () => isServing && child.kill('SIGTERM')).resume();
  child.stdin.on('error', () => undefined).end(input);
  return new Promise((resolve) => {
    child.once('close', (status) => {
      // The cache only saves time: a failed run must not fail the build.
      if (status !== 0) console.warn(`no code cache of scrip ${line}: ${said.trim()}`);
      resolve();
    });
  });
}
