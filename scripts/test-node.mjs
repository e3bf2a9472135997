// Runs the tests on other versions of Node, installed from npm. Arguments: versions first, then vitest's own:
// `npm run test:node -- 22 test/cli/`.
import { spawnSync } from 'node:child_process';
import { root } from './bundle.mjs';

/** The oldest version that `engines` in package.json allows, and the newest of each later line. */
const VERSIONS = ['20.19.0', '22', '24'];
const BUILD = ['scripts/build.mjs'];
const TESTS = ['node_modules/vitest/vitest.mjs', 'run'];

const words = process.argv.slice(2);
const isVersion = (word) => /^\d+(\.\d+){0,2}$/.test(word);
const named = words.filter(isVersion);
const rest = words.filter((word) => !isVersion(word));

/** Each platform has its own package; the package named `node` needs an install script to find it. */
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

/** Builds with the Node under test too, so that its code cache is used. */
function tested(version) {
  const { passed, said } = run(version, ['-p', 'process.version'], 'pipe');
  const ok = passed && run(version, BUILD).passed && run(version, [...TESTS, ...rest]).passed;
  return `${ok ? 'ok    ' : 'failed'}  Node ${said?.trim() || version}`;
}

const lines = (named.length > 0 ? named : VERSIONS).map(tested);
// Leave a build for the Node that runs this script.
spawnSync(process.execPath, BUILD, { cwd: root, stdio: 'inherit' });
console.log(lines.join('\n'));
process.exitCode = lines.every((line) => line.startsWith('ok')) ? 0 : 1;
