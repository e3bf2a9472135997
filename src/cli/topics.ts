/** `scrip help <topic>`: texts about more than one command. */

import { Command } from 'commander';
import { EXIT_MEANINGS } from '../domain/message/exit-codes.ts';
import { type Message, sentence, t } from '../domain/message/message.ts';
import { VARIABLES } from './agents/guide-rules.ts';
import { addGlobalOptions } from './command-tree.ts';
import { COMMANDS, SUBCOMMANDS } from './commands.ts';
import { inEnglish, type Localize } from './i18n/localize.ts';
import { itemLines, reflowed } from './output/wrap.ts';
import { keysFor, SETTINGS } from './settings/table.ts';

interface Topic {
  readonly name: string;
  readonly summary: Message;
  /** Lines of at most 80 columns. */
  readonly text: Message;
}

/** Names with their descriptions, each of them wrapped in its own column. */
function rowLines(
  rows: readonly (readonly [name: string, what: string])[],
  columns: number,
  margin = Math.max(...rows.map(([name]) => name.length)) + 4,
): readonly string[] {
  return rows.flatMap(([name, what]) => itemLines(`  ${name}`, what, { margin, columns }));
}

function exitLines(localize: Localize): readonly string[] {
  return Object.entries(EXIT_MEANINGS).map(
    ([exit, meaning]) => `  ${exit.padStart(3)}  ${localize(meaning)}`,
  );
}

function variableLines(localize: Localize, columns: number): readonly string[] {
  const rows = VARIABLES.map(({ name, what, flag }) => {
    const known = flag === undefined ? '' : ` (${flag})`;
    return [name, `${localize(what)}${known}`] as const;
  });
  return rowLines(rows, columns);
}

function keyLines(localize: Localize, columns: number): readonly string[] {
  const rows = SETTINGS.map(({ key, what }) => [key, localize(what)] as const);
  return rowLines(rows, columns, 19);
}

/** One line per command, by group. */
function commandLines(localize: Localize, columns: number): readonly string[] {
  const groups = [...new Set(COMMANDS.map(({ group }) => group))];
  const margin = Math.max(...COMMANDS.map(({ verb }) => verb.length)) + 4;
  return groups.flatMap((group) => {
    const rows = COMMANDS.filter((entry) => entry.group === group).map(
      ({ verb, summary }) => [verb, localize(sentence(summary))] as const,
    );
    return [localize(sentence(group)), ...rowLines(rows, columns, margin), ''];
  });
}

function topicLines(localize: Localize, columns: number): readonly string[] {
  const listed = [...TOPICS.filter(({ name }) => name !== 'all'), ...TOPIC_COMMANDS];
  const margin = Math.max(...TOPICS.map(({ name }) => name.length)) + 4;
  const rows = listed.map(({ name, summary }) => [name, localize(summary)] as const);
  return rowLines(rows, columns, margin);
}

/** The global options. */
function optionLines(localize: Localize, columns: number): readonly string[] {
  const program = new Command();
  addGlobalOptions(program);
  const rows = program.options.map(
    ({ flags, description }) => [flags, localize(sentence(description))] as const,
  );
  return rowLines(rows, columns);
}

/** Lists that replace a placeholder line in a topic's text. */
const LISTS: Readonly<Record<string, (localize: Localize, columns: number) => readonly string[]>> =
  {
    '(commands)': commandLines,
    '(topics)': topicLines,
    '(global options)': optionLines,
    '(exit codes)': exitLines,
    '(variables)': variableLines,
    '(settings)': keyLines,
  };

export const TOPICS: readonly Topic[] = [
  {
    name: 'all',
    summary: t`every command and every topic`,
    text: t`(commands)
Topics (scrip help <topic>):
(topics)

\`scrip <command> --help\` shows arguments, options and examples.
Unless you name a host, everything runs on the built-in sandbox with test money.`,
  },
  {
    name: 'options',
    summary: t`options of every command, and the short ones`,
    text: t`Every command accepts these options, before or after its name:

(global options)

Short forms: -c for --country, -v for --value, -y for --yes, -q for --quantity,
-h for --help; scrip -V prints the version.

Most of these can be set once: \`scrip help environment\`, \`scrip help profiles\`.`,
  },
  {
    name: 'partner',
    summary: t`other coins, and orders of the partner API`,
    text: t`A merchant has two interfaces. The checkout host is paid in USDC on Solana and
then creates the order. The partner API creates the order first; you pay it in
any coin it accepts, from this wallet or another one.

  --via <surface>            checkout or partner (default: checkout)
  --coin <ticker>            coin to pay in; any but USDC means --via partner
  --network <name>           network of the coin (default: Solana if it has it)
  --payment-via <name>       payment method; scrip vias lists them
  --coupon <code>            coupon of the merchant
  -q, --quantity <number>    how many
  --pay                      pay at once from the wallet (USDC, SOL)
  --open-account             also pay for opening the recipient’s account
  --refund-wallet <address>  refund address

  $ scrip vias coins
  $ scrip order amazon 25 --coin BTC       address and QR (sandbox: simulated)
  $ scrip order amazon 25 --via partner --pay
  $ scrip validate amazon 25               checks it without ordering
  $ scrip pay <order_id>                   pays an unpaid order
  $ scrip track <order_id>

More: docs/use/coins.md and docs/inside/partner-orders.md`,
  },
  {
    name: 'exit-codes',
    summary: t`exit codes, and what they say about your money`,
    text: t`Every command ends with one of these:

(exit codes)

With --json an error is one object on stderr; its funds_at_risk says whether
money may have moved: none, possible or spent. \`scrip help errors\` lists every
code with its exit status and what to do.

After 9 or 130 do not buy again by hand: run \`scrip orders resume\`. It checks
the payment and finishes the purchase.`,
  },
  {
    name: 'environment',
    summary: t`variables that are read`,
    text: t`A flag overrides a variable, a variable the profile, and the profile the
default. An empty variable counts as unset.

(variables)

\`scrip config list\` shows the effective values and their sources.

scrip reads nothing from the current folder and loads no .env file.`,
  },
  {
    name: 'formatting',
    summary: t`tables, JSON, CSV, fields and templates`,
    text: t`Data goes to stdout, everything else to stderr.

  (none)               a table on a terminal, tab-separated values in a pipe
  --json               one JSON document
  --ndjson             one JSON document per line and record
  --csv                comma-separated values with a header line
  --template <text>    the text for each record: '{brand_name}\\t{min}'
  --fields a,b.c       only these fields, in any format

\`scrip help schema <command>\` prints the JSON Schema of the document. Unknown
fields are refused before the command runs.

--color always|never, NO_COLOR and FORCE_COLOR control colours; by default only
a terminal gets them. A list longer than the screen goes through $PAGER
(less -FRX); --no-pager turns that off. Closing the pipe early, as head does, is
not an error.`,
  },
  {
    name: 'profiles',
    summary: t`named hosts and wallets`,
    text: t`A profile is a name for a host, an RPC and a wallet:

  $ scrip profile add live --checkout-url https://host.example \\
      --rpc-url https://your-rpc.example --keypair ~/live.json
  $ scrip brands --country us --profile live
  $ scrip profile use live       make it the default
  $ scrip profile list
  $ scrip profile remove live    keeps its wallet

Profiles are in ~/.config/scrip/config.json, which only you can read. Keep no
secrets there. \`scrip config set <key> <value>\` changes one of these settings:

(settings)

Without a profile everything runs on the built-in sandbox with test money: the
profile \`sandbox\`, which can have only ${keysFor('sandbox').join(', ')}.
Its wallet cannot pay any other host, and the wallet of a live profile gets test
money only if you name it with --keypair.`,
  },
  {
    name: 'money',
    summary: t`when money moves, and why it never moves twice`,
    text: t`Money moves in \`order\`, \`pay\` and at the end of \`wizard\`. Amount, asset,
network and recipient are shown first; a script confirms with --yes and
--max-amount.

Every payment is recorded on disk before it is sent. scrip signs a second one
only with proof that the first can never be confirmed. The same command with the
same --idempotency-key never buys twice: it continues where it stopped.

  exit 8      paid, not delivered yet: scrip track <order_id>
  exit 9      payment outcome unknown: scrip orders resume
  exit 11     needs manual action: scrip orders show <order_id>

USDC has 6 decimals; amounts are decimal text or whole atomic units, never
floating point. More: docs/inside/payments.md`,
  },
];

/** Commands under `help`: to the reader they are topics. */
export const TOPIC_COMMANDS: readonly Pick<Topic, 'name' | 'summary'>[] = SUBCOMMANDS.filter(
  ([parent]) => parent === 'help',
).map(([, name, summary]) => ({ name, summary: sentence(summary) }));

/** Returns a topic's text; undefined for an unknown name. */
export function topicText(
  name: string,
  localize: Localize = inEnglish,
  columns = 80,
): string | undefined {
  const topic = TOPICS.find((candidate) => candidate.name === name);
  if (topic === undefined) return undefined;
  const lists = Object.entries(LISTS);
  const whole = lists.reduce(
    (text, [mark, lines]) => text.replace(mark, () => lines(localize, columns).join('\n')),
    localize(topic.text),
  );
  return `${reflowed(whole, columns)}\n`;
}
