/** The guide for agents as data, read from the commands and tables. */

import type { Argument, Command, Option } from 'commander';
import { TOOLS } from '../../contract/agent.ts';
import { commandText, ownText } from '../../domain/message/command-text.ts';
import { EXIT_MEANINGS } from '../../domain/message/exit-codes.ts';
import { ANSWER_KEYS } from '../../domain/wizard/wizard-step.ts';
import { examplesOf } from '../command.ts';
import { errorRecords } from '../output/error.ts';
import type { GuideCommand } from '../schemas/program.ts';
import { CLIENT_NAMES } from './clients.ts';
import { BUYING, RULES, SUMMARY, VARIABLES } from './guide-rules.ts';

/** The tools (MCP) for buying from the same merchant. */
const MCP = {
  serve: 'scrip mcp',
  install: CLIENT_NAMES.map((client) => String(commandText`scrip mcp install ${client}`)),
  tools: TOOLS.map(({ name, summary, hints }) => ({
    name,
    what: summary,
    read_only: hints.readOnly,
  })),
} as const;

export type Guide = ReturnType<typeof describeProgram>;

/** Builds the guide. It depends on nothing of this machine: every run returns the same. */
export function describeProgram(program: Command, version: string) {
  return {
    name: program.name(),
    version,
    summary: SUMMARY,
    rules: RULES,
    buying: BUYING,
    commands: program.commands.flatMap((command) => commandsOf(command, [])),
    global_options: visible(program),
    environment: VARIABLES.map(({ name, what }) => ({ name, what: String(what) })),
    exit_codes: exitCodes(),
    errors: errorRecords(),
    mcp: MCP,
    wizard: { endpoint: 'POST /mcp/purchase_elicitation', questions: ANSWER_KEYS },
  };
}

function commandsOf(command: Command, before: readonly string[]): readonly GuideCommand[] {
  const words = [...before, command.name()];
  return [
    describe(command, words),
    ...command.commands.flatMap((child) => commandsOf(child, words)),
  ];
}

function describe(command: Command, words: readonly string[]): GuideCommand {
  const path = words.join(' ');
  const placeholders = command.registeredArguments.map(placeholder);
  const example = exampleOf(command, path);
  return {
    usage: ['scrip', path, ...placeholders].join(' '),
    path,
    what: command.description(),
    arguments: command.registeredArguments.map(argumentOf),
    options: visible(command),
    ...(example === undefined ? {} : { example }),
    examples: examplesOf(command),
  };
}

/** The first example that starts with the command itself: other examples show steps before or after it. */
function exampleOf(command: Command, path: string): string | undefined {
  const examples = examplesOf(command);
  const own = examples.find((example) => example === path || example.startsWith(`${path} `));
  const shown = own ?? examples[0];
  return shown === undefined ? undefined : String(commandText`scrip ${ownText(shown)}`);
}

function placeholder(argument: Argument): string {
  const name = argument.variadic ? `${argument.name()}...` : argument.name();
  return argument.required ? `<${name}>` : `[${name}]`;
}

function argumentOf(argument: Argument): GuideCommand['arguments'][number] {
  return {
    name: argument.name(),
    what: argument.description,
    required: argument.required,
    ...(argument.argChoices ? { choices: argument.argChoices } : {}),
  };
}

function visible(command: Command): GuideCommand['options'] {
  return command.options.filter(({ hidden }) => !hidden).map(optionOf);
}

function optionOf(option: Option): GuideCommand['options'][number] {
  const { flags, description, mandatory, defaultValue, argChoices } = option;
  return {
    flags,
    what: description,
    required: mandatory,
    ...(option.negate || defaultValue === undefined ? {} : { default: defaultValue }),
    ...(argChoices ? { choices: argChoices } : {}),
  };
}

function exitCodes() {
  return Object.entries(EXIT_MEANINGS).map(([exit, meaning]) => ({
    exit: Number(exit),
    meaning,
    codes: errorRecords()
      .filter((row) => row.exit === Number(exit))
      .map(({ code }) => code),
  }));
}
