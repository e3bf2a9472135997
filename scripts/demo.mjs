// The tour: each step runs the real command line, in a temporary home.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const bin = fileURLToPath(new URL('../bin/scrip.js', import.meta.url));
const home = mkdtempSync(join(tmpdir(), 'scrip-demo-'));
const started = performance.now();
const bold = (text) =>
  process.stdout.isTTY && !process.env.NO_COLOR ? `\x1b[1m${text}\x1b[0m` : text;

const env = {
  ...Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(SCRIP_|XDG_)/.test(name)),
  ),
  HOME: home,
};

function fail(args, result) {
  throw new Error(
    `scrip ${args.join(' ')} ended with ${result.status ?? result.signal}\n${result.stderr ?? ''}`,
  );
}

/** Prints a command and runs it with its output on the terminal. */
function show(title, args) {
  const typed = args.map((word) => (/^[\w@.+-]+$/.test(word) ? word : `"${word}"`)).join(' ');
  process.stdout.write(`\n${bold(`# ${title}`)}\n$ scrip ${typed}\n`);
  const result = spawnSync(process.execPath, [bin, ...args], {
    env,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if (result.status !== 0) fail(args, result);
}

/** Runs a command and returns its JSON, for the next step. */
function ask(args) {
  const result = spawnSync(process.execPath, [bin, ...args, '--json'], { env, encoding: 'utf8' });
  if (result.status !== 0) fail(args, result);
  return JSON.parse(result.stdout);
}

try {
  show('A wallet of your own: a key file in the format of the Solana command line', [
    'wallet',
    'new',
  ]);
  show('Play money, minted on the embedded chain', ['wallet', 'fund', '--usdc', '200']);
  const before = ask(['wallet', 'balance']);

  show('Who sells here?', ['brands', '--country', 'us', '--search', 'amazon']);
  const brand = 'Amazon.com';
  show('What do they sell?', ['catalog', '--country', 'us', '--brand', brand]);
  const products = ask(['catalog', '--country', 'us', '--brand', brand]);
  const fixed = products.find((product) => !product.is_range);
  const range = products.find((product) => product.is_range);
  if (!fixed || !range) throw new Error(`${brand} should have a fixed and a range product`);

  const here = ['--country', 'us', '--brand', brand];
  const gift = [
    '--to',
    'friend@example.com',
    '--email',
    'you@example.com',
    '--yes',
    '--max-amount',
    '60',
  ];
  show('What does 25 dollars of the range product cost?', [
    'price',
    range.product_id,
    ...here,
    '--value',
    '25',
  ]);
  show('Buy a fixed card: signed here, settled on the chain, delivered', [
    'order',
    fixed.product_id,
    ...here,
    ...gift,
    '--reveal',
  ]);
  show('Buy 25 dollars of the range product', [
    'order',
    range.product_id,
    ...here,
    ...gift,
    '--value',
    '25',
    '--reveal',
  ]);

  const bought = ask(['orders']);
  for (const order of bought) show('Look at it again', ['track', order.order_id]);
  show('All that this machine bought', ['orders']);
  show('The balance after', ['wallet', 'balance']);

  const after = ask(['wallet', 'balance']);
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  process.stdout.write(`
${bold('# Done')}: ${bought.length} cards, ${before.usdc} USDC before, ${after.usdc} after, in ${seconds} s.
Transactions: ${bought.map((order) => order.transaction).join('\n              ')}

Try next, on your own wallet (state stays under ~/.local/state/scrip):
  scrip wallet new && scrip wallet fund
  scrip brands --country de --search steam
  scrip sandbox --port 4020        the same service over HTTP, for curl and your own client
  scrip order --help
(from this folder without installing: node bin/scrip.js …)
`);
} finally {
  rmSync(home, { recursive: true, force: true });
}
