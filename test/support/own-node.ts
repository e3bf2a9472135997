/**
 * What a command line sees of Node when it runs in a test's process: its own `process`, streams, timers and
 * globals, and of the built-in modules those parts that would reach the tests' own. When it ends, what it left
 * open is closed; what it begins after its end is a leak.
 */
import { Console } from 'node:console';
import { EventEmitter } from 'node:events';
import { createRequire } from 'node:module';
import { Readable, Writable } from 'node:stream';
import { inScope } from './in-scope.ts';
import type { WorkerCall } from './in-worker.ts';
import { leadFor, timeFor } from './led.ts';
import { ownBuiltIns } from './own-built-ins.ts';

export interface Scope {
  readonly process: object;
  readonly globalThis: typeof globalThis;
  readonly global: typeof globalThis;
  readonly console: Console;
  readonly Date: typeof Date;
  readonly setTimeout: typeof setTimeout;
  readonly setInterval: typeof setInterval;
  readonly setImmediate: typeof setImmediate;
  /** Told by each script how its names of globals that the program replaces are set. */
  replacing(setters: Readonly<Record<string, (value: unknown) => void>>): void;
}

/** A command line, from its start to its end. */
export interface Life {
  readonly isOver: boolean;
  /** Done when it ends. */
  atEnd(close: () => void): void;
  /** Told of something that is begun. @throws after the end */
  begins(what: string): void;
}

export interface OwnNode {
  readonly scope: Scope;
  readonly modules: Map<string, { readonly exports: unknown }>;
  builtIn(id: string): unknown;
  /** The exit status, once it ended. */
  readonly ended: Promise<number>;
  /** Ends it, unless it ended. */
  exit(code?: number): void;
  said(): { readonly stdout: string; readonly stderr: string };
}

interface NodeCall extends WorkerCall {
  readonly bin: string;
  leaked(what: string): void;
}

/** Above what Linux gives: whoever asks after it from outside learns that there is none. */
const LEAST_PID = 5_000_000;
const ids = { last: LEAST_PID };
/** Of the command lines that run in this process. */
const running = new Set<unknown>();

/** A Node for one command line. */
export function createOwnNode(call: NodeCall): OwnNode {
  ids.last += 1;
  const pid = ids.last;
  running.add(pid);
  const closers = new Set<() => void>();
  const state: { status?: number; resolve?: (status: number) => void } = {};
  const ended = new Promise<number>((resolve) => {
    state.resolve = resolve;
  });
  const life: Life = {
    get isOver() {
      return state.status !== undefined;
    },
    atEnd: (close) => closers.add(close),
    begins: (what) => {
      if (state.status === undefined) return;
      call.leaked(what);
      throw new Error(`${what} after the end of ${call.args.join(' ')}`);
    },
  };
  const stdout = collector(1, life);
  const stderr = collector(2, life);
  const own = Object.assign(new EventEmitter(), {
    ...{ pid, env: { ...call.env }, execArgv: [], exitCode: undefined as number | undefined },
    argv: [process.execPath, call.bin, ...call.args],
    stdout: stdout.stream,
    stderr: stderr.stream,
    kill: (id: unknown, signal?: string | number) =>
      (running.has(id) && signal === 0) || process.kill(Number(id), signal),
    exit: (code?: number) => {
      if (state.status !== undefined) return;
      own.emit('exit', code ?? own.exitCode ?? 0);
      state.status = code ?? own.exitCode ?? 0;
      running.delete(pid);
      for (const close of closers) close();
      state.resolve?.(state.status);
    },
  });
  const streams: { stdin?: Readable } = {};
  Object.defineProperty(own, 'stdin', {
    get: () => {
      streams.stdin ??= standardInput(call.input);
      return streams.stdin;
    },
  });
  const ownProcess = over(process, own);
  const time = timeFor(call.env);
  const timers = ownTimers(life, time);
  life.atEnd(leadFor(call.env));
  const setters: Parameters<Scope['replacing']>[0][] = [];
  const globals: Record<PropertyKey, unknown> = { ...timers, process: ownProcess, Date: time.Date };
  const world: typeof globalThis = new Proxy(globalThis, {
    get: (target, key) => (key in globals ? globals[key] : Reflect.get(target, key, target)),
    has: (target, key) => key in globals || key in target,
    getOwnPropertyDescriptor: (target, key) =>
      Reflect.getOwnPropertyDescriptor(key in globals ? globals : target, key),
    set: (_target, key, value) => Reflect.defineProperty(world, key, { value }),
    defineProperty: (_target, key, { value }) => {
      globals[key] = value;
      for (const set of setters) set[String(key)]?.(value);
      return true;
    },
  });
  globals.globalThis = world;
  const builtIns = ownBuiltIns(life, {
    ...{ env: own.env, process: ownProcess, timers },
    out: (fd, bytes) => (fd === 1 ? stdout : stderr).take(bytes),
    inScope: (file, source) => inScope(scope, file, source),
  });
  const require = createRequire(call.bin);
  const scope: Scope = {
    ...{ ...timers, process: ownProcess, Date: time.Date, globalThis: world, global: world },
    console: new Console({ stdout: stdout.stream, stderr: stderr.stream }),
    replacing: (more) => {
      setters.push(more);
      for (const [name, set] of Object.entries(more)) if (name in globals) set(globals[name]);
    },
  };
  return {
    ...{ scope, ended, modules: new Map(), exit: own.exit },
    builtIn: (id) => builtIns(id) ?? require(id),
    said: () => ({ stdout: stdout.text(), stderr: stderr.text() }),
  };
}

/** The own parts of an object, and the object's where there are none. */
function over<T extends object>(object: T, own: object): T {
  return new Proxy(object, {
    get: (target, key) =>
      key in own ? Reflect.get(own, key, own) : Reflect.get(target, key, target),
    has: (target, key) => key in own || key in target,
    set: (_target, key, value) => Reflect.set(own, key, value, own),
    deleteProperty: (_target, key) => Reflect.deleteProperty(own, key),
  });
}

interface Collector {
  readonly stream: Writable;
  take(bytes: Uint8Array): void;
  text(): string;
}

/** A standard stream that goes into a pipe. */
function collector(fd: number, life: Life): Collector {
  const taken: Uint8Array[] = [];
  const take = (bytes: Uint8Array): void => {
    if (!life.isOver) taken.push(Buffer.from(bytes));
  };
  const stream = new Writable({
    write(chunk: Uint8Array, _encoding, done) {
      take(chunk);
      done();
    },
  });
  return {
    stream: Object.assign(stream, { fd }),
    take,
    text: () => Buffer.concat(taken).toString('utf8'),
  };
}

function standardInput(text: string): Readable {
  const stream = new Readable({ read: () => undefined });
  if (text !== '') stream.push(text);
  stream.push(null);
  return Object.assign(stream, { fd: 0 });
}

type Timers = Pick<Scope, 'setTimeout' | 'setInterval' | 'setImmediate'>;

/** Timers that end with the command line. */
function ownTimers(life: Life, { setTimeout }: Pick<Timers, 'setTimeout'>): Timers {
  const wrap = <T>(
    name: keyof Timers,
    { start, stop }: { start(run: () => void, ms?: number): T; stop(timer: T): void },
  ) => {
    const pending = new Set<T>();
    life.atEnd(() => {
      for (const timer of pending) stop(timer);
    });
    return (run: (...given: unknown[]) => void, ...rest: unknown[]): T => {
      life.begins(name);
      const [ms, ...given] = name === 'setImmediate' ? [undefined, ...rest] : rest;
      const timer = start(
        () => {
          if (name !== 'setInterval') pending.delete(timer);
          run(...given);
        },
        ms === undefined ? undefined : Number(ms),
      );
      pending.add(timer);
      return timer;
    };
  };
  return {
    setTimeout: wrap('setTimeout', { start: setTimeout, stop: clearTimeout }),
    setInterval: wrap('setInterval', { start: setInterval, stop: clearInterval }),
    setImmediate: wrap('setImmediate', { start: setImmediate, stop: clearImmediate }),
  } as Timers;
}
