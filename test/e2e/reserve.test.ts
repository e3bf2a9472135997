/** The policy's reserve by the real process: orders and carts above it are paid, and none below, at once or not. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Home, makeHome } from '../support/cli.ts';
import { type ServedSandbox, serveSandbox } from '../support/served-sandbox.ts';
import { AGREED, amazonProducts, fundedWallet, GIFT, HERE } from '../support/shop.ts';

let home: Home;
let sandbox: ServedSandbox;
let range: string;

/** 60 USDC, of which 15 stay: four orders of 10.10, and no fifth. */
beforeAll(async () => {
  home = makeHome();
  sandbox = await serveSandbox(home);
  await fundedWallet(home, sandbox.flags, '60');
  range = (await amazonProducts(home, sandbox.flags)).range.product_id;
  await home.json(['policy', 'set', 'minReserve', '15']);
});
afterAll(async () => {
  await sandbox.stop();
  home.remove();
});

const order = (key: string) => [
  ...['order', range, ...HERE, '--value', '10', ...GIFT, ...AGREED, '--json'],
  ...['--idempotency-key', key, ...sandbox.flags],
];

describe('under a reserve of 15 USDC', () => {
  it('an order and a cart that leave it are bought', async () => {
    const bought = await home.run(order('first'));
    expect(bought.status, bought.stderr).toBe(0);
    const cart = join(home.dir, 'one.csv');
    writeFileSync(cart, `${range},friend@example.com,10\n`);
    const agreed = [
      '--email',
      'you@example.com',
      '--yes',
      '--max-total',
      '11',
      '--allow-duplicate',
    ];
    const words = ['order', '--cart', cart, ...HERE, ...agreed, ...sandbox.flags, '--json'];
    const { status, stderr } = await home.run(words);
    expect(status, stderr).toBe(0);
  });

  it('of five orders at once two are paid, and the reserve stays', {
    timeout: 60_000,
  }, async () => {
    const results = await Promise.all(
      ['a', 'b', 'c', 'd', 'e'].map((key) => home.run(order(`at-once-${key}`))),
    );
    const paid = results.filter(({ status }) => status === 0);
    const rules = results
      .filter(({ status }) => status !== 0)
      .map(({ stderr }) => JSON.parse(stderr).error.details.rule);
    expect(paid.length).toBeLessThanOrEqual(2);
    expect(new Set(rules)).toEqual(new Set(['minReserve']));
    const { usdc } = await home.json<{ usdc: string }>(['wallet', 'balance', ...sandbox.flags]);
    expect(Number(usdc)).toBeGreaterThanOrEqual(15);
  });

  it('one that would break it is refused before it is sent', async () => {
    const words = [...order('late'), '--dry-run'];
    const left = await home.json<{ usdc: string }>(['wallet', 'balance', ...sandbox.flags]);
    const refused = await home.run(words);
    expect(refused.status === 0).toBe(Number(left.usdc) >= 25.1);
  });
});
