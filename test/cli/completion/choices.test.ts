/** Every option and argument of every command: what the tab key offers for it. */
import type { Argument, Command, Option } from 'commander';
import { beforeAll, describe, expect, it } from 'vitest';
import { longFlags } from '../../../src/cli/command.ts';
import { buildTree } from '../../../src/cli/command-tree.ts';
import { COMMANDS } from '../../../src/cli/commands.ts';
import { completionAt } from '../../../src/cli/completion/candidates.ts';
import { type CommandNode, describeTree } from '../../../src/cli/completion/tree.ts';
import { SETTINGS } from '../../../src/cli/settings/table.ts';
import { TOPICS } from '../../../src/cli/topics.ts';
import { WEBHOOK_STATES } from '../../../src/contract/operator-states.ts';
import { CODES } from '../../../src/domain/message/errors.ts';
import { PLAYED_EVENTS } from '../../../src/domain/order/played-event.ts';
import { POLICY_KEYS } from '../../../src/domain/policy/policy-change.ts';
import { CATEGORIES } from '../../../src/domain/product/categories.ts';
import { PRODUCT_KINDS } from '../../../src/domain/product/product.ts';

/** What the shell itself offers, and what is asked for when the key is pressed. */
const FILES = [':files'];
const FOLDERS = [':folders'];
const asked = (kind: string): readonly string[] => [`asked:${kind}`];

/** Closed sets that the parser itself does not hold. */
const OFFERED: Readonly<Record<string, readonly string[]>> = {
  '--lang <language>': ['en', 'es'],
  '--signer-command <command>': FILES,
  '--code-file <file>': FILES,
  '--category <slug>': CATEGORIES,
  'policy check --kind <kind>': PRODUCT_KINDS,
  'wizard --type <kind>': ['giftcard', 'mobile_topup'],
  'sandbox webhooks --state <state>': WEBHOOK_STATES,
  'serve webhooks --state <state>': WEBHOOK_STATES,
  '--country <code>': asked('countries'),
  '--country <country>': asked('countries'),
  '--brand <name>': asked('brands'),
  '--family <name>': asked('families'),
  '--coin <ticker>': asked('coins'),
  '--network <name>': asked('networks'),
  '--payment-via <name>': asked('ways'),
  '--profile <name>': asked('profiles'),
  '--fault <spec>': asked('faults'),
  '--fields <names>': asked('fields'),
  '--order <order_id>': asked('orders'),
  'config get key': [...SETTINGS.map(({ key }) => key), 'profile'],
  'config set key': [...SETTINGS.map(({ key }) => key), 'profile'],
  'config unset key': [...SETTINGS.map(({ key }) => key), 'profile'],
  'policy set key': [...POLICY_KEYS, 'hosts.'],
  'sandbox trigger event': [...PLAYED_EVENTS.map(({ event }) => event), 'order.updated'],
  'profile use name': asked('profiles'),
  'profile show name': asked('profiles'),
  'profile remove name': asked('profiles'),
  'orders show id': asked('orders'),
  'orders refund id': asked('orders'),
  'orders reveal id': asked('orders'),
  'orders forget id': asked('orders'),
  'orders resume id': asked('orders'),
  'approvals answer order_id': asked('orders'),
  'receipt show id': asked('orders'),
  'receipt verify id': asked('orders'),
  'help schema command': asked('schema'),
  'help command': [
    ...COMMANDS.map(({ verb }) => verb).filter((verb) => verb !== 'help'),
    ...TOPICS.map(({ name }) => name),
  ],
  'inspect target': asked('products'),
  '--request <method>': ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD'],
  'brands name': asked('brands'),
  'catalog brand': asked('brands'),
  'price product': asked('goods'),
  'show product': asked('goods'),
  'validate product': asked('goods'),
  'order product': asked('goods'),
};

/** Whatever somebody likes: a new option stands here, or what it takes is offered. */
const FREE = new Set(
  `--fee-payer-floor <sol>,
  --account <n>, --partner <partner_id>, --after <order_id>, --text <text>, serve order what, --agent-user-agent <text>, --as <name>, --reason <text>, --warn <number>, --network <range>,
  --orders-per-minute <number>, --overlap <time>, --use <version>, --amount <amount>, --amount <usdc>, --api-url <url>, --base-rpc-url <url>,
  --callback-url <url>, --chain-rpc <url>, --checkout-url <url>, --clock <time>, --concurrency <number>,
  --count <number>, --coupon <code>, --database <url>, --email <email>, --exec <command>, --facilitator <url>,
  --forward-to <url>, --from-fd <n>, --host <address>, --host <host>, --idempotency-key <key>,
  --item <n>, --key-since <date>, --limit <n>, --limit <number>, --max <value>, --max-amount <amount>,
  --max-total <amount>, --mcp-url <url>, --min <value>, --names-in <tag>, --new-passphrase-fd <n>,
  --note <text>, --partner-id <id>, --passphrase-fd <n>, --path <path>, --payment-window <time>,
  --port <number>, --quantity <number>, --refund-wallet <address>, --rpc-url <url>,
  --rpc-url-2 <url>, --search <text>, --seed <number>, --signer-address <address>, --since <date>,
  --site-url <url>, --sol <amount>, --template <text>, --timeout <time>, --to <address>, --to <beneficiary>, --to <url>, --transaction <id>,
  --trusted-proxy <range>,
  --until <date>, --usdc <amount>, --value <amount>, --wallet <address>, search text, profile add name,
  --header <line>, --data <text>, fetch url,
  serve refunds approve refund_id, serve refunds refuse refund_id, serve refunds mark-paid refund_id,
  sandbox webhooks replay webhook_id, serve webhooks replay webhook_id,
  serve person export person, serve person erase person,
  serve partners add partner_id, serve partners set partner_id, serve partners rotate partner_id, serve partners revoke partner_id`
    .split(',')
    .map((name) => name.trim()),
);

let program: Command;
let tree: CommandNode;
beforeAll(async () => {
  program = await buildTree('1.2.3', async () => undefined);
  tree = describeTree(program);
});

/** What is offered at the end of a line; its files and folders by name. */
function offered(...line: readonly string[]): readonly string[] {
  const typed = { before: line.slice(0, -1), current: line.at(-1) ?? '', after: [] };
  const offer = completionAt(tree, typed, (of) => [{ value: `asked:${of}`, what: '' }]);
  return offer.kind === 'values' ? offer.candidates.map(({ value }) => value) : [`:${offer.kind}`];
}

interface Place {
  readonly path: readonly string[];
  readonly command: Command;
}

function places(command: Command, path: readonly string[] = []): readonly Place[] {
  return [
    { path, command },
    ...command.commands.flatMap((child) => places(child, [...path, child.name()])),
  ];
}

/** Undefined where nobody has decided what is offered. */
function expected(
  path: string,
  name: string,
  source: Option | Argument,
): readonly string[] | undefined {
  const [placeholder] = /<[^>]*>/.exec(name) ?? [`<${name}>`];
  const known = OFFERED[`${path} ${name}`.trim()] ?? OFFERED[name];
  if (source.argChoices) return source.argChoices;
  if (known !== undefined) return known;
  if (placeholder === '<file>') return FILES;
  if (placeholder === '<dir>') return FOLDERS;
  if (placeholder === '<product_id>') return asked('products');
  if (placeholder === '<order_id>') return asked('orders');
  return FREE.has(name) || FREE.has(`${path} ${name}`) ? [] : undefined;
}

describe('every option that takes a value', () => {
  it('offers exactly what it may be, after a space and after an equals sign', () => {
    for (const { path, command } of places(program)) {
      for (const option of command.options.filter((one) => one.required || one.optional)) {
        const wanted = expected(path.join(' '), longFlags(option.flags), option);
        const { long = '' } = option;
        const place = [...path, option.flags].join(' ');
        expect(wanted, `${place}: offer what it takes, or name it in FREE`).toBeDefined();
        expect(offered(...path, long ?? '', ''), place).toEqual(wanted);
        expect(offered(...path, `${long}=`), place).toEqual(wanted);
      }
    }
  });
});

describe('every argument', () => {
  it('offers exactly what it may be', () => {
    for (const { path, command } of places(program)) {
      for (const [at, argument] of command.registeredArguments.entries()) {
        // What a value may be depends on the key before it: below.
        if (at > 0) continue;
        const place = [...path, argument.name()].join(' ');
        if (/^(help )?errors code$/.test(place)) continue;
        const wanted = expected(path.join(' '), argument.name(), argument);
        expect(wanted, `${place}: offer what it takes, or name it in FREE`).toBeDefined();
        const children = command.commands.map((child) => child.name());
        const found = offered(...path, '').filter((word) => !children.includes(word));
        if (wanted?.length === 0)
          expect(
            found.every((word) => word.startsWith('--')),
            place,
          ).toBe(true);
        else expect(found, place).toEqual(wanted);
      }
    }
  });

  it.each([
    ['config set lang', ['en', 'es']],
    ['config set country', asked('countries')],
    ['config set profile', asked('profiles')],
    ['config set keypair', FILES],
    ['config set passphrase_file', FILES],
    ['policy set kinds', [...PRODUCT_KINDS, 'request', 'default']],
    ['policy set mcp.pay', ['off', 'confirm', 'auto', 'default']],
    ['policy set nonInteractive.enabled', ['true', 'false', 'default']],
    ['policy set perDay', ['default']],
    ['policy set hosts.x402.example', ['any', 'manifest', 'off']],
  ])('after the key it belongs to: %s', (line, wanted) => {
    expect(offered(...line.split(' '), '')).toEqual(wanted);
  });

  it('of scrip help errors is every code, each once', () => {
    const path = ['help', 'errors'];
    const codes = offered(...path, '');
    expect(codes).toEqual(expect.arrayContaining(Object.keys(CODES)));
    expect(new Set(codes).size).toBe(codes.length);
    expect(offered(...path, 'USAGE', '')).toEqual(codes.filter((code) => code !== 'USAGE'));
  });
});

describe('every command', () => {
  it('is offered behind the one above it, and behind help', () => {
    for (const { path, command } of places(program)) {
      const names = command.commands.map((child) => child.name());
      expect(offered(...path, '')).toEqual(expect.arrayContaining(names));
      if (path[0] === 'help' || path[0] === undefined) continue;
      expect(offered('help', ...path, '')).toEqual(expect.arrayContaining(names));
    }
    const topics = TOPICS.map(({ name }) => name);
    const verbs = COMMANDS.map(({ verb }) => verb);
    const others = verbs.filter((verb) => verb !== 'help');
    expect(offered('help', '')).toEqual(['errors', 'schema', 'context', ...others, ...topics]);
    expect(offered('')).toEqual(verbs);
  });

  it('offers each of its options until it is given, and one that may be repeated again', () => {
    for (const { path, command } of places(program)) {
      const all = offered(...path, '--');
      expect(new Set(all).size, path.join(' ')).toBe(all.length);
      for (const option of command.options.filter(({ hidden }) => !hidden)) {
        const { long = '', defaultValue } = option;
        const place = `${path.join(' ')} ${option.flags}`;
        expect(all, place).toContain(long);
        const given = option.required ? [`${long}=x`] : [long ?? ''];
        const isLeft = offered(...path, ...given, '--').includes(long ?? '');
        expect(isLeft, place).toBe(Array.isArray(defaultValue));
      }
    }
  });

  it('takes options of the program and of the command above it, and no version', () => {
    for (const { path } of places(program).slice(1)) {
      expect(offered(...path, '--')).toEqual(
        expect.arrayContaining(['--json', '--lang', '--help']),
      );
      expect(offered(...path, '--')).not.toContain('--version');
    }
    expect(offered('sandbox', 'pay', '--')).toContain('--data');
  });

  it('offers the options of the subcommand that runs where none is named', () => {
    expect(offered('orders', '--')).toEqual(expect.arrayContaining(['--since', '--status']));
    expect(offered('orders', 'show', '--')).not.toContain('--since');
  });
});
