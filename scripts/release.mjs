// Builds all that is published, in build/release: see docs/operate/releasing.md. It publishes nothing.
// Options: --dry-run (any commit, also without a key), --key FILE, --base-url URL, --folder DIR,
// --platforms A,B (host is this machine's), --no-build.
import { spawnSync } from 'node:child_process';
import { createHash, createPublicKey } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { debOf, writeArchive, writeDeb } from './archives.mjs';
import { root, version } from './bundle.mjs';
import { hostPlatform, PLATFORMS, run } from './platforms.mjs';
import { writeProvenance } from './provenance.mjs';
import { writeSbom } from './sbom.mjs';

const project = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const { values: given } = parseArgs({
  options: {
    'dry-run': { type: 'boolean', default: false },
    'no-build': { type: 'boolean', default: false },
    'base-url': { type: 'string', default: `${project.homepage}/releases/download/v${version}` },
    folder: { type: 'string', default: join(root, 'build', 'release') },
    platforms: { type: 'string', default: PLATFORMS.join() },
    key: { type: 'string' },
  },
});
const folder = resolve(given.folder);
const platforms = given.platforms.split(',').map((one) => (one === 'host' ? hostPlatform() : one));
const commit = run('git', ['rev-parse', 'HEAD']).trim();
const epoch = Number(process.env.SOURCE_DATE_EPOCH ?? run('git', ['log', '-1', '--format=%ct']));
const section = changesOf(version);
const hasDpkg = spawnSync('dpkg-deb', ['--version']).error === undefined;

/** What stands in the way of a real release. */
function* objections() {
  if (run('git', ['status', '--porcelain']) !== '') yield 'the work tree has changes';
  if (!run('git', ['tag', '--points-at', 'HEAD']).split('\n').includes(`v${version}`))
    yield `the commit has no tag v${version}`;
  if (/unreleased/.test(section.title)) yield `CHANGELOG.md calls ${version} unreleased`;
  if (given.key === undefined) yield 'no --key was given';
  if (PLATFORMS.some((name) => !platforms.includes(name))) yield 'not all platforms are built';
  if (!hasDpkg) yield 'there is no dpkg-deb';
}

function changesOf(name) {
  const text = readFileSync(join(root, 'CHANGELOG.md'), 'utf8');
  const found = text.split(/^(?=## )/m).find((part) => part.startsWith(`## ${name} `));
  if (found === undefined) throw new Error(`CHANGELOG.md has no ${name}`);
  const [title, ...lines] = found.split('\n');
  return { title, text: lines.join('\n').trim() };
}

function sha256Of(path) {
  return createHash('sha256').update(readFileSync(path)).digest('hex');
}

/** Fills in the @NAMES@ of a template. */
function fill(template, values, to) {
  const text = readFileSync(join(root, 'packaging', template), 'utf8');
  const filled = text.replace(/@([A-Z\d][^@\n]*)@/g, (_, name) => {
    if (values[name] === undefined) throw new Error(`${template}: ${name} is not known`);
    return values[name];
  });
  writeFileSync(join(folder, to), filled);
}

/** Buys with the executable of this machine, in an empty home. */
function tryOut(built) {
  const home = join(built, 'home');
  mkdirSync(home);
  const scrip = (line) =>
    run(join(built, 'scrip'), line.split(' '), home, { PATH: process.env.PATH, HOME: home });
  scrip('wallet new');
  scrip('wallet fund --usdc 50');
  const goods = 'order amazon 10 --country us --to ada@example.com --email ada@example.com';
  const { status } = JSON.parse(scrip(`${goods} --yes --max-amount 11 --json`));
  if (status !== 'completed') throw new Error(`the executable's order is ${status}`);
}

function build(platform) {
  const built = join(folder, '.work', platform);
  run(process.execPath, [join(root, 'scripts', 'binary.mjs'), built, platform]);
  if (platform === hostPlatform()) tryOut(built);
  writeArchive({ built, platform, folder, epoch });
  if (debOf(platform) !== undefined) {
    if (hasDpkg) writeDeb({ built, platform, folder, epoch });
    else console.log(`left out: ${debOf(platform)}, since this machine has no dpkg-deb`);
  }
  rmSync(built, { recursive: true });
  console.log(`built  ${platform}${platform === hostPlatform() ? ', which bought a card' : ''}`);
}

const digestsNow = () =>
  Object.fromEntries(
    readdirSync(folder)
      .filter((name) => !name.startsWith('.'))
      .toSorted()
      .map((name) => [name, sha256Of(join(folder, name))]),
  );

if (!given['dry-run']) {
  const against = [...objections()];
  if (against.length > 0) throw new Error(`no release: ${against.join('; ')}. Try --dry-run.`);
}
rmSync(folder, { recursive: true, force: true });
mkdirSync(join(folder, '.work'), { recursive: true });
if (!given['no-build']) run(process.execPath, [join(root, 'scripts', 'build.mjs')]);
run('npm', ['pack', '--ignore-scripts', '--pack-destination', folder]);
for (const platform of platforms) build(platform);
rmSync(join(folder, '.work'), { recursive: true });

const sums = digestsNow();
const key =
  given.key === undefined
    ? ''
    : createPublicKey(readFileSync(given.key)).export({ type: 'spki', format: 'pem' }).trim();
fill('install.sh', { VERSION: version, BASE: given['base-url'], KEY: key }, 'install.sh');
const archives = PLATFORMS.map((name) => [
  `SHA256 ${name}`,
  sums[`scrip-${version}-${name}.tar.gz`] ?? 'not built',
]);
fill(
  'scrip.rb',
  {
    VERSION: version,
    BASE: given['base-url'],
    HOMEPAGE: project.homepage,
    ...Object.fromEntries(archives),
  },
  'scrip.rb',
);
writeSbom({ folder, epoch, commit });
const digests = digestsNow();
writeProvenance({ folder, commit, digests, sha256Of });
const sizes = Object.keys(digests).map(
  (name) => `| ${name} | ${(statSync(join(folder, name)).size / 1e6).toFixed(2)} MB |`,
);
writeFileSync(
  join(folder, 'RELEASE-NOTES.md'),
  `# scrip ${version}\n\n${section.text}\n\n## Files\n\n| File | Size |\n|---|---|\n${sizes.join('\n')}\n`,
);
const lines = Object.entries(digestsNow()).map(([name, digest]) => `${digest}  ${name}\n`);
writeFileSync(join(folder, 'SHA256SUMS'), lines.join(''));
if (given.key !== undefined) {
  const words = ['dgst', '-sha256', '-sign', resolve(given.key), '-out', 'SHA256SUMS.sig'];
  run('openssl', [...words, 'SHA256SUMS'], folder);
}
console.log(lines.join(''));
console.log(`${folder}${given.key === undefined ? ': not signed, without --key' : ''}`);
