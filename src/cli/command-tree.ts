/** Builds the commander program: its commands, and the format of their help. */

import { Command, type HelpConfiguration } from 'commander';
import type { Bind } from './command.ts';
import { COMMANDS } from './commands.ts';
import { addGlobalOptions } from './global-options.ts';
import { inEnglish, type Localize } from './i18n/localize.ts';
import { addShortOptions } from './short-options.ts';

/** Help is as wide as the terminal, up to this width: longer lines are hard to read. */
export const HELP_WIDTH = 120;

interface Plan {
  readonly version: string;
  readonly bind: Bind;
  /** Whether to declare a command's arguments; the other commands only have their line in the help. */
  readonly isBuilt: (path: string) => boolean;
  readonly localize: Localize;
  /** How to print help; undefined if no help can be printed. */
  readonly help: { readonly isWhole: boolean } | undefined;
}

/** Loads nothing if no help is printed, and no translation if the language is English. */
async function helpIn({ localize, help }: Plan): Promise<HelpConfiguration> {
  if (help === undefined) return {};
  const { helpConfiguration } = await import('./help-text.ts');
  const own = helpConfiguration({ localize, ...help });
  if (localize === inEnglish) return own;
  return { ...own, ...(await import('./i18n/help.ts')).localHelp(localize) };
}

/** Builds the program with its commands. */
export async function buildProgram(plan: Plan): Promise<Command> {
  const program = new Command('scrip')
    .description('Buy gift cards, mobile top-ups and eSIMs with USDC on Solana.')
    .usage('<command> [options]')
    .version(plan.version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand(false)
    .configureHelp(await helpIn(plan))
    .exitOverride();
  addGlobalOptions(program);
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

/** Builds the program with every command's arguments, for help texts and completion. */
export async function buildTree(version: string, bind: Bind): Promise<Command> {
  return buildProgram({
    version,
    bind,
    isBuilt: () => true,
    localize: inEnglish,
    help: undefined,
  });
}
