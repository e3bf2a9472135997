/** Runs the built command line as a user does, with a home of its own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { atEnd } from './at-end.ts';
import { IS_FULL } from './fuzz.ts';
import { BIN, isWorkerTaken, runInWorker, type WorkerCall } from './in-worker.ts';
import { loadedFor } from './led.ts';

/** Whether the program is one file, with no chunks, no Node and nothing that was built beside it. */
export const isExecutable = process.env.SCRIP_TEST_EXECUTABLE !== undefined;
/** The first words of every command line; `npm run test:binary` puts the standalone executable there. */
export const SCRIP: readonly string[] = process.env.SCRIP_TEST_EXECUTABLE
  ? [process.env.SCRIP_TEST_EXECUTABLE]
  : [process.execPath, BIN];

/** Words as a shell takes them: none has a quote in it. */
export function inShell(words: readonly string[]): string {
  return words.map((word) => `'${word}'`).join(' ');
}

/** Orders are asked for more often than a merchant may be. */
export const QUICK = { SCRIP_TEST: '1', SCRIP_POLL_MS: '300' } as const;

/** The embedded chain is final after a second, for tests that wait for it: on Solana it takes 13. */
export const FINAL_SOON = { SCRIP_FINAL_SLOTS: '3' } as const;

export interface CliResult {
  readonly status: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Home {
  readonly dir: string;
  run(args: readonly string[], options?: RunOptions): Promise<CliResult>;
  /** Runs with --json, expects success, parses the document. */
  json<T = unknown>(args: readonly string[], options?: RunOptions): Promise<T>;
  /** Runs with --json, expects an error, parses it. */
  failure(args: readonly string[], options?: RunOptions): Promise<Failure>;
  start(args: readonly string[], options?: RunOptions): ChildProcess;
  remove(): void;
}

/** An error as it is told with --json, beside the exit status and what was printed. */
export interface Failure {
  readonly status: number | null;
  readonly stdout: string;
  readonly code: string;
  readonly message: string;
  readonly hint: string;
  readonly funds_at_risk: string;
  // biome-ignore lint/suspicious/noExplicitAny: details of many shapes, read by tests.
  readonly details: any;
}

export interface RunOptions {
  /** The process is what is tested. */
  readonly isProcess?: boolean;
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
}

/**
 * A clean home: nothing of the person who runs the tests is read or written. It is removed at the end of what
 * made it (`atEnd`). @param always the environment's
 */
export function makeHome([program = '', ...first] = SCRIP, always: RunOptions['env'] = {}): Home {
  const dir = mkdtempSync(join(tmpdir(), 'scrip-test-'));
  const remove = (): void => rmSync(dir, { recursive: true, force: true });
  atEnd(remove);
  const started = new Set<ChildProcess>();
  const envOf = ({ env }: RunOptions) => ({
    ...{ PATH: process.env.PATH ?? '', HOME: dir, ...QUICK, ...always, ...env },
  });
  const start = (args: readonly string[], options: RunOptions = {}): ChildProcess => {
    const stdio = ['pipe', 'pipe', 'pipe'] as const;
    const env = envOf(options);
    const child = spawn(program, [...loadedFor(env), ...first, ...args], {
      ...{ cwd: dir, env, stdio: [...stdio] },
    });
    // Whoever serves holds nothing of the buyer's.
    if (!SERVES.has(args[0] ?? '')) started.add(child);
    child.once('close', () => started.delete(child));
    return child;
  };
  const isOwn = [program, ...first].join() !== SCRIP.join() || isExecutable;
  const run = async (args: readonly string[], options: RunOptions = {}): Promise<CliResult> => {
    const { input = '', isProcess = isOwn || started.size > 0 } = options;
    const call = { args, input, env: envOf(options), cwd: dir };
    running.count += 1;
    try {
      // Those that are run together are all there in the next turn.
      await turn();
      const isAlone = running.count === 1;
      if (!isProcess && isAlone && isForWorker(call)) return await runInWorker(call);
      return await collect(start(args, options), input);
    } finally {
      running.count -= 1;
    }
  };
  return {
    dir,
    start,
    run,
    async json<T>(args: readonly string[], options?: RunOptions): Promise<T> {
      const result = await run([...args, '--json'], options);
      if (result.status !== 0) {
        throw new Error(`scrip ${args.join(' ')} ended with ${result.status}: ${result.stderr}`);
      }
      return JSON.parse(result.stdout) as T;
    },
    async failure(args, options) {
      const { status, stdout, stderr } = await run([...args, '--json'], options);
      if (status === 0) throw new Error(`scrip ${args.join(' ')} did not fail: ${stdout}`);
      return { ...JSON.parse(stderr).error, status, stdout };
    },
    remove,
  };
}

/** Command lines that have not ended. */
const running = { count: 0 };
const SERVES: ReadonlySet<string> = new Set(['sandbox', 'serve', 'listen']);
/** What Node itself reads, or what ends a process. */
const OF_PROCESSES = /^(?:NODE_|LD_|TZ$|SCRIP_FAIL_POINT$)/;

/**
 * Most command lines run where the tests do, one at a time. Those that run together are processes, since each
 * asks whether the other still runs. So are all of them with SCRIP_FULL=1.
 */
function isForWorker({ args, env }: Pick<WorkerCall, 'args' | 'env'>): boolean {
  if (IS_FULL || isWorkerTaken()) return false;
  // Descriptors are a process's; homes of tests may lie in /dev/shm.
  if (args.some((arg) => /^\/dev\/(?!shm\/)|^--.*-fd\b/.test(arg))) return false;
  return !Object.keys(env).some((name) => OF_PROCESSES.test(name));
}

/** What a process says until it ends. */
export function collect(child: ChildProcess, input = ''): Promise<CliResult> {
  return new Promise((resolve, reject) => {
    let stdout = '';
    let stderr = '';
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
    });
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    child.once('error', reject);
    child.once('close', (status, signal) => resolve({ status, signal, stdout, stderr }));
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(input);
  });
}
