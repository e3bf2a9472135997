/** The reference of every command with its options and examples: docs/commands.md, and the manual page. */

import type { Guide } from '../agents/guide.ts';
import type { GuideCommand } from '../schemas/program.ts';
import { TOPICS, topicText } from '../topics.ts';
import { describedText } from './guide-text.ts';

export function commandsMarkdown(guide: Guide): string {
  const parts = [
    '# Commands',
    `Made from the command tree (\`npm run reference\`); \`scrip <command> --help\` says the same. Topics: ${topicNames()} (\`scrip help <topic>\`, or \`man scrip\`).`,
    guide.commands
      .filter(({ path }) => !path.includes(' '))
      .map(({ path }) => `[${path}](#${anchor(path)})`)
      .join(' · '),
    '## Options of every command',
    optionList(guide.global_options),
    ...guide.commands.map(section),
  ];
  return `${parts.join('\n\n')}\n`;
}

const topicNames = (): string => TOPICS.map(({ name }) => name).join(', ');

function section(command: GuideCommand): string {
  const { path, usage, what, options, examples } = command;
  const placeholders = usage.slice(`scrip ${path} `.length).split(' ');
  const items = [
    ...command.arguments.map((given, at) =>
      item(placeholders[at] ?? given.name, describedText(given)),
    ),
    ...(options.length === 0 ? [] : [optionList(options)]),
  ];
  const telling = examples.filter((example) => `scrip ${example}` !== usage);
  return [
    `## scrip ${path}`,
    `${what.charAt(0).toUpperCase()}${what.slice(1)}.`,
    ...(items.length === 0 ? [] : [items.join('\n')]),
    ...(telling.length === 0
      ? []
      : [`\`\`\`sh\n${telling.map((example) => `scrip ${example}`).join('\n')}\n\`\`\``]),
  ].join('\n\n');
}

const item = (name: string, what: string): string =>
  what === '' ? `- \`${name}\`` : `- \`${name}\`: ${escaped(what)}`;

function optionList(options: GuideCommand['options']): string {
  return options.map((option) => item(option.flags, describedText(option))).join('\n');
}

/** Entities are decoded in text, but not in code spans. */
function escaped(text: string): string {
  return text
    .split(/(`[^`]*`)/)
    .map((part) => (part.startsWith('`') ? part : part.replaceAll('<', '&lt;')))
    .join('');
}

const anchor = (path: string): string => `scrip-${path.replaceAll(' ', '-')}`;

export function manPage(guide: Guide): string {
  const lines = [
    `.TH SCRIP 1 "" "scrip ${guide.version}" "User Commands"`,
    '.SH NAME',
    'scrip \\- buy gift cards, mobile top\\-ups and eSIMs with crypto',
    '.SH SYNOPSIS',
    '.B scrip',
    '.I command',
    '.RI [ options ]',
    '.SH DESCRIPTION',
    roff(guide.summary),
    '.SH COMMANDS',
    ...guide.commands.flatMap(commandLines),
    '.SH GLOBAL OPTIONS',
    ...guide.global_options.flatMap(optionLines),
    ...TOPICS.flatMap(({ name }) => [
      `.SH ${name.toUpperCase().replaceAll('-', ' ')}`,
      '.nf',
      ...(topicText(name) ?? '').trimEnd().split('\n').map(roff),
      '.fi',
    ]),
  ];
  return `${lines.join('\n')}\n`;
}

function commandLines({ usage, what, options, examples }: GuideCommand): readonly string[] {
  return [
    `.SS ${quoted(roff(usage))}`,
    roff(`${what}.`),
    ...options.flatMap(optionLines),
    ...(examples.length === 0
      ? []
      : [
          '.PP',
          'Examples:',
          '.nf',
          ...examples.map((example) => roff(`  scrip ${example}`)),
          '.fi',
        ]),
  ];
}

function optionLines(option: GuideCommand['options'][number]): readonly string[] {
  return ['.TP', `.B ${roff(option.flags)}`, roff(describedText(option))];
}

/** Escapes what roff would read as a command: backslashes, and a dot or quote at the start of a line. */
function roff(line: string): string {
  // Without UTF-8 a terminal has no ellipsis character, and man prints a warning.
  const escaped = line.replaceAll('\\', '\\e').replaceAll('-', '\\-').replaceAll('…', '...');
  return /^[.']/.test(escaped) ? `\\&${escaped}` : escaped;
}

const quoted = (words: string): string => `"${words.replaceAll('"', '""')}"`;
