/** What no single command explains: `scrip help <topic>`. */

import { Command } from 'commander';
import { EXIT_MEANINGS } from '../domain/exit-codes.ts';
import { type Message, sentence, t } from '../domain/message.ts';
import { ENVIRONMENT } from './agents/guide-rules.ts';
import { COMMANDS } from './commands.ts';
import { addGlobalOptions } from './global-options.ts';
import { inEnglish, type Localize } from './i18n/localize.ts';
import { itemLines, reflowed } from './output/wrap.ts';
import { keysFor, SETTINGS, type SettingRow } from './settings/table.ts';

interface Topic {
  readonly name: string;
  readonly summary: Message;
  /** Lines of at most 80 columns. */
  readonly text: Message;
}

function exitLines(localize: Localize): readonly string[] {
  return Object.entries(EXIT_MEANINGS).map(
    ([exit, meaning]) => `  ${exit.padStart(3)}  ${localize(meaning)}`,
  );
}

const settings: readonly SettingRow[] = SETTINGS;
const variables: ReadonlyMap<string, Variable> = new Map<string, Variable>([
  ['SCRIP_PROFILE', { what: t`settings to use`, flag: '--profile' }],
  ...settings.map(({ variable, what, flag }) => [variable, { what, flag }] as const),
  ...ENVIRONMENT.filter(({ name }) => settings.every(({ variable }) => variable !== name)).map(
    ({ name, what }) => [name, { what: sentence(what) }] as const,
  ),
]);

interface Variable {
  readonly what: Message;
  readonly flag?: string | undefined;
}

function variableLines(localize: Localize, columns: number): readonly string[] {
  return [...variables].flatMap(([name, { what, flag }]) => {
    const known = flag === undefined ? '' : ` (${flag})`;
    return beside(name, `${localize(what)}${known}`, { margin: 24, columns });
  });
}

function keyLines(localize: Localize, columns: number): readonly string[] {
  return settings.flatMap(({ key, what }) => beside(key, localize(what), { margin: 19, columns }));
}

/** Beside each other: a name, and what it is, wrapped below itself. */
function beside(name: string, what: string, { margin, columns }: Room): readonly string[] {
  return itemLines(`  ${name}`, what, { margin, columns });
}

interface Room {
  readonly margin: number;
  readonly columns: number;
}

/** A line a command, by groups. */
function commandLines(localize: Localize, columns: number): readonly string[] {
  const listed = COMMANDS.filter(({ now }) => now === undefined);
  const groups = [...new Set(listed.map(({ group }) => group))];
  const margin = Math.max(...listed.map(({ verb }) => verb.length)) + 4;
  return groups.flatMap((group) => [
    localize(sentence(group)),
    ...listed
      .filter((entry) => entry.group === group)
      .flatMap(({ verb, summary }) =>
        beside(verb, localize(sentence(summary)), { margin, columns }),
      ),
    '',
  ]);
}

function topicLines(localize: Localize, columns: number): readonly string[] {
  const margin = Math.max(...TOPICS.map(({ name }) => name.length)) + 4;
  return TOPICS.filter(({ name }) => name !== 'all').flatMap(({ name, summary }) =>
    beside(name, localize(summary), { margin, columns }),
  );
}

/** Of every command. */
function optionLines(localize: Localize, columns: number): readonly string[] {
  const program = new Command();
  addGlobalOptions(program);
  const margin = Math.max(...program.options.map(({ flags }) => flags.length)) + 4;
  return program.options.flatMap(({ flags, description }) =>
    beside(flags, localize(sentence(description)), { margin, columns }),
  );
}

/** Lists that a text has a mark for, on a line of its own. */
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

\`scrip <command> --help\` says what a command takes; with --all, every option.
Unless you name a host, everything runs on the built-in sandbox with test money.`,
  },
  {
    name: 'options',
    summary: t`options of every command, and the short ones`,
    text: t`Every command takes these, before or after its name:

(global options)

Short: -c is --country, -v --value, -y --yes and -q --quantity, in every command
that has the long one; -h is --help, and -V alone --version.

Most of these can be set once: \`scrip help environment\`, \`scrip help profiles\`.`,
  },
  {
    name: 'partner',
    summary: t`other coins, and orders of the partner API`,
    text: t`A merchant has two sides. The checkout host is paid in USDC on Solana before it
has an order. The partner API takes the order first; any coin of it pays, from
this wallet or from another one.

  --via <surface>            checkout or partner (default: checkout)
  --coin <ticker>            coin to pay in; any but USDC means --via partner
  --network <name>           network of the coin (default: Solana if it has it)
  --payment-via <name>       way to pay: scrip vias lists them
  --coupon <code>            coupon of the merchant
  -q, --quantity <number>    how many
  --pay                      pay at once from the wallet (USDC, SOL)
  --open-account             also pay for opening the recipient’s account
  --refund-wallet <address>  where money goes back to

  $ scrip vias coins
  $ scrip order amazon 25 --coin BTC       an address to pay to, with a QR code
  $ scrip order amazon 25 --via partner --pay
  $ scrip validate amazon 25               what is wrong with it; makes no order
  $ scrip pay <order_id>                   pays an order that waits for it
  $ scrip track <order_id>

docs/use/coins.md and docs/inside/partner-orders.md tell it whole.`,
  },
  {
    name: 'exit-codes',
    summary: t`what a command ends with, and what that says about your money`,
    text: t`Every command ends with one of these:

(exit codes)

With --json an error is one object on stderr; its funds_at_risk says whether
money may have moved: none, possible or spent. \`scrip help errors\` lists every
code with its exit status and what to do.

After 9 or 130 never buy again by hand: run \`scrip orders resume\`, which finds
out and finishes what was paid.`,
  },
  {
    name: 'environment',
    summary: t`variables that are read`,
    text: t`A flag wins over a variable, a variable over the profile, the profile over the
default. A variable that is set to nothing is not set.

(variables)

\`scrip config list\` says what holds here, and where each value comes from.

Nothing is read from the folder you stand in, and no .env file is loaded.`,
  },
  {
    name: 'formatting',
    summary: t`tables, JSON, CSV, fields and templates`,
    text: t`Data goes to stdout, everything else to stderr.

  (none)               a table on a terminal, tab-separated values in a pipe
  --json               one JSON document
  --ndjson             a JSON document a line, for each record
  --csv                comma-separated values with a line of headers
  --template <text>    the text for each record: '{brand_name}\\t{min}'
  --fields a,b.c       those fields alone, in any of the formats

\`scrip help schema <command>\` prints the JSON Schema of the document. A field
that it does not name is refused before the command runs.

--color always|never, NO_COLOR and FORCE_COLOR rule colours; off a terminal
there are none by themselves. A list longer than the screen goes through $PAGER
(less -FRX); --no-pager prints it. A reader that closes its end early, such as
head, is no error.`,
  },
  {
    name: 'profiles',
    summary: t`several hosts and wallets, by name`,
    text: t`A profile is a name for a host, an RPC and a wallet:

  $ scrip profile add live --checkout-url https://host.example \\
      --rpc-url https://your-rpc.example --keypair ~/live.json
  $ scrip brands --country us --profile live
  $ scrip profile use live       from now on, wherever none is named
  $ scrip profile list
  $ scrip profile remove live    its wallet stays

Profiles are in ~/.config/scrip/config.json, for you alone to read; no secret
belongs there. A profile may hold these, and \`scrip config set <key> <value>\`
changes one of them:

(settings)

Without a profile everything runs on the embedded service with play money: the
profile \`sandbox\`, which holds ${keysFor('sandbox').join(', ')} alone.
Its wallet is refused against any other host, and the wallet of a live profile
gets play money only where --keypair names it.`,
  },
  {
    name: 'money',
    summary: t`when money moves, and what keeps it from moving twice`,
    text: t`Money moves in \`order\`, \`pay\` and at the end of \`wizard\`. Amount, asset,
network and recipient are shown first; in a script --yes with --max-amount
agrees.

Everything is on disk before it is sent, and nothing is signed a second time
without proof that the first payment can never land. The same command with the
same --idempotency-key never buys twice: it goes on where it stopped.

  exit 8      paid, not delivered yet: scrip track <order_id>
  exit 9      nobody knows yet: scrip orders resume
  exit 11     a person has to look: scrip orders show <order_id>

USDC has 6 decimals; amounts are decimal text or whole atomic units, never
floating point. docs/inside/payments.md tells it whole.`,
  },
];

/** Undefined for a name that there is no topic of. */
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
