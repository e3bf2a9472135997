/** Alarms of a served shop: in its log, by webhook and mail, in its metrics; rules and board of the documentation. */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { join } from 'node:path';
import { text as textIn } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, it, vi } from 'vitest';
import { samplesIn } from '../../src/service/http/observation.ts';
import { hostThat, listenOn } from '../support/at-end.ts';
import { FINAL_SOON, makeHome, SCRIP } from '../support/cli.ts';
import { mailServer } from '../support/mail-server.ts';
import { createPrivateCa } from '../support/private-ca.ts';
import { PRODUCT, prepareShop, withBase } from '../support/real-shop.ts';
import type { ServedSandbox } from '../support/served-sandbox.ts';
import { verifyThen } from '../support/webhook-receiver.ts';

const WAIT = { timeout: 60_000, interval: 200 };
const SECRET = `whsec_${Buffer.alloc(32, 5).toString('base64')}`;

const home = makeHome(SCRIP, FINAL_SOON);
const at = (name: string) => join(home.dir, name);
const shop = await prepareShop(home);
const told: { type: string; data: { alarm: string; text: string } }[] = [];
/** Posts that nobody answers yet. */
let held = 0;
let revive: () => void = () => undefined;
const revived = new Promise<void>((resolve) => {
  revive = resolve;
});
const ops = await hostThat(async (request, response) => {
  const body = await textIn(request);
  held += 1;
  await revived;
  verifyThen(SECRET, body, request.headers);
  told.push(JSON.parse(body));
  response.end();
});
const { heard, server: smtp } = await mailServer();
const ca = createPrivateCa();
writeFileSync(at('ca.pem'), ca.cert);
const publicUrl = await listenOn(createServer(ca.issue('127.0.0.1')));
for (const [name, text] of Object.entries({ ops, smtp, hook: SECRET })) {
  writeFileSync(at(name), text, { mode: 0o600 });
}
const config = JSON.parse(
  JSON.stringify(withBase(home, shop.configFile, `${shop.chain.url}/rpc/base`)),
);
writeFileSync(
  at(shop.configFile),
  JSON.stringify({
    ...config,
    listen: { ...config.listen, public_url: publicUrl.replace('http', 'https') },
    // It has 1 SOL, which is less than twice this.
    chain: { ...config.chain, fee_payer_floor_sol: '0.6' },
    alarms: {
      webhook: { url: { file: 'ops' }, secret: { file: 'hook' } },
      mail: { server: { file: 'smtp' }, from: 'shop@example.com', to: ['ann@example.com'] },
    },
  }),
);
const openShop = () => shop.open({ NODE_EXTRA_CA_CERTS: at('ca.pem') });
const ofShop = ['--config', shop.configFile];
const BEGUN = ['certificate', 'fee_account', 'fee_payer', 'refund_wallet'];
const toldBy = (type: string) =>
  told.filter((one) => one.type === type).map(({ data }) => data.alarm);

let open: ServedSandbox;
let metrics = '';

/** The status of an offer, for which the supplier is asked. */
async function price(): Promise<number> {
  const item = { product_id: PRODUCT, face_value: '20', beneficiary_account: 'a@example.com' };
  const body = JSON.stringify({ email: 'you@example.com', items: [item] });
  const headers = { 'content-type': 'application/json' };
  return (await fetch(`${open.url}/v1/orders`, { method: 'POST', body, headers })).status;
}

it('hold up no sale while nobody takes them', async () => {
  open = await openShop();
  await vi.waitFor(() => expect(held).toBe(BEGUN.length), WAIT);
  expect([await price(), told]).toEqual([402, []]);
  revive();
});

it('are told once by every way, also by a server that starts anew', async () => {
  await vi.waitFor(() => expect(toldBy('alarm.began').toSorted()).toEqual(BEGUN), WAIT);
  await vi.waitFor(() => expect(heard.join('').match(/Subject: /g)).toHaveLength(4), WAIT);
  expect(heard.join('')).toContain('Subject: 127.0.0.1:');
  await open.stop('SIGKILL');
  open = await openShop();
  const read = async () => (await fetch(`${open.url}/metrics`)).text();
  await vi.waitFor(async () => expect(await read()).toContain('{part="fee_payer"} 1'), WAIT);
  expect(await price()).toBe(402);
  metrics = await read();
  const ready = await (await fetch(`${open.url}/readyz`)).json();
  expect(ready).toMatchObject({
    ready: true,
    degraded: {
      fee_payer: expect.stringMatching(/less SOL than twice its minimum \(0\.\d+ < [\d.]+\)$/),
    },
  });
  const listed = await home.run(['serve', 'alarms', ...ofShop, '--json']);
  expect([listed.status, JSON.parse(listed.stdout)]).toMatchObject([1, { length: 5 }]);
  const shown = await home.run(['serve', 'alarms', ...ofShop]);
  expect(shown.stdout).toMatch(
    /^fee_payer\s.*Send it SOL.*: scrip serve --check --config shop.json/m,
  );
  expect(shown.stderr).toContain('SHOP_ALARM');
  await open.stop();
  expect(open.warnings()).not.toContain('twice its minimum');
  expect(toldBy('alarm.began').toSorted()).toEqual(BEGUN);
});

it('are tried by every way', async () => {
  expect(await home.json(['serve', 'alarms', '--test', ...ofShop])).toEqual({
    sent_by: ['webhook', 'mail'],
    failed: [],
  });
  expect(told.at(-1)).toMatchObject({ type: 'alarm.test' });
  expect(heard.join('')).toContain('(test)');
  writeFileSync(at('smtp'), 'smtp://127.0.0.1:1');
  const failed = await home.run(['serve', 'alarms', '--test', ...ofShop]);
  expect(failed).toMatchObject({
    status: 4,
    stdout:
      'webhook\ttaken\nmail\tThe mail server 127.0.0.1:1 took no mail: the connection was refused (ECONNREFUSED)\n',
  });
});

const FOLDER = fileURLToPath(new URL('../../docs/operate/monitoring/', import.meta.url));
const RULES = readFileSync(join(FOLDER, 'scrip.rules.yml'), 'utf8');
const BOARD: { panels: { title: string; targets: { expr: string }[] }[] } = JSON.parse(
  readFileSync(join(FOLDER, 'scrip-board.json'), 'utf8'),
);
const OF_BOARD = BOARD.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
const OF_RULES = [...RULES.matchAll(/^ +expr: (.+)$/gm)].map(([, expr = '']) => expr);

it('and all that rules and board ask for is what the shop tells', () => {
  const samples = samplesIn(metrics.split('\n'));
  const wrong = [...OF_RULES, ...OF_BOARD].filter((expr) => {
    const asked = [...expr.matchAll(/(scrip_\w+)(?:\{([^}]*)\})?/g)];
    const sums = [...expr.matchAll(/by \(([^)]+)\)/g)].flatMap(([, by = '']) => by.split(', '));
    return !asked.every(([, name, given = '']) => {
      const pairs = [...given.matchAll(/(\w+)=(~?)"([^"]+)"/g)];
      return samples.some(
        (one) =>
          one.name === name &&
          sums.every((label) => label in one.labels) &&
          pairs.every(([, label = '', isPattern, value = '']) =>
            isPattern
              ? new RegExp(`^(?:${value})$`).test(one.labels[label] ?? '')
              : one.labels[label] === value,
          ),
      );
    });
  });
  expect(wrong).toEqual([]);
});

const hasPromtool = spawnSync('promtool', ['--version']).status === 0;
it.skipIf(!hasPromtool)('and both are valid to Prometheus', () => {
  const records = OF_BOARD.map(
    (expr, index) => `      - record: board:${index}\n        expr: ${JSON.stringify(expr)}\n`,
  );
  writeFileSync(at('board.yml'), `groups:\n  - name: board\n    rules:\n${records.join('')}`);
  for (const file of [join(FOLDER, 'scrip.rules.yml'), at('board.yml')]) {
    const { status, stdout, stderr } = spawnSync('promtool', ['check', 'rules', file]);
    expect([status, String(stdout), String(stderr)]).toEqual([
      0,
      expect.stringContaining('rules found'),
      '',
    ]);
  }
});
