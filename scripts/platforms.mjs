// The platforms of standalone executables, and the npm packages that each is made of.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { root } from './bundle.mjs';

const require = createRequire(import.meta.url);
const FETCHED = join(root, 'build', 'packages');

export const PLATFORMS = [
  'linux-x64',
  'linux-arm64',
  'linux-x64-musl',
  'linux-arm64-musl',
  'darwin-arm64',
  'darwin-x64',
];

/** The machine that runs this script. */
export function hostPlatform() {
  const { platform, arch, report } = process;
  const isGlibc = platform !== 'linux' || 'glibcVersionRuntime' in report.getReport().header;
  return `${platform}-${arch}${isGlibc ? '' : '-musl'}`;
}

/** As native packages end: linux-x64-gnu, linux-x64-musl, darwin-arm64. */
export function nativeSuffix(platform) {
  if (platform.startsWith('win32')) return `${platform}-msvc`;
  return /^linux-[^-]+$/.test(platform) ? `${platform}-gnu` : platform;
}

/** The compiler's runtime, which becomes the executable. */
export function runtimePackage(platform) {
  return `@oven/bun-${platform.replace('arm64', 'aarch64')}`;
}

/** A package that npm installed here, or else one fetched by npm, of the bytes that package-lock.json names. */
export function packageFolder(name) {
  try {
    return dirname(require.resolve(`${name}/package.json`));
  } catch {
    return fetched(name);
  }
}

function fetched(name) {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const { version, integrity } = lock.packages[`node_modules/${name}`];
  const folder = join(FETCHED, `${name.replace('/', '+')}@${version}`);
  if (existsSync(folder)) return folder;
  mkdirSync(FETCHED, { recursive: true });
  const packed = run('npm', ['pack', '--silent', `${name}@${version}`], FETCHED).trim();
  const tarball = join(FETCHED, packed);
  const found = `sha512-${createHash('sha512').update(readFileSync(tarball)).digest('base64')}`;
  if (found !== integrity)
    throw new Error(`${name}@${version} is not what package-lock.json names`);
  rmSync(`${folder}.part`, { recursive: true, force: true });
  mkdirSync(`${folder}.part`);
  run('tar', ['-xzf', tarball, '-C', `${folder}.part`, '--strip-components', '1'], FETCHED);
  renameSync(`${folder}.part`, folder);
  rmSync(tarball);
  return folder;
}

/** Returns what the command printed. @throws when it fails */
export function run(command, args, cwd = root, env = process.env) {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    ...{ cwd, env, encoding: 'utf8', maxBuffer: 1e8 },
  });
  if (status === 0) return stdout;
  throw new Error(
    `${command} ${args.join(' ')}: ${error?.message ?? `${status}\n${stdout}${stderr}`}`,
  );
}
