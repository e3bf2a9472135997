// Changes the code that moves money in one place at a time, and says which changes no test notices:
// `npm run test:mutants -- src/service/refunds/refund-payments.ts` (docs/inside/testing.md). Arguments: files of
// `mutants.json`, or `src/a.ts=test/a.test.ts,test/b.test.ts`; all of them without any.
import {
  appendFileSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BaseSequencer, startVitest } from 'vitest/node';
import { root } from './bundle.mjs';
import { bookOf } from './mutant-book.mjs';
import { switched } from './mutant-switches.mjs';

const TESTS = JSON.parse(readFileSync(join(root, 'scripts/mutants.json'), 'utf8'));
const LOOK_MS = 250;
/** Before its first line a run reads all modules. */
const START_MS = 120_000;
// Read before the first run: vitest's set-up names another folder, which it removes.
const TEMPORARY = tmpdir();
// Snapshots are compared, never written.
process.env.CI = '1';

/** @returns whether all tests passed */
async function vitestRun({ path, code, tests }, options) {
  // As they are listed, the quickest first: a mutant is tried until the first test that fails.
  class AsListed extends BaseSequencer {
    async sort(files) {
      const rank = ({ moduleId }) => tests.findIndex((test) => moduleId.endsWith(test));
      return files.toSorted((one, other) => rank(one) - rank(other));
    }
  }
  const plugin = {
    name: 'mutants',
    enforce: 'pre',
    transform: (_text, id) => (id === join(root, path) ? { code, map: null } : undefined),
  };
  const vitest = await startVitest(
    'test',
    tests,
    {
      ...{ root, watch: false, maxWorkers: 1, reporters: [{}], silent: true, bail: 0 },
      ...{
        runner: join(root, 'scripts/mutant-runner.mjs'),
        dangerouslyIgnoreUnhandledErrors: true,
      },
      sequence: { sequencer: AsListed },
      execArgv: ['--interrupt-budget=1000000', '--no-warnings'],
      ...options,
    },
    { plugins: [plugin] },
  );
  const modules = vitest.state.getTestModules();
  const isGreen = modules.length > 0 && modules.every((one) => one.ok());
  await vitest.close();
  process.exitCode = 0;
  return isGreen;
}

/** Ends a run whose test does not end, as a mutant of a loop does. */
function watch(log) {
  const timer = setInterval(() => {
    const { pid, last } = bookOf(readFileSync(log, 'utf8'));
    const idleMs = Date.now() - statSync(log).mtimeMs;
    if (last === undefined || pid === 0 || idleMs < (last.limitMs ?? START_MS)) return;
    const { begun, test } = last;
    const line = begun > 0 ? { hung: begun, test } : { broken: test ?? 'start', stopped: test };
    appendFileSync(log, `${JSON.stringify(line)}\n`);
    process.kill(pid, 'SIGKILL');
  }, LOOK_MS);
  return () => clearInterval(timer);
}

async function study(path, tests) {
  const { code, mutants } = switched(path, readFileSync(join(root, path), 'utf8'));
  const folder = mkdtempSync(join(TEMPORARY, 'scrip-mutants-'));
  const log = join(folder, 'log');
  process.env.MUTANTS_LOG = log;
  const job = { path, code, tests };
  let book;
  do {
    appendFileSync(log, '');
    const stop = watch(log);
    await vitestRun(job, {});
    stop();
    book = bookOf(readFileSync(log, 'utf8'));
  } while (book.isStopped);
  if (book.pid === 0) throw new Error(`No test ran for ${path}`);
  const tried = new Set([...book.tried.values()].flatMap((ids) => [...ids]));
  for (const { id } of mutants) {
    // Only read while modules load or before all tests of a file: each has a run of its own.
    if (!book.outside.has(id) || tried.has(id) || book.killed.has(id)) continue;
    writeFileSync(log, '');
    process.env.MUTANT_ALWAYS = String(id);
    const isGreen = await vitestRun(job, { bail: 1 });
    delete process.env.MUTANT_ALWAYS;
    if (!isGreen) book.killed.set(id, 'a run of its own');
    else tried.add(id);
  }
  rmSync(folder, { recursive: true, force: true });
  return { path, mutants, book, tried };
}

function report({ path, mutants, book, tried }) {
  const alive = mutants.filter(({ id }) => !book.killed.has(id));
  const lines = alive.map(({ id, line, from, to }) => {
    const why = tried.has(id) ? 'survived   ' : 'not reached';
    return `  ${why} ${path}:${line}  ${from}  =>  ${to}`;
  });
  for (const test of book.broken) lines.push(`  does not pass as it is, or not twice: ${test}`);
  const killed = mutants.length - alive.length;
  const endless = [...book.killed.values()].filter((test) =>
    test.endsWith('(does not end)'),
  ).length;
  const percent = ((100 * killed) / Math.max(1, mutants.length)).toFixed(1);
  process.stdout.write(
    [
      `${path}: ${killed} of ${mutants.length} killed, ${percent} %, ${endless} of them without end`,
      ...lines,
      '',
    ].join('\n'),
  );
  return { killed, all: mutants.length };
}

const words = process.argv.slice(2);
const jobs = (words.length > 0 ? words : Object.keys(TESTS)).map((word) => {
  const [path, tests] = word.split('=');
  return { path, tests: tests?.split(',') ?? TESTS[path] ?? [] };
});
let killed = 0;
let all = 0;
for (const { path, tests } of jobs) {
  const startedMs = Date.now();
  const score = report(await study(path, tests));
  process.stdout.write(`  (${((Date.now() - startedMs) / 1000).toFixed(0)} s)\n`);
  killed += score.killed;
  all += score.all;
}
process.stdout.write(
  `${killed} of ${all} killed, ${((100 * killed) / Math.max(1, all)).toFixed(1)} %\n`,
);
