// What an installation brings: packages and bytes, from the tarball into an empty folder.
import { spawnSync } from 'node:child_process';
import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

function npm(folder, args) {
  const words = [...args, '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund'];
  const { status, stdout, stderr } = spawnSync('npm', words, {
    cwd: folder,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  if (status !== 0) throw new Error(`npm ${args[0]} ended with ${status}: ${stderr.slice(-300)}`);
  return stdout;
}

/** Packs and installs into `folder`. Throws where no registry is at hand. */
export function installed(folder) {
  const [{ filename, size }] = JSON.parse(
    npm(root, ['pack', '--json', '--pack-destination', folder]),
  );
  npm(folder, ['install', '--omit=dev', '--prefix', folder, join(folder, filename)]);
  const lock = JSON.parse(readFileSync(join(folder, 'node_modules', '.package-lock.json'), 'utf8'));
  return {
    packedBytes: size,
    packages: Object.keys(lock.packages).length,
    bytes: bytesUnder(join(folder, 'node_modules')),
    ownBytes: bytesUnder(join(folder, 'node_modules', 'scrip-cli')),
  };
}

function bytesUnder(path) {
  const stat = lstatSync(path);
  if (!stat.isDirectory()) return stat.size;
  return readdirSync(path).reduce((sum, name) => sum + bytesUnder(join(path, name)), 0);
}
