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

export const COMMANDS: readonly CommandEntry[] = [
  ...group('Find:', [
    ['brands', 'list the brands sold in a country', () => import('./commands/brands.ts')],
    [
      'catalog',
      'list the products of a brand or of a family',
      () => import('./commands/catalog.ts'),
    ],
    ['price', 'quote a product in USDC', () => import('./commands/price.ts')],
    [
      'show',
      'show a product: where it is redeemed, its terms and price',
      () => import('./commands/show.ts'),
    ],
    [
      'search',
      'find brands by name, with typing errors tolerated',
      () => import('./commands/search.ts'),
    ],
    ['countries', 'list the countries and their codes', () => import('./commands/countries.ts')],
    [
      'vias',
      'list the ways to pay, with their coins and networks',
      () => import('./commands/vias.ts'),
    ],
  ]),
  ...group('Buy:', [
    ['order', 'buy a product and wait for its code', () => import('./commands/order.ts')],
    ['wizard', 'buy interactively, step by step', () => import('./commands/wizard.ts')],
    [
      'validate',
      'check an order of the partner API without making it',
      () => import('./commands/validate.ts'),
    ],
    ['track', 'follow an order until it is delivered', () => import('./commands/track.ts')],
    [
      'orders',
      'list what you bought; finish what was interrupted',
      () => import('./commands/orders.ts'),
    ],
    ['pay', 'pay an order of the partner API, or show how to', () => import('./commands/pay.ts')],
    [
      'open',
      'open the page of a payment, or where a code is redeemed',
      () => import('./commands/open.ts'),
    ],
  ]),
  ...group('Wallet:', [
    [
      'wallet',
      'make, import, fund and show the wallet that pays',
      () => import('./commands/wallet.ts'),
    ],
    ['policy', 'show and set the spending limits', () => import('./commands/policy.ts')],
  ]),
  ...group('More:', [
    ['config', 'show and change the settings', () => import('./commands/config.ts')],
    [
      'profile',
      'name hosts and wallets, and choose among them',
      () => import('./commands/profile.ts'),
    ],
    [
      'doctor',
      'check this machine, its wallet and journal, the host and the chain',
      () => import('./commands/doctor.ts'),
    ],
    [
      'sandbox',
      'serve the sandbox on a port: test money, local store and chain',
      () => import('./commands/sandbox.ts'),
    ],
    [
      'serve',
      'serve a shop of your own: live chain, your goods and supplier',
      () => import('./commands/serve.ts'),
    ],
    [
      'listen',
      'receive, check and print webhooks; pass them on',
      () => import('./commands/listen.ts'),
    ],
    [
      'mcp',
      'serve scrip’s tools to an agent (Model Context Protocol)',
      () => import('./commands/mcp.ts'),
    ],
    [
      'inspect',
      'show and check a host’s payment request, without signing',
      () => import('./commands/inspect.ts'),
    ],
    [
      'completion',
      'print a completion script for a shell',
      () => import('./commands/completion.ts'),
    ],
    ['help', 'print the help of a command, or of a topic', () => import('./commands/help.ts')],
  ]),
];

type Row = readonly [verb: string, summary: string, load: CommandEntry['load']];

function group(heading: string, rows: readonly Row[]): readonly CommandEntry[] {
  return rows.map(([verb, summary, load]) => ({ verb, group: heading, summary, load }));
}

/** Subcommands that are loaded without the rest of their group. */
export const SUBCOMMANDS: readonly (readonly [parent: string, ...Row])[] = [
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
    () => import('./commands/context.ts'),
  ],
];
