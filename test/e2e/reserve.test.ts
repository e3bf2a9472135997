/** The policy's reserve by the real process: orders and carts above it are paid, and none below, at once or not. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Home, makeHome } from '../support/cli.ts';
import { type ServedHere, serveHere } from '../support/served-here.ts';
import { AGREED, amazonProducts, fundedWallet, GIFT, HERE } from '../support/shop.ts';

let home: Home;
let sandbox: ServedHere;
let range: string;

/** 70.10 USDC, of which 15 stay: five orders of 10.10, and no sixth. */
beforeAll(async () => {
  home = makeHome();
  sandbox = await serveHere(home);
  await fundedWallet(home, sandbox.flags, '70.1');
  range = amazonProducts().range.product_id;
  await home.json(['policy', 'set', 'minReserve', '15']);
});
afterAll(async () => {
  await sandbox.stop();
});

const order = (key: string) => [
  ...['order', range, ...HERE, '--value', '10', ...GIFT, ...AGREED, '--json'],
  ...['--idempotency-key', key, ...sandbox.flags],
];

/** What the policy leaves, as three commands tell it. */
async function left(): Promise<readonly string[]> {
  const { today } = await home.json<{ today: { left: string } }>([
    'policy',
    'show',
    ...sandbox.flags,
  ]);
  const spend = await home.json<{ today: { left: string } }>(['spend', ...sandbox.flags]);
  const { policy_left_usdc } = await home.json<{ policy_left_usdc: string }>([
    ...order('never'),
    '--dry-run',
  ]);
  return [today.left, spend.today.left, policy_left_usdc];
}

describe('under a reserve of 15 USDC', () => {
  it('what is left of the day is what the wallet holds above it', async () => {
    expect(await left()).toEqual(['55.10', '55.10', '55.10']);
    const check = ['policy', 'check', ...sandbox.flags, '--json', '--amount'];
    expect((await home.run([...check, '55.10'])).status).toBe(0);
    expect((await home.run([...check, '55.11'])).status).toBe(6);
  });

  it('a payment that is on the chain, and not final, is taken off once', async () => {
    const bought = await home.run([...order('not-final'), '--no-wait']);
    expect(bought.status, bought.stderr).toBe(0);
    expect(await left()).toEqual(['45.00', '45.00', '45.00']);
  });

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
    timeout: 180_000,
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
