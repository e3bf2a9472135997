import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { completionScript, SHELLS, type Shell } from '../../src/cli/completion.ts';
import { buildTree } from '../../src/cli/program.ts';

const FILES: Readonly<Record<Shell, string>> = {
  bash: 'scrip.bash',
  zsh: '_scrip',
  fish: 'scrip.fish',
  powershell: 'scrip.ps1',
};

function pathOf(shell: Shell): string {
  return fileURLToPath(new URL(`../../completions/${FILES[shell]}`, import.meta.url));
}

let scripts: ReadonlyMap<Shell, string>;
beforeAll(async () => {
  const tree = await buildTree('1.2.3', async () => undefined);
  scripts = new Map(SHELLS.map((shell) => [shell, completionScript(shell, tree)]));
});

describe('completions', () => {
  it.each(SHELLS)('of %s are those that the command tree gives (npm run completions)', (shell) => {
    expect(readFileSync(pathOf(shell), 'utf8')).toBe(scripts.get(shell));
  });

  it.each([
    ['a verb', ['scrip', 'wal'], ['wallet']],
    ['a subcommand behind a global option', ['scrip', '--keypair', 'x', 'wallet', 'f'], ['fund']],
    ['an option', ['scrip', 'order', '--max-a'], ['--max-amount']],
    ['a category', ['scrip', 'brands', '--category', 'g'], ['groceries', 'games']],
    ['a shell', ['scrip', 'completion', 'f'], ['fish']],
    ['nothing where a free value stands', ['scrip', '--rpc-url', ''], []],
  ])('in bash complete %s', (_what, words, choices) => {
    const script = `source "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _scrip; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const { stdout, status } = spawnSync('bash', ['-c', script, pathOf('bash'), ...words], {
      encoding: 'utf8',
    });
    expect(status).toBe(0);
    expect(stdout.split('\n').filter((line) => line !== '')).toEqual(choices);
  });
});
