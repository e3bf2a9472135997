import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { SCRIPTS, SHELLS, type Shell } from '../../src/cli/completion/scripts.ts';

const FILES: Readonly<Record<Shell, string>> = {
  bash: 'scrip.bash',
  zsh: '_scrip',
  fish: 'scrip.fish',
};

describe('completions', () => {
  it.each(SHELLS)('of %s are those that the program prints (npm run completions)', (shell) => {
    const path = fileURLToPath(new URL(`../../completions/${FILES[shell]}`, import.meta.url));
    expect(readFileSync(path, 'utf8')).toBe(SCRIPTS[shell]);
  });

  it.each(SHELLS)('of %s are short, and name no command but one of ours', (shell) => {
    expect(SCRIPTS[shell].length).toBeLessThan(3_000);
    expect(SCRIPTS[shell]).toContain('scrip completion --values line');
  });
});
