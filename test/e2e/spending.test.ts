/** The policy by the real process: limits that twenty orders at once cannot pass, and who may change them. */
import { spawnSync } from 'node:child_process';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeHome } from '../support/cli.ts';
import { ledgerAt } from '../support/ledger.ts';
import { type ServedSandbox, serveSandbox } from '../support/served-sandbox.ts';
import { AGREED, amazonProducts, fundedWallet, GIFT, HERE, orderOf } from '../support/shop.ts';
import { answering, KEYS, noTerminalBecause, openTerminal } from '../support/terminal.ts';

const PARALLEL_MS = 240_000;

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

  it('is made private, and only tightened without a person', async () => {
    await home.json(['policy', 'set', 'perOrder', '8']);
    const { path } = await home.json<{ path: string }>(['policy', 'path']);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(await home.failure(['policy', 'set', 'perOrder', '9'])).toMatchObject({
      status: 2,
      code: 'TERMINAL_REQUIRED',
    });
    expect(await home.failure(['policy', 'set', 'hosts.x402.example', 'any'])).toMatchObject({
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
    expect(await home.failure([...set, 'none'])).toMatchObject({
      status: 2,
      code: 'POLICY_INVALID',
    });
    const address = '5MSAf2mTKwMbhRL3wV2UDzDhWJ7kyY4ffoFwZPNfNcFC';
    expect(await home.json([...set, address])).toMatchObject({ allows_more: false });
    expect(await home.failure([...set, 'manifest'])).toMatchObject({ code: 'TERMINAL_REQUIRED' });
    writeFileSync(path, kept);
  });

  it('says what would be refused', async () => {
    const check = ['policy', 'check', '--amount'];
    expect(await home.json([...check, '8'])).toMatchObject({ allowed: true });
    expect(await home.failure([...check, '8.01'])).toMatchObject({
      status: 6,
      code: 'SPENDING_LIMIT',
    });
    expect(await home.failure([...check, '1', '--host', 'x402.example'])).toMatchObject({
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
      const found = await home.failure(['order', ...product, ...agreed]);
      expect(found).toMatchObject({ status: 6, code: 'HOST_NOT_ALLOWED' });
    }
  });

  it('an order over the limit of one is refused, and nothing is journaled', async () => {
    await fundedWallet(home);
    const { fixed } = amazonProducts();
    const words = orderOf(fixed.product_id);
    expect(await home.failure(words)).toMatchObject({
      status: 6,
      code: 'SPENDING_LIMIT',
      details: { rule: 'perOrder', limit: '8.00' },
    });
    expect(await home.json(['orders'])).toEqual([]);
    expect(await home.failure([...words, '--dry-run'])).toMatchObject({ code: 'SPENDING_LIMIT' });
  });

  it('in a file that others may change is refused', async () => {
    const { path } = await home.json<{ path: string }>(['policy', 'path']);
    spawnSync('chmod', ['666', path]);
    expect(await home.failure(['policy', 'show'])).toMatchObject({
      code: 'POLICY_INVALID',
      status: 2,
    });
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
    const again = await home.failure(words);
    expect(again).toMatchObject({
      status: 7,
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
    const asked = 'allows more than the policy does. Change it? (y/N)';
    const change = async (keys: string) =>
      (await answering(openTerminal(words, home), [asked, keys])).status;
    expect([await change(KEYS.enter), await stated()]).toEqual([7, []]);
    expect([await change(KEYS.yes), await stated()]).toEqual([0, ['perOrder']]);
  });

  it('a day’s own limit is shown, and half of it at once is agreed to by typing the amount', async () => {
    await fundedWallet(home);
    const small = ['order', amazonProducts().fixed.product_id, ...HERE, ...GIFT];
    const rehearse = () => answering(openTerminal([...small, '--dry-run'], home), ['Balance', '']);
    const usual = await rehearse();
    // Of test money scripts alone are told.
    expect([usual.status, usual.screen.includes('in 24 hours')]).toEqual([0, false]);
    expect((await home.run([...small, '--dry-run'])).stdout).toMatch(/^Left\t.* in 24 hours$/m);
    await home.json(['policy', 'set', 'perDay', '50']);
    const limited = await rehearse();
    const left = '50.00 of 50.00 USDC in 24 hours';
    expect([limited.status, limited.screen]).toEqual([0, expect.stringContaining(left)]);
    const asked = await answering(openTerminal(small, home), ['Buy it?', KEYS.enter]);
    expect([asked.status, asked.seen[0]]).toEqual([7, expect.stringContaining(left)]);
    await home.json(['policy', 'set', 'perDay', '20']);
    const typed = (answer: string) =>
      answering(openTerminal([...small, '--max-amount', '12'], home), [
        'Buy it for at most 12.00 USDC? Type 12.00 to agree',
        `${answer}${KEYS.enter}`,
      ]);
    const hasty = await typed('y');
    expect(hasty.seen[0]).toContain('20.00 of 20.00 USDC in 24 hours');
    expect([hasty.status, (await typed('12.00')).status]).toEqual([7, 0]);
    expect(await home.json<unknown[]>(['orders'])).toHaveLength(1);
  });

  it('an order placed before is paid under the same limit, which is shown', async () => {
    const other = makeHome();
    await fundedWallet(other);
    await other.json(['policy', 'set', 'perDay', '20']);
    const means = ['--via', 'partner', '--coin', 'USDC', '--network', 'Solana', '--yes'];
    const made = ['order', amazonProducts().fixed.product_id, ...HERE, ...GIFT, ...means];
    const { order_id: id } = await other.json<{ order_id: string }>(made);
    const asked = [/Type 1\d\.\d+ to agree/, KEYS.yes] as const;
    const hasty = await answering(openTerminal(['pay', id], other), asked);
    expect(hasty.seen[0]).toContain('20.00 of 20.00 USDC in 24 hours');
    expect(hasty.status).toBe(7);
  });
});
