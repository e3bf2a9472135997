// The tests on other versions of Node, which come from npm ready to run. Versions first, then whatever
// vitest takes: `npm run test:node -- 22 test/cli/`.
import { spawnSync } from 'node:child_process';
import { root } from './bundle.mjs';

/** The oldest that `engines` in package.json takes, and the newest of each line after it. */
const VERSIONS = ['20.19.0', '22', '24'];
const BUILD = ['scripts/build.mjs'];
const TESTS = ['node_modules/vitest/vitest.mjs', 'run'];

const words = process.argv.slice(2);
const isVersion = (word) => /^\d+(\.\d+){0,2}$/.test(word);
const named = words.filter(isVersion);
const rest = words.filter((word) => !isVersion(word));

/** One program per platform; the one named `node` runs scripts to find its own. */
function packageOf(version) {
  const platform = process.platform === 'win32' ? 'win' : process.platform;
  return `--package=node-${platform}-${process.arch}@${version}`;
}

function run(version, args, stdout = 'inherit') {
  const { status, stdout: said } = spawnSync(
    'npm',
    ['exec', '--yes', packageOf(version), '--', 'node', ...args],
    { cwd: root, stdio: ['ignore', stdout, 'inherit'], encoding: 'utf8' },
  );
  return { passed: status === 0, said };
}

/** What is tested is built by the Node that runs it, and so has its code cache. */
function tested(version) {
  const { passed, said } = run(version, ['-p', 'process.version'], 'pipe');
  const ok = passed && run(version, BUILD).passed && run(version, [...TESTS, ...rest]).passed;
  return `${ok ? 'ok    ' : 'failed'}  Node ${said?.trim() || version}`;
}

const lines = (named.length > 0 ? named : VERSIONS).map(tested);
// What is left behind is for the Node that asked.
spawnSync(process.execPath, BUILD, { cwd: root, stdio: 'inherit' });
console.log(lines.join('\n'));
process.exitCode = lines.every((line) => line.startsWith('ok')) ? 0 : 1;
