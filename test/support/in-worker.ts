/**
 * Runs a command line of the built program in this very process: the files of bin/ and dist/ as they are,
 * run anew each time, in a Node of their own (`own-node.ts`). What is compiled is compiled once; a process
 * takes a tenth of a second of the processor before it does anything.
 */
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { CliResult } from './cli.ts';
import { inScope } from './in-scope.ts';
import { createOwnNode, type OwnNode } from './own-node.ts';

export const BIN = fileURLToPath(new URL('../../bin/scrip.js', import.meta.url));

/** How the command line is called. */
export interface WorkerCall {
  readonly args: readonly string[];
  /** The whole environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly input: string;
}

/** What one command line left to this process, which the next one could meet. */
export class LeftBehind extends Error {
  override readonly name = 'LeftBehind';
}

const state = { isRunning: false };
/** Told once: by the command line itself, or by the next one where it came later. */
const leaks: string[] = [];

/** One at a time: the folder that a process stands in is the process's. */
export function isWorkerTaken(): boolean {
  return state.isRunning;
}

/**
 * Runs it to its end.
 * @throws {LeftBehind} when this command line, or an earlier one, went on after its end
 */
export async function runInWorker(call: WorkerCall): Promise<CliResult> {
  throwLeaks();
  const before = { cwd: process.cwd(), umask: process.umask(), names: globalNames() };
  state.isRunning = true;
  process.chdir(call.cwd);
  const node = createOwnNode({
    ...call,
    bin: BIN,
    leaked: (what) => leaks.push(`${call.args.join(' ')}: ${what}`),
  });
  try {
    load(node, BIN);
    const status = await node.ended;
    // What was closed tells so in the next turn.
    await turn();
    return { status, signal: null, ...node.said() };
  } finally {
    node.exit(1);
    process.umask(before.umask);
    process.chdir(before.cwd);
    state.isRunning = false;
    const added = globalNames().filter((name) => !before.names.includes(name));
    if (added.length > 0) leaks.push(`${call.args.join(' ')}: the globals ${added.join(', ')}`);
    throwLeaks();
  }
}

function throwLeaks(): void {
  const told = leaks.splice(0);
  if (told.length > 0) throw new LeftBehind(`after its end, ${told.join('; ')}`);
}

function globalNames(): string[] {
  return Reflect.ownKeys(globalThis).map(String);
}

/** As CommonJS, in the scope of one command line; built-ins are those of its Node. */
function load(node: OwnNode, file: string): unknown {
  const known = node.modules.get(file);
  if (known !== undefined) return known.exports;
  const module: { exports: { start?: Start } } = { exports: {} };
  node.modules.set(file, module);
  const requireFrom = (id: string): unknown => {
    if (id.startsWith('.')) return load(node, resolve(dirname(file), id));
    return id.startsWith('/') ? load(node, id) : node.builtIn(id);
  };
  const source = readFileSync(file, 'utf8').replace(/^#!/, '//');
  const text = `(function(exports,require,module,__filename,__dirname){${source}\n})`;
  const run = inScope(node.scope, file, text) as (...given: unknown[]) => void;
  run(module.exports, requireFrom, module, file, dirname(file));
  if (file.endsWith('/bin/start.js')) endWith(node, module);
  return module.exports;
}

type Start = (parts: unknown) => Promise<void>;

/** A program that does not end itself ends when nothing is left to do: its texts are printed at once. */
function endWith(node: OwnNode, module: { exports: { start?: Start } }): void {
  const { start } = module.exports;
  if (start === undefined) return;
  module.exports.start = async (parts) => {
    await start(parts);
    for (let turns = 0; turns < 10; turns += 1) await turn();
    node.exit();
  };
}
