// Orders of the partner API made by several servers on one PostgreSQL, beside one server on the same database, with
// what servers and database took of the processor for each: from that follows what more machines would carry.
import { chmodSync, mkdirSync, readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { cpuMsOf } from './load.mjs';
import { median } from './measure.mjs';
import { startPostgres } from './postgres.mjs';
import { startSandbox } from './reads.mjs';

const SERVERS = 3;
/** As many for each server as P9 has for one; the one server alone is asked by all of them. */
const CALLERS = 16 * SERVERS;
const ROUNDS = 5;
const ORDERS = 1_500;
/** Until the engine of each server has compiled what is asked for often. */
const WARM_ORDERS = 6_000 * SERVERS;

/** Paid on a chain that is only played: no other process has a part in it. */
const BODY = JSON.stringify({
  user: { email: 'buyer@example.com' },
  payment: { type: 'via', payment_via: 'user_wallet', coin: 'BTC', network: 'Mainnet' },
  deliveries: [
    {
      denomination: '25 USD',
      brand_name: 'Amazon.com',
      country_code: 'US',
      beneficiary_account: 'friend@example.com',
    },
  ],
});
const HEADERS = {
  'X-Cr-Application': 'bench',
  'Content-Type': 'application/json',
  'Content-Length': Buffer.byteLength(BODY),
};

function create(url, agent) {
  return new Promise((resolve, reject) => {
    const outgoing = request(`${url}/v5/orders`, { method: 'POST', headers: HEADERS, agent });
    outgoing.once('error', reject);
    outgoing.once('response', async (response) => {
      const body = Buffer.concat(await response.toArray()).toString();
      if (response.statusCode === 200) resolve();
      else reject(new Error(`no order: ${response.statusCode} ${body.slice(0, 200)}`));
    });
    outgoing.end(BODY);
  });
}

/** Orders a second; the callers are spread over the servers. */
async function createAt(servers, count) {
  const agent = new Agent({ keepAlive: true, maxSockets: CALLERS });
  const started = performance.now();
  let left = count;
  const work = async (_, index) => {
    const { url } = servers[index % servers.length];
    while (left > 0) {
      left -= 1;
      await create(url, agent);
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, work));
  agent.destroy();
  return count / ((performance.now() - started) / 1_000);
}

/** Of the server and all of its processes; those that ended between two readings are not in it. */
function cpuMsOfPostgres(folder) {
  const pid = Number(
    readFileSync(join(folder, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[0],
  );
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ');
  return [pid, ...children].reduce((sum, each) => sum + (cpuMsOf(each) ?? 0), 0);
}

export async function measureCluster({ folder, tell, fact }) {
  const home = join(folder, 'cluster');
  mkdirSync(home, { recursive: true });
  // The database server runs as another user.
  chmodSync(folder, 0o755);
  const postgres = await startPostgres(home);
  const servers = [];
  try {
    const words = ['--data', join(home, 'shop'), '--database', postgres.address];
    const chain = await startSandbox(join(home, 'chain'), ['--chain-only']);
    servers.push(chain);
    const more = [...words, '--chain-rpc', `${chain.url}/rpc`];
    const all = [];
    for (let count = 0; count < SERVERS; count += 1) {
      all.push(await startSandbox(join(home, 'one'), more));
      servers.push(all.at(-1));
    }
    await createAt(all, WARM_ORDERS);
    const found = { one: [], all: [], serverUs: [], postgresUs: [] };
    const cpuMs = () => all.reduce((sum, { child }) => sum + cpuMsOf(child.pid), 0);
    for (let round = 0; round < ROUNDS; round += 1) {
      found.one.push(await createAt(all.slice(0, 1), ORDERS));
      const before = { servers: cpuMs(), postgres: cpuMsOfPostgres(home) };
      found.all.push(await createAt(all, ORDERS));
      found.serverUs.push(((cpuMs() - before.servers) * 1_000) / ORDERS);
      found.postgresUs.push(((cpuMsOfPostgres(home) - before.postgres) * 1_000) / ORDERS);
    }
    const [floor, figure] = [median(found.one), median(found.all)];
    tell(`orders on PostgreSQL, ${SERVERS} servers, ${CALLERS} callers`, {
      ...{ figure, floor, ratio: figure / floor },
    });
    const perCore = (us) => `${(1e6 / us).toFixed(0)}/s`;
    for (const [who, us] of [
      ['the servers', median(found.serverUs)],
      ['the database', median(found.postgresUs)],
    ]) {
      fact(
        `  ${who}: processor for an order; of a core`,
        `${us.toFixed(0)} us`,
        '',
        perCore(us),
        false,
      );
    }
  } finally {
    for (const { child } of servers) child.kill();
    postgres.stop();
  }
}
