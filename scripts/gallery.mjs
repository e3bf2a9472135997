// Makes the pictures of docs/ from real runs on a pseudo terminal (util-linux `script`), with play money in
// a home of its own: `node scripts/gallery.mjs [name…]`. Look at each afterwards.
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import xterm from '@xterm/headless';
import { drawScreen } from './picture.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const BIN = `${root}bin/scrip.js`;
const home = mkdtempSync(join(tmpdir(), 'scrip-gallery-'));
// The pictures are in English.
const env = {
  PATH: process.env.PATH,
  HOME: home,
  TERM: 'xterm-256color',
  LANG: 'C.UTF-8',
};

function scrip(...words) {
  const options = { env, cwd: home, encoding: 'utf8' };
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [BIN, ...words, '--json'],
    options,
  );
  if (status !== 0) throw new Error(`scrip ${words.join(' ')} ended with ${status}: ${stderr}`);
  return JSON.parse(stdout);
}

/** Types lines into a shell whose prompt is `$`, answers what it asks, and draws what the screen shows. */
async function shoot(name, { lines, answers = [], columns = 108, rows = 44, isLeft = false }) {
  const terminal = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true });
  const typed = lines.map(
    (line) =>
      `printf '\\033[36m$\\033[0m \\033[1m%s\\033[0m\\n' ${quote(line)}\n${line.replaceAll('\\\n', '')}`,
  );
  const script = `scrip() { ${quote(process.execPath)} ${quote(BIN)} "$@"; }\n${typed.join('\necho\n')}\n`;
  writeFileSync(join(home, 'shot.sh'), script);
  const line = `stty rows ${rows} cols ${columns}; exec sh ${quote(join(home, 'shot.sh'))}`;
  const child = spawn('script', ['-qefc', line, '/dev/null'], {
    env: { ...env, SHELL: '/bin/sh' },
    cwd: home,
  });
  let next = 0;
  let left;
  const answer = () => {
    const [question, keys] = answers[next] ?? [];
    if (question === undefined || !screenText(terminal).includes(question)) return;
    next += 1;
    if (keys === undefined) left();
    else child.stdin.write(keys);
  };
  const ended = new Promise((resolve) => {
    left = resolve;
    child.once('close', resolve);
  });
  child.stdout.on('data', (data) => terminal.write(data, answer));
  await ended;
  await new Promise((resolve) => terminal.write('', resolve));
  if (isLeft) child.kill();
  writeFileSync(`${root}docs/${name}.svg`, drawScreen(terminal));
}

function screenText({ buffer: { active }, rows }) {
  const text = (row) => active.getLine(active.viewportY + row)?.translateToString(true) ?? '';
  return Array.from({ length: rows }, (_, row) => text(row)).join('\n');
}

function quote(text) {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

const HERE = '--country us --brand "Amazon.com"';
const GIFT = '--to friend@example.com --email you@example.com';

const SHOTS = {
  brands: () => ({
    lines: [
      'scrip brands --country us --category games --sort max --reverse --limit 12',
      'scrip search amzon --country us',
    ],
  }),
  catalog: () => ({
    lines: [`scrip catalog ${HERE}`, 'scrip catalog --country de --brand eSIM --limit 8'],
  }),
  price: ({ range }) => ({
    lines: [
      `scrip price ${range} ${HERE} \\\n    --value 25`,
      `scrip price ${range} ${HERE} \\\n    --value 25 --coin BTC`,
    ],
  }),
  order: ({ range }) => ({
    lines: [`scrip order ${range} ${HERE} --value 25 \\\n    ${GIFT}`, 'scrip wallet balance'],
    answers: [['Pay up to', 'y\r']],
  }),
  track: ({ order, unpaid }) => ({
    lines: [`scrip track ${order}`, `scrip track ${unpaid} --timeout 0s`],
    rows: 62,
    columns: 136,
  }),
  wizard: () => ({
    lines: ['scrip wizard --type giftcard --country us'],
    answers: [
      ['Which brand', 'amazo'],
      ['❯ Amazon.com', '\r'],
      ['Which amount', '25'],
      ['❯ 25 USD', '\r'],
      ['To which e-mail', 'friend@example.com\r'],
      ['Which coin', '\r'],
      ['On which network', '\r'],
      ['your own e-mail', 'you@example.com\r'],
      ['Is everything right?', undefined],
    ],
    columns: 84,
    isLeft: true,
  }),
  orders: ({ order }) => ({
    lines: ['scrip orders', `scrip orders show ${order}`, 'scrip policy spend'],
    columns: 110,
  }),
  doctor: () => ({ lines: ['scrip doctor'] }),
};

/** What the pictures are of. */
function prepare() {
  // The first run was explained before.
  mkdirSync(join(home, '.local/state/scrip'), { recursive: true });
  writeFileSync(join(home, '.local/state/scrip/welcomed'), '');
  scrip('wallet', 'new');
  scrip('wallet', 'fund', '--usdc', '250');
  const here = ['--country', 'us', '--brand', 'Amazon.com'];
  const gift = ['--to', 'friend@example.com', '--email', 'you@example.com'];
  const items = scrip('catalog', ...here);
  const range = items.find((item) => item.is_range).product_id;
  const fixed = items.find((item) => !item.is_range).product_id;
  const agreed = ['--yes', '--max-amount', '60'];
  const [steam] = scrip('catalog', '--country', 'de', '--brand', 'Steam');
  const atSteam = ['--country', 'de', '--brand', 'Steam', ...gift, ...agreed];
  scrip('order', steam.product_id, ...atSteam, '--note', 'birthday');
  const order = scrip('order', fixed, ...here, ...gift, ...agreed).order_id;
  const partner = ['--coin', 'BTC', '--network', 'Mainnet', '--yes'];
  const unpaid = scrip('order', fixed, ...here, ...gift, ...partner).order_id;
  return { range, order, unpaid };
}

const wanted = process.argv.slice(2);
try {
  const facts = prepare();
  for (const [name, shot] of Object.entries(SHOTS)) {
    if (wanted.length === 0 || wanted.includes(name)) await shoot(name, shot(facts));
  }
} finally {
  rmSync(home, { recursive: true, force: true });
}
