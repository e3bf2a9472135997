/**
 * Writes test/kept: home folders in which the built program was killed, one for each fail point. Run it to
 * add the states of another version: `node scripts/keep-states.mjs 0.2.0`. Existing states are never
 * regenerated: every later version must be able to finish them as they are.
 */
import { execFileSync, spawn } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants } from 'node:zlib';
import Database from 'libsql';

const root = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));
const BIN = root('bin/scrip.js');
const CLOCK = root('test/support/fast-clock.cjs');
const DATABASE = '.local/state/scrip/sandbox/sandbox.db';
/** A journal names its host's address, so all states use one port; a test that resumes them redirects it. */
const PORT = 18_402;
const MINUTE_MS = 60_000;

const CHECKOUT = [
  ...['purchase-asked', 'record-created', 'record-linked', 'intent-written', 'challenge-answered'],
  ...['challenge-read', 'reserved', 'signed', 'attempt-written', 'submitted', 'accepted-recorded'],
  ...['goods-read', 'goods-recorded'],
  ...['session-committing', 'session-committed', 'payment-verified', 'order-committing'],
  ...['order-committed', 'claim-written', 'broadcast', 'settled', 'settlement-committing'],
  ...['settlement-committed', 'supplier-asked', 'supplier-answered', 'delivery-committing'],
  'delivery-committed',
];
const PARTNER = [
  ...[
    'record-created',
    'record-linked',
    'intent-written',
    'created',
    'created-recorded',
    'reserved',
  ],
  ...['signed', 'attempt-written', 'submitted', 'supplier-asked', 'supplier-answered'],
  ...['delivery-committing', 'delivery-committed'],
];
const GOODS = [
  '--country',
  'us',
  '--brand',
  'Amazon.com',
  '--to',
  'friend@example.com',
  '--email',
  'you@example.com',
];
const AGREED = ['--yes', '--max-amount', '60', '--allow-duplicate', '--json'];

const [version = 'unnamed'] = process.argv.slice(2);
const work = mkdtempSync(join(tmpdir(), 'scrip-keep-'));
const base = join(work, 'base');
const states = [];

function run(home, words, { point, offsetMs = 0 } = {}) {
  // When the clock is offset, run it 20 times as fast, so that waiting takes less real time.
  const clock = { sinceMs: Date.now(), speed: offsetMs === 0 ? 1 : 20, offsetMs };
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    FAULT_CLOCK: JSON.stringify(clock),
    ...(point === undefined ? {} : { SCRIP_TEST: '1', SCRIP_FAIL_POINT: point }),
  };
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ['--require', CLOCK, BIN, ...words], { cwd: home, env });
    let stdout = '';
    let stderr = '';
    child.stdout.on('data', (text) => (stdout += text));
    child.stderr.on('data', (text) => (stderr += text));
    child.once('close', (status, signal) => {
      const told = { status, signal, stdout, stderr };
      if (point !== undefined ? signal === 'SIGKILL' : status === 0) resolve(told);
      else
        reject(new Error(`${point ?? words.join(' ')}: ${status ?? signal} ${stdout} ${stderr}`));
    });
  });
}

function newHome(name) {
  const home = join(work, name);
  cpSync(base, home, { recursive: true });
  return home;
}

/** @param reach brings a home to the fail point and returns the options that lead to its store */
async function stop(surface, point, words, reach = at(point)) {
  const key = `kept-${surface}-${point}`;
  const order = [...words, '--idempotency-key', key];
  const home = newHome(key);
  const flags = await reach(home, order, key);
  states.push({ surface, point, key, order, flags, home, atMs: Date.now() });
  process.stderr.write(`${surface} ${point}\n`);
}

function at(point) {
  return async (home, order) => {
    await run(home, order, { point });
    return [];
  };
}

/** Killed at one point, then resumed and killed at the next. */
function later(first, offsetMs, point, around = async (_home, go) => go()) {
  return async (home, order, key) => {
    await run(home, order, { point: first });
    const resume = () => run(home, ['orders', 'resume', key, '--json'], { point, offsetMs });
    await around(home, resume);
    return [];
  };
}

/** The merchant has no record of the purchase while it is given up; afterwards its records are back. */
async function forgotten(home, go) {
  const folder = join(home, '.local/state/scrip/sandbox');
  const aside = `${home}-sandbox`;
  cpSync(folder, aside, { recursive: true });
  const database = new Database(join(home, DATABASE));
  for (const table of ['orders', 'sessions', 'settlements']) database.exec(`delete from ${table}`);
  database.close();
  await go();
  rmSync(folder, { recursive: true });
  cpSync(aside, folder, { recursive: true });
}

async function served(home, order) {
  const data = join(home, '.local/state/scrip/sandbox');
  const words = ['sandbox', '--port', String(PORT), '--data', data, '--json'];
  const env = { PATH: process.env.PATH, HOME: home };
  const child = spawn(process.execPath, [BIN, ...words], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise((resolve) => child.once('close', resolve));
  await new Promise((resolve) => child.stdout.once('data', resolve));
  const url = `http://127.0.0.1:${PORT}`;
  const flags = [
    '--checkout-url',
    url,
    '--rpc-url',
    `${url}/rpc`,
    '--keypair',
    '.local/share/scrip/wallets/sandbox.json',
  ];
  await run(home, [...order, ...flags], { point: 'payment-sent' });
  child.kill('SIGTERM');
  await ended;
  return flags;
}

function filesOf(home) {
  return readdirSync(home, { recursive: true })
    .filter((path) => !path.startsWith('.cache') && !path.endsWith('-shm'))
    .filter((path) => statSync(join(home, path)).isFile())
    .toSorted();
}

try {
  mkdirSync(base);
  const { address } = JSON.parse((await run(base, ['wallet', 'new', '--json'])).stdout);
  await run(base, ['wallet', 'fund', '--usdc', '200', '--json']);
  const listed = await run(base, ['catalog', '--country', 'us', '--brand', 'Amazon.com', '--json']);
  const product = JSON.parse(listed.stdout).find(({ face_value_usd }) => face_value_usd === 25);
  const checkout = ['order', product.product_id, ...GOODS, ...AGREED];
  const paid = ['--via', 'partner', '--coin', 'USDC', '--network', 'Solana', '--pay'];
  const partner = ['order', product.product_id, ...paid, ...GOODS, ...AGREED];

  for (const point of CHECKOUT) await stop('checkout', point, checkout);
  await stop('checkout', 'payment-sent', checkout, served);
  await stop(
    'checkout',
    'dead-recorded',
    checkout,
    later('attempt-written', 10 * MINUTE_MS, 'dead-recorded'),
  );
  await stop(
    'checkout',
    'landed-recorded',
    checkout,
    later('accepted-recorded', 2 * MINUTE_MS, 'landed-recorded'),
  );
  await stop(
    'checkout',
    'attention-recorded',
    checkout,
    later('submitted', 25 * 60 * MINUTE_MS, 'attention-recorded', forgotten),
  );
  for (const point of PARTNER) await stop('partner', point, partner);
  await stop(
    'partner',
    'landed-recorded',
    partner,
    later('submitted', 2 * MINUTE_MS, 'landed-recorded'),
  );

  const rev = execFileSync('git', ['rev-parse', 'HEAD'], { encoding: 'utf8' }).trim();
  const parts = [];
  const index = states.map(({ home, ...state }) => ({
    ...state,
    files: filesOf(home).map((path) => {
      const bytes = readFileSync(join(home, path));
      parts.push(bytes);
      return [path, bytes.length];
    }),
  }));
  const bytes = Buffer.concat(parts);
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: 11,
    [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS,
    [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
  };
  mkdirSync(root('test/kept'), { recursive: true });
  const packed = brotliCompressSync(bytes, { params });
  writeFileSync(root(`test/kept/${version}.br`), packed);
  const head = { version, rev, wallet: address, port: PORT, price_usdc: product.price_usdc };
  const lines = index.map((state) => JSON.stringify(state)).join(',\n');
  writeFileSync(
    root(`test/kept/${version}.json`),
    `${JSON.stringify(head).slice(0, -1)},"states":[\n${lines}\n]}\n`,
  );
  process.stderr.write(
    `${index.length} states, ${bytes.length} bytes, ${packed.length} compressed\n`,
  );
} finally {
  rmSync(work, { recursive: true, force: true });
}
