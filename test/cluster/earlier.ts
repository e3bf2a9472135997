/** The program as an earlier commit had it, built beside the present one, with the packages of today. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

export function hasCommit(commit: string): boolean {
  return spawnSync('git', ['cat-file', '-e', `${commit}^{commit}`], { cwd: root }).status === 0;
}

export function buildEarlier(commit: string) {
  mkdirSync(join(root, 'build'), { recursive: true });
  const folder = mkdtempSync(join(root, 'build', 'earlier-'));
  const input = execFileSync('git', ['archive', commit], { cwd: root, maxBuffer: 2 ** 30 });
  execFileSync('tar', ['-x', '-C', folder], { input });
  // Links of the files take no room, and the build wants them below its folder.
  execFileSync('cp', ['-al', join(root, 'node_modules'), join(folder, 'node_modules')]);
  execFileSync(process.execPath, ['scripts/build.mjs'], { cwd: folder, stdio: 'pipe' });
  return {
    words: [process.execPath, join(folder, 'bin', 'scrip.js')],
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
