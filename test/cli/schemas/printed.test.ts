/** What commands print is what `scrip schema` says: each is run for real, in a home of its own. */

import { writeFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { describeProgram } from '../../../src/cli/agents/guide.ts';
import { buildTree } from '../../../src/cli/command-tree.ts';
import { PRINTED, schemaOf } from '../../../src/cli/schemas/table.ts';
import { FINAL_SOON, type Home, makeHome, SCRIP } from '../../support/cli.ts';
import { OF_SHOP, writeIdleShop } from '../../support/idle-shop.ts';
import { amazonProducts, buy, fundedWallet, GIFT, HERE } from '../../support/shop.ts';

interface Facts {
  readonly fixed: string;
  readonly range: string;
  readonly order: string;
  /** Of the partner API: not paid, not paid and free to be paid, held up at its delivery. */
  readonly unpaid: string;
  readonly open: string;
  readonly held: string;
  /** Not paid, and paid by a transfer on the embedded chain alone. */
  readonly onChain: string;
}

const PARTNER = ['--via', 'partner', ...HERE, '--email', 'you@example.com', '--yes'] as const;
const BITCOIN = ['--coin', 'BTC', '--network', 'Mainnet'] as const;
const ON_CHAIN = ['--coin', 'USDC', '--network', 'Solana'] as const;
const DRY = ['--dry-run', '--max-amount', '60'] as const;
const NOWHERE = '00000000-0000-4000-8000-000000000000';

type Sample = readonly string[] | ((facts: Facts) => readonly string[]);

/** Words for each command, in the order in which they are run. */
const SAMPLES: readonly (readonly [path: string, words: Sample])[] = [
  ['brands', ['--country', 'us', '--limit', '50']],
  ['brands', ['--country', 'us', '--via', 'partner', '--limit', '50']],
  ['catalog', [...HERE]],
  ['catalog', [...HERE, '--via', 'partner']],
  ['catalog', ['--country', 'br', '--family', 'Mobile Recharge', '--limit', '20']],
  ['price', ({ fixed }) => [fixed, ...HERE]],
  ['price', ({ range }) => [range, ...HERE, '--value', '25']],
  ['price', ({ range }) => [range, ...HERE, '--value', '25', '--coin', 'BTC']],
  ['show', ({ fixed }) => [fixed, '--country', 'us']],
  ['show', ['amazon', '30', '--country', 'us', '--via', 'partner']],
  ['search', ['amzon', '--country', 'us']],
  ['countries', []],
  ['vias coins', []],
  ['vias', []],
  ['validate', ({ fixed }) => [fixed, ...HERE, ...GIFT]],
  ['inspect', ({ fixed }) => [fixed, ...HERE, '--to', 'friend@example.com']],
  ['order', ({ fixed }) => [fixed, ...HERE, ...GIFT, ...DRY]],
  ['order', ({ fixed }) => [fixed, ...HERE, ...GIFT, '--via', 'partner', '--dry-run']],
  ['order', ({ range }) => [range, ...HERE, ...GIFT, '--value', '5', '--yes', '--max-amount', '6']],
  // What was bought over x402 is wanted once more.
  [
    'order',
    ({ fixed }) => [fixed, ...PARTNER, ...GIFT.slice(0, 2), ...BITCOIN, '--allow-duplicate'],
  ],
  ['pay', ({ open }) => [open, '--show']],
  ['pay', ({ open }) => [open, '--yes', '--max-amount', '60']],
  ['orders recover', ['--reveal']],
  ['approvals', []],
  ['approvals list', []],
  ['receipt', ({ order }) => [order]],
  ['receipt show', ({ order }) => [order]],
  ['receipt verify', ({ order }) => [order]],
  ['track', ({ order }) => [order]],
  ['track', ({ open }) => [open]],
  ['track', ({ order }) => [order, '--exec', 'true']],
  ['orders', []],
  ['orders list', []],
  ['orders export', ['--since', '1d', '--reveal']],
  ['orders show', ({ order }) => [order]],
  ['orders show', ({ open }) => [open]],
  ['orders resume', ({ order }) => [order]],
  ['orders resume', ({ open }) => [open]],
  ['orders reveal', ({ order }) => [order]],
  ['orders reveal', ({ open }) => [open]],
  ['orders reveal', ({ order }) => [order, '--output', 'codes.json']],
  ['open', ({ order }) => [order, '--redeem', '--print']],
  ['orders forget', ({ order }) => [order]],
  ['orders show', ({ order }) => [order]],
  ['policy', []],
  ['policy show', []],
  ['policy set', ['perOrder', '20']],
  ['policy check', ['--amount', '1', '--to', 'friend@example.com']],
  ['policy path', []],
  ['policy spend', []],
  ['wallet address', []],
  ['wallet', []],
  ['wallet balance', []],
  ['wallet fund', ['--usdc', '1']],
  ['wallet new', ['--keypair', 'second.json']],
  ['wallet mark-play', ['--off', '--keypair', 'second.json']],
  ['wallet export', ['--keypair', 'second.json', '--output', 'out.json']],
  ['wallet import', ['out.json', '--keypair', 'third.json']],
  ['wallet encrypt', ['--keypair', 'third.json', '--passphrase-file', 'old']],
  [
    'wallet change-passphrase',
    ['--keypair', 'third.json', '--passphrase-file', 'old', '--new-passphrase-file', 'new'],
  ],
  ['sandbox cancel', ({ unpaid }) => [unpaid]],
  ['sandbox resolve', ({ held }) => [held]],
  ['sandbox audit', []],
  ['sandbox webhooks', []],
  ['sandbox trigger', []],
  ['serve', ['--config-schema']],
  ['serve partners add', ['acme', '--network', '127.0.0.0/8', ...OF_SHOP]],
  ['serve partners set', ['acme', '--orders-per-minute', '9', ...OF_SHOP]],
  ['serve partners rotate', ['acme', ...OF_SHOP]],
  ['serve partners rotate', ['acme', '--webhook-secret', ...OF_SHOP]],
  ['serve partners', [...OF_SHOP]],
  ['serve partners list', [...OF_SHOP]],
  ['serve partners revoke', ['acme', ...OF_SHOP]],
  ['serve person', [...OF_SHOP]],
  ['serve person export', ['ann@example.com', ...OF_SHOP]],
  ['serve person erase', ['ann@example.com', '--yes', ...OF_SHOP]],
  ['serve refunds', [...OF_SHOP]],
  ['serve log', [...OF_SHOP]],
  ['serve catalog', [...OF_SHOP]],
  ['serve orders', [...OF_SHOP]],
  ['serve sales', [...OF_SHOP]],
  ['serve webhooks', [...OF_SHOP]],
  ['serve alarms', ['--test', ...OF_SHOP]],
  ['listen', ['--port', '0', '--timeout', '0s']],
  ['mcp', ['--manifest']],
  ['mcp install', ['codex', '--config', 'codex.toml', '--yes']],
  ['mcp uninstall', ['codex', '--config', 'codex.toml', '--dry-run']],
  ['profile', []],
  ['profile add', ['live', '--checkout-url', 'https://host.example', '--keypair', 'second.json']],
  ['profile list', []],
  ['profile show', ['live']],
  ['profile use', ['sandbox']],
  ['config', []],
  ['config set', ['country', 'us']],
  ['config set', ['profile', 'sandbox']],
  ['config get', ['country']],
  ['config list', ['--profile', 'live']],
  ['config unset', ['country']],
  ['config path', []],
  ['profile remove', ['live']],
  ['doctor', []],
  ['doctor', ['--repair']],
  ['doctor', ['--bundle']],
  ['doctor', ['--bundle', '--output', 'of-doctor.json']],
  ['completion', ['zsh']],
  ['help schema', []],
  ['help schema', ['wallet', 'balance']],
  ['help errors', []],
  ['help errors', ['wallet_missing', 'USAGE']],
  ['help context', []],
];

/** Refused here: what they print is an order, a refund or a webhook, which others above print as well. */
const REFUSED: readonly (readonly [path: string, words: Sample, code: string])[] = [
  ['order', ({ fixed }) => [fixed, ...HERE, ...GIFT], 'TERMINAL_REQUIRED'],
  ['wizard', [], 'TERMINAL_REQUIRED'],
  // Checked where a host is paid: test/e2e/fetch.test.ts.
  ['fetch', ['https://host.example/'], 'TERMINAL_REQUIRED'],
  ['approvals answer', [], 'TERMINAL_REQUIRED'],
  ['orders refund', ({ order }) => [order, '--to', NOWHERE], 'INPUT_INVALID'],
  ['sandbox refund', ({ unpaid }) => [unpaid], 'MERCHANT_REFUSED'],
  ['sandbox close', ({ unpaid }) => [unpaid], 'MERCHANT_REFUSED'],
  ['sandbox clear', ({ unpaid }) => [unpaid], 'MERCHANT_REFUSED'],
  ['sandbox pay', ({ onChain }) => [onChain], 'ORDER_NOT_PAYABLE'],
  ['sandbox webhooks replay', [NOWHERE], 'WEBHOOK_UNKNOWN'],
  ['serve order', [NOWHERE, ...OF_SHOP], 'ORDER_UNKNOWN'],
  // It has no codes and no chain.
  ['serve stock', [...OF_SHOP], 'INPUT_INVALID'],
  ['serve books', [...OF_SHOP], 'INPUT_INVALID'],
  ['serve retry', [NOWHERE, ...OF_SHOP], 'ORDER_UNKNOWN'],
  ['serve release', [NOWHERE, '--reason', 'asked', ...OF_SHOP], 'ORDER_UNKNOWN'],
  ['serve webhooks replay', [NOWHERE, ...OF_SHOP], 'WEBHOOK_UNKNOWN'],
  ['serve refunds approve', [NOWHERE, ...OF_SHOP], 'REFUND_UNKNOWN'],
  ['serve refunds refuse', [NOWHERE, ...OF_SHOP], 'REFUND_UNKNOWN'],
  ['serve refunds mark-paid', [NOWHERE, '--transaction', 'x', ...OF_SHOP], 'REFUND_UNKNOWN'],
  ['sandbox trigger', ['order.updated', '--order', NOWHERE], 'ORDER_UNKNOWN'],
];

/** These print their document and go on until they are stopped. */
const SERVING: readonly (readonly [path: string, words: readonly string[]])[] = [
  ['sandbox', ['--port', '0', '--data', 'served']],
  ['mcp', ['--http', '--port', '0']],
];

let home: Home;
let facts: Facts;

async function prepare(): Promise<Facts> {
  await writeIdleShop(home);
  await fundedWallet(home, [], '300');
  writeFileSync(`${home.dir}/old`, 'correct horse battery staple\n', { mode: 0o600 });
  writeFileSync(`${home.dir}/new`, 'another horse battery staple\n', { mode: 0o600 });
  const { fixed, range } = amazonProducts();
  const { order_id: order } = await buy(home, fixed.product_id, []);
  const make = async (to: string, means: readonly string[]): Promise<string> => {
    const words = ['order', fixed.product_id, ...PARTNER, '--to', to, ...means];
    return (await home.json<{ order_id: string }>(words)).order_id;
  };
  const held = await make('friend+failing@example.com', BITCOIN);
  await home.json(['sandbox', 'pay', held]);
  const unpaid = await make('one@example.com', BITCOIN);
  const open = await make('two@example.com', ON_CHAIN);
  const onChain = await make('three@example.com', ON_CHAIN);
  await home.run(['track', held, '--timeout', '20s', '--json']);
  return { fixed: fixed.product_id, range: range.product_id, order, unpaid, open, held, onChain };
}

beforeAll(async () => {
  home = makeHome(SCRIP, FINAL_SOON);
  facts = await prepare();
});

function wordsOf(path: string, sample: Sample): string[] {
  return [...path.split(' '), ...(typeof sample === 'function' ? sample(facts) : sample), '--json'];
}

/** The printed schema, read again as a validator. */
function problemsOf(path: string, side: 'output' | 'error', text: string): readonly unknown[] {
  const schema = schemaOf(path)?.[side];
  if (schema === undefined) throw new Error(`scrip ${path} has no schema`);
  return (
    z.fromJSONSchema(JSON.parse(JSON.stringify(schema))).safeParse(JSON.parse(text)).error
      ?.issues ?? []
  );
}

describe('the schema table', () => {
  it('names every command that does something, and no other', async () => {
    const guide = describeProgram(await buildTree('1.2.3', async () => undefined), '1.2.3');
    const doing = guide.commands.map(({ path }) => path).filter((path) => path !== 'help');
    expect([...PRINTED.keys()].toSorted()).toEqual(doing.toSorted());
  });

  it('is tried below for every command', () => {
    const tried = [...SAMPLES, ...REFUSED, ...SERVING].map(([path]) => path);
    expect([...PRINTED.keys()].filter((path) => !tried.includes(path))).toEqual([]);
  });
});

describe('the document on stdout', () => {
  it.each(SAMPLES)('of %s is as its schema says: %j', async (path, sample) => {
    const { status, stdout, stderr } = await home.run(wordsOf(path, sample));
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(problemsOf(path, 'output', stdout)).toEqual([]);
  });

  it.each(SERVING)('of %s, which goes on, is as its schema says', async (path, words) => {
    const child = home.start(wordsOf(path, words));
    const line = await new Promise<string>((resolve) => {
      child.stdout?.setEncoding('utf8').once('data', resolve);
    });
    const ended = new Promise((resolve) => child.once('close', resolve));
    child.kill('SIGTERM');
    await ended;
    expect(problemsOf(path, 'output', line)).toEqual([]);
  });

  it('of a held order comes with its error, and both are as the schemas say', async () => {
    const { status, stdout, stderr } = await home.run(['track', facts.held, '--json']);
    expect(status).toBe(11);
    expect(problemsOf('track', 'output', stdout)).toEqual([]);
    expect(problemsOf('track', 'error', stderr)).toEqual([]);
  });

  it('of a shop without a server is its alarm, and ends with 1', async () => {
    const { status, stdout, stderr } = await home.run(['serve', 'alarms', ...OF_SHOP, '--json']);
    expect([status, JSON.parse(stdout)]).toMatchObject([1, [{ alarm: 'server' }]]);
    expect(problemsOf('serve alarms', 'output', stdout)).toEqual([]);
    expect(JSON.parse(stderr)).toMatchObject({ error: { code: 'SHOP_ALARM' } });
  });

  it('of all open orders comes with its error, and is as its schema says', async () => {
    const { stdout } = await home.run(['track', '--all', '--timeout', '0s', '--json']);
    expect(JSON.parse(stdout).length).toBeGreaterThan(0);
    expect(problemsOf('track', 'output', stdout)).toEqual([]);
  });

  it('has no field that its schema does not name', async () => {
    const { stdout } = await home.run(['wallet', 'balance', '--json']);
    const more = JSON.stringify({ ...JSON.parse(stdout), secret: 'x' });
    expect(problemsOf('wallet balance', 'output', more)).toMatchObject([
      { code: 'unrecognized_keys' },
    ]);
  });
});

describe('the error on stderr', () => {
  it.each(REFUSED)('of %s is as the schema says', async (path, sample, code) => {
    const { stdout, stderr } = await home.run(wordsOf(path, sample));
    expect(stdout).toBe('');
    expect(JSON.parse(stderr)).toMatchObject({ error: { code } });
    expect(problemsOf(path, 'error', stderr)).toEqual([]);
  });
});

describe('a field that does not exist', () => {
  it('is refused before anything is bought', async () => {
    const before = (await home.json<unknown[]>(['orders'])).length;
    const words = ['order', facts.fixed, ...HERE, ...GIFT, '--yes', '--max-amount', '60'];
    for (const [flags, known] of [
      ['--fields order_id,statsu', 'status'],
      ['--template {statsu}', 'status'],
      ['--json --fields deliveries.0.code', 'deliveries.0.voucher_code'],
    ] as const) {
      const { status, stdout, stderr } = await home.run([...words, ...flags.split(' ')]);
      expect([flags, status, stdout]).toEqual([flags, 2, '']);
      expect(stderr).toContain('There is no field');
      expect(stderr).toContain(known);
    }
    expect(await home.json(['orders'])).toHaveLength(before);
  });

  it('is known by the side that is asked', async () => {
    const words = ['brands', '--country', 'us', '--limit', '1', '--json', '--fields'];
    expect((await home.run([...words, 'brand'])).status).toBe(2);
    expect((await home.run([...words, 'brand', '--via', 'partner'])).status).toBe(0);
  });
});

describe('scrip schema', () => {
  it('names the commands that are like the one it does not know', async () => {
    const { status, stderr } = await home.run(['schema', 'walet', 'balance', '--json']);
    expect(status).toBe(2);
    expect(JSON.parse(stderr).error.details.nearest).toContain('wallet balance');
  });

  it('prints draft 2020-12, strict in what is ours', async () => {
    const document = await home.json<Record<string, Record<string, unknown>>>([
      'schema',
      'wallet',
      'fund',
    ]);
    expect(document).toMatchObject({
      command: 'wallet fund',
      output: {
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        type: 'object',
        additionalProperties: false,
      },
      error: { $schema: 'https://json-schema.org/draft/2020-12/schema' },
    });
  });
});
