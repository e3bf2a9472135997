/** What is published runs no native code of bigint-buffer, which has a known fault (docs/safety.md). */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const dist = fileURLToPath(new URL('../dist', import.meta.url));
const chunks = readdirSync(dist, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.js'))
  .map((name) => readFileSync(`${dist}/${name}`, 'utf8'));

it('bigint-buffer is in the bundle, in its version without the native part', () => {
  const holders = chunks.filter((text) => text.includes('bigint-buffer'));
  expect(holders.length).toBeGreaterThan(0);
  // The native version says so, in words of its own, where its part cannot be loaded.
  const native = /Failed to load bindings|["']bigint_buffer["']/;
  expect(chunks.filter((text) => native.test(text))).toEqual([]);
});
