import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { beforeAll, describe, expect, it } from 'vitest';
import { CLIENT_NAMES } from '../../../src/cli/agents/clients.ts';
import { describeProgram, type Guide } from '../../../src/cli/agents/guide.ts';
import { buildTree } from '../../../src/cli/command-tree.ts';
import { runProgram } from '../../../src/cli/program.ts';
import { guideText } from '../../../src/cli/reference/guide-text.ts';
import { TOOLS } from '../../../src/contract/agent.ts';
import { CODES } from '../../../src/domain/message/errors.ts';
import { EXIT_MEANINGS } from '../../../src/domain/message/exit-codes.ts';
import { smallHost } from '../../support/small-context.ts';

let tree: Command;
let guide: Guide;
let page: string;
beforeAll(async () => {
  tree = await buildTree('1.2.3', async () => undefined);
  guide = describeProgram(tree, '1.2.3');
  page = guideText(guide);
});

function everyCommand(command: Command, words: readonly string[] = []): [string, Command][] {
  return command.commands.flatMap((child) => {
    const path = [...words, child.name()];
    return [[path.join(' '), child] as [string, Command], ...everyCommand(child, path)];
  });
}

async function run(words: readonly string[]) {
  const host = smallHost();
  const exit = await runProgram(words, host);
  return { exit, stdout: host.stdout.text(), stderr: host.stderr.text() };
}

describe('the guide for agents', () => {
  it('holds every command of the tree, with each of its options', () => {
    for (const [path, command] of everyCommand(tree)) {
      const line = page
        .split('\n')
        .findIndex((text) => new RegExp(`^- \`scrip ${path}[ \`]`).test(text));
      expect(line, path).toBeGreaterThan(-1);
      const entry = page.split('\n').slice(line, line + 2);
      for (const { flags, hidden } of command.options) {
        if (!hidden) expect(entry.join('\n'), path).toContain(`\`${flags}\``);
      }
    }
  });

  it('fits a context: at most 345 lines', () => {
    expect(page.split('\n').length).toBeLessThanOrEqual(345);
  });

  it('gives every error code under an exit status that has a meaning', () => {
    const listed = guide.exit_codes.flatMap(({ codes }) => codes);
    expect(listed.toSorted()).toEqual(Object.keys(CODES).toSorted());
    expect(Object.values(EXIT_MEANINGS).filter((meaning) => String(meaning) === '')).toEqual([]);
  });

  it('names every variable that the settings and the program read', () => {
    const sources = [
      'src/cli/settings/table.ts',
      'src/cli/settings/settings.ts',
      'src/run/main.ts',
    ].map((path) =>
      readFileSync(fileURLToPath(new URL(`../../../${path}`, import.meta.url)), 'utf8'),
    );
    const read = [...sources.join('\n').matchAll(/\b(SCRIP_[A-Z0-9_]+)\b/g)].map(
      (match) => match[1],
    );
    // Of tests, and what the bundler puts in.
    const forOthers = ['SCRIP_TEST', 'SCRIP_FAIL_POINT', 'SCRIP_VERSION', 'SCRIP_STANDALONE'];
    const known = guide.environment.map(({ name }) => name);
    expect(read.length).toBeGreaterThan(5);
    expect(
      read.filter((name) => name && !forOthers.includes(name) && !known.includes(name)),
    ).toEqual([]);
  });

  it('shows steps of a purchase that the commands take as they are written', () => {
    const paths = guide.commands.map(({ path }) => path);
    for (const { command } of guide.buying) {
      const [, ...words] = command.split(' ');
      const path = paths.findLast((known) => words.join(' ').startsWith(known));
      const found = everyCommand(tree).find(([name]) => name === path)?.[1];
      const known = [...(found?.options ?? []), ...tree.options].map(({ long }) => long);
      const used = words.filter((word) => word.startsWith('--'));
      expect(
        used.filter((word) => !known.includes(word)),
        command,
      ).toEqual([]);
    }
  });

  it('names the tools and the agents that can be told of them', () => {
    for (const { name } of TOOLS) expect(page).toContain(`\`${name}\``);
    for (const client of CLIENT_NAMES) expect(page).toContain(client);
  });
});

describe('scrip context', () => {
  it('prints the page', async () => {
    expect(await run(['context'])).toEqual({ exit: 0, stdout: page, stderr: '' });
  });

  it.each([[['--json']], [['--format', 'json']], [['--format', 'json', '--json']]])(
    'prints one JSON document with %j',
    async (flags) => {
      const { exit, stdout } = await run(['context', ...flags]);
      expect({ exit, guide: JSON.parse(stdout) }).toEqual({
        exit: 0,
        guide: JSON.parse(JSON.stringify(guide)),
      });
    },
  );

  it('knows no other form', async () => {
    expect((await run(['context', '--format', 'html'])).exit).toBe(2);
  });
});
