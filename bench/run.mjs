// The figures of docs/inside/performance.md, each as a ratio to a floor measured in the same run.
// PAIRS=15 sets how often; names of figures as arguments (P1 P5) run those alone.
import { fork, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { measureCluster } from './cluster.mjs';
import { measureDesk } from './desk.mjs';
import { installed } from './installed.mjs';
import { compare } from './measure.mjs';
import { measureOnPostgres, measureOrders } from './orders.mjs';
import { measurePurchase } from './purchase.mjs';
import { measurePurchases } from './purchases.mjs';
import { measureReads } from './reads.mjs';
import { weighServed } from './weight.mjs';

const PAIRS = Number(process.env.PAIRS ?? 15);
const MB = 1_000_000;
const at = (path) => fileURLToPath(new URL(path, import.meta.url));
const binary = at('../build/scrip');
const scrip = [process.execPath, at('../bin/scrip.js')];
const get = [process.execPath, at('get.mjs')];
const nothing = [process.execPath, '-e', '0'];
const folder = mkdtempSync(join(tmpdir(), 'scrip-bench-'));
const env = { PATH: process.env.PATH, HOME: join(folder, 'home') };
const asked = process.argv.slice(2);
const children = [];

function cells(name, figure, floor, ratio, budget, verdict) {
  const width = [44, 9, 9, 7, 7];
  const [first, ...rest] = [name, figure, floor, ratio, budget];
  const numbers = rest.map((text, index) => text.padStart(width[index + 1]));
  console.log(`${first.padEnd(width[0])}${numbers.join('')}  ${verdict}`.trimEnd());
}

function verdictOf({ wall, cpu }, budget) {
  const used = cpu === undefined ? '' : `cpu ${cpu.toFixed(2)}`;
  if (budget === undefined || wall <= budget) return used;
  return `${used}  ${cpu !== undefined && cpu <= budget ? 'over by the clock alone' : 'OVER'}`;
}

/** @param budget undefined for a figure that is told alone */
function row(name, budget, figure, floor, given = env) {
  const found = compare(figure, floor, { pairs: PAIRS, env: given });
  const ms = (value) => `${value.toFixed(0)} ms`;
  const ratios = [found.wall.toFixed(2), budget?.toFixed(2) ?? ''];
  cells(name, ms(found.figureMs), ms(found.floorMs), ...ratios, verdictOf(found, budget));
}

/** A figure that is no time. */
function fact(name, figure, floor, budget, isOver) {
  cells(name, figure, floor, '', budget, isOver ? 'OVER' : '');
}

function host(count) {
  const child = fork(at('brand-host.mjs'), [String(count)]);
  children.push(child);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('message', (told) => resolve(told));
  });
}

const brandsOf = (program, url, ...more) => [
  ...[...program, 'brands', '--country', 'us'],
  ...['--checkout-url', url, ...more],
];

/** The same figures of the executable, where it was built. */
const programs = [
  { program: scrip, place: '' },
  ...(existsSync(binary) ? [{ program: [binary], place: ', executable' }] : []),
];

function printed(program, budgets) {
  row('scrip --version', budgets[0], [...program, '--version'], nothing);
  row('scrip --help', budgets[1], [...program, '--help'], nothing);
  row('scrip order --help', budgets[1], [...program, 'order', '--help'], nothing);
  row('scrip completion bash', budgets[1], [...program, 'completion', 'bash'], nothing);
}

async function aCountry() {
  const { url } = await host(400);
  for (const { program, place } of programs) {
    const figure = brandsOf(program, url, '--json');
    row(`brands --json, of a server${place}`, 1.5, figure, [...get, `${url}/v1/brands`]);
  }
}

async function embedded() {
  const { url } = await host(400);
  for (const { program, place } of programs) {
    const figure = [...program, 'brands', '--country', 'us', '--json'];
    row(`brands --json, embedded${place}`, 3, figure, [...get, `${url}/v1/brands`]);
  }
}

async function manyBrands() {
  const { url, bytes } = await host(10_000);
  const floor = [...get, `${url}/v1/brands`, 'parse'];
  for (const { program, place } of programs) {
    for (const format of ['json', 'ndjson', 'csv']) {
      const figure = brandsOf(program, url, `--${format}`);
      row(`10,000 brands --${format}${place}`, 2, figure, floor);
    }
    row(`10,000 brands, tab-separated${place}`, 3, brandsOf(program, url), floor);
    if (existsSync('/usr/bin/script')) {
      const inTerminal = (words) => ['/usr/bin/script', '-qec', words.join(' '), '/dev/null'];
      const figure = inTerminal(brandsOf(program, url, '--no-pager'));
      row(`10,000 brands, a table${place}`, 3, figure, inTerminal(floor));
    }
  }
  for (const flag of ['--json', '--ndjson', '--csv'])
    weigh(flag, brandsOf(scrip, url, flag), bytes);
}

function weigh(flag, words, bytes) {
  const file = join(folder, 'usage');
  const more = { NODE_OPTIONS: `--require ${at('usage.cjs')}`, BENCH_USAGE: file };
  const { status } = spawnSync(words[0], words.slice(1), {
    env: { ...env, ...more },
    stdio: 'ignore',
  });
  if (status !== 0) throw new Error(`${words.join(' ')} ended with ${status}`);
  const most = Number(readFileSync(file, 'utf8'));
  const budget = 3 * bytes + 90 * MB;
  const told = (value) => `${(value / MB).toFixed(0)} MB`;
  fact(`  memory at most, ${flag}`, told(most), told(bytes), told(budget), most > budget);
}

function size() {
  try {
    const { packedBytes, packages, bytes, ownBytes } = installed(folder);
    const told = (value) => `${(value / MB).toFixed(1)} MB`;
    fact('packages installed', String(packages), '', '100', packages > 100);
    // What is heavy is optional: the rest is held against the smallest of its kind.
    fact('size installed', told(bytes), '', '', false);
    fact('  without optional packages', told(ownBytes), '', told(30 * MB), ownBytes > 30 * MB);
    fact('packed', told(packedBytes), '', '', false);
  } catch (error) {
    fact(`not measured: ${error.message.split('\n')[0]}`, '', '', '', false);
  }
}

function theBinary() {
  if (existsSync(binary)) {
    printed([binary], [0.35]);
    fact('size', `${(statSync(binary).size / MB).toFixed(0)} MB`, '', '', false);
  } else fact('not built: npm run build:binary', '', '', '', false);
}

/** A rate, which is to be at least so much of its floor, and what the answers took under this load. */
function rate(name, { figure, floor, ratio, cpu, p50, p99 }, budget) {
  const told = (value) => `${value.toFixed(0)}/s`;
  const ms = (value) => (value < 10 ? value.toPrecision(2) : value.toFixed(0));
  const took = p99 === undefined ? [] : [`p50 ${ms(p50)} ms, p99 ${ms(p99)} ms`];
  const used = [...(Number.isFinite(cpu) ? [`cpu ${cpu.toFixed(2)}`] : []), ...took].join('  ');
  const isUnder = budget !== undefined && ratio < budget;
  const verdict = isUnder
    ? `${used}  ${cpu >= budget ? 'under by the clock alone' : 'UNDER'}`
    : used;
  cells(name, told(figure), told(floor), ratio.toFixed(2), budget?.toFixed(2) ?? '', verdict);
}

const reads = (group) => () => measureReads({ group, folder: env.HOME, pairs: PAIRS, tell: rate });

/** How many orders are open; a hundred thousand take minutes to make: ORDERS=5000,100000. */
const SIZES = (process.env.ORDERS ?? '5000,20000').split(',').map(Number);

/** Figures of purchases take seconds each. */
const SOME_PAIRS = Math.min(PAIRS, 5);
/** The database server runs as another user, who has to reach it. */
const openFolder = mkdtempSync(join(tmpdir(), 'scrip-bench-open-'));
chmodSync(openFolder, 0o755);

async function throughput() {
  const told = { pairs: SOME_PAIRS, tell: rate };
  const orders = { ...told, sizes: SIZES, fact };
  await measureOrders({ folder: env.HOME, ...orders });
  await measureOnPostgres({ folder: openFolder, ...orders });
  await measurePurchases({ folder: env.HOME, ...told });
}

const cluster = () => measureCluster({ folder: openFolder, tell: rate, fact });

const desk = () => measureDesk({ folder: join(openFolder, 'desk'), fact });

const purchase = () =>
  measurePurchase({
    folder: env.HOME,
    pairs: SOME_PAIRS,
    tell: (name, { figureMs, floorMs, ...found }, budget) => {
      const ratios = [found.wall.toFixed(2), budget.toFixed(2)];
      const ms = (value) => `${value.toFixed(1)} ms`;
      cells(name, ms(figureMs), ms(floorMs), ...ratios, verdictOf(found, budget));
    },
  });

/** What a script of this folder found, run alone. */
function found(script) {
  const words = [at(script), '--json'];
  const { stdout, status, stderr } = spawnSync(process.execPath, words, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${script} ended with ${status}: ${stderr}`);
  return JSON.parse(stdout);
}

function searches() {
  const { brands, p99, isOver } = found('search.mjs');
  fact(`search over ${brands} brands, p99`, `${p99.toFixed(2)} ms`, '', '5 ms', isOver);
}

function streams() {
  const { count, heapKb, processKb, toldMs } = found('streams.mjs');
  const told = (value) => `${value.toFixed(1)} KB`;
  fact(`memory of each of ${count} idle streams`, told(processKb), '', '20 KB', processKb > 20);
  fact('  on the heap', told(heapKb), '', '', false);
  fact('  one event told to all of them', `${toldMs.toFixed(0)} ms`, '', '', false);
}

const FIGURES = [
  ['P1', 'on Node; floor: node -e 0', () => printed(scrip, [1.25, 1.25])],
  ['P2', '400 brands; floor: a bare get to stdout', aCountry],
  ['P3', 'catalog warm on disk; floor as P2', embedded],
  ['P4', 'the binary; floor: node -e 0', theBinary],
  ['P5', 'floor: get, JSON.parse, JSON.stringify', manyBrands],
  ['P6', 'a purchase; floor: ask, sign, two syncs, pay', purchase],
  ['P7', 'lists served; floor: node:http, the same bytes', reads('lists')],
  ['P8', 'prices served; floor as P7', reads('prices')],
  ['P9', 'floor: the bare engine, as many commits', throughput],
  ['cluster', 'three servers; floor: one', cluster],
  ['P10', 'typo-tolerant, in process', searches],
  ['P11', 'idle event streams', streams],
  ['P12', 'memory; floor: bare hono on node-server', () => weighServed({ folder: env.HOME, fact })],
  ['P13', 'npm pack, npm install --omit=dev', size],
  ['P14', 'an operator’s searches among 100,000 orders', desk],
];

try {
  console.log(
    `node ${process.version}, medians of ${PAIRS} pairs, wall time; "cpu" is the same ratio of time`,
  );
  console.log('on the processor, which other programs of the machine disturb less');
  for (const [name, floor, measure] of FIGURES) {
    if (asked.length > 0 && !asked.includes(name)) continue;
    console.log();
    cells(`${name}  ${floor}`, 'figure', 'floor', 'ratio', 'budget', '');
    await measure();
  }
} finally {
  for (const child of children) child.kill();
  rmSync(folder, { recursive: true, force: true });
  rmSync(openFolder, { recursive: true, force: true });
}
