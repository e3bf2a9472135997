// Tries what packaging/ has, as far as this machine can: `npm run try:packaging -- [unit] [containers]`.
// The unit of systemd is verified, rated, and started under a systemd in a container. The image is built by podman, and compose.yaml started by
// podman-compose: a shop on PostgreSQL behind Caddy sells, and sells again after its server was killed. Images
// that no registry gives are made from Debian's packages by debootstrap (as root); what was replaced is printed.
import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'scrip-packaging-'));
const packaging = join(folder, 'packaging');
/** Of compose.yaml and the Dockerfile, with the packages of Debian and the command that stand in. */
const IMAGES = {
  'docker.io/library/node:20-bookworm-slim': { packages: ['ca-certificates'], command: ['node'] },
  'docker.io/library/postgres:17-bookworm': {
    packages: ['postgresql'],
    command: ['sh', '-c', POSTGRES()],
  },
  'docker.io/library/caddy:2': {
    packages: ['caddy', 'ca-certificates'],
    command: ['caddy', 'run', '--config', '/etc/caddy/Caddyfile', '--adapter', 'caddyfile'],
  },
};
const SHOP_UID = 10_001;
const SITE = 'https://localhost:8443';
const CHAIN = 'http://127.0.0.1:8999/rpc';

const has = (tool) => spawnSync(tool, ['--version']).error === undefined;

function run(command, args, options = {}) {
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8', ...options });
  if (status === 0) return stdout;
  throw new Error(`${command} ${args.join(' ')} ended with ${status}\n${stdout}${stderr}`);
}

function ok(text) {
  console.log(`ok  ${text}`);
}

/** The most that `systemd-analyze security` may say, in tenths. */
const EXPOSURE = 15;

function tryUnit() {
  if (!has('systemd-analyze'))
    return console.log('no  systemd-analyze: the unit was not looked at');
  const unit = join(folder, 'shop.service');
  const text = readFileSync(join(root, 'packaging/shop.service'), 'utf8');
  // systemd asks whether the program is there.
  writeFileSync(unit, text.replace('/usr/bin/scrip', process.execPath));
  run('systemd-analyze', ['verify', unit]);
  const words = ['security', '--offline=true', `--threshold=${EXPOSURE}`, unit];
  ok(`shop.service is valid; ${run('systemd-analyze', words).trim().split('\n').at(-1).slice(2)}`);
  if (!has('podman')) return console.log('no  podman: the unit was not started');
  startUnit();
}

/** Under systemd in a container, with a chain beside it, on SQLite. */
function startUnit() {
  const [node] = Object.keys(IMAGES);
  const context = join(folder, 'systemd');
  mkdirSync(context);
  run('npm', ['pack', '--ignore-scripts', '--pack-destination', context], { cwd: root });
  cpSync(join(root, 'packaging/shop.service'), join(context, 'shop.service'));
  writeFileSync(join(context, 'trial.sh'), UNIT_TRIAL);
  const file = `FROM ${imageOf(node)}
RUN apt-get update && apt-get install -y --no-install-recommends systemd systemd-sysv curl
COPY scrip-cli-*.tgz trial.sh /root/
COPY shop.service /etc/systemd/system/
RUN npm install --global --prefix /usr --no-audit --no-fund /root/scrip-cli-*.tgz
CMD ["/sbin/init"]`;
  writeFileSync(join(context, 'Dockerfile'), file);
  run('podman', ['build', '--tag', 'localhost/scrip-unit', context]);
  const id = run('podman', [
    'run',
    '--detach',
    '--systemd=always',
    '--privileged',
    'localhost/scrip-unit',
  ]).trim();
  try {
    run('podman', [
      'exec',
      id,
      'bash',
      '-c',
      'until systemctl is-system-running --wait; do sleep 1; done',
    ]);
    ok(run('podman', ['exec', id, 'bash', '/root/trial.sh']).trim().replaceAll('\n', '\nok  '));
  } finally {
    run('podman', ['rm', '--force', id]);
    run('podman', ['rmi', '--force', 'localhost/scrip-unit']);
  }
}

async function tryContainers() {
  const missing = ['podman', 'podman-compose'].filter((tool) => !has(tool));
  if (missing.length > 0) return console.log(`no  ${missing.join(', ')}: no container was started`);
  cpSync(join(root, 'packaging'), packaging, { recursive: true });
  run('npm', ['pack', '--ignore-scripts', '--pack-destination', packaging], { cwd: root });
  const images = Object.fromEntries(Object.keys(IMAGES).map((name) => [name, imageOf(name)]));
  const [node, postgres, caddy] = Object.values(images);
  const labels = [
    '--format',
    'docker',
    '--tag',
    'localhost/scrip-trial',
    '--build-arg',
    `BASE=${node}`,
  ];
  run('podman', ['build', ...labels, packaging]);
  const inspect = (image) =>
    run('podman', ['image', 'inspect', image, '--format', '{{.Size}} {{.User}}']).trim();
  const [size, user] = inspect('localhost/scrip-trial').split(' ');
  const [base] = inspect(node).split(' ');
  ok(`image for ${user}: ${mega(size - base)} MB on a base of ${mega(base)} MB`);
  const password = randomBytes(16).toString('hex');
  writeFileSync(join(packaging, '.env'), `DATABASE_PASSWORD=${password}\nSHOP_SITE=localhost\n`);
  writeFileSync(
    join(packaging, 'trial.yaml'),
    JSON.stringify({
      services: {
        database: { image: postgres },
        shop: {
          image: 'localhost/scrip-trial',
          // A shop speaks plain http to its own machine alone, so the chain is a second process of it.
          entrypoint: ['sh', '-c', IN_SHOP],
          ports: ['127.0.0.1:8999:8999'],
        },
        caddy: { image: caddy, ports: ['127.0.0.1:8443:443'] },
      },
    }),
  );
  const change = (name, from, to) => {
    const path = join(packaging, name);
    writeFileSync(path, readFileSync(path, 'utf8').replace(from, to));
  };
  // Ports below 1024 may be taken.
  change('compose.yaml', '["80:80", "443:443"]', '[]');
  const files = ['--project-name', 'shop', '-f', 'compose.yaml', '-f', 'trial.yaml'];
  const compose = (...words) => run('podman-compose', [...files, ...words], { cwd: packaging });
  try {
    await withChain(makeShop);
    compose('up', '--detach');
    await sell();
  } catch (error) {
    for (const name of ['database', 'shop', 'caddy']) {
      const { stdout, stderr } = spawnSync('podman', ['logs', '--tail', '15', `shop_${name}_1`], {
        encoding: 'utf8',
      });
      console.error(`-- ${name}\n${stdout}${stderr}`);
    }
    throw error;
  } finally {
    compose('down', '--volumes');
    run('podman', ['rmi', '--force', 'localhost/scrip-trial']);
  }
}

const mega = (bytes) => Math.round(bytes / 1e6);

/** The image itself, or one that stands in for it, which is kept for the next time. */
function imageOf(name) {
  const isHere = (image) => spawnSync('podman', ['image', 'exists', image]).status === 0;
  if (isHere(name)) return name;
  const { packages, command } = IMAGES[name];
  const made = `localhost/instead-of-${name.split('/').at(-1).replace(':', '-')}`;
  if (!isHere(made) && spawnSync('timeout', ['30', 'podman', 'pull', name]).status === 0)
    return name;
  console.log(`--  ${name} is not to be had: ${packages.join(', ')} of Debian instead`);
  if (isHere(made)) return made;
  const base = join(folder, 'root');
  run('debootstrap', ['--variant=minbase', `--include=${packages.join()}`, 'bookworm', base]);
  if (name.includes('/node:')) {
    const paths = [process.execPath, '/usr/bin/npm', '/usr/lib/node_modules/npm', '/etc/ssl/certs'];
    run('sh', [
      '-c',
      `tar -C / -c "$@" | tar -C '${base}' -x`,
      'sh',
      ...paths.map((path) => path.slice(1)),
    ]);
  }
  const change = [
    ...['--change', `CMD ${JSON.stringify(command)}`],
    ...['--change', 'ENV XDG_DATA_HOME=/data'],
    ...['--change', 'ENV NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt'],
  ];
  run('sh', ['-c', `tar -C '${base}' -c . | podman import "$@" - '${made}'`, 'sh', ...change]);
  rmSync(base, { recursive: true });
  return made;
}

/** What the official image does at its first start. */
function POSTGRES() {
  return `set -e
data=/var/lib/postgresql/data; bin=$(echo /usr/lib/postgresql/*/bin); chown postgres $data; chmod 700 $data
as() { setpriv --reuid postgres --regid postgres --clear-groups "$@"; }
if [ ! -e $data/PG_VERSION ]; then
  echo "$POSTGRES_PASSWORD" > /tmp/password
  as $bin/initdb -D $data -U $POSTGRES_USER --auth scram-sha-256 --pwfile /tmp/password
  echo 'host all all all scram-sha-256' >> $data/pg_hba.conf
  echo "create database $POSTGRES_DB;" | as $bin/postgres --single -D $data postgres
fi
exec setpriv --reuid postgres --regid postgres --clear-groups $bin/postgres -D $data -c listen_addresses='*'`;
}

function scrip(...words) {
  return run(process.execPath, [join(root, 'bin/scrip.js'), ...words], {
    cwd: folder,
    env: buyer(),
  });
}

function buyer() {
  const certificate = join(folder, 'root.crt');
  return {
    PATH: process.env.PATH,
    HOME: folder,
    SCRIP_RPC_URL: CHAIN,
    SCRIP_CHECKOUT_URL: SITE,
    NODE_EXTRA_CA_CERTS: certificate,
  };
}

async function until(work, what) {
  for (let tries = 0; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      if (tries === 60) throw new Error(`${what} did not come`, { cause: error });
    }
    await pause(1_000);
  }
}

const CHAIN_ONLY = ['sandbox', '--chain-only', '--port', '8999', '--data'];
const IN_SHOP = `[ -e chain ] || cp -r /etc/shop/chain .
scrip ${CHAIN_ONLY.join(' ')} chain --host 0.0.0.0 &
exec scrip serve --config /etc/shop/shop.json --log json`;

/** The chain that the shop begins with is made here. */
async function withChain(make) {
  const words = [join(root, 'bin/scrip.js'), ...CHAIN_ONLY, join(packaging, 'shop/chain')];
  mkdirSync(join(packaging, 'shop'), { mode: 0o700 });
  const chain = spawn(process.execPath, words, { env: buyer(), stdio: 'ignore' });
  try {
    await until(() => fetch(CHAIN), 'the chain');
    make(join(packaging, 'shop'));
  } finally {
    chain.kill();
    await once(chain, 'exit');
  }
  run('chown', ['-R', `${SHOP_UID}:${SHOP_UID}`, join(packaging, 'shop')]);
}

/** Prints what was seen. */
const UNIT_TRIAL = `set -e
exec 3>&1 > /root/trial.log 2>&1
useradd --system --create-home --home-dir /var/lib/shop --shell /usr/sbin/nologin shop
cd /var/lib/shop
mkdir -m 700 secrets data
export HOME=/root SCRIP_RPC_URL=http://127.0.0.1:8899/rpc SCRIP_CHECKOUT_URL=http://127.0.0.1:4020
scrip sandbox --chain-only --port 8899 --data /root/chain &
until curl -s -o /dev/null $SCRIP_RPC_URL; do sleep 0.2; done
umask 077
product='"product_id": "0b7c2f1e-5d0a-4c8e-9f0f-3a5f6d1c2b01", "face_value": "20"'
for code in one two; do echo "{$product, \\"voucher_code\\": \\"CODE-$code\\"}" >> secrets/codes.jsonl; done
echo $SCRIP_RPC_URL > secrets/rpc
node -p 'crypto.randomBytes(32).toString("hex")' > secrets/seed
for name in fee-payer treasury; do
  scrip wallet new --keypair secrets/$name.json
  scrip wallet fund --keypair secrets/$name.json --sol 1 --usdc 1
done
cat > goods.json <<END
{"brands": [{"brand_name": "Corner", "country_code": "us", "category": "retail", "products": [{$product}]}]}
END
cat > shop.json <<END
{"data_dir": "data", "master_seed": {"file": "secrets/seed"}, "listen": {"port": 4020},
 "chain": {"rpc": {"file": "secrets/rpc"}, "fee_payer": {"file": "secrets/fee-payer.json"},
   "treasury": "$(scrip wallet address --keypair secrets/treasury.json --template '{address}')"},
 "catalog": {"file": "goods.json"}, "supplier": {"kind": "codes", "file": "secrets/codes.jsonl"}}
END
chown -R shop:shop /var/lib/shop
systemctl enable --now shop
ready() { until curl -sf $SCRIP_CHECKOUT_URL/readyz; do sleep 0.5; done; }
ready
scrip wallet new && scrip wallet fund --usdc 100
buy() { scrip order Corner 20 --country us --to $1@example.com --email $1@example.com --yes --max-amount 30 --reveal; }
buy ann | grep CODE-one
systemctl kill --signal KILL shop
until [ $(systemctl show shop -p NRestarts --value) = 1 ]; do sleep 0.5; done
ready
buy bob | grep CODE-two
echo 'sold, was killed, began again by systemd, and sold' >&3
pid=$(systemctl show shop -p MainPID --value)
nsenter -t $pid -m touch /etc/new && exit 1
grep -P 'CapEff:\\t0+$' /proc/$pid/status && grep -P 'Seccomp:\\t2' /proc/$pid/status
echo 'no capability, a filter of system calls, a system that it cannot write to' >&3
systemctl stop shop
[ "$(systemctl show shop -p Result --value)" = success ] && echo 'stopped' >&3
`;

const PRODUCT = '0b7c2f1e-5d0a-4c8e-9f0f-3a5f6d1c2b01';

/** The folder that compose.yaml shows to the shop. */
function makeShop(shop) {
  const write = (name, text) => writeFileSync(join(shop, name), text, { mode: 0o600 });
  const wallet = (name, sol, usdc) => {
    const file = join(shop, `${name}.json`);
    scrip('wallet', 'new', '--keypair', file);
    scrip('wallet', 'fund', '--keypair', file, '--sol', sol, '--usdc', usdc);
    return scrip('wallet', 'address', '--keypair', file, '--template', '{address}').trim();
  };
  wallet('fee-payer', '1', '0');
  const treasury = wallet('treasury', '0', '1');
  write('seed', randomBytes(32).toString('hex'));
  write('rpc', CHAIN);
  const codes = ['one', 'two', 'three'].map((name) =>
    JSON.stringify({ product_id: PRODUCT, face_value: '20', voucher_code: `CODE-${name}` }),
  );
  write('codes.jsonl', `${codes.join('\n')}\n`);
  const product = { product_id: PRODUCT, face_value: '20' };
  const brand = {
    brand_name: 'Corner',
    country_code: 'us',
    category: 'retail',
    products: [product],
  };
  write('goods.json', JSON.stringify({ brands: [brand] }));
  write(
    'shop.json',
    JSON.stringify({
      data_dir: '/var/lib/shop',
      database: { env: 'SHOP_DATABASE' },
      master_seed: { file: 'seed' },
      listen: { host: '0.0.0.0', port: 4020, public_url: SITE, trusted_proxies: ['10.77.0.0/24'] },
      chain: { rpc: { file: 'rpc' }, fee_payer: { file: 'fee-payer.json' }, treasury },
      catalog: { file: 'goods.json' },
      supplier: { kind: 'codes', file: 'codes.jsonl' },
    }),
  );
  scrip('wallet', 'new');
  scrip('wallet', 'fund', '--usdc', '100');
}

async function sell() {
  const authority = 'shop_caddy_1:/data/caddy/pki/authorities/local/root.crt';
  await until(() => run('podman', ['cp', authority, join(folder, 'root.crt')]), 'the certificate');
  const ready = () =>
    run('curl', ['--fail', '--silent', '--cacert', join(folder, 'root.crt'), `${SITE}/readyz`]);
  await until(ready, 'the shop');
  ok(`open behind Caddy: ${ready()}`);
  await until(() => run('podman', ['healthcheck', 'run', 'shop_shop_1']), 'the health check');
  ok('healthy');
  const inside = (...words) =>
    spawnSync('podman', ['exec', 'shop_shop_1', ...words], { encoding: 'utf8' });
  if (inside('id', '-u').stdout.trim() !== String(SHOP_UID))
    throw new Error('the shop is another user');
  if (inside('touch', '/opt/scrip/new').status === 0)
    throw new Error('the image can be written to');
  ok('without root, and its files cannot be written to');
  const order = (to) => {
    const goods = ['Corner', '20', '--country', 'us', '--to', to, '--email', 'me@example.com'];
    return scrip('order', ...goods, '--yes', '--max-amount', '30', '--reveal');
  };
  const first = /CODE-\w+/.exec(order('ann@example.com'))?.[0];
  run('podman', ['kill', 'shop_shop_1']);
  run('podman', ['start', 'shop_shop_1']);
  await until(ready, 'the shop');
  const second = /CODE-\w+/.exec(order('bob@example.com'))?.[0];
  if (!first || !second || first === second) throw new Error(`sold ${first}, ${second}`);
  ok('sold before and after the shop was killed, each code once');
}

try {
  const parts = { unit: tryUnit, containers: tryContainers };
  const named = process.argv.slice(2);
  for (const name of named.length > 0 ? named : Object.keys(parts)) await parts[name]();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
