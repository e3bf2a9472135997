/** The policy by the real process: limits that twenty orders at once cannot pass, and who may change them. */
import { spawnSync } from 'node:child_process';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeHome } from '../support/cli.ts';
import { ledgerAt } from '../support/ledger.ts';
import { type ServedSandbox, serveSandbox } from '../support/served-sandbox.ts';
import { AGREED, amazonProducts, fundedWallet, GIFT, HERE, orderOf } from '../support/shop.ts';
import { KEYS, noTerminalBecause, openTerminal } from '../support/terminal.ts';

const PARALLEL_MS = 240_000;
const SLOW_MS = 60_000;

interface Spend {
  readonly today: { readonly spent: string; readonly limit: string; readonly left: string };
  readonly merchants: readonly { readonly today: string }[];
  readonly open_payments: number;
}

/** One product, which the sandbox's margin of 1 %, rounded up, makes 10 USDC. */
const TEN = {
  brands: [
    {
      brand_name: 'Ten',
      country_code: 'us',
      category: 'retail',
      products: [{ product_id: '0b7c2f1e-5d0a-4c8e-9f0f-3a5f6d1c2b10', face_value: '9.90099' }],
    },
  ],
} as const;

describe('twenty orders of 10 USDC at once under a limit of 100 USDC a day', () => {
  const home = makeHome();
  const [{ brand_name: brand, products }] = TEN.brands;
  const ten = [products[0].product_id, '--country', 'us', '--brand', brand];
  let sandbox: ServedSandbox;
  let payer: string;

  beforeAll(async () => {
    const catalog = join(home.dir, 'ten.json');
    writeFileSync(catalog, JSON.stringify(TEN));
    sandbox = await serveSandbox(home, ['--catalog', catalog]);
    payer = await fundedWallet(home, sandbox.flags, '300');
  });
  afterAll(async () => {
    await sandbox.stop();
  });

  it(
    'ten are settled and ten refused, by the chain’s own ledger',
    async () => {
      const quote = await home.json<{ price_usdc: string }>(['price', ...ten, ...sandbox.flags]);
      expect(quote.price_usdc).toBe('10.00');
      await home.json(['policy', 'set', 'perDay', '100']);
      const results = await Promise.all(
        Array.from({ length: 20 }, (_, index) => {
          const agreed = [...GIFT, ...AGREED, '--idempotency-key', `key-${index}`];
          return home.run(['order', ...ten, ...agreed, ...sandbox.flags, '--json']);
        }),
      );
      const refused = results.filter(({ status }) => status !== 0);
      expect(results.filter(({ status }) => status === 0)).toHaveLength(10);
      expect(refused.map(({ stderr }) => JSON.parse(stderr).error)).toEqual(
        Array.from({ length: 10 }, () =>
          expect.objectContaining({
            code: 'SPENDING_LIMIT',
            exit: 6,
            funds_at_risk: 'none',
            details: expect.objectContaining({ rule: 'perDay', limit: '100.00' }),
          }),
        ),
      );
      const ledger = ledgerAt(`${sandbox.url}/rpc`);
      const payments = await ledger.payments(payer);
      const paid = await Promise.all(payments.map((id) => ledger.paidBy(payer, id)));
      expect(paid).toEqual(Array(10).fill(10_000_000n));
      expect(await ledger.balance(payer)).toBe(200_000_000n);
    },
    PARALLEL_MS,
  );

  it('scrip spend says so', async () => {
    const spend = await home.json<Spend>(['spend', ...sandbox.flags]);
    expect(spend.today.left).toBe('0.00');
    expect(spend.today.spent).toBe(spend.today.limit);
    expect(spend.merchants).toHaveLength(1);
    expect(spend.open_payments).toBe(0);
  });
});

describe('the policy', () => {
  const home = makeHome();
  const live = ['--checkout-url', 'https://x402.example', '--keypair', join(home.dir, 'live.json')];

  const errorOf = async (words: readonly string[]) => {
    const { status, stderr, stdout } = await home.run([...words, '--json']);
    expect(stdout).toBe('');
    return { status, ...JSON.parse(stderr).error };
  };

  it('is made private, and only tightened without a person', async () => {
    await home.json(['policy', 'set', 'perOrder', '8']);
    const { path } = await home.json<{ path: string }>(['policy', 'path']);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(await errorOf(['policy', 'set', 'perOrder', '9'])).toMatchObject({
      status: 2,
      code: 'TERMINAL_REQUIRED',
    });
    expect(await errorOf(['policy', 'set', 'hosts.x402.example', 'any'])).toMatchObject({
      code: 'TERMINAL_REQUIRED',
    });
    const shown = await home.json<{ policy: { perOrder: string } }>(['policy', 'show']);
    expect(shown.policy.perOrder).toBe('8.00');
  });

  it('pays fewer of a host without a person, and no word that is no address', async () => {
    const { path } = await home.json<{ path: string }>(['policy', 'path']);
    const kept = readFileSync(path, 'utf8');
    writeFileSync(path, JSON.stringify({ hosts: { 'b.example': { payTo: 'any' } } }));
    const set = ['policy', 'set', 'hosts.b.example'];
    expect(await errorOf([...set, 'none'])).toMatchObject({ status: 2, code: 'POLICY_INVALID' });
    const address = '5MSAf2mTKwMbhRL3wV2UDzDhWJ7kyY4ffoFwZPNfNcFC';
    expect(await home.json([...set, address])).toMatchObject({ allows_more: false });
    expect(await errorOf([...set, 'manifest'])).toMatchObject({ code: 'TERMINAL_REQUIRED' });
    writeFileSync(path, kept);
  });

  it('says what would be refused', async () => {
    const check = ['policy', 'check', '--amount'];
    expect(await home.json([...check, '8'])).toMatchObject({ allowed: true });
    expect(await errorOf([...check, '8.01'])).toMatchObject({ status: 6, code: 'SPENDING_LIMIT' });
    expect(await errorOf([...check, '1', '--host', 'x402.example'])).toMatchObject({
      status: 6,
      code: 'HOST_NOT_ALLOWED',
      hint: expect.stringContaining('scrip policy set hosts.x402.example any'),
    });
  });

  it('a stranger is refused before it is asked for anything', async () => {
    await home.json(['wallet', 'new', '--keypair', join(home.dir, 'live.json')]);
    const agreed = [...GIFT, '--yes', '--max-amount', '10', '--country', 'us', ...live];
    for (const product of [
      ['p-1', ...HERE],
      ['amazon', '5'],
    ]) {
      const found = await errorOf(['order', ...product, ...agreed]);
      expect(found).toMatchObject({ status: 6, code: 'HOST_NOT_ALLOWED' });
    }
  });

  it('an order over the limit of one is refused, and nothing is journaled', async () => {
    await fundedWallet(home);
    const { fixed } = amazonProducts();
    const words = orderOf(fixed.product_id);
    expect(await errorOf(words)).toMatchObject({
      status: 6,
      code: 'SPENDING_LIMIT',
      details: { rule: 'perOrder', limit: '8.00' },
    });
    expect(await home.json(['orders'])).toEqual([]);
    expect(await errorOf([...words, '--dry-run'])).toMatchObject({ code: 'SPENDING_LIMIT' });
  });

  it('in a file that others may change is refused', async () => {
    const { path } = await home.json<{ path: string }>(['policy', 'path']);
    spawnSync('chmod', ['666', path]);
    expect(await errorOf(['policy', 'show'])).toMatchObject({ code: 'POLICY_INVALID', status: 2 });
    spawnSync('chmod', ['600', path]);
  });
});

describe('the same goods twice', () => {
  const home = makeHome();

  it('are refused for ten minutes, and bought where that is wanted', async () => {
    await fundedWallet(home);
    const { fixed } = amazonProducts();
    const words = ['order', fixed.product_id, ...HERE, ...GIFT, '--yes', '--max-amount', '60'];
    await home.json(words);
    const again = await home.run([...words, '--json']);
    expect(again.status).toBe(7);
    expect(JSON.parse(again.stderr).error).toMatchObject({
      code: 'DUPLICATE_PURCHASE',
      hint: expect.stringContaining('--allow-duplicate'),
    });
    await home.json([...words, '--allow-duplicate']);
    expect(await home.json<unknown[]>(['orders'])).toHaveLength(2);
  });
});

describe.skipIf(noTerminalBecause !== undefined)('at a terminal', () => {
  const home = makeHome();

  const stated = () =>
    home.json<{ stated: readonly string[] }>(['policy', 'show']).then((shown) => shown.stated);

  it('a limit is raised after a yes, and not without one', async () => {
    const words = ['policy', 'set', 'perOrder', '60'];
    const declined = openTerminal(words, { home: home.dir });
    await declined.shows('allows more than the policy does. Change it? (y/N)');
    declined.send(KEYS.enter);
    expect(await declined.ended).toBe(7);
    expect(await stated()).toEqual([]);
    const agreed = openTerminal(words, { home: home.dir });
    await agreed.shows('Change it?');
    agreed.send(`y${KEYS.enter}`);
    expect(await agreed.ended).toBe(0);
    expect(await stated()).toEqual(['perOrder']);
  });

  it(
    'a day’s own limit is shown, and half of it at once is agreed to by typing the amount',
    async () => {
      await fundedWallet(home);
      const { fixed } = amazonProducts();
      const small = ['order', fixed.product_id, ...HERE, ...GIFT];
      const usual = openTerminal([...small, '--dry-run'], { home: home.dir });
      expect(await usual.shows('Balance')).not.toContain('in 24 hours');
      expect(await usual.ended).toBe(0);
      await home.json(['policy', 'set', 'perDay', '50']);
      const limited = openTerminal([...small, '--dry-run'], { home: home.dir });
      await limited.shows('50.00 of 50.00 USDC in 24 hours');
      expect(await limited.ended).toBe(0);
      const asked = openTerminal(small, { home: home.dir });
      await asked.shows('Buy it?');
      expect(asked.screen()).toContain('50.00 of 50.00 USDC in 24 hours');
      asked.send(KEYS.enter);
      expect(await asked.ended).toBe(7);
      await home.json(['policy', 'set', 'perDay', '20']);
      const words = ['order', fixed.product_id, ...HERE, ...GIFT, '--max-amount', '12'];
      const hasty = openTerminal(words, { home: home.dir });
      await hasty.shows('Buy it for at most 12.00 USDC? Type 12.00 to agree');
      expect(hasty.screen()).toContain('20.00 of 20.00 USDC in 24 hours');
      hasty.send(`y${KEYS.enter}`);
      expect(await hasty.ended).toBe(7);
      const sure = openTerminal(words, { home: home.dir });
      await sure.shows('Type 12.00 to agree');
      sure.send(`12.00${KEYS.enter}`);
      expect(await sure.ended).toBe(0);
      expect(await home.json<unknown[]>(['orders'])).toHaveLength(1);
    },
    SLOW_MS,
  );

  it(
    'an order placed before is paid under the same limit, which is shown',
    async () => {
      const other = makeHome();
      await fundedWallet(other);
      await other.json(['policy', 'set', 'perDay', '20']);
      const { fixed } = amazonProducts();
      const means = ['--via', 'partner', '--coin', 'USDC', '--network', 'Solana', '--yes'];
      const made = ['order', fixed.product_id, ...HERE, ...GIFT, ...means];
      const { order_id: orderId } = await other.json<{ order_id: string }>(made);
      const hasty = openTerminal(['pay', orderId], { home: other.dir });
      await hasty.shows(/Type 1\d\.\d+ to agree/);
      expect(hasty.screen()).toContain('20.00 of 20.00 USDC in 24 hours');
      hasty.send(`y${KEYS.enter}`);
      expect(await hasty.ended).toBe(7);
    },
    SLOW_MS,
  );
});
