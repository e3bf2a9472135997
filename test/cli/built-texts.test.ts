import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { beforeAll, describe, expect, it } from 'vitest';
import { buildTree } from '../../src/cli/command-tree.ts';
import { runProgram } from '../../src/cli/program.ts';
import { makeHome } from '../support/cli.ts';
import { smallHost } from '../support/small-context.ts';

const BIN = fileURLToPath(new URL('../../bin/scrip.js', import.meta.url));
const TEXTS = fileURLToPath(new URL('../../dist/texts/en/', import.meta.url));

/** Old names are told by the program alone. */
function pathsOf(command: Command, words: readonly string[] = []): readonly string[][] {
  const listed = command.createHelp().visibleCommands(command);
  const children = command.commands.filter((child) => listed.includes(child));
  return [[...words], ...children.flatMap((of) => pathsOf(of, [...words, of.name()]))];
}

let paths: readonly string[][];
beforeAll(async () => {
  paths = pathsOf(await buildTree('1.2.3', async () => undefined));
});

describe('a text that was written when the program was built', () => {
  it('is the help that the program prints, of every command', async () => {
    expect(paths.length).toBeGreaterThan(20);
    for (const words of paths) {
      const host = smallHost({});
      expect(await runProgram([...words, '--help'], host)).toBe(0);
      const file = `${TEXTS}help/${[...words, 'index'].join('/')}`;
      expect(readFileSync(file, 'utf8'), words.join(' ')).toBe(host.stdout.text());
    }
  });

  it('is printed without loading the program', async () => {
    const home = makeHome();
    // The module system tells what it loads.
    const options = { env: { NODE_DEBUG: 'module' } };
    for (const words of [
      ['order', '--help'],
      ['help', 'order'],
      ['completion', 'fish'],
    ]) {
      const { status, stdout, stderr } = await home.run(words, options);
      expect(status).toBe(0);
      expect(stderr).toContain('bin/scrip.js');
      expect(stderr).not.toContain('bin/load.js');
      expect(stdout.length).toBeGreaterThan(500);
    }
    expect((await home.run(['errors'], options)).stderr).toContain('bin/load.js');
  });

  it('is never handed out for words that lead elsewhere', () => {
    for (const words of [
      ['order', '../../completion/bash', '--help'],
      ['completion', '../help/index'],
    ]) {
      const { status, stdout } = spawnSync(process.execPath, [BIN, ...words], { encoding: 'utf8' });
      expect([words, status === 0 && stdout.startsWith('#')]).toEqual([words, false]);
    }
  });

  it('comes whole through a reader that takes its time', () => {
    const pipe = `"$0" "$1" completion fish | { while IFS= read -r line; do printf '%s\\n' "$line"; done; }`;
    const { stdout } = spawnSync('sh', ['-c', pipe, process.execPath, BIN], { encoding: 'utf8' });
    expect(stdout).toBe(readFileSync(`${TEXTS}completion/fish`, 'utf8'));
  });
});
