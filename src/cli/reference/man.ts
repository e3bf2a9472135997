/** Returns the manual page (roff, man macros), built from the commands. */
import type { Guide, GuideCommand } from '../agents/guide.ts';
import { TOPICS, topicText } from '../topics.ts';
import { described } from './markdown.ts';

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
    text(guide.summary),
    '.SH COMMANDS',
    ...guide.commands.flatMap(commandLines),
    '.SH GLOBAL OPTIONS',
    ...guide.global_options.flatMap(optionLines),
    ...TOPICS.flatMap(({ name }) => [
      `.SH ${name.toUpperCase().replaceAll('-', ' ')}`,
      '.nf',
      ...(topicText(name) ?? '').trimEnd().split('\n').map(text),
      '.fi',
    ]),
  ];
  return `${lines.join('\n')}\n`;
}

function commandLines({ usage, what, options, examples }: GuideCommand): readonly string[] {
  return [
    `.SS ${quoted(text(usage))}`,
    text(`${what}.`),
    ...options.flatMap(optionLines),
    ...(examples.length === 0
      ? []
      : [
          '.PP',
          'Examples:',
          '.nf',
          ...examples.map((example) => text(`  scrip ${example}`)),
          '.fi',
        ]),
  ];
}

function optionLines(option: GuideCommand['options'][number]): readonly string[] {
  return [
    '.TP',
    `.B ${text(option.flags)}`,
    text(`${described(option)}${option.required ? ' (required)' : ''}`),
  ];
}

/** Escapes what roff would read as a command: backslashes, and a dot or quote at the start of a line. */
function text(line: string): string {
  // Without UTF-8 a terminal has no ellipsis character, and man prints a warning.
  const escaped = line.replaceAll('\\', '\\e').replaceAll('-', '\\-').replaceAll('…', '...');
  return /^[.']/.test(escaped) ? `\\&${escaped}` : escaped;
}

const quoted = (words: string): string => `"${words.replaceAll('"', '""')}"`;
