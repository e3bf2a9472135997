/** The letters of options: the same everywhere, and none means two things. */
import type { Command } from 'commander';
import { beforeAll, describe, expect, it } from 'vitest';
import { SHORT_OPTIONS } from '../../src/cli/command.ts';
import { buildTree } from '../../src/cli/command-tree.ts';
import { runProgram } from '../../src/cli/program.ts';
import { cannedFetch, smallHost } from '../support/small-context.ts';

let commands: readonly Command[];
beforeAll(async () => {
  commands = below(await buildTree('1.2.3', async () => undefined));
});

function below(command: Command): readonly Command[] {
  return [command, ...command.commands.flatMap(below)];
}

/** As the parser knows them: those of a command and of all above it. */
function lettersOf(command: Command): readonly string[] {
  const own = command.options.flatMap(({ short }) => short ?? []);
  return command.parent === null ? [...own, '-h'] : [...own, ...lettersOf(command.parent)];
}

describe('a short option', () => {
  it('is -c, -v, -y or -q', () => {
    expect(SHORT_OPTIONS).toEqual({
      '--country': '-c',
      '--value': '-v',
      '--yes': '-y',
      '--quantity': '-q',
    });
  });

  it('stands for the long one in every command that has it', () => {
    const found = commands.flatMap((command) =>
      command.options
        .filter(({ long }) => long !== undefined && long !== null && long in SHORT_OPTIONS)
        .map(({ long, short }) => [command.name(), long, short] as const),
    );
    expect(found.length).toBeGreaterThan(12);
    for (const [name, long, short] of found) {
      expect([name, short]).toEqual([name, SHORT_OPTIONS[long ?? '']]);
    }
  });

  it('means one thing in a command', () => {
    for (const command of commands) {
      const letters = lettersOf(command);
      expect([command.name(), letters.length]).toEqual([command.name(), new Set(letters).size]);
    }
  });

  const BRANDS = [{ brand_name: 'Steam', family: 'Gift Cards', category: 'games' }];
  it.each(['-c us', '-cus', '--country us'])('brands %s asks for the country', async (flags) => {
    const { fetch, asked } = cannedFetch({ '/v1/brands': BRANDS });
    const host = smallHost({ parts: { fetch } });
    expect(await runProgram(['brands', ...flags.split(' '), '--json'], host)).toBe(0);
    expect(asked.map(({ url }) => url)).toEqual([expect.stringMatching(/country_code=us$/)]);
  });
});
