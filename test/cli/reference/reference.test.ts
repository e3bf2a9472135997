import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { describeProgram, type Guide } from '../../../src/cli/agents/guide.ts';
import { buildTree } from '../../../src/cli/command-tree.ts';
import { runProgram } from '../../../src/cli/program.ts';
import { commandsMarkdown, manPage } from '../../../src/cli/reference/markdown.ts';
import { TOPICS } from '../../../src/cli/topics.ts';
import { smallHost } from '../../support/small-context.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const { version } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'));

let guide: Guide;
beforeAll(async () => {
  guide = describeProgram(await buildTree(version, async () => undefined), version);
});

async function help(...words: readonly string[]) {
  const host = smallHost({});
  const exit = await runProgram(['help', ...words], host);
  return { exit, stdout: host.stdout.text(), stderr: host.stderr.text() };
}

describe('the reference', () => {
  it('docs/commands.md is what the command tree gives (npm run reference)', () => {
    expect(readFileSync(`${root}docs/commands.md`, 'utf8')).toBe(commandsMarkdown(guide));
  });

  it('docs/scrip.1 is what the command tree gives (npm run reference)', () => {
    expect(readFileSync(`${root}docs/scrip.1`, 'utf8')).toBe(manPage(guide));
  });

  it('has examples for every command that is run by itself', () => {
    const groups = guide.commands.filter(({ path }) =>
      guide.commands.some((other) => other.path.startsWith(`${path} `)),
    );
    const alone = guide.commands.filter((command) => !groups.includes(command));
    const bare = alone.filter(({ path, examples }) => {
      const parent = guide.commands.find(({ path: other }) => path.startsWith(`${other} `));
      const shown = [...examples, ...(parent?.examples ?? [])];
      return !shown.some((example) => example.includes(path));
    });
    expect(bare.map(({ path }) => path)).toEqual([]);
  });

  it('is a manual page of lines that roff reads as they are meant', () => {
    const known = /^\.(TH|SH|SS|B|I|RI|TP|PP|nf|fi)\b/;
    const commands = manPage(guide)
      .split('\n')
      .filter((line) => line.startsWith('.') || line.startsWith("'"));
    expect(commands.filter((line) => !known.test(line))).toEqual([]);
  });

  const hasNoMan = spawnSync('man', ['--version']).error !== undefined;
  it.skipIf(hasNoMan).each(['C', 'C.UTF-8'])('is drawn by man in the locale %s', (locale) => {
    const { stdout, stderr, status } = spawnSync(
      'man',
      ['--warnings', '-l', `${root}docs/scrip.1`],
      {
        encoding: 'utf8',
        env: { ...process.env, LC_ALL: locale, MANPAGER: 'cat', MANWIDTH: '80' },
      },
    );
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toContain('--max-amount');
  });
});

describe('a topic', () => {
  it.each(TOPICS.map(({ name }) => name))('%s is printed within 80 columns', async (name) => {
    const { exit, stdout, stderr } = await help(name);
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: '' });
    expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
    expect(readFileSync(`${root}dist/texts/en/help/${name}/index`, 'utf8')).toBe(stdout);
  });

  it('has a name of its own', () => {
    const verbs = guide.commands.map(({ path }) => path);
    expect(TOPICS.filter(({ name }) => verbs.includes(name))).toEqual([]);
  });

  it('that is misspelt is found', async () => {
    const { exit, stderr } = await help('exit-code');
    expect(exit).toBe(2);
    expect(stderr).toContain('Did you mean scrip help exit-codes?');
  });
});
