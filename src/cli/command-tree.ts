/** Builds the commander program: its commands, and the format of their help. */

import { Command, type HelpConfiguration, Option } from 'commander';
import { addShortOptions, type Bind } from './command.ts';
import { COMMANDS, SUBCOMMANDS } from './commands.ts';
import { inEnglish, type Localize } from './i18n/localize.ts';
import { COLOR_CHOICES } from './output/paint.ts';

/** Help is as wide as the terminal, up to this width: longer lines are hard to read. */
export const HELP_WIDTH = 120;

interface Plan {
  readonly version: string;
  readonly bind: Bind;
  /** Whether to declare a command's arguments; the other commands only have their line in the help. */
  readonly isBuilt: (path: string) => boolean;
  readonly localize: Localize;
  /** Whether help may be printed. */
  readonly hasHelp: boolean;
}

/** Loads nothing if no help is printed. */
async function helpIn({ localize, hasHelp }: Plan): Promise<HelpConfiguration> {
  if (!hasHelp) return {};
  return (await import('./help-text.ts')).helpConfiguration(localize);
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
  for (const { verb, summary, group, load } of COMMANDS) {
    const command = program.command(verb).description(summary).helpGroup(group);
    if (plan.isBuilt(verb)) (await load()).register(command, plan.bind);
  }
  for (const [parent, verb, summary, load] of SUBCOMMANDS) {
    const above = program.commands.find((command) => command.name() === parent);
    const command = above?.command(verb).description(summary);
    if (command && plan.isBuilt(`${parent} ${verb}`)) (await load()).register(command, plan.bind);
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
    hasHelp: false,
  });
}

/** Options with a value: the next word is not a command. */
const VALUE_OPTIONS: readonly (readonly [flags: string, what: string])[] = [
  ['--profile <name>', 'profile to use; `sandbox` is the built-in service (SCRIP_PROFILE)'],
  ['--checkout-url <url>', 'checkout host instead of the built-in service (SCRIP_CHECKOUT_URL)'],
  ['--api-url <url>', 'partner API (SCRIP_API_URL)'],
  ['--mcp-url <url>', 'agent tool server (SCRIP_MCP_URL)'],
  ['--site-url <url>', 'site that lists the countries (SCRIP_SITE_URL)'],
  ['--rpc-url <url>', 'Solana JSON-RPC (SCRIP_RPC_URL)'],
  ['--rpc-url-2 <url>', 'a second one, of another operator (SCRIP_RPC_URL_2)'],
  ['--base-rpc-url <url>', 'JSON-RPC of Base (SCRIP_BASE_RPC_URL)'],
  [
    '--key-since <date>',
    'earliest use of your idempotency keys: 2026-11-01, or 30d (SCRIP_KEY_SINCE)',
  ],
  ['--partner-id <id>', 'your id for the partner API (SCRIP_PARTNER_ID)'],
  ['--keypair <file>', 'key file that pays, encrypted or in the Solana CLI format (SCRIP_KEYPAIR)'],
  [
    '--signer-command <command>',
    'program that signs, instead of a key file (SCRIP_SIGNER_COMMAND)',
  ],
  ['--passphrase-file <file>', 'passphrase of the key file; - is standard input'],
  ['--passphrase-fd <n>', 'file descriptor to read the passphrase from'],
  ['--lang <language>', 'language of messages: en or es (SCRIP_LANG)'],
  ['--color <when>', 'auto, always or never (NO_COLOR, FORCE_COLOR)'],
  ['--fields <names>', 'print only these fields, such as brand_name,min'],
  ['--template <text>', 'print a line for each record, such as "{brand_name} {min}"'],
];

export function addGlobalOptions(program: Command): void {
  for (const [flags, what] of VALUE_OPTIONS) program.addOption(valueOption(flags, what));
  program
    .option('--json', 'print one JSON document')
    .option('--ndjson', 'print a JSON document for each record, on a line of its own')
    .option('--csv', 'print comma-separated values with a line of headers')
    .option('--no-pager', 'never show long output a screen at a time')
    .option('--no-input', 'never ask; fail and name the flag instead')
    .option('--verbose', 'print progress details to stderr');
}

function valueOption(flags: string, what: string): Option {
  const option = new Option(flags, what);
  return flags.startsWith('--color ') ? option.choices(COLOR_CHOICES) : option;
}

/** Returns the words that are neither global options nor their values. */
export function positionalsOf(words: readonly string[]): readonly string[] {
  const takesValue = new Set(VALUE_OPTIONS.map(([flags]) => flags.split(' ')[0]));
  return words.filter((word, at) => !word.startsWith('-') && !takesValue.has(words[at - 1] ?? ''));
}
