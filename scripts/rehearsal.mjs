// Types the commands of docs/operate into a shell, as they stand: `npm run rehearse -- [bad-days] [backup]`. The first are
// those of bad-days.md, which take in rehearsal.md; the others those of backup.md, for both engines. The package is packed and installed in an empty folder. With the repository's history the
// version before is an earlier commit (BEFORE_COMMIT). Root starts it as nobody, since PostgreSQL wants that.
import { spawn, spawnSync } from 'node:child_process';
import {
  chownSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const operate = join(root, 'docs/operate');
const { BEFORE_COMMIT = 'c1752266' } = process.env;
const NOBODY = 65_534;
const isRoot = process.getuid() === 0;
const as = isRoot ? { uid: NOBODY, gid: NOBODY } : {};

const blocks = (page, kind) =>
  [
    ...readFileSync(join(operate, page), 'utf8').matchAll(
      /^(?:## (.*)|```sh ([a-z -]+)\n([\s\S]*?)^```)$/gm,
    ),
  ]
    .filter(
      ([, heading, own]) => heading !== undefined || own === kind || own === 'the first rehearsal',
    )
    .map(([, heading, own, text]) => (heading === undefined ? { own, text } : { heading }));

const DATA_DIR = '  "data_dir": "data",\n';
const DATABASE = '  "database": { "env": "SHOP_DATABASE" },\n';

/** One script; each heading is printed with the time. */
function scriptOf(page, kind) {
  return blocks(page, kind)
    .map(({ heading, own, text }) => {
      if (heading !== undefined) return `say "${heading}"\n`;
      return own === 'the first rehearsal' ? firstRehearsal() : text;
    })
    .join('');
}

function firstRehearsal() {
  const text = scriptOf('rehearsal.md', 'rehearsal');
  const without = text.replace('kill $(jobs -p)\n', '').replace(DATA_DIR, DATA_DIR + DATABASE);
  if (without.length !== text.length - 'kill $(jobs -p)\n'.length + DATABASE.length) {
    throw new Error('docs/operate/rehearsal.md has changed: its last line, or data_dir');
  }
  return without;
}

const run = (command, args, options) => {
  const { status, stdout, stderr } = spawnSync(command, args, {
    encoding: 'utf8',
    maxBuffer: 2 ** 30,
    ...options,
  });
  if (status !== 0)
    throw new Error(`${command} ${args.join(' ')} ended with ${status}\n${stdout}${stderr}`);
  return stdout;
};

function packed(from, into) {
  mkdirSync(into);
  run('npm', ['pack', '--ignore-scripts', '--pack-destination', into], { cwd: from });
  return join(into, readdirSync(into)[0]);
}

/** The earlier commit, built with the packages of today, or the present program once more. */
function packedBefore(present, into) {
  if (
    spawnSync('git', ['cat-file', '-e', `${BEFORE_COMMIT}^{commit}`], { cwd: root }).status !== 0
  ) {
    console.log(
      `-- no commit ${BEFORE_COMMIT} here: the present version stands for the one before`,
    );
    return present;
  }
  mkdirSync(join(root, 'build'), { recursive: true });
  const earlier = mkdtempSync(join(root, 'build', 'earlier-'));
  try {
    run('sh', ['-c', `git archive ${BEFORE_COMMIT} | tar -x -C '${earlier}'`], { cwd: root });
    run('cp', ['-al', join(root, 'node_modules'), join(earlier, 'node_modules')]);
    run(process.execPath, ['scripts/build.mjs'], { cwd: earlier });
    return packed(earlier, into);
  } finally {
    rmSync(earlier, { recursive: true });
  }
}

const FIND = 'pg_config --bindir 2> /dev/null || ls -d /usr/lib/postgresql/*/bin | tail -1';
const postgres = run('sh', ['-c', FIND]).trim();
for (const tool of [
  'bash',
  'curl',
  'openssl',
  'caddy',
  'npm',
  'sqlite3',
  join(postgres, 'initdb'),
]) {
  if (spawnSync(tool, ['--help']).error)
    throw new Error(`${tool} is not there: install it, and run this again`);
}
const folder = mkdtempSync(join(tmpdir(), 'scrip-rehearsal-'));

/** What a line of the page does not say: a database, a shop that sells before and after the copy, and what is lost. */
function backupScript(engine) {
  const [{ text }] = blocks('backup.md', `backup-${engine}`).filter(
    ({ own }) => own === `backup-${engine}`,
  );
  const [copy, restore] = text.replaceAll('db.example', '127.0.0.1').split(/^# Later.*\n/m);
  const isServer = engine === 'postgres';
  const place = isServer ? '--chain-rpc http://127.0.0.1:8899/rpc' : '';
  return `say 'A copy of ${engine} is put back'
mkdir ${engine} && cd ${engine}
up() { until curl -s -o up.txt "$1"; do sleep 0.1; done; }
${isServer ? DATABASE_SERVER : ''}
serve() { scrip sandbox --port 4021 --data shop ${place} > shop.log 2>&1 & server=$!; up http://127.0.0.1:4021/readyz; }
buy() { scrip order amazon 25 --country us --to $1@example.com --email me@example.com --yes --max-amount 40 --reveal | grep -i code; }
serve
export SCRIP_CHECKOUT_URL=http://127.0.0.1:4021 SCRIP_RPC_URL=http://127.0.0.1:${isServer ? 8899 : 4021}/rpc
export HOME=$PWD
scrip wallet new
scrip wallet fund --usdc 200
buy ann
${copy}
buy bob
kill $server && wait $server || true
${restore.trimEnd()} > audit.txt || [ $? = 11 ]
grep payment_without_order audit.txt
serve
buy cid
kill -9 $(jobs -p) && wait || true
${isServer ? 'pg_ctl -D db -m fast stop' : ''}
cd ..
`;
}

const DATABASE_SERVER = `initdb -D db -U postgres -A trust > db.log
printf '%s\\n' "listen_addresses = '127.0.0.1'" 'port = 5433' "unix_socket_directories = ''" >> db/postgresql.conf
pg_ctl -D db -l db.log -w start
export PGPORT=5433
psql --host 127.0.0.1 --username postgres postgres -c 'create role scrip login' -c 'create database shop owner scrip'
scrip sandbox --chain-only --port 8899 --data ./chain > chain.log 2>&1 &
up http://127.0.0.1:8899/rpc
export SCRIP_DATABASE_URL=postgres://scrip@127.0.0.1:5433/shop
`;

const PARTS = {
  'bad-days': (present) => [
    scriptOf('bad-days.md', 'bad-days'),
    { BEFORE: packedBefore(present, join(folder, 'before')), NEW: present },
  ],
  backup: (present) => [
    `npm install --global --prefix program --no-audit --no-fund --loglevel error '${present}'
PATH=$PWD/program/bin:$PATH
${backupScript('sqlite')}${backupScript('postgres')}`,
    {},
  ],
};

async function type(name, present) {
  const [text, env] = PARTS[name](present);
  const home = join(folder, name);
  mkdirSync(home);
  copyFileSync(join(operate, 'sample-supplier.mjs'), join(home, 'sample-supplier.mjs'));
  if (isRoot) for (const path of [folder, home]) chownSync(path, NOBODY, NOBODY);
  const script = `set -e
say() { printf '\n== %s (%s s)\n' "$1" $SECONDS; }
trap '{ kill -9 $(jobs -p); pg_ctl -D db -m immediate stop; } > end.txt 2>&1 || true' EXIT
trap 'exit 1' TERM
trap 'echo "failed: $BASH_COMMAND"' ERR
${text}`;
  const shell = spawn('bash', ['-c', script], {
    cwd: home,
    env: {
      PATH: `${postgres}:${process.env.PATH}`,
      HOME: home,
      // For npm, behind a proxy that has a certificate of its own.
      NODE_EXTRA_CA_CERTS: process.env.NODE_EXTRA_CA_CERTS ?? '',
      ...env,
      // The chain of the sandbox is final after a second instead of 13.
      ...{ SCRIP_TEST: '1', SCRIP_POLL_MS: '300', SCRIP_FINAL_SLOTS: '3' },
    },
    ...as,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => shell.kill('SIGTERM'));
  return new Promise((resolve) => shell.once('close', resolve));
}

try {
  const present = packed(root, join(folder, 'new'));
  const named = process.argv.slice(2);
  for (const name of named.length > 0 ? named : Object.keys(PARTS)) {
    const began = performance.now();
    const status = await type(name, present);
    const seconds = Math.round((performance.now() - began) / 1_000);
    console.log(`\n${status === 0 ? 'ok ' : 'failed'} ${name} in ${seconds} s`);
    if (status !== 0) process.exitCode = 1;
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
