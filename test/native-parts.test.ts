/** What is published, and the native code that it runs or does not run. */
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = join(root, 'dist');
const chunks = readdirSync(dist, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.js'))
  .map((name) => readFileSync(`${dist}/${name}`, 'utf8'));

/** It has a known fault (docs/safety.md). */
it('bigint-buffer is in the bundle, in its version without the native part', () => {
  const holders = chunks.filter((text) => text.includes('bigint-buffer'));
  expect(holders.length).toBeGreaterThan(0);
  // The native version says so, in words of its own, where its part cannot be loaded.
  const native = /Failed to load bindings|["']bigint_buffer["']/;
  expect(chunks.filter((text) => native.test(text))).toEqual([]);
});

/** An installation in which every package sees its own dependencies alone, as some managers make it. */
function installedApart(): string {
  const folder = mkdtempSync(join(tmpdir(), 'scrip-apart-'));
  for (const part of ['bin', 'dist', 'package.json']) {
    cpSync(join(root, part), join(folder, part), { recursive: true });
  }
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(join(root, 'node_modules', 'libsql'), join(folder, 'node_modules', 'libsql'));
  return folder;
}

it('the database finds its native part where packages are kept apart', () => {
  const folder = installedApart();
  try {
    const brands = (program: string) =>
      spawnSync(process.execPath, [join(program, 'bin/scrip.js'), 'brands', '--country', 'us'], {
        env: { HOME: join(folder, 'home') },
        encoding: 'utf8',
      });
    const { status, stdout, stderr } = brands(folder);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toEqual(brands(root).stdout);
    rmSync(join(folder, 'node_modules'), { recursive: true });
    expect(brands(folder)).toMatchObject({
      stdout: '',
      stderr: expect.stringContaining('PLATFORM_UNSUPPORTED'),
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
