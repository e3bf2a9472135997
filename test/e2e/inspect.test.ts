/** `scrip inspect` by the real process: what would be paid is shown, and nothing is. */
import { describe, expect, it } from 'vitest';
import { makeHome } from '../support/cli.ts';
import { amazonProducts, fundedWallet, HERE } from '../support/shop.ts';

const home = makeHome();

interface Inspection {
  readonly ok: boolean;
  readonly amount: string;
  readonly drift_atomic: string;
  readonly token_account: string;
  readonly checks: readonly { readonly check: string; readonly state: string }[];
}

await fundedWallet(home);
const { product_id: product } = amazonProducts().fixed;
const words = ['inspect', product, ...HERE, '--to', 'friend@example.com'];

describe('inspecting a product of the embedded service', () => {
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
    expect((await other.run(named)).stdout).toContain('Asked for\t25.25 USDC\n');
    expect((await other.failure(['inspect', 'amazon'])).hint).toMatch(
      /: scrip inspect [0-9a-f-]{36}/,
    );
  });

  it('ends with 5 and names the check when the limit is below the price', async () => {
    const refused = await home.failure([...words, '--max-amount', '1']);
    expect(JSON.parse(refused.stdout).ok).toBe(false);
    expect(refused).toMatchObject({
      ...{ status: 5, code: 'REQUIREMENT_UNACCEPTABLE', funds_at_risk: 'none' },
      details: { failed: ['cap'] },
    });
  });
});
