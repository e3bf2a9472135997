/**
 * Every example of every help text, and every command of README and docs that is one run of the program,
 * run as it stands; what is in <brackets> is filled in first. The other commands are run by docs.test.ts.
 */
import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import { describeProgram } from '../../src/cli/agents/guide.ts';
import { buildTree } from '../../src/cli/command-tree.ts';
import { splitWords } from '../../src/cli/parsing/words.ts';
import type { Code } from '../../src/domain/message/errors.ts';
import { type Home, inShell, makeHome, SCRIP } from '../support/cli.ts';
import { docBlocks, scripLine } from '../support/doc-commands.ts';
import { writeIdleShop } from '../support/idle-shop.ts';
import { type ServedSandbox, serveSandbox } from '../support/served-sandbox.ts';
import { amazonProducts, buy, fundedWallet, HERE } from '../support/shop.ts';

const NOWHERE = '00000000-0000-4000-8000-000000000000';
const ADDRESS = '9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin';

const guide = describeProgram(await buildTree('1.2.3', async () => undefined), '1.2.3');
/** A group repeats some of these, which have their turn later. */
const examplesBelow = (path: string): readonly string[] =>
  guide.commands
    .filter((other) => other.path.startsWith(`${path} `))
    .flatMap(({ examples }) => examples);
/** Each once, in the order of the help: what one makes the next ones find. */
const EXAMPLES = [
  ...new Set([
    ...guide.commands.flatMap(({ path, examples }) =>
      examples.filter((example) => !examplesBelow(path).includes(example)),
    ),
    ...docBlocks().flatMap(({ commands }) => commands.flatMap((text) => scripLine(text) ?? [])),
  ]),
];

/** What ends otherwise off a terminal, with these products, in this state; each with its code. */
const REFUSED: Readonly<Record<string, Code>> = {
  'inspect https://host.example/paid-page --max-amount 1': 'MERCHANT_REPLY_INVALID',
  'inspect https://host.example/summary -H "Content-Type: application/json" -d @question.json':
    'MERCHANT_REPLY_INVALID',
  'order amazon 25 --to friend@example.com': 'TERMINAL_REQUIRED',
  'order airtel 500 --country in --to +919876543210 --email you@example.com': 'TERMINAL_REQUIRED',
  'order <product_id> --country us --to you@example.com': 'TERMINAL_REQUIRED',
  'order <product_id> --via partner --coin USDC --network Solana --to friend@example.com --email you@example.com --pay':
    'TERMINAL_REQUIRED',
  'order <product_id> --country us --coin BTC --to friend@example.com --email you@example.com':
    'TERMINAL_REQUIRED',
  wizard: 'TERMINAL_REQUIRED',
  'wizard --type giftcard --country us --brand "Amazon.com"': 'TERMINAL_REQUIRED',
  'wizard --resume': 'TERMINAL_REQUIRED',
  'pay <order_id>': 'TERMINAL_REQUIRED',
  'open <order_id>': 'USAGE',
  // An example before these has forgotten the codes.
  'open <order_id> --print': 'CODES_FORGOTTEN',
  'open <order_id> --item 2 --yes': 'CODES_FORGOTTEN',
  'open <order_id> --tx': 'USAGE',
  // It is followed for a moment only.
  'track <order_id> --follow sse --timeout 30m --json': 'ORDER_PENDING',
  'track --all --bell --timeout 30m': 'ORDER_PENDING',
  'approvals answer': 'TERMINAL_REQUIRED',
  'approvals answer <order_id>': 'TERMINAL_REQUIRED',
  'wallet new --encrypt --keypair ~/keys/shop.json': 'PASSPHRASE_REQUIRED',
  'wallet encrypt': 'PASSPHRASE_REQUIRED',
  'wallet change-passphrase': 'PASSPHRASE_REQUIRED',
  'wallet export --format base58': 'TERMINAL_REQUIRED',
  'wallet import --encrypt': 'TERMINAL_REQUIRED',
  'wallet mark-play --keypair ~/keys/test.json': 'WALLET_MISSING',
  'policy set hosts.x402.example any': 'TERMINAL_REQUIRED',
  'policy set nonInteractive.enabled true': 'TERMINAL_REQUIRED',
  'policy check --amount 25 --host x402.example': 'HOST_NOT_ALLOWED',
  'policy check --amount 25 --host x402.example --to friend@example.com --kind giftcard':
    'HOST_NOT_ALLOWED',
  // The buttons fit other states of an order than the one it is in.
  'sandbox refund <order_id>': 'MERCHANT_REFUSED',
  'sandbox resolve <order_id>': 'MERCHANT_REFUSED',
  'sandbox close <order_id>': 'MERCHANT_REFUSED',
  'sandbox clear <order_id>': 'MERCHANT_REFUSED',
  'sandbox webhooks replay <webhook_id>': 'WEBHOOK_UNKNOWN',
  // Those of a checkout host go to the wallet that paid.
  'orders refund <order_id>': 'INPUT_INVALID',
  'orders refund <order_id> --to <address>': 'INPUT_INVALID',
  'serve refunds approve <refund_id> --config shop.json': 'REFUND_UNKNOWN',
  'serve refunds refuse <refund_id> --config shop.json': 'REFUND_UNKNOWN',
  'serve refunds mark-paid <refund_id> --transaction <id> --config shop.json': 'REFUND_UNKNOWN',
  'serve order <order_id> --config shop.json': 'ORDER_UNKNOWN',
  'serve person erase ann@example.com --config shop.json': 'USAGE',
  'serve order ann@example.com --config shop.json': 'ORDER_UNKNOWN',
  'serve order --code-file - --config shop.json': 'ORDER_UNKNOWN',
  // No server runs.
  'serve alarms --config shop.json': 'SHOP_ALARM',
  // This shop has no codes and no chain.
  'serve stock --config shop.json': 'INPUT_INVALID',
  'serve stock --warn 20 --config shop.json': 'INPUT_INVALID',
  'serve books --config shop.json': 'INPUT_INVALID',
  'serve books --since 30d --config shop.json': 'INPUT_INVALID',
  'serve retry <order_id> --config shop.json': 'ORDER_UNKNOWN',
  'serve release <order_id> --reason "the supplier answered by mail" --config shop.json':
    'ORDER_UNKNOWN',
  'serve release <order_id> --refuse --reason "no stock until May" --config shop.json':
    'ORDER_UNKNOWN',
  'serve webhooks replay <webhook_id> --config shop.json': 'WEBHOOK_UNKNOWN',
  'serve catalog --use file-3f2a9c81d4e05b67 --config shop.json': 'INPUT_INVALID',
  // Nobody listens, and the order names no address.
  'sandbox trigger checkout.completed --to http://127.0.0.1:4022': 'WEBHOOK_NOT_TAKEN',
  'sandbox trigger partner.done --to http://127.0.0.1:4022 --order <order_id> --json':
    'WEBHOOK_NOT_TAKEN',
  'sandbox trigger order.updated --order <order_id>': 'INPUT_INVALID',
  'mcp install claude-desktop': 'TERMINAL_REQUIRED',
  'listen --count 1 --timeout 5m --ndjson': 'WEBHOOK_AWAITED',
  // This shop has no chain and no fee payer: that of serve.test.ts has.
  'serve --config shop.json --check': 'INPUT_INVALID',
  'serve --config shop.json': 'INPUT_INVALID',
  // From here on, of README and docs. At a terminal these ask.
  'order amazon 25 --to you@example.com': 'TERMINAL_REQUIRED',
  'order amazon 25 --to you@example.com --network base': 'TERMINAL_REQUIRED',
  'order <product_id> --country us --to you@example.com --coin BTC': 'TERMINAL_REQUIRED',
  [`order <product_id> --country us --brand "Amazon.com" --to you@example.com \\
  --checkout-url https://host.example --rpc-url https://your-rpc.example --keypair ~/live.json`]:
    'TERMINAL_REQUIRED',
  [`order <product_id> --country us --brand "Amazon.com" --to you@example.com \\
  --signer-command /usr/local/bin/signer`]: 'TERMINAL_REQUIRED',
  [`order <product_id> --country us --brand "Amazon.com" --to you@example.com \\
  --checkout-url http://127.0.0.1:4020 --callback-url http://127.0.0.1:4022`]: 'TERMINAL_REQUIRED',
  'order <product_id> --via partner --to friend@example.com --email you@example.com --pay':
    'TERMINAL_REQUIRED',
  'order <product_id> --coin BTC --to friend@example.com --email you@example.com':
    'TERMINAL_REQUIRED',
  'order --cart gifts.csv --email you@example.com': 'TERMINAL_REQUIRED',
  'order again <order_id>': 'TERMINAL_REQUIRED',
  // An example before them has made this wallet, with both keys.
  'wallet new --encrypt': 'WALLET_EXISTS',
  'wallet new --phrase-file ~/phrase.txt': 'WALLET_EXISTS',
  'wallet new --network base': 'WALLET_EXISTS',
  'wallet import phrase.txt --encrypt': 'PASSPHRASE_REQUIRED',
  [`order <product_id> --country us --brand "Amazon.com" --value 25 \\
  --to ann+delayed@example.com --email ann@example.com`]: 'TERMINAL_REQUIRED',
  [`order <product_id> --country us --brand "Amazon.com" --value 25 --via partner --pay \\
  --coin USDC --network Solana --to friend@example.com --email ann+slow-wallet@example.com`]:
    'TERMINAL_REQUIRED',
  'wizard --type giftcard --country us': 'TERMINAL_REQUIRED',
  'wizard --plain': 'TERMINAL_REQUIRED',
  // Examples before them have made this file, forgotten these codes and canceled an order.
  'orders reveal <id> --output card.json': 'OUTPUT_UNWRITABLE',
  'orders resume <id>': 'CODES_FORGOTTEN',
  // They are followed for a moment only, and the programs that they name are not on this machine.
  'track <order_id> --follow auto --timeout 30m': 'ORDER_PENDING',
  'track --all --exec \'notify-send "Gift card" delivered\'': 'ORDER_PENDING',
  'track <order_id> --reveal --exec \'["/usr/local/bin/give-to-crm","--quiet"]\'': 'EXEC_FAILED',
  'sandbox trigger partner.done --to http://127.0.0.1:3000/webhooks --order <order_id>':
    'WEBHOOK_NOT_TAKEN',
};

/** A name that no host has. */
const OF_NOBODY = /https:\/\/api\.example\//;
/** These go on until they are stopped. */
const SERVING = /^(sandbox( --.*)?|mcp --http.*|listen( --forward.*)?)$/;
/** Pipes, variables, line ends and the like. */
const OF_SHELLS = /[|&;<>()$`\\*?#\n]|^\w+=/;
/** Each of these has a home of its own: they change what the others need. */
const APART = ['wallet', 'policy', 'config', 'profile'];

interface Facts {
  readonly fixed: string;
  readonly range: string;
  readonly topUp: string;
  readonly order: string;
  readonly intent: string;
  /** Of another order, whose codes are still there when the commands of the docs are run. */
  readonly second: string;
  readonly served: string;
}

let served: ServedSandbox;
const apart = new Map<string, Home>();

async function prepare(): Promise<Facts> {
  await fundedWallet(home, [], '500');
  const { fixed, range } = amazonProducts();
  const { order_id: order } = await buy(home, fixed.product_id, []);
  const [first] = await home.json<{ intent_id: string }[]>(['orders']);
  const { order_id: second } = await buy(home, fixed.product_id, []);
  const words = ['catalog', '--country', 'br', '--brand', 'Claro Credits'];
  const [topUp] = await home.json<{ product_id: string; is_range: boolean }[]>(words);
  served = await serveSandbox(home, ['--data', `${home.dir}/served`]);
  await home.json(['wallet', 'fund', '--checkout-url', served.url]);
  return {
    fixed: fixed.product_id,
    range: range.product_id,
    topUp: topUp?.product_id ?? '',
    order,
    intent: first?.intent_id ?? '',
    second,
    served: served.url,
  };
}

async function writeFiles({ dir }: Home): Promise<void> {
  await writeIdleShop({ dir });
  const write = (name: string, text: string) => writeFileSync(`${dir}/${name}`, text);
  write(
    'gifts.csv',
    `product,to,value,quantity,country,brand\n${facts.fixed},team@example.com,,1,us,Amazon.com\n`,
  );
  write('question.json', '{}');
  write('gifts.jsonl', `${JSON.stringify({ product: facts.fixed })}\n`);
  write('answers.txt', 'Amazon.com\n25\nfriend@example.com\nUSDC\nSolana\nyou@example.com\n');
  for (const name of ['old', 'keys/passphrase']) write(name, 'correct horse battery staple\n');
  write('new', 'another horse battery staple\n');
  for (const name of ['old', 'new', 'keys/passphrase']) chmodSync(`${dir}/${name}`, 0o600);
  const products = [{ product_id: '0b7c2f1e-5d0a-4c8e-9f0f-3a5f6d1c2b01', face_value: '25' }];
  const sold = { brand_name: 'Corner Books', country_code: 'us', category: 'retail', products };
  write('goods.json', JSON.stringify({ brands: [sold] }));
  const profile = { checkout_url: facts.served, rpc_url: `${facts.served}/rpc` };
  // The examples of profiles add this one themselves.
  if (dir === apart.get('profile')?.dir) return;
  write(
    '.config/scrip/config.json',
    JSON.stringify({ profiles: { live: profile, sandbox: { country: 'us' } } }),
  );
}

/** Keys to import, and one to hand out. */
async function writeKeys(wallet: Home): Promise<void> {
  await wallet.json(['wallet', 'new', '--keypair', 'plain.json']);
  const exporting = ['wallet', 'export', '--keypair', 'plain.json', '--output'];
  await wallet.json([...exporting, '.config/solana/id.json']);
  await wallet.json([...exporting, 'key.txt', '--format', 'base58']);
  const phrase = `${'abandon '.repeat(11)}about\n`;
  writeFileSync(`${wallet.dir}/phrase.txt`, phrase, { mode: 0o600 });
}

const home = makeHome();
const facts = await prepare();
for (const verb of APART) apart.set(verb, makeHome());
const folders = ['keys', '.config/scrip', '.config/solana', '.zfunc'];
const shells = ['.local/share/bash-completion/completions', '.config/fish/completions'];
for (const one of [home, ...apart.values()]) {
  for (const folder of [...folders, ...shells]) {
    mkdirSync(`${one.dir}/${folder}`, { recursive: true });
  }
  await writeFiles(one);
}
const wallet = apart.get('wallet');
if (wallet) await writeKeys(wallet);
afterAll(async () => {
  await served.stop();
  for (const one of [home, ...apart.values()]) one.remove();
});

/** An order of the partner API that nobody else uses. */
async function freshOrder(example: string): Promise<string> {
  const means = example.startsWith('pay')
    ? ['--coin', 'USDC', '--network', 'Solana']
    : ['--coin', 'BTC', '--network', 'Mainnet'];
  const key = EXAMPLES.indexOf(example);
  const words = ['order', facts.fixed, ...HERE, '--via', 'partner', ...means, '--yes'];
  const people = ['--to', `friend${key}@example.com`, '--email', `you${key}@example.com`];
  return (await home.json<{ order_id: string }>([...words, ...people])).order_id;
}

async function filled(example: string): Promise<string> {
  const product = example.includes(' br ')
    ? facts.topUp
    : example.includes('--value')
      ? facts.range
      : facts.fixed;
  const isPartners = /^(pay|sandbox) .*<order_id>/.test(example) || example.includes('--follow');
  const order = isPartners ? await freshOrder(example) : facts.order;
  return example
    .replaceAll('<product_id>', product)
    .replaceAll('<order_id>', order)
    .replaceAll('<intent_id>', facts.intent)
    .replaceAll('<id>', example.includes('resume') ? facts.intent : facts.second)
    .replaceAll('<webhook_id>', NOWHERE)
    .replaceAll('<refund_id>', NOWHERE)
    .replaceAll('<address>', ADDRESS)
    .replaceAll('http://127.0.0.1:4020', facts.served)
    .replaceAll('https://host.example', facts.served)
    .replaceAll('https://your-rpc.example', `${facts.served}/rpc`)
    .replace(/--port 402\d/, '--port 0')
    .replace('--timeout 30m', '--timeout 0s')
    .replace(/^track (?!.*--timeout).*(--follow|--all).*/, '$& --timeout 0s')
    .replace(/^(sandbox|listen)(?=$| --(?!port))/, '$1 --port 0')
    .replace('--timeout 5m', '--timeout 0s');
}

/** As it is typed; standard input is no terminal. What takes a shell is typed into one. */
function typed(example: string, one: Home, keypair: string | undefined) {
  const line = example.replace(/ *\\\n */g, ' ');
  if (OF_SHELLS.test(line)) return inBash(line, one, keypair);
  const words = splitWords(line, 'an example').map((word) => word.replace(/^~(?=\/)/, one.dir));
  return one.run(words, keypair === undefined ? {} : { env: { SCRIP_KEYPAIR: keypair } });
}

function inBash(line: string, one: Home, keypair: string | undefined) {
  const script = `set -o pipefail; scrip() { ${inShell(SCRIP)} "$@"; }; scrip ${line}`;
  return spawnSync('bash', ['-c', script], {
    cwd: one.dir,
    env: {
      PATH: process.env.PATH ?? '',
      HOME: one.dir,
      ...(keypair === undefined ? {} : { SCRIP_KEYPAIR: keypair }),
    },
    input: '',
    encoding: 'utf8',
  });
}

/** Where a key is imported there is none yet; one that is handed out is not encrypted. */
function keypairFor(example: string): string | undefined {
  if (example.startsWith('wallet import')) return `imported-${EXAMPLES.indexOf(example)}.json`;
  return example.startsWith('wallet export') ? 'plain.json' : undefined;
}

const hasShell = spawnSync('bash', ['--version']).error === undefined;
const hasJq = spawnSync('jq', ['--version']).error === undefined;
const RUN = EXAMPLES.filter((example) => !SERVING.test(example));

describe('the example that goes on until it is stopped', () => {
  it.each(EXAMPLES.filter((example) => SERVING.test(example)))('%s', async (example) => {
    const words = (await filled(example)).split(' ');
    const [program = '', ...first] = SCRIP;
    const child = spawn(program, [...first, ...words], {
      cwd: home.dir,
      env: { PATH: process.env.PATH ?? '', HOME: home.dir },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    // Where data goes on for ever, the address is told beside it.
    const heard = example.startsWith('listen') ? child.stderr : child.stdout;
    const line = await new Promise<string>((resolve) => {
      heard.setEncoding('utf8').once('data', resolve);
      child.once('close', () => resolve(''));
    });
    const ended = new Promise((resolve) => child.once('close', resolve));
    if (child.exitCode === null) child.kill('SIGTERM');
    if (line !== '') await ended;
    expect(line).toContain('http://127.0.0.1:');
  });
});

describe.skipIf(!hasShell)('the example', () => {
  // Pipes into jq are run where it is installed.
  it.each(RUN.filter((example) => hasJq || !example.includes('| jq')))('%s', async (example) => {
    const one = apart.get(example.split(' ')[0] ?? '') ?? home;
    const { status, stderr } = await typed(await filled(example), one, keypairFor(example));
    const code = /error\[(\w+)\]|"code":"(\w+)"/.exec(stderr);
    const refused =
      REFUSED[example] ?? (OF_NOBODY.test(example) ? 'NETWORK_UNREACHABLE' : undefined);
    expect({ example, code: code?.[1] ?? code?.[2] }).toEqual({ example, code: refused });
    expect(status === 0).toBe(refused === undefined);
  });
});

it('every refusal named here is of an example that exists', () => {
  expect(Object.keys(REFUSED).filter((example) => !EXAMPLES.includes(example))).toEqual([]);
});
