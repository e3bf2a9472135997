/** The guide for agents as Markdown, short enough for a model's context. */

import type { Guide } from '../agents/guide.ts';
import type { GuideCommand } from '../schemas/program.ts';

export function guideText(guide: Guide): string {
  const sections: readonly (readonly [heading: string, lines: readonly string[]])[] = [
    ['Rules', guide.rules.map((rule, index) => `${index + 1}. ${rule}`)],
    ['Buy without being asked', buyingLines(guide)],
    ['Exit status', exitLines(guide)],
    ['Commands', guide.commands.flatMap(commandLines)],
    [
      'Options of every command',
      guide.global_options.map((one) => `- ${itemText(one.flags, one)}`),
    ],
    ['Environment', guide.environment.map(({ name, what }) => `- \`${name}\`: ${what}`)],
    ['Tools over MCP', mcpLines(guide)],
    ['Guided purchase', wizardLines(guide)],
  ];
  const head = `# ${guide.name} ${guide.version}\n\n${guide.summary}\n`;
  const body = sections.map(([heading, lines]) => `\n## ${heading}\n\n${lines.join('\n')}\n`);
  return `${head}${body.join('')}`;
}

function buyingLines({ buying }: Guide): readonly string[] {
  const steps = buying.flatMap(({ what, command }) => [`# ${what}`, command]);
  return ['```', ...steps, '```'];
}

function exitLines({ exit_codes }: Guide): readonly string[] {
  const rows = exit_codes.map(
    ({ exit, meaning, codes }) => `| ${exit} | ${meaning} | ${codes.join(', ')} |`,
  );
  const more = [
    '',
    '`scrip help errors --json` tells for each code whether money may have moved and what to do.',
  ];
  return ['| Exit | Meaning | Codes |', '|---|---|---|', ...rows, ...more];
}

function commandLines(command: GuideCommand): readonly string[] {
  const { usage, what, example } = command;
  const parts = [
    ...command.arguments.map((one) => itemText(`<${one.name}>`, one)),
    ...command.options.map((one) => itemText(one.flags, one)),
  ];
  const shown = example === undefined || example === usage ? '' : `, as in \`${example}\``;
  return [
    `- \`${usage}\`: ${what}${shown}`,
    ...(parts.length === 0 ? [] : [`  - ${parts.join('; ')}`]),
  ];
}

type Described = GuideCommand['options'][number] | GuideCommand['arguments'][number];

/** An argument or option with its description. */
function itemText(name: string, described: Described): string {
  return `\`${name}\`: ${describedText(described)}`;
}

/** The description with choices, default and whether an option is required. */
export function describedText({ what, choices, ...more }: Described): string {
  const usual = 'default' in more ? String(more.default) : '';
  const isRequired = 'flags' in more && more.required;
  return [
    what,
    ...(choices === undefined ? [] : [`one of ${choices.join(', ')}`]),
    ...(usual === '' ? [] : [`default ${usual}`]),
  ]
    .filter((part) => part !== '')
    .join('; ')
    .concat(isRequired ? ' (required)' : '');
}

function mcpLines({ mcp }: Guide): readonly string[] {
  const clients = mcp.install.map((command) => command.split(' ').at(-1)).join(', ');
  return [
    `\`${mcp.serve}\` serves these tools on standard input and output; \`scrip mcp install <client>\` tells an agent`,
    `on this machine of it (${clients}; --dry-run shows the change).`,
    ...mcp.tools.map(({ name, what }) => `- \`${name}\`: ${what}`),
    '- `payOrder`, with `--allow-pay` alone: pays an order from the wallet after the user has agreed',
  ];
}

function wizardLines({ wizard }: Guide): readonly string[] {
  return [
    `\`${wizard.endpoint}\` of a served sandbox asks one question after another, and makes one order at the end:`,
    `${wizard.questions.join(', ')}. See docs/use/wizard.md.`,
  ];
}
