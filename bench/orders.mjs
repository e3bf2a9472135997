// P9: orders of the partner API made, looked at and settled by a served sandbox, with few and with many open, beside
// the bare engine that writes the same rows in durable transactions. `orders.mjs floor <folder>` is that engine.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { median, spread } from './measure.mjs';
import { bareTransactions, startPostgres } from './postgres.mjs';
import { startSandbox } from './reads.mjs';

const CALLERS = 16;
/** Made first and not counted, until the engine has compiled what an order needs. */
const WARM = 5_000;
/** Of one pair: so many orders beside two seconds of the bare engine. */
const ORDERS = 500;
/** Commits of an order that one caller makes: its token account on the chain, and its own rows. */
const TRANSACTIONS = 2;
const at = (path) => fileURLToPath(new URL(path, import.meta.url));

const BODY = JSON.stringify({
  user: { email: 'buyer@example.com' },
  payment: { type: 'via', payment_via: 'user_wallet', coin: 'USDC', network: 'Solana' },
  deliveries: [
    {
      denomination: '25 USD',
      brand_name: 'Amazon.com',
      country_code: 'US',
      beneficiary_account: 'friend@example.com',
    },
  ],
});
/** Partners in turn: one alone would be over its limit, 30,000 orders a minute. */
const PARTNERS = 4;
let made = 0;

function headers() {
  made += 1;
  return {
    'X-Cr-Application': `bench-${made % PARTNERS}`,
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(BODY),
  };
}

function create(url, agent) {
  return new Promise((resolve, reject) => {
    const sent = performance.now();
    const outgoing = request(`${url}/v5/orders`, { method: 'POST', headers: headers(), agent });
    outgoing.once('error', reject);
    outgoing.once('response', async (response) => {
      const body = Buffer.concat(await response.toArray()).toString();
      if (response.statusCode === 200) resolve(performance.now() - sent);
      else reject(new Error(`no order: ${response.statusCode} ${body.slice(0, 200)}`));
    });
    outgoing.end(BODY);
  });
}

/** Orders a second; what each took is added to `times`. */
export async function createMany(url, count, { callers = CALLERS, times = [] } = {}) {
  const agent = new Agent({ keepAlive: true, maxSockets: callers });
  const started = performance.now();
  let left = count;
  const work = async () => {
    while (left > 0) {
      left -= 1;
      times.push(await create(url, agent));
    }
  };
  await Promise.all(Array.from({ length: callers }, work));
  agent.destroy();
  return count / ((performance.now() - started) / 1_000);
}

/** The longest that a small answer took while nothing else was asked for. */
async function longestPause(url, ms) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const until = performance.now() + ms;
  let longest = 0;
  while (performance.now() < until) {
    const sent = performance.now();
    await new Promise((resolve, reject) => {
      request(`${url}/no-such-path`, { agent }, (response) => {
        response.resume();
        response.once('end', resolve);
      })
        .once('error', reject)
        .end();
    });
    longest = Math.max(longest, performance.now() - sent);
  }
  agent.destroy();
  return longest;
}

/** Durable transactions a second of the bare engine: an order row and two events. */
function floorOf(folder) {
  mkdirSync(folder, { recursive: true });
  const { stdout, status, stderr } = spawnSync(
    process.execPath,
    [at('orders.mjs'), 'floor', folder],
    {
      encoding: 'utf8',
    },
  );
  if (status !== 0) throw new Error(`the bare engine ended with ${status}: ${stderr}`);
  return Number(stdout);
}

function bareEngine(folder) {
  const Database = createRequire(import.meta.url)('libsql');
  const db = new Database(join(folder, 'floor.db'));
  db.exec('pragma journal_mode = wal; pragma synchronous = full');
  db.exec(
    'create table orders (id text primary key, row text); create table events (id text, seq integer, body text)',
  );
  const order = db.prepare('insert into orders values (?, ?)');
  const event = db.prepare('insert into events values (?, ?, ?)');
  const row = 'x'.repeat(2_000);
  let started = performance.now();
  let count = 0;
  let isWarm = false;
  while (performance.now() - started < 2_000) {
    if (!isWarm && performance.now() - started > 500) {
      isWarm = true;
      count = 0;
      started = performance.now();
    }
    const id = createHash('sha256').update(`${isWarm} ${count}`).digest('hex');
    db.exec('begin immediate');
    order.run(id, row);
    event.run(id, 1, '{}');
    event.run(id, 2, '{}');
    db.exec('commit');
    count += 1;
  }
  process.stdout.write(String(count / ((performance.now() - started) / 1_000)));
}

/** Figure and floor in turn: orders a second with what each took, and transactions a second divided by those that an order needs. */
async function comparePairs(pairs, orders, transactions) {
  const runs = [];
  const times = [];
  for (let pair = 0; pair < pairs; pair += 1) {
    runs.push([await orders(times), (await transactions()) / TRANSACTIONS]);
  }
  return {
    figure: median(runs.map(([one]) => one)),
    floor: median(runs.map(([, other]) => other)),
    ratio: median(runs.map(([one, other]) => one / other)),
    ...spread(times),
  };
}

/** Orders of one served shop, with so many open before each figure as `sizes` say, at least those of the warm-up. */
async function measureShop(url, { engine, sizes, pairs, floor, tell, fact }) {
  const perSecond = [];
  let open = 0;
  const make = async (count, times) => {
    const rate = await createMany(url, count, { times });
    open += count;
    return rate;
  };
  for (const size of sizes) {
    if (Math.max(size, WARM) > open) await make(Math.max(size, WARM) - open);
    const name = `${engine}: orders made, ${open} open`;
    const found = await comparePairs(pairs, (times) => make(ORDERS, times), floor);
    perSecond.push(found.figure);
    tell(name, found, 0.5);
    const pause = await longestPause(url, 3_000);
    fact(`  longest idle pause, ${open} open`, `${pause.toFixed(0)} ms`, '', '50 ms', pause > 50);
  }
  const [first, last] = [perSecond[0], perSecond.at(-1)];
  fact('  most open against fewest', (last / first).toFixed(2), '', '0.80', last / first < 0.8);
}

export async function measureOrders({ folder, ...told }) {
  const served = await startSandbox(folder);
  const floors = mkdtempSync(join(folder, 'floor-'));
  try {
    const floor = async () => floorOf(mkdtempSync(join(floors, 'of-')));
    await measureShop(served.url, { ...told, engine: 'SQLite', floor });
  } finally {
    served.child.kill();
  }
}

/** The same on a PostgreSQL beside it, whose bare server has as many callers. */
export async function measureOnPostgres({ folder, ...told }) {
  mkdirSync(folder, { recursive: true });
  const server = await startPostgres(folder);
  try {
    const home = join(folder, 'on-postgres');
    const served = await startSandbox(home, ['--database', server.address]);
    try {
      const floor = () => bareTransactions(server.address, CALLERS);
      await measureShop(served.url, { ...told, engine: 'PostgreSQL', floor });
    } finally {
      served.child.kill();
    }
  } finally {
    server.stop();
  }
}

if (process.argv[2] === 'floor') bareEngine(process.argv[3]);
