/** Built-in modules as one command line sees them: its own where a part would reach this process. */
import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { type ScryptOptions, scrypt } from 'node:crypto';
import events from 'node:events';
import fs from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { createRequire } from 'node:module';
import type { Socket } from 'node:net';
import os from 'node:os';
import tty from 'node:tty';
import { fileURLToPath } from 'node:url';
import type vm from 'node:vm';
import type { Life, Scope } from './own-node.ts';

interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly process: object;
  readonly timers: Pick<Scope, 'setTimeout'>;
  /** Takes what is written to descriptor 1 or 2. */
  out(fd: 1 | 2, bytes: Uint8Array): void;
  /** The value of a script. */
  inScope(file: string, source: string): unknown;
}

const require = createRequire(import.meta.url);
type Own = Readonly<Record<string, unknown>>;

/** Gives the module of that name; undefined where it is the same for everybody. */
export function ownBuiltIns(life: Life, around: Surroundings): (id: string) => unknown {
  const makers: Readonly<Record<string, () => unknown>> = {
    process: () => around.process,
    fs: () => guarded('fs', fs, life, ownFs(around)),
    'fs/promises': () => guarded('fs/promises', fs.promises, life),
    os: () => guarded('os', os, life, ownOs(around)),
    tty: () => guarded('tty', tty, life, { isatty: (fd: number) => fd > 2 && tty.isatty(fd) }),
    vm: () => ({ Script: ownScript(around) }),
    // The limit of listeners and the flags of the engine are those of the whole process.
    crypto: () => ({ ...require('node:crypto'), scrypt: scryptOnce }),
    events: () => guarded('events', events, life, { setMaxListeners: ownMaxListeners }),
    v8: () => ({ ...require('node:v8'), setFlagsFromString: () => undefined }),
    child_process: () => ({ ...require('node:child_process'), spawn: ownSpawn(life, around) }),
    'timers/promises': () => ({ setTimeout: pause(around), setImmediate: () => pause(around)(0) }),
    module: () => ({ ...require('node:module'), createRequire: ownCreateRequire(life) }),
    http: () => ownHttp('node:http', life),
    https: () => ownHttp('node:https', life),
  };
  const made = new Map<string, unknown>();
  return (id) => {
    const name = id.replace(/^node:/, '');
    const make = Object.hasOwn(makers, name) ? makers[name] : undefined;
    if (make === undefined) return undefined;
    const known = made.get(name) ?? make();
    made.set(name, known);
    return known;
  };
}

/** Nothing of it is asked for after the end. */
function guarded(name: string, module: object, life: Life, own: Own = {}): object {
  return new Proxy(module, {
    get: (target, key) => {
      if (life.isOver) life.begins(`${name}.${String(key)}`);
      return typeof key === 'string' && Object.hasOwn(own, key)
        ? own[key]
        : Reflect.get(target, key, target);
    },
  });
}

/** The built program, which each command line reads whole: a worker reads it once. */
const BUILT = fileURLToPath(new URL('../../dist/', import.meta.url));
const built = new Map<string, string | Buffer>();

function readOnce(file: unknown, ...rest: unknown[]): string | Buffer {
  const read = () => Reflect.apply(fs.readFileSync, fs, [file, ...rest]) as string | Buffer;
  if (typeof file !== 'string' || !file.startsWith(BUILT)) return read();
  const key = `${String(rest)} ${file}`;
  const text = built.get(key) ?? read();
  built.set(key, text);
  return text;
}

/** Deriving a key takes memory and time by intent, and gives the same for the same. */
const derived = new Map<string, Buffer>();

function scryptOnce(
  passphrase: Uint8Array,
  salt: Uint8Array,
  length: number,
  options: ScryptOptions,
  done: (error: Error | null, key: Buffer) => void,
): void {
  const asked = JSON.stringify([[...passphrase], [...salt], length, options]);
  const known = derived.get(asked);
  if (known !== undefined) {
    setImmediate(() => done(null, Buffer.from(known)));
    return;
  }
  scrypt(passphrase, salt, length, options, (error, key) => {
    if (error === null) derived.set(asked, Buffer.from(key));
    done(error, key);
  });
}

function ownFs({ out }: Surroundings): Own {
  return {
    readFileSync: readOnce,
    writeSync: (fd: number, data: Uint8Array, ...rest: unknown[]) => {
      if (fd !== 1 && fd !== 2) return Reflect.apply(fs.writeSync, fs, [fd, data, ...rest]);
      out(fd, Buffer.from(data));
      return data.length;
    },
  };
}

function ownOs({ env }: Surroundings): Own {
  return {
    homedir: () => env.HOME ?? os.userInfo().homedir,
    tmpdir: () => (env.TMPDIR || env.TMP || env.TEMP || '/tmp').replace(/(?<=.)\/$/, ''),
  };
}

function ownMaxListeners(...given: Parameters<typeof events.setMaxListeners>): void {
  if (given.length > 1) events.setMaxListeners(...given);
}

function ownScript({ inScope }: Surroundings): unknown {
  return class OwnScript {
    readonly #file: string;
    readonly #source: string;
    constructor(source: string, { filename }: vm.ScriptOptions) {
      this.#file = filename ?? '';
      this.#source = source;
    }
    runInThisContext(): unknown {
      return inScope(this.#file, this.#source);
    }
  };
}

/** In the environment of the command line; what shares its output goes to its output. */
function ownSpawn(life: Life, { env, out }: Surroundings) {
  return (file: string, args: readonly string[], options: SpawnOptions = {}): ChildProcess => {
    life.begins('spawn');
    const { stdio = 'pipe' } = options;
    const three = [0, 1, 2].map((at) => (Array.isArray(stdio) ? stdio[at] : stdio));
    const shared = three.map((one, at) => sharedWith(one, at));
    const child = spawn(file, args, {
      ...{ env, ...options },
      stdio: three.map((one, at) => (shared[at] === undefined ? one : 'pipe')),
    });
    for (const at of [1, 2] as const) {
      const fd = shared[at];
      if (fd === undefined) continue;
      child.stdio[at]?.on('data', (bytes: Uint8Array) => out(fd, bytes));
    }
    return child;
  };
}

function sharedWith(one: unknown, at: number): 1 | 2 | undefined {
  const fd = one === 'inherit' ? at : one;
  return at > 0 && (fd === 1 || fd === 2) ? fd : undefined;
}

function pause({ timers }: Surroundings) {
  return (ms: number, value?: unknown): Promise<unknown> =>
    new Promise((resolve) => {
      timers.setTimeout(() => resolve(value), ms);
    });
}

interface Databases {
  databaseOpen(...given: unknown[]): object;
  databaseInTransaction(database: object): boolean;
  databaseExecSync(this: object, sql: string): void;
  databaseClose(this: object): void;
}

/** Databases that a process leaves open are closed by its end, and their locks with them. */
function ownCreateRequire(life: Life): typeof createRequire {
  return (file) => {
    const real = createRequire(file);
    const own = (id: string): unknown => {
      const found: unknown = real(id);
      return id.startsWith('@libsql/') ? closing(found as Databases, life) : found;
    };
    return Object.assign(own, { ...real, resolve: real.resolve });
  };
}

function closing(native: Databases, life: Life): Databases {
  const open = new Set<object>();
  life.atEnd(() => {
    for (const database of open) {
      if (native.databaseInTransaction(database))
        native.databaseExecSync.call(database, 'rollback');
      native.databaseClose.call(database);
    }
  });
  return {
    ...native,
    databaseOpen: (...given) => {
      const database = native.databaseOpen(...given);
      open.add(database);
      return database;
    },
    databaseClose(this: object) {
      open.delete(this);
      native.databaseClose.call(this);
    },
  };
}

type Http = typeof import('node:http');

/** Connections end with the command line, whoever waits for them. */
function ownHttp(id: string, life: Life): unknown {
  const http = require(id) as Http;
  const request = (...given: Parameters<Http['request']>) => {
    life.begins('request');
    const outgoing = http.request(...given);
    const sockets = new Set<Socket>();
    const responses = new Set<IncomingMessage>();
    outgoing.on('socket', (socket) => sockets.add(socket));
    outgoing.on('response', (response) => responses.add(response));
    life.atEnd(() => {
      for (const stream of [outgoing, ...responses]) {
        stream.removeAllListeners().on('error', () => undefined);
      }
      outgoing.destroy();
      for (const socket of sockets) socket.destroy();
    });
    return outgoing;
  };
  const createServer = (...given: Parameters<Http['createServer']>) => {
    life.begins('createServer');
    const server = http.createServer(...given);
    life.atEnd(() => {
      server.closeAllConnections();
      server.close();
    });
    return server;
  };
  return { ...http, request, createServer };
}
