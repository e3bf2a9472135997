/** `scrip help context`: the guide for agents, on one page. */
import { type Command, Option } from 'commander';
import { describeProgram } from '../agents/guide.ts';
import { addExamples, type Bind } from '../command.ts';
import { toJson } from '../output/json.ts';
import { guideText } from '../reference/guide-text.ts';

interface ContextFlags {
  readonly format: 'md' | 'json';
}

export function register(command: Command, bind: Bind): void {
  command
    .addOption(
      new Option('--format <form>', 'format of the page').choices(['md', 'json']).default('md'),
    )
    .action(({ format }: ContextFlags) =>
      bind(async ({ version }) => {
        const guide = describeProgram(rootOf(command), version);
        const text = format === 'json' ? toJson(guide, 2) : guideText(guide);
        return { kind: 'text', text, record: guide };
      }),
    );
  addExamples(command, [
    'help context',
    'help context --format json',
    'help context > AGENT-CONTEXT.md',
  ]);
}

function rootOf(command: Command): Command {
  return command.parent === null ? command : rootOf(command.parent);
}
