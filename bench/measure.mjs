// Two programs measured against each other, one after the other (A B A B …): absolute times say more
// about the machine than about the program.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

/** The shell's own `time` knows what its child took of the processor, and counts in milliseconds. */
const BASH = ['/bin/bash', '/usr/bin/bash'].find(existsSync);
const TIMED = 'TIMEFORMAT="%3R %3U %3S"; time "$@" >/dev/null 2>&3';

/** Runs a program to its end: wall time, and time on the processor (undefined without bash). */
export function timeOf(words, env) {
  const command =
    BASH === undefined ? words : [BASH, '-c', `{ ${TIMED}; } 3>&1`, 'bench', ...words];
  const startedMs = performance.now();
  const { status, stdout, stderr } = spawnSync(command[0], command.slice(1), {
    env,
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  const wallMs = performance.now() - startedMs;
  if (status !== 0) throw new Error(`${words.join(' ')} ended with ${status}: ${stdout}${stderr}`);
  if (BASH === undefined) return { wallMs, cpuMs: undefined };
  const [real, user, system] = stderr.trim().split(' ').map(Number);
  return { wallMs: real * 1_000, cpuMs: (user + system) * 1_000 };
}

export function median(values) {
  return percentile(values, 0.5);
}

/** @param share such as 0.99 */
export function percentile(values, share) {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
}

/** What half of the answers took at most, and all but one in a hundred. */
export function spread(times) {
  return { p50: percentile(times, 0.5), p99: percentile(times, 0.99) };
}

/** Medians of pairs, after one pair that warms the disk. */
export function compare(figure, floor, { pairs, env }) {
  timeOf(figure, env);
  timeOf(floor, env);
  const runs = Array.from({ length: pairs }, () => [timeOf(figure, env), timeOf(floor, env)]);
  const ratioOf = (name) => median(runs.map(([one, other]) => one[name] / other[name]));
  return {
    wall: ratioOf('wallMs'),
    cpu: BASH === undefined ? undefined : ratioOf('cpuMs'),
    figureMs: median(runs.map(([one]) => one.wallMs)),
    floorMs: median(runs.map(([, other]) => other.wallMs)),
  };
}
