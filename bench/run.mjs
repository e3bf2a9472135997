// Figures as ratios to a floor measured in the same run (A B A B …): absolute times say more about
// the machine than about the program. Each row: figure, floor, median ratio, budget.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const PAIRS = Number(process.env.PAIRS ?? 15);
const bin = fileURLToPath(new URL('../bin/scrip.js', import.meta.url));
const home = mkdtempSync(join(tmpdir(), 'scrip-bench-'));
const env = { PATH: process.env.PATH, HOME: home };

function timeMs(args) {
  const started = performance.now();
  const { status, stderr } = spawnSync(process.execPath, args, { env, encoding: 'utf8' });
  if (status !== 0) throw new Error(`node ${args.join(' ')} ended with ${status}: ${stderr}`);
  return performance.now() - started;
}

function median(values) {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}

/** Median of pairwise ratios, after one pair that warms the disk. */
function ratio(figure, floor) {
  timeMs(figure);
  timeMs(floor);
  const pairs = Array.from({ length: PAIRS }, () => [timeMs(figure), timeMs(floor)]);
  return {
    ratio: median(pairs.map(([a, b]) => a / b)),
    figureMs: median(pairs.map(([a]) => a)),
    floorMs: median(pairs.map(([, b]) => b)),
  };
}

const floor = ['-e', '0'];
const rows = [
  ['scrip --version', [bin, '--version'], 1.25],
  ['scrip --help', [bin, '--help'], 1.25],
  ['scrip order --help', [bin, 'order', '--help'], 1.25],
  ['scrip completion bash', [bin, 'completion', 'bash'], 1.25],
];

try {
  console.log(`node ${process.version}, ${PAIRS} pairs, floor: node -e 0`);
  console.log('figure                     ms   floor ms   ratio   budget');
  for (const [name, args, budget] of rows) {
    const { ratio: found, figureMs, floorMs } = ratio(args, floor);
    const verdict = found <= budget ? '' : '  over';
    console.log(
      `${name.padEnd(22)} ${figureMs.toFixed(0).padStart(6)} ${floorMs.toFixed(0).padStart(10)} ${found.toFixed(2).padStart(7)} ${budget.toFixed(2).padStart(8)}${verdict}`,
    );
  }
} finally {
  rmSync(home, { recursive: true, force: true });
}
