// Tests a whole release as new users get it: built twice, compared, then each way of installing it buys a card in
// an empty home and is removed again. As root with debootstrap, the installer and the Debian package run in a
// root of their own; npm fetches optional packages from its registry. Argument: a release that was built.
import { spawn, spawnSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import {
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { root, version } from './bundle.mjs';
import { hostPlatform, run } from './platforms.mjs';

const folder = mkdtempSync(join(tmpdir(), 'scrip-release-'));
const FUND = ['wallet new', 'wallet fund --usdc 50'];
const GOODS = 'order amazon 10 --country us --to ada@example.com --email ada@example.com';
const ORDER = `${GOODS} --yes --max-amount 11 --json`;
const PATH = process.env.PATH;
/** Of a user of the other root. */
const USER = 1000;

const hasTool = (name) => spawnSync(name, ['--version']).error === undefined;

async function step(name, act) {
  const begun = Date.now();
  await act();
  console.log(`ok  ${name} (${((Date.now() - begun) / 1000).toFixed(1)} s)`);
}

function emptyFolder(name) {
  const path = join(folder, name);
  mkdirSync(path);
  return path;
}

/** Makes a wallet and buys. @param scrip runs one command line */
function buys(scrip, flags = '') {
  for (const line of FUND) scrip(line + flags);
  const { status } = JSON.parse(scrip(ORDER + flags));
  if (status !== 'completed') throw new Error(`the order is ${status}`);
}

/** Fails if any file below has a name or a folder of ours, but those that uninstalling keeps. */
function isGone(path, kept = /^$/) {
  const left = readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(path.length + 1))
    .filter((name) => /scrip(?!t)/.test(name) && !kept.test(name));
  if (left.length > 0) throw new Error(`left behind: ${left.join(', ')}`);
}

function buildTwice() {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 4096 });
  const key = join(folder, 'key.pem');
  writeFileSync(key, privateKey.export({ type: 'pkcs8', format: 'pem' }));
  const built = ['first', 'second'].map((name) => {
    const words = ['--dry-run', '--key', key, '--folder', join(folder, name)];
    run(process.execPath, [join(root, 'scripts', 'release.mjs'), ...words]);
    return ['SHA256SUMS', 'SHA256SUMS.sig'].map((file) => readFileSync(join(folder, name, file)));
  });
  const [[sums, sign], [sums2, sign2]] = built;
  if (!sums.equals(sums2) || !sign.equals(sign2)) {
    throw new Error(`two builds differ:\n${sums}\n${sums2}`);
  }
  rmSync(join(folder, 'second'), { recursive: true });
  return join(folder, 'first');
}

const NPMRC = run('npm', ['config', 'get', 'userconfig']).trim();

/** An empty prefix and an empty home, with npm's cache in it; npm keeps what says how its registry is reached. */
function npmOf(name) {
  const home = emptyFolder(name);
  const prefix = emptyFolder(`${name}/prefix`);
  const own = { HOME: home, npm_config_prefix: prefix, npm_config_userconfig: NPMRC };
  const program = join(prefix, 'bin', 'scrip');
  return {
    prefix,
    at: (command, line) => run(command, line.split(' '), home, { ...process.env, ...own }),
    scrip: (line) => run(program, line.split(' '), home, { PATH, HOME: home }),
  };
}

async function withServedSandbox(program, act) {
  const home = emptyFolder('served');
  const child = spawn(program, ['sandbox', '--port', '0', '--json'], {
    ...{ cwd: home, env: { PATH, HOME: home }, stdio: ['ignore', 'pipe', 'inherit'] },
  });
  try {
    const text = await new Promise((done) => child.stdout.once('data', done));
    await act(JSON.parse(text));
  } finally {
    child.kill('SIGTERM');
  }
}

/** Installs in a Debian of its own: by the installer as a user, then by the package as root. */
async function inOtherRoot(release) {
  const other = join(folder, 'root');
  await step('debootstrap', () =>
    run('debootstrap', ['--variant=minbase', '--include=openssl', 'bookworm', other]),
  );
  cpSync(release, join(other, 'release'), { recursive: true });
  mkdirSync(join(other, 'home', 'ada'));
  chownSync(join(other, 'home', 'ada'), USER, USER);
  run('mount', ['-t', 'proc', 'proc', join(other, 'proc')]);
  const bin = '/usr/sbin:/usr/bin:/sbin:/bin';
  const asRoot = (line) =>
    run('chroot', [other, ...line.split(' ')], folder, { PATH: bin, HOME: '/root' });
  const asUser = (line) =>
    run('chroot', [`--userspec=${USER}:${USER}`, other, ...line.split(' ')], folder, {
      ...{ PATH: bin, HOME: '/home/ada' },
    });
  try {
    const kept = /^ada\/\.local\/(share|state)\/scrip\/(wallets|play|journal)\//;
    await step('install.sh, by a user of a fresh root', () => {
      asUser('sh /release/install.sh');
      buys((line) => asUser(`/home/ada/.local/bin/scrip ${line}`));
      asUser('sh /release/install.sh --uninstall');
      isGone(join(other, 'home'), kept);
    });
    await step('Debian package, in a fresh root', () => {
      const arch = { x64: 'amd64' }[process.arch] ?? process.arch;
      asRoot(`dpkg -i /release/scrip_${version}_${arch}.deb`);
      rmSync(join(other, 'home', 'ada', '.local'), { recursive: true });
      buys((line) => asUser(`scrip ${line}`));
      asRoot('dpkg -P scrip');
      isGone(join(other, 'usr'));
    });
  } finally {
    run('umount', [join(other, 'proc')]);
  }
}

try {
  let release = process.argv[2] && resolve(process.argv[2]);
  if (release === undefined) {
    await step('built twice, the same bytes', () => {
      release = buildTwice();
    });
  }
  const tarball = join(release, `scrip-cli-${version}.tgz`);
  for (const [tool, ...args] of [
    ['shellcheck', join(release, 'install.sh')],
    ['ruby', '-c', join(release, 'scrip.rb')],
    [
      'lintian',
      '--allow-root',
      '--fail-on',
      'error,warning',
      join(release, `scrip_${version}_amd64.deb`),
    ],
  ]) {
    if (hasTool(tool)) await step(tool, () => run(tool, args));
    else console.log(`--  ${tool} is not there`);
  }
  await step('npm install --global', () => {
    const { at, scrip, prefix } = npmOf('npm');
    at('npm', `install --global ${tarball}`);
    buys(scrip);
    at('npm', 'uninstall --global scrip-cli');
    isGone(prefix);
  });
  await step('npx', () => {
    const { at } = npmOf('npx');
    buys((line) => at('npx', `--yes file:${tarball} ${line}`));
  });
  const unpacked = emptyFolder('unpacked');
  const program = `scrip-${version}-${hostPlatform()}`;
  run('tar', ['-xzf', join(release, `${program}.tar.gz`), '-C', unpacked]);
  await step('npm install --omit=optional, at a remote host', () =>
    withServedSandbox(join(unpacked, program, 'bin', 'scrip'), (served) => {
      const { at, scrip } = npmOf('lean');
      at('npm', `install --global --omit=optional ${tarball}`);
      buys(scrip, ` --checkout-url ${served.checkout_url} --rpc-url ${served.rpc_url}`);
    }),
  );
  if (process.getuid?.() === 0 && hasTool('debootstrap')) await inOtherRoot(release);
  else console.log('--  no root of its own: that takes debootstrap, as root');
} finally {
  if (existsSync(folder)) rmSync(folder, { recursive: true, force: true });
}
