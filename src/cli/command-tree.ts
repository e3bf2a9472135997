/** The command tree as the parser knows it: the program, its commands, what their help begins and ends with. */

import { type AddHelpTextContext, Command, type HelpConfiguration } from 'commander';
import { commandText, wordList } from '../domain/command-text.ts';
import { sentence, t } from '../domain/message.ts';
import type { Bind } from './command.ts';
import { COMMANDS } from './commands.ts';
import { addGlobalOptions } from './global-options.ts';
import { inEnglish, type Localize } from './i18n/localize.ts';
import { addShortOptions } from './short-options.ts';

/** Help is written for this width, as it was when it was built (scripts/texts.mjs); narrower is wrapped. */
export const HELP_WIDTH = 80;

interface Plan {
  readonly version: string;
  readonly bind: Bind;
  /** Whether a command's arguments are declared; the others have their line in the help alone. */
  readonly isBuilt: (path: string) => boolean;
  readonly localize: Localize;
}

/** Nothing of it is loaded where help is in English. */
async function helpIn(localize: Localize): Promise<HelpConfiguration> {
  return localize === inEnglish ? {} : (await import('./i18n/help.ts')).localHelp(localize);
}

/** What follows a help is written by itself, and begins with an empty line. */
export function localEnd(text: string, localize: Localize): string {
  if (!text.startsWith('\n')) return text;
  const [, examples] = /^\nExamples:\n(.*)\n$/s.exec(text) ?? [];
  const said =
    examples === undefined ? sentence(text.replace(/\n$/, '')) : t`\nExamples:\n${examples}`;
  return `${localize(said)}\n`;
}

/** The program and its commands. */
export async function buildProgram(plan: Plan): Promise<Command> {
  const program = new Command('scrip')
    .description('Buy gift cards, mobile top-ups and eSIMs with USDC on Solana.')
    .usage('<command> [options]')
    .version(plan.version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand(false)
    .configureHelp(await helpIn(plan.localize))
    .exitOverride();
  addGlobalOptions(program);
  program
    .addHelpText('after', OVERVIEW)
    .addHelpText('afterAll', (about) => otherOptions(about, plan.localize));
  for (const { verb, summary, group, now, load } of COMMANDS) {
    const isHidden = now !== undefined;
    const command = program.command(verb, { hidden: isHidden }).description(summary);
    if (!isHidden) command.helpGroup(group);
    if (plan.isBuilt(verb)) (await load()).register(command, plan.bind);
  }
  for (const { summary, now: [parent, child] = [], load } of COMMANDS) {
    if (child === undefined) continue;
    const above = program.commands.find((command) => command.name() === parent);
    const command = above?.command(child).description(summary);
    if (command && plan.isBuilt(`${parent} ${child}`)) (await load()).register(command, plan.bind);
  }
  addShortOptions(program);
  return program;
}

/** Below a command's own help: what every command takes, by name alone. */
function otherOptions({ command }: AddHelpTextContext, localize: Localize): string {
  const root = rootOf(command);
  if (root === command) return '';
  const width = command.configureOutput().getOutHelpWidth?.() ?? HELP_WIDTH;
  const names = root.options.flatMap(({ long }) => (long === '--version' ? [] : (long ?? [])));
  const text = localize(
    commandText`Global options, explained by scrip --help: ${wordList(names, ' ')}`,
  );
  return `\n${command.createHelp().boxWrap(text, width)}`;
}

function rootOf(command: Command): Command {
  return command.parent === null ? command : rootOf(command.parent);
}

const OVERVIEW = `
Start here:
  $ scrip wallet new && scrip wallet fund
  $ scrip brands --country us --search amazon
  $ scrip <command> --help
  $ scrip help money      also: exit-codes, environment, formatting, profiles

Unless a host is named, by --checkout-url or by a profile, everything runs on the
embedded service, with play money.`;

/** The whole tree, for help texts and completions. */
export async function buildTree(version: string, bind: Bind): Promise<Command> {
  return buildProgram({ version, bind, isBuilt: () => true, localize: inEnglish });
}
