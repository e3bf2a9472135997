/**
 * A merchant chooses the ids of its orders, and what this program proposes to type next has them in it:
 * followed by a shell as they are printed, such hints do nothing but what they say.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type CliResult, collect, inShell, makeHome, SCRIP } from '../support/cli.ts';
import { openFrontHost, type Rewrite, rewriting } from '../support/front-host.ts';
import { serveHere } from '../support/served-here.ts';
import { amazonProducts, HERE, markPlay, orderOf } from '../support/shop.ts';

const SLOW_MS = 120_000;
const IDS: readonly (readonly [what: string, id: string])[] = [
  ['a command', 'x;touch PWNED;#'],
  ['a substitution, quotes and an end of line', '$(touch PWNED)\'"`touch PWNED`\n touch PWNED\n\\'],
  ['an option', '--all'],
  ['another text, which is long', `Order № 7/${'7'.repeat(200)}?a=b&c=d#%2e`],
];

const home = makeHome();

/** The honest ids of orders that were renamed. */
const bought = new Map<string, { id: string }>();

let lastId = '';
/** Texts become others, and the order that was renamed last is found under its honest id. */
function orders(rewrite: Rewrite): void {
  const place = '/v1/orders/';
  host.behave({
    ...rewriting(rewrite),
    hear: ({ url }) =>
      url === place + encodeURIComponent(lastId)
        ? { url: place + (bought.get(lastId)?.id ?? '') }
        : {},
  });
}

/** Orders have this id, to whoever asks for it as it is; what is bought stays as it was sent first. */
function rename(id: string, isSlow = false): void {
  const known = bought.get(id) ?? { id: '' };
  bought.set(id, known);
  lastId = id;
  orders((path, text) => {
    if (path === 'status' && isSlow) return 'processing';
    if (path !== 'order_id') return text;
    known.id = text;
    return id;
  });
}

const served = await serveHere(home);
const host = await openFrontHost(served.url);
const place = ['--checkout-url', host.url, '--rpc-url', `${served.url}/rpc`];
await home.json(['profile', 'add', 'there', ...place]);
await home.json(['profile', 'use', 'there']);
// The profile has a wallet of its own.
markPlay(home, (await home.json<{ address: string }>(['wallet', 'new'])).address);
await home.json(['wallet', 'fund', '--usdc', '2000']);
const productId = amazonProducts().fixed.product_id;
// What a shell finds: this program, and what an attack wants.
const folder = mkdtempSync(join(home.dir, 'shell-'));
mkdirSync(join(folder, 'bin'));
const program = `#!/bin/sh\nexec ${inShell(SCRIP)} "$@"\n`;
writeFileSync(join(folder, 'bin/scrip'), program, { mode: 0o755 });
symlinkSync('/usr/bin/touch', join(folder, 'bin/touch'));

/** As somebody does who pastes what stands behind the colon. */
async function follow(hint: string): Promise<CliResult> {
  const command = hint.slice(hint.indexOf('scrip '));
  const env = { PATH: join(folder, 'bin'), HOME: home.dir };
  const result = await collect(spawn('/bin/sh', ['-c', command], { cwd: folder, env }));
  expect(existsSync(join(folder, 'PWNED')), command).toBe(false);
  return result;
}

/** Buys from the merchant when it takes its time; gives the error that says so. */
async function buySlowly(id: string) {
  rename(id, true);
  const pending = await home.failure(orderOf(productId, ['--timeout', '1s']));
  expect(pending).toMatchObject({ status: 8, code: 'DELIVERY_PENDING' });
  rename(id, false);
  return pending;
}

describe.each(IDS)('an order whose id is %s', (_what, id) => {
  it('is bought, tracked, shown and revealed by what is told to be typed', {
    timeout: SLOW_MS,
  }, async () => {
    const pending = await buySlowly(id);
    // Ours, a plain word; the merchant's stands beside it, as a text.
    const orderId = pending.details.intent_id;
    expect(pending.details.order_id).toBe(orderId);

    const tracked = await follow(`${pending.hint} --json`);
    expect([tracked.status, tracked.stderr]).toEqual([0, '']);
    expect(JSON.parse(tracked.stdout)).toMatchObject({
      order_id: orderId,
      merchant_order_id: id,
      status: 'completed',
      deliveries: [{ voucher_code: expect.stringMatching(/^TEST-/) }],
    });

    const shown = await follow(`scrip orders show ${orderId}`);
    expect(shown).toMatchObject({ status: 0, stdout: expect.stringContaining(orderId) });
    const hint = shown.stderr.trim();
    expect(hint).toMatch(/scrip orders reveal /);
    expect((await follow(hint)).stdout).toMatch(/TEST-/);

    // By the merchant's own id as well, for those who quote it.
    const record = await home.run(['orders', 'show', '--json', '--', id]);
    expect(JSON.parse(record.stdout)).toMatchObject({ order_id: orderId, merchant_order_id: id });
  });
});

it('such an id is told as a text that is escaped, and in no hint', {
  timeout: SLOW_MS,
}, async () => {
  const id = 'x;touch PWNED\n#';
  rename(id);
  const { stdout, stderr, status } = await home.run(orderOf(productId));
  expect([status, stderr.includes('PWNED')]).toEqual([0, false]);
  const [, orderId] = /^Order\t(\S+)$/m.exec(stdout) ?? [];
  expect(orderId).toMatch(/^[0-9a-f-]{36}$/);
  expect(/^Merchant’s id\t(.*)$/m.exec(stdout)?.[1]).toBe(id.replaceAll('\n', '\\u{a}'));
  const note = stderr.split('\n').find((line) => line.includes('orders reveal')) ?? '';
  expect((await follow(note)).stdout).toMatch(/TEST-/);
});

it('an id of the checkout host that looks like one of the partner API is tracked there', {
  timeout: SLOW_MS,
}, async () => {
  const id = '0b7d1ad6-8a3f-4c1c-9b07-9a1d7c1f2d11';
  const pending = await buySlowly(id);
  expect(pending.hint).toBe(`Run: scrip track ${id}`);
  const { status, stdout } = await follow(`${pending.hint} --json`);
  expect([status, JSON.parse(stdout).status]).toEqual([0, 'completed']);
});

it('an answer about another order than the one asked for is not believed', {
  timeout: SLOW_MS,
}, async () => {
  const pending = await buySlowly('cr_mine');
  orders((path, text) => (path === 'order_id' ? 'x;touch PWNED;#' : text));
  const { status, stderr } = await follow(`${pending.hint} --json`);
  expect([status, JSON.parse(stderr).error.code]).toEqual([4, 'MERCHANT_REPLY_INVALID']);
  rename('cr_mine');
});

describe('names of a merchant', () => {
  const NAME = "Kohl's; touch PWNED; $(touch PWNED)";
  it('in a hint are words of the command that it proposes', { timeout: SLOW_MS }, async () => {
    orders((path, text) => (path.endsWith('brand_name') ? NAME : text));
    const unknown = await home.run(['catalog', '--country', 'us', '--brand', "Kohl's; touch PW"]);
    expect(unknown.status).toBe(2);
    const [, flags = ''] = /Did you mean (--brand .*)\?/.exec(unknown.stderr) ?? [];
    const { stderr } = await follow(`scrip catalog --country us ${flags}`);
    expect(stderr).toContain(`"${NAME}"`);

    host.behave({});
    const strange = await home.run(['price', 'gc-none', '--country', 'us', ...HERE.slice(2)]);
    expect(strange.status).toBe(3);
    expect((await follow(strange.stderr.split('hint: ')[1]?.trim() ?? '')).status).toBe(0);
  });
});
