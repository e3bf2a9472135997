// Draws the pictures of docs/ from real runs on a pseudo terminal (util-linux `script`), with test money in a
// temporary home: `node scripts/gallery.mjs [name…]`. Look at each picture afterwards. `screens` writes the
// screens of docs/gallery.md as text, tried in three sizes; it fails if a line is wrapped, or if the important text
// has scrolled off the screen. `pages` photographs the payment page (Linux x64). `minutes` records a beginner's first
// minutes, as an asciicast.
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as later } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import xterm from '@xterm/headless';
import { shootPages } from './gallery-pages.mjs';
import { drawScreen } from './picture.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const BIN = `${root}bin/scrip.js`;
const home = mkdtempSync(join(tmpdir(), 'scrip-gallery-'));
// An English locale for the pictures.
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

/** Types lines into a shell with the prompt `$`, answers the questions, and draws the screen. */
async function shoot(name, { lines, isLight = false, ...shot }) {
  const typed = lines.map(
    (line) =>
      `printf '\\033[36m$\\033[0m \\033[1m%s\\033[0m\\n' ${quote(line)}\n${line.replaceAll('\\\n', '')}`,
  );
  const { terminal } = await play(typed.join('\necho\n'), shot);
  writeFileSync(`${root}docs/pictures/${name}.svg`, drawScreen(terminal, isLight));
}

/** Runs lines of a shell, answers their questions, and returns the terminal, and whether they have ended. */
async function play(text, { answers = [], columns = 108, rows = 44, more = {}, ...hooks }) {
  const { patienceMs = 15_000, type = (keys, to) => to.write(keys), see = () => undefined } = hooks;
  const terminal = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true });
  const script = `scrip() { ${quote(process.execPath)} ${quote(BIN)} "$@"; }\n${text}\n`;
  writeFileSync(join(home, 'shot.sh'), script);
  const line = `stty rows ${rows} cols ${columns}; exec sh ${quote(join(home, 'shot.sh'))}`;
  const child = spawn('script', ['-qefc', line, '/dev/null'], {
    env: { ...env, ...more, SHELL: '/bin/sh' },
    cwd: home,
  });
  let next = 0;
  let left;
  let hasEnded = false;
  const answer = () => {
    const [question, keys] = answers[next] ?? [];
    if (question === undefined || !isOn(terminal, question)) return;
    next += 1;
    if (keys === undefined) left();
    else type(keys, child.stdin);
  };
  const ended = new Promise((resolve) => {
    left = resolve;
    child.once('close', () => {
      hasEnded = true;
      resolve();
    });
  });
  child.stdout.setEncoding('utf8').on('data', (data) => {
    see(data);
    terminal.write(data, answer);
  });
  const late = setTimeout(() => {
    process.stderr.write(
      `it never asked ${answers[next]?.[0] ?? 'anything'}:\n${screenText(terminal)}\n`,
    );
    process.exitCode = 1;
    left();
  }, patienceMs);
  await ended;
  clearTimeout(late);
  await new Promise((resolve) => terminal.write('', resolve));
  const outcome = { terminal, hasEnded };
  child.kill();
  return outcome;
}

const SIZES = [
  [50, 18],
  [80, 24],
  [120, 40],
];

const SHOWN = 80;

/** Tries each screen in each size, and writes the one of 80 columns below its heading in docs/gallery.md. */
async function writeScreens(facts) {
  const page = `${root}docs/gallery.md`;
  const parts = [];
  for (const [title, screen] of Object.entries(SCREENS)) {
    for (const [at, [columns, rows]] of SIZES.entries()) {
      const { line, whole = [], ...rest } = screen(facts, RECIPIENTS[at]);
      const { terminal, hasEnded } = await play(line, { columns, rows, ...rest });
      const { lines, isWrapped } = wholeScreen(terminal);
      const size = `${columns} by ${rows}`;
      if (isWrapped) {
        process.stderr.write(`wrapped at ${size}: ${line}\n`);
        process.exitCode = 1;
      }
      // Below the output of a command that has ended stands the prompt of the shell.
      const above = Math.max(0, lines.length - rows + (hasEnded ? 1 : 0));
      const shown = lines.slice(above).join('\n');
      for (const part of whole) {
        if (part.test(shown)) continue;
        process.stderr.write(`${part} has left the screen of ${size}: ${line}\n`);
        process.exitCode = 1;
      }
      if (columns !== SHOWN || rest.isOnlyTried) continue;
      const stands = above > 0 ? `; lines above the screen: ${above}` : '';
      parts.push(`### ${title}\n\n\`${line}\`${stands}\n\n\`\`\`text\n${shown}\n\`\`\`\n`);
    }
  }
  const [head] = readFileSync(page, 'utf8').split(MARK);
  writeFileSync(page, `${head}${MARK}\n${parts.join('\n')}`);
}

const MARK = '<!-- screens: written by scripts/gallery.mjs -->\n';
const RECIPIENTS = ['ada@example.com', 'ben@example.com', 'cy@example.com'];

/** Returns all output lines, and whether the terminal has wrapped any. */
function wholeScreen({ buffer: { active } }) {
  const all = Array.from({ length: active.length }, (_, row) => active.getLine(row));
  const lines = all.map((line) => line.translateToString(true).trimEnd());
  while (lines.at(-1) === '') lines.pop();
  return { lines, isWrapped: all.some((line) => line.isWrapped) };
}

function screenText({ buffer: { active }, rows }) {
  const text = (row) => active.getLine(active.viewportY + row)?.translateToString(true) ?? '';
  return Array.from({ length: rows }, (_, row) => text(row)).join('\n');
}

function isOn(terminal, question) {
  const text = screenText(terminal).trimEnd();
  return typeof question === 'string' ? text.includes(question) : question.test(text);
}

function quote(text) {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

const TYPED_YES = ['Buy it?', 'y\r'];
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
    answers: [TYPED_YES],
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
      ['Which e-mail', 'friend@example.com\r'],
      ['Which coin', '\r'],
      ['On which network', '\r'],
      ['Is everything right?', undefined],
    ],
    columns: 84,
  }),
  orders: ({ order }) => ({
    lines: ['scrip orders', `scrip orders show ${order}`, 'scrip policy spend'],
    columns: 110,
  }),
  doctor: () => ({ lines: ['scrip doctor'] }),
  light: () => ({
    lines: ['scrip order amazon 100 --to friend@example.com'],
    answers: [TYPED_YES],
    columns: 80,
    // High enough for both the confirmation and the delivered code.
    rows: 32,
    isLight: true,
  }),
};

/** Must stay on the screen after a purchase: the code, the payment, and the next command. */
const HANDED_OVER = [/^ {6}TEST-\S+$/m, /^Paid /m, /scrip (orders show|track) \S+$/m];

/**
 * The screens of docs/gallery.md by heading: the command, the answers, and the patterns that must be on the
 * screen at the end (`whole`).
 */
const SCREENS = {
  'The first screen': () => ({ line: 'scrip' }),
  'The help of order': () => ({
    isOnlyTried: true,
    line: 'scrip order --help',
    answers: [['q to leave', undefined]],
  }),
  'Several products are meant': (_, to) => ({
    line: `scrip order ama 25 --to ${to}`,
    answers: [['❯ Amazon.com', undefined]],
  }),
  'Before one pays': (_, to) => ({
    line: `scrip order amazon 25 --to ${to}`,
    answers: [['Buy it?', undefined]],
  }),
  'While one waits': (_, to) => ({
    line: `scrip order amazon 25 --to ${to}`,
    answers: [TYPED_YES, ['Waiting for delivery', undefined]],
  }),
  'The code': (_, to) => ({
    line: `scrip order amazon 50 --to ${to}`,
    answers: [TYPED_YES],
    whole: HANDED_OVER,
  }),
  'The code, with NO_COLOR': (_, to) => ({
    isOnlyTried: true,
    line: `scrip order amazon 10 --to ${to}`,
    answers: [TYPED_YES],
    more: { NO_COLOR: '1' },
    whole: HANDED_OVER,
  }),
  'An eSIM, before one pays': ({ esim }, to) => ({
    line: `scrip order ${esim} -c de --to ${to}`,
    answers: [['Buy it?', undefined]],
    whole: [/^ {2}eSIM /m, /^ {2}For /m, /^ {2}Pay /m, /Buy it\?/],
  }),
  'An eSIM': ({ esim }, to) => ({
    line: `scrip order ${esim} -c de --to ${to}`,
    answers: [TYPED_YES],
    // At 50 by 18 the QR code takes the screen: name and next step are above it.
    whole: [/█▀▀▀▀▀▀▀█[\s\S]*▀▀▀\n/, /^ {6}LPA:1\S+$/m],
  }),
  'A cart of 20 lines, three of them wrong': () => ({
    line: 'scrip order --cart gifts.csv',
    whole: [/^LINE /m, /CART_INVALID/, /^hint:/m],
  }),
  'A cart without its wrong lines': () => ({
    line: 'scrip order --cart gifts.csv --skip-invalid',
    answers: [['Pay up to', undefined]],
    whole: [/^ {2}Pay /m, /Pay up to/],
  }),
  'A payment in BTC, declined': ({ range }, to) => ({
    line: `scrip order ${range} -v 35 --to ${to} --coin BTC`,
    answers: [
      ['Place this order', 'y\r'],
      ['Pay it with', 'n\r'],
    ],
    whole: [/^ {2}Pay /m, /error\[DECLINED\]/, /sandbox pay/],
  }),
  'What was bought': () => ({
    line: 'scrip orders --limit 8',
    whole: [/^ORDER .*WHEN$/m],
  }),
  'A payment in BTC': ({ range }, to) => ({
    line: `scrip order ${range} -v 30 --to ${to} --coin BTC`,
    answers: [
      ['Place this order', 'y\r'],
      ['Pay it with', 'y\r'],
    ],
    whole: HANDED_OVER,
  }),
};

/** Creates the wallet and orders that the pictures show. */
function prepare() {
  scrip('wallet', 'new');
  scrip('wallet', 'fund', '--usdc', '900');
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
  const partner = ['--coin', 'BTC', '--network', 'Mainnet', '--yes', '--allow-duplicate'];
  const unpaid = scrip('order', fixed, ...here, ...gift, ...partner).order_id;
  const [esim] = scrip('catalog', '--country', 'de', '--brand', 'eSIM');
  scrip('config', 'set', 'country', 'us');
  scrip('config', 'set', 'email', 'you@example.com');
  const names = Array.from({ length: 17 }, (_, at) => `Amazon,10,friend${at + 1}@example.com`);
  const wrong = ['Amazon,25,friend', 'Amazon,9999,a@example.com', 'Amazn,25,b@example.com'];
  writeFileSync(join(home, 'gifts.csv'), `brand,value,to\n${[...names, ...wrong].join('\n')}\n`);
  return { range, order, unpaid, esim: esim.product_id };
}

const MINUTES = {
  lines: [
    'scrip search amzon --country us',
    'scrip price amazon 25 --country us',
    'scrip order amazon 25 --country us',
    'scrip orders',
    'scrip wizard --type giftcard --country us',
    'scrip wallet balance',
  ],
  answers: [
    ['Which e-mail', 'friend@example.com\r'],
    ['your own address', 'n\r'],
    ['No wallet here yet', 'y\r'],
    TYPED_YES,
    ['Which brand', 'steam'],
    ['❯ Steam', '\r'],
    ['Which amount', '20'],
    ['❯ 20 USD', '\r'],
    ['Which e-mail', 'friend@example.com\r'],
    ['Which coin', '\r'],
    ['On which network', '\r'],
    ['your own e-mail', '\r'],
    ['Is everything right?', 'yes\r'],
  ],
};

/** Records the lines, typed and answered by hand, from a home without a wallet. */
async function record({ lines, answers }) {
  const size = { columns: 96, rows: 30 };
  const typing = `typed() {
  printf '\\033[36m$\\033[0m '; rest=$1; sleep 1
  while [ -n "$rest" ]; do next=\${rest#?}; printf %s "\${rest%"$next"}"; rest=$next; sleep 0.05; done
  sleep 0.4; echo
}`;
  const script = lines.map((line) => `typed ${quote(line)}\n${line}\nsleep 2\necho\n`);
  const since = performance.now();
  const events = [];
  await play(`${typing}\n${script.join('')}`, {
    ...{ ...size, answers, patienceMs: 120_000 },
    more: { HOME: mkdtempSync(join(home, 'minutes-')) },
    see: (data) =>
      events.push([Number(((performance.now() - since) / 1000).toFixed(3)), 'o', data]),
    async type(keys, stdin) {
      await later(1_500);
      for (const key of keys) {
        stdin.write(key);
        await later(90);
      }
    },
  });
  const head = { version: 2, width: size.columns, height: size.rows, title: 'The first minutes' };
  const text = [head, ...events].map((line) => `${JSON.stringify(line)}\n`).join('');
  writeFileSync(`${root}docs/pictures/minutes.cast`, text);
}

const wanted = process.argv.slice(2);
try {
  if (wanted.length === 0 || wanted.includes('pages')) await shootPages(root);
  if (wanted.length === 0 || wanted.includes('minutes')) await record(MINUTES);
  const isMore = wanted.length === 0 || wanted.some((name) => !['pages', 'minutes'].includes(name));
  const facts = isMore ? prepare() : {};
  for (const [name, shot] of Object.entries(SHOTS)) {
    if (wanted.length === 0 || wanted.includes(name)) await shoot(name, shot(facts));
  }
  if (wanted.length === 0 || wanted.includes('screens')) await writeScreens(facts);
} finally {
  rmSync(home, { recursive: true, force: true });
}
