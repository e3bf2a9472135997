/** The policy by the real process: its reserve stays in the wallet, and nobody but its recipients gets anything. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { makeHome } from '../support/cli.ts';
import { serveHere } from '../support/served-here.ts';
import { AGREED, amazonProducts, fundedWallet, GIFT, HERE } from '../support/shop.ts';

const { fixed, range } = amazonProducts();

describe('under a reserve of 15 USDC', async () => {
  /** 70.10 USDC, of which 15 stay: five orders of 10.10, and no sixth. */
  const home = makeHome();
  const { flags } = await serveHere(home);
  beforeAll(async () => {
    await fundedWallet(home, flags, '70.1');
    await home.json(['policy', 'set', 'minReserve', '15']);
  });
  const order = (key: string) => [
    ...['order', range.product_id, ...HERE, '--value', '10', ...GIFT, ...AGREED],
    ...['--idempotency-key', key, ...flags],
  ];
  interface Today {
    readonly today: { readonly left: string };
  }

  /** What the policy leaves, as three commands tell it. */
  async function left(): Promise<readonly string[]> {
    const shown = await home.json<Today>(['policy', 'show', ...flags]);
    const spend = await home.json<Today>(['spend', ...flags]);
    const rehearsal = [...order('never'), '--dry-run'];
    const { policy_left_usdc } = await home.json<{ policy_left_usdc: string }>(rehearsal);
    return [shown.today.left, spend.today.left, policy_left_usdc];
  }

  it('what is left of the day is what the wallet holds above it', async () => {
    expect(await left()).toEqual(['55.10', '55.10', '55.10']);
    const check = ['policy', 'check', ...flags, '--json', '--amount'];
    expect((await home.run([...check, '55.10'])).status).toBe(0);
    expect((await home.run([...check, '55.11'])).status).toBe(6);
  });

  it('a payment that is on the chain, and not final, is taken off once', async () => {
    await home.json([...order('not-final'), '--no-wait']);
    expect(await left()).toEqual(['45.00', '45.00', '45.00']);
  });

  it('an order and a cart that leave it are bought', async () => {
    await home.json(order('first'));
    const cart = join(home.dir, 'one.csv');
    writeFileSync(cart, `${range.product_id},friend@example.com,10\n`);
    const agreed = ['--yes', '--max-total', '11', '--allow-duplicate', ...GIFT.slice(2)];
    await home.json(['order', '--cart', cart, ...HERE, ...agreed, ...flags]);
  });

  it('of five orders at once two are paid, and the reserve stays', async () => {
    const keys = ['a', 'b', 'c', 'd', 'e'].map((key) => `at-once-${key}`);
    const results = await Promise.all(keys.map((key) => home.run([...order(key), '--json'])));
    const refused = results.filter(({ status }) => status !== 0);
    const rules = refused.map(({ stderr }) => JSON.parse(stderr).error.details.rule);
    expect(refused.length).toBeGreaterThanOrEqual(3);
    expect(new Set(rules)).toEqual(new Set(['minReserve']));
    const { usdc } = await home.json<{ usdc: string }>(['wallet', 'balance', ...flags]);
    expect(Number(usdc)).toBeGreaterThanOrEqual(15);
    // One that would break it is refused before it is sent.
    const late = await home.run([...order('late'), '--dry-run']);
    expect(late.status === 0).toBe(Number(usdc) >= 25.1);
  });
});

describe('under a policy for *@example.org and +39*', () => {
  const home = makeHome();
  beforeAll(async () => {
    await fundedWallet(home);
    await home.json(['policy', 'set', 'recipients', '*@example.org,+39*']);
  });
  const ADA = 'ada@example.org';
  const PARTNER = ['--via', 'partner', '--pay'];
  const wordsOf = (to: string, email: string, more: readonly string[]) => [
    ...['order', fixed.product_id, ...HERE, '--to', to, '--email', email, ...AGREED, ...more],
  ];
  const REFUSED = { code: 'RECIPIENT_NOT_ALLOWED', funds_at_risk: 'none' };

  describe.each([
    ['the checkout host', []],
    ['the partner API', PARTNER],
  ])('at %s', (_name, surface) => {
    it.each([
      ['whose e-mail is another’s', ADA, 'eve@elsewhere.example'],
      // Begins like a phone number of the policy, and is somebody's mailbox.
      ['for an e-mail address that begins like a number', '+39a@evil.example', ADA],
    ])('an order %s is refused unsent', async (_what, to, email) => {
      expect(await home.failure(wordsOf(to, email, surface))).toMatchObject(REFUSED);
    });

    it('an order with both of them there is bought', async () => {
      await home.json(wordsOf(ADA, 'grace@example.org', surface));
    });
  });

  it('an order of the partner API with refunds to another wallet is refused unsent', async () => {
    const stranger = '9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin';
    const words = wordsOf(ADA, ADA, [...PARTNER, '--refund-wallet', stranger]);
    const message = expect.stringContaining(`not allow refunds to ${stranger}`);
    expect(await home.failure(words)).toMatchObject({ ...REFUSED, status: 6, message });
    // Made without a payment, and paid later.
    const made = await home.json<{ order_id: string }>([
      ...words.filter((word) => word !== '--pay'),
      '--no-wait',
    ]);
    const pay = ['pay', made.order_id, '--yes', '--max-amount', '26'];
    expect(await home.failure(pay)).toMatchObject({ code: REFUSED.code });
    const policy = join(home.dir, '.config', 'scrip', 'policy.json');
    const kept = readFileSync(policy, 'utf8');
    writeFileSync(policy, JSON.stringify({ recipients: ['*@example.org', stranger] }));
    await home.json(pay);
    writeFileSync(policy, kept);
  });
});
