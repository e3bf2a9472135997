/** The table of commands: verb, summary, and the file with the rest, loaded when the command is named. */
import type { CommandModule } from './command.ts';

interface CommandEntry {
  readonly verb: string;
  /** Heading in the help. */
  readonly group: string;
  readonly summary: string;
  readonly load: () => Promise<CommandModule>;
}

/** Other names of subcommands, for those who know them from other programs; no list shows them. */
export const SHORT_NAMES: Readonly<Record<string, readonly string[]>> = {
  currencies: ['vias', 'coins'],
  spend: ['policy', 'spend'],
  errors: ['help', 'errors'],
  schema: ['help', 'schema'],
  context: ['help', 'context'],
};

const LOADERS = {
  brands: () => import('./commands/brands.ts'),
  catalog: () => import('./commands/catalog.ts'),
  price: () => import('./commands/price.ts'),
  show: () => import('./commands/show.ts'),
  search: () => import('./commands/search.ts'),
  countries: () => import('./commands/countries.ts'),
  vias: () => import('./commands/vias.ts'),
  order: () => import('./commands/order.ts'),
  wizard: () => import('./commands/wizard.ts'),
  validate: () => import('./commands/validate.ts'),
  track: () => import('./commands/track.ts'),
  orders: () => import('./commands/orders.ts'),
  receipt: () => import('./commands/receipt.ts'),
  pay: () => import('./commands/pay.ts'),
  open: () => import('./commands/open.ts'),
  fetch: () => import('./commands/fetch.ts'),
  approvals: () => import('./commands/approvals.ts'),
  wallet: () => import('./commands/wallet.ts'),
  policy: () => import('./commands/policy.ts'),
  config: () => import('./commands/config.ts'),
  profile: () => import('./commands/profile.ts'),
  doctor: () => import('./commands/doctor.ts'),
  sandbox: () => import('./commands/sandbox.ts'),
  serve: () => import('./commands/serve.ts'),
  listen: () => import('./commands/listen.ts'),
  mcp: () => import('./commands/mcp.ts'),
  inspect: () => import('./commands/inspect.ts'),
  completion: () => import('./commands/completion.ts'),
  help: () => import('./commands/help.ts'),
} satisfies Readonly<Record<string, CommandEntry['load']>>;

type Verb = keyof typeof LOADERS;

/** By the heading in the help. */
const SUMMARIES: readonly (readonly [
  heading: string,
  rows: readonly (readonly [verb: Verb, summary: string])[],
])[] = [
  [
    'Find:',
    [
      ['brands', 'list the brands sold in a country'],
      ['catalog', 'list the products of a brand or of a family'],
      ['price', 'quote a product in USDC'],
      ['show', 'show a product: where it is redeemed, its terms and price'],
      ['search', 'find brands by name, with typing errors tolerated'],
      ['countries', 'list the countries and their codes'],
      ['vias', 'list the ways to pay, with their coins and networks'],
    ],
  ],
  [
    'Buy:',
    [
      ['order', 'buy a product and wait for its code'],
      ['wizard', 'buy interactively, step by step'],
      ['validate', 'check an order of the partner API without making it'],
      ['track', 'follow an order until it is delivered'],
      ['orders', 'list what you bought; finish what was interrupted'],
      ['receipt', 'show and verify what the host signed of a purchase'],
      ['pay', 'pay an order of the partner API, or show how to'],
      ['open', 'open the page of a payment, or where a code is redeemed'],
      ['fetch', 'send a request, and pay for its answer if the host asks (x402)'],
    ],
  ],
  [
    'Wallet:',
    [
      ['wallet', 'make, import, fund and show the wallet that pays'],
      ['policy', 'show and set the spending limits'],
      ['approvals', 'approve or refuse what agents asked to pay'],
    ],
  ],
  [
    'More:',
    [
      ['config', 'show and change the settings'],
      ['profile', 'name hosts and wallets, and choose among them'],
      ['doctor', 'check this machine, its wallet and journal, the host and the chain'],
      ['sandbox', 'serve the sandbox on a port: test money, local store and chain'],
      ['serve', 'serve a shop of your own: live chain, your goods and supplier'],
      ['listen', 'receive, check and print webhooks; pass them on'],
      ['mcp', 'serve scrip’s tools to an agent (Model Context Protocol)'],
      ['inspect', 'show and check a host’s payment request, without signing'],
      ['completion', 'print a completion script for a shell'],
      ['help', 'print the help of a command, or of a topic'],
    ],
  ],
];

export const COMMANDS: readonly CommandEntry[] = SUMMARIES.flatMap(([group, rows]) =>
  rows.map(([verb, summary]) => ({ verb, group, summary, load: LOADERS[verb] })),
);

/** Subcommands that are loaded without the rest of their group. */
export const SUBCOMMANDS: readonly (readonly [
  parent: string,
  verb: string,
  summary: string,
  load: CommandEntry['load'],
])[] = [
  [
    'vias',
    'coins',
    'list the coins that the partner API accepts',
    async () => ({ register: (await import('./commands/vias.ts')).registerCoins }),
  ],
  [
    'policy',
    'spend',
    'the wallet’s spending and its limits',
    async () => ({ register: (await import('./commands/policy.ts')).registerSpend }),
  ],
  [
    'help',
    'errors',
    'list every error code, its exit status and what to do',
    async () => ({ register: (await import('./commands/help.ts')).registerErrors }),
  ],
  [
    'help',
    'schema',
    'print the JSON Schema of what a command prints with --json',
    async () => ({ register: (await import('./commands/help.ts')).registerSchema }),
  ],
  [
    'help',
    'context',
    'print a guide for agents that use this program',
    async () => ({ register: (await import('./commands/help.ts')).registerContext }),
  ],
];
