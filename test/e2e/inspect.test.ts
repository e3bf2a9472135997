/** `scrip inspect` by the real process: what would be paid is shown, and nothing is. */
import { beforeAll, describe, expect, it } from 'vitest';
import { makeHome } from '../support/cli.ts';
import { amazonListed, fundedWallet, HERE } from '../support/shop.ts';

const home = makeHome();

interface Inspection {
  readonly ok: boolean;
  readonly amount: string;
  readonly drift_atomic: string;
  readonly token_account: string;
  readonly checks: readonly { readonly check: string; readonly state: string }[];
}

describe('inspecting a product of the embedded service', () => {
  let words: readonly string[];
  let price: string;
  beforeAll(async () => {
    await fundedWallet(home);
    const { fixed } = await amazonListed(home);
    price = fixed.price_usdc;
    words = ['inspect', fixed.product_id, ...HERE, '--to', 'friend@example.com'];
  });

  it('passes every check and leaves the money where it is', async () => {
    const before = await home.json<{ usdc: string }>(['wallet', 'balance']);
    const found = await home.json<Inspection>(words);
    expect(found).toMatchObject({ ok: true, amount: price, drift_atomic: '0' });
    expect(found.checks.filter(({ state }) => state !== 'pass')).toEqual([]);
    expect(found.token_account).toMatch(/^[1-9A-HJ-NP-Za-km-z]{32,44}$/);
    expect(await home.json(['wallet', 'balance'])).toEqual(before);
    expect(await home.json(['orders'])).toEqual([]);
  });

  it('takes words and the settings, as order does', async () => {
    const other = makeHome();
    const named = ['inspect', 'amazon', '25', '--to', 'friend@example.com'];
    for (const [setting, value] of [
      ['to', 'friend@example.com'],
      ['country', 'us'],
    ]) {
      const missing = await other.failure(['inspect', 'amazon', '25']);
      expect(missing).toMatchObject({ code: 'USAGE', details: { missing: [`--${setting}`] } });
      await other.json(['config', 'set', setting ?? '', value ?? '']);
    }
    expect(await other.json<Inspection>(['inspect', 'amazon', '25'])).toMatchObject({ ok: true });
    expect(await other.json<Inspection>(named)).toMatchObject({ ok: true, amount: '25.25' });
    const several = await other.run(['inspect', 'amazon', '--json']);
    expect(JSON.parse(several.stderr).error.hint).toMatch(/: scrip inspect [0-9a-f-]{36}/);
  });

  it('ends with 5 and names the check when the limit is below the price', async () => {
    const { status, stdout, stderr } = await home.run([...words, '--max-amount', '1', '--json']);
    expect(status).toBe(5);
    expect(JSON.parse(stdout).ok).toBe(false);
    expect(JSON.parse(stderr).error).toMatchObject({
      code: 'REQUIREMENT_UNACCEPTABLE',
      funds_at_risk: 'none',
      details: { failed: ['cap'] },
    });
  });

  it.each([
    ['http://elsewhere.example/x', 'https'],
    ['ftp://elsewhere.example/x', 'https'],
    ['https://user@elsewhere.example/x', 'user name'],
    ['https://elsewhere.example/x 25', 'user name'],
  ])('refuses %s before anything is asked', async (address, what) => {
    const { status, stderr } = await home.run(['inspect', address, '--json']);
    expect(status).toBe(2);
    expect(JSON.parse(stderr).error.message).toContain(what);
  });
});
