/** Returns docs/commands.md: every command with its options and examples. */
import type { Guide, GuideCommand } from '../agents/guide.ts';
import { TOPICS, topicText } from '../topics.ts';

export function commandsMarkdown(guide: Guide): string {
  const parts = [
    '# Commands',
    `Made from the command tree (\`npm run reference\`); \`scrip <command> --help\` says the same.`,
    guide.commands.map(({ usage, path }) => `- [\`${usage}\`](#${anchor(path)})`).join('\n'),
    '## Options of every command',
    optionTable(guide.global_options),
    ...guide.commands.map(section),
    ...TOPICS.flatMap(({ name }) => [
      `## scrip help ${name}`,
      `\`\`\`text\n${topicText(name)}\`\`\``,
    ]),
  ];
  return `${parts.join('\n\n')}\n`;
}

function section(command: GuideCommand): string {
  const { path, usage, what, options, examples } = command;
  const named = command.arguments.filter(({ what: said, choices }) => said !== '' || choices);
  return [
    `## scrip ${path}`,
    `\`${usage}${options.length > 0 ? ' [options]' : ''}\`: ${what}.`,
    ...(named.length === 0
      ? []
      : [named.map((given) => `- \`${given.name}\`: ${escaped(described(given))}`).join('\n')]),
    ...(options.length === 0 ? [] : [optionTable(options)]),
    ...(examples.length === 0
      ? []
      : [`\`\`\`sh\n${examples.map((example) => `scrip ${example}`).join('\n')}\n\`\`\``]),
  ].join('\n\n');
}

function optionTable(options: GuideCommand['options']): string {
  const rows = options.map((option) => {
    const marks = option.required ? ' (required)' : '';
    return `| ${escaped(`\`${option.flags}\``)} | ${escaped(described(option))}${marks} |`;
  });
  return ['| Option | |', '|---|---|', ...rows].join('\n');
}

interface Described {
  readonly what: string;
  readonly choices?: readonly string[];
  readonly default?: unknown;
}

/** The description with choices and default. */
export function described({ what, choices, default: usual }: Described): string {
  return [
    what,
    ...(choices === undefined ? [] : [`one of ${choices.join(', ')}`]),
    ...(usual === undefined ? [] : [`default ${String(usual)}`]),
  ]
    .filter((part) => part !== '')
    .join('; ');
}

/** Entities are decoded in text, but not in code spans. */
function escaped(text: string): string {
  return text
    .split(/(`[^`]*`)/)
    .map((part) => (part.startsWith('`') ? part : part.replaceAll('<', '&lt;')))
    .join('')
    .replaceAll('|', '\\|');
}

const anchor = (path: string): string => `scrip-${path.replaceAll(' ', '-')}`;
