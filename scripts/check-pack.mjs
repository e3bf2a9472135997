// Tests the npm package as a new user gets it: packed, installed into an empty prefix with an empty home, run
// from another folder, purchase included.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'scrip-pack-'));
const prefix = join(folder, 'prefix');
const elsewhere = join(folder, 'elsewhere');
const windows = process.platform === 'win32';
const scrip = windows ? join(prefix, 'scrip.cmd') : join(prefix, 'bin', 'scrip');

function run(command, args, options) {
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8', ...options });
  if (status === 0) return stdout;
  throw new Error(`${command} ${args.join(' ')} ended with ${status}\n${stderr}${stdout}`);
}

/** Runs the installed program with a clean environment, outside this repository. */
function installed(...words) {
  const env = { PATH: process.env.PATH, HOME: join(folder, 'home') };
  const said = run(scrip, words, { cwd: elsewhere, env, shell: windows });
  console.log(`ok  scrip ${words.join(' ')}`);
  return said;
}

/** Fails on any problem that publint reports, suggestions included. */
async function lint(path) {
  const { buffer, byteOffset, byteLength } = readFileSync(path);
  const tarball = buffer.slice(byteOffset, byteOffset + byteLength);
  const { messages, pkg } = await publint({ pack: { tarball } });
  const said = messages.map((message) => formatMessage(message, pkg));
  if (said.length > 0) throw new Error(said.join('\n'));
}

try {
  for (const name of [prefix, elsewhere, join(folder, 'home')]) mkdirSync(name);
  const packed = run('npm', ['pack', '--json', '--pack-destination', folder], { cwd: root });
  const [{ filename, size, entryCount }] = JSON.parse(packed.slice(packed.indexOf('[\n')));
  console.log(`ok  ${filename}: ${entryCount} files, ${(size / 1e6).toFixed(1)} MB`);
  await lint(join(folder, filename));
  console.log('ok  publint');
  run('npm', ['install', '--global', '--prefix', prefix, '--no-audit', '--no-fund', filename], {
    cwd: folder,
  });
  installed('--version');
  installed('help', 'order');
  installed('wallet', 'new');
  installed('wallet', 'fund', '--usdc', '50');
  const brand = ['--country', 'us', '--brand', 'Steam'];
  const products = JSON.parse(installed('catalog', ...brand, '--json'));
  const { product_id: product } = products.find(({ is_range }) => !is_range);
  const order = ['order', product, ...brand, '--to', 'ada@example.com', '--max-amount', '45'];
  const { status } = JSON.parse(installed(...order, '--yes', '--json'));
  if (status !== 'completed') throw new Error(`the order is ${status}`);
  installed('orders', 'list');
} finally {
  rmSync(folder, { recursive: true, force: true });
}
