/** The table of commands: verb, summary, and the file with the rest, loaded when the command is named. */
import type { CommandModule } from './command.ts';

interface CommandEntry {
  readonly verb: string;
  /** Heading in the help. */
  readonly group: string;
  readonly summary: string;
  readonly load: () => Promise<CommandModule>;
  /** Whether it needs every other command declared too. */
  readonly needsTree?: boolean;
  /** For an old name: the command that replaced it. Old names keep working, but no list shows them. */
  readonly now?: readonly [verb: string, child?: string];
}

const FIND = 'Find:';
const BUY = 'Buy:';
const WALLET = 'Wallet:';
const MORE = 'More:';

export const COMMANDS: readonly CommandEntry[] = [
  {
    verb: 'brands',
    group: FIND,
    summary: 'list the brands sold in a country',
    load: () => import('./commands/brands.ts'),
  },
  {
    verb: 'catalog',
    group: FIND,
    summary: 'list the products of a brand or of a family',
    load: () => import('./commands/catalog.ts'),
  },
  {
    verb: 'price',
    group: FIND,
    summary: 'quote a product in USDC',
    load: () => import('./commands/price.ts'),
  },
  {
    verb: 'show',
    group: FIND,
    summary: 'show a product: where it is redeemed, its terms and price',
    load: () => import('./commands/show.ts'),
  },
  {
    verb: 'search',
    group: FIND,
    summary: 'find brands by name, with typing errors tolerated',
    load: () => import('./commands/search.ts'),
  },
  {
    verb: 'countries',
    group: FIND,
    summary: 'list the countries and their codes',
    load: () => import('./commands/countries.ts'),
  },
  {
    verb: 'vias',
    group: FIND,
    summary: 'list the ways to pay, with their coins and networks',
    load: () => import('./commands/vias.ts'),
  },
  {
    verb: 'order',
    group: BUY,
    summary: 'buy a product and wait for its code',
    load: () => import('./commands/order.ts'),
  },
  {
    verb: 'wizard',
    group: BUY,
    summary: 'buy interactively, step by step',
    load: () => import('./commands/wizard.ts'),
  },
  {
    verb: 'validate',
    group: BUY,
    summary: 'check an order of the partner API without making it',
    load: () => import('./commands/validate.ts'),
  },
  {
    verb: 'track',
    group: BUY,
    summary: 'follow an order until it is delivered',
    load: () => import('./commands/track.ts'),
  },
  {
    verb: 'orders',
    group: BUY,
    summary: 'list what you bought; finish what was interrupted',
    load: () => import('./commands/orders.ts'),
  },
  {
    verb: 'pay',
    group: BUY,
    summary: 'pay an order of the partner API, or show how to',
    load: () => import('./commands/pay.ts'),
  },
  {
    verb: 'open',
    group: BUY,
    summary: 'open the page of a payment, or where a code is redeemed',
    load: () => import('./commands/open.ts'),
  },
  {
    verb: 'wallet',
    group: WALLET,
    summary: 'make, import, fund and show the wallet that pays',
    load: () => import('./commands/wallet.ts'),
  },
  {
    verb: 'policy',
    group: WALLET,
    summary: 'show and set the spending limits',
    load: () => import('./commands/policy.ts'),
  },
  {
    verb: 'config',
    group: MORE,
    summary: 'show and change the settings',
    load: () => import('./commands/config.ts'),
  },
  {
    verb: 'profile',
    group: MORE,
    summary: 'name hosts and wallets, and choose among them',
    load: () => import('./commands/profile.ts'),
  },
  {
    verb: 'doctor',
    group: MORE,
    summary: 'check this machine, its wallet and journal, the host and the chain',
    load: () => import('./commands/doctor.ts'),
  },
  {
    verb: 'sandbox',
    group: MORE,
    summary: 'serve the sandbox on a port: test money, local store and chain',
    load: () => import('./commands/sandbox.ts'),
  },
  {
    verb: 'serve',
    group: MORE,
    summary: 'serve a shop of your own: live chain, your goods and supplier',
    load: () => import('./commands/serve.ts'),
  },
  {
    verb: 'listen',
    group: MORE,
    summary: 'receive, check and print webhooks; pass them on',
    load: () => import('./commands/listen.ts'),
  },
  {
    verb: 'mcp',
    group: MORE,
    summary: 'serve scrip’s tools to an agent (Model Context Protocol)',
    load: () => import('./commands/mcp.ts'),
  },
  {
    verb: 'inspect',
    group: MORE,
    summary: 'show and check a host’s payment request, without signing',
    load: () => import('./commands/inspect.ts'),
  },
  {
    verb: 'completion',
    group: MORE,
    summary: 'print a completion script for a shell',
    load: () => import('./commands/completion.ts'),
  },
  {
    verb: 'help',
    group: MORE,
    summary: 'print the help of a command, or of a topic',
    load: () => import('./commands/help.ts'),
  },
  {
    verb: 'currencies',
    group: MORE,
    summary: 'list the coins that the partner API accepts',
    load: () => import('./commands/currencies.ts'),
    now: ['vias', 'coins'],
  },
  {
    verb: 'spend',
    group: MORE,
    summary: 'the wallet’s spending and its limits',
    load: () => import('./commands/spend.ts'),
    now: ['policy', 'spend'],
  },
  {
    verb: 'errors',
    group: MORE,
    summary: 'list every error code, its exit status and what to do',
    load: () => import('./commands/errors.ts'),
    now: ['help', 'errors'],
  },
  {
    verb: 'schema',
    group: MORE,
    summary: 'print the JSON Schema of what a command prints with --json',
    load: () => import('./commands/schema.ts'),
    now: ['help', 'schema'],
  },
  {
    verb: 'context',
    group: MORE,
    summary: 'print a guide for agents that use this program',
    load: () => import('./commands/context.ts'),
    needsTree: true,
    now: ['help', 'context'],
  },
  {
    verb: 'debug',
    group: MORE,
    summary: 'write a bug report file without secrets',
    load: () => import('./commands/debug.ts'),
    now: ['doctor'],
  },
];
