/** `scrip doctor` by the real process: damage is found, nothing is paid meanwhile, and all comes back. */
import { appendFileSync, existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeHome } from '../support/cli.ts';
import { amazonProducts, buy, fundedWallet, orderOf } from '../support/shop.ts';

const home = makeHome();
afterAll(() => home.remove());

interface Doctor {
  readonly ok: boolean;
  readonly checks: readonly { readonly check: string; readonly state: string }[];
  readonly repair: { readonly kept: number; readonly aside: string };
}

describe('a journal of which a record is damaged', () => {
  let productId: string;
  let code: string | undefined;
  beforeAll(async () => {
    await fundedWallet(home);
    productId = (await amazonProducts(home)).fixed.product_id;
    const order = await buy(home, productId, ['--idempotency-key', 'one']);
    code = order.deliveries[0]?.voucher_code;
    const journal = join(home.dir, '.local/state/scrip/journal');
    const intent = readdirSync(journal, { recursive: true, encoding: 'utf8' }).find((name) =>
      name.endsWith('intent.rec'),
    );
    appendFileSync(join(journal, intent ?? ''), 'x');
  });

  it('is found by doctor, and refuses every payment with 13', async () => {
    const looked = await home.run(['doctor', '--json']);
    expect(looked.status).toBe(13);
    expect(JSON.parse(looked.stderr).error.details.failed).toEqual(['journal']);
    const before = await home.json(['wallet', 'balance']);
    for (const key of ['one', 'two']) {
      const paid = await home.run([...orderOf(productId, ['--idempotency-key', key]), '--json']);
      expect(paid.status).toBe(13);
      expect(JSON.parse(paid.stderr).error).toMatchObject({
        code: 'JOURNAL_UNUSABLE',
        funds_at_risk: 'possible',
        hint: expect.stringContaining('scrip doctor --repair'),
      });
    }
    expect(await home.json(['wallet', 'balance'])).toEqual(before);
  });

  it('is written anew by doctor --repair: the same key gives the same code, and buys nothing', async () => {
    const { ok, repair } = await home.json<Doctor>(['doctor', '--repair']);
    expect({ ok, kept: repair.kept }).toEqual({ ok: true, kept: 0 });
    expect(existsSync(repair.aside)).toBe(true);
    const before = await home.json(['wallet', 'balance']);
    const again = await buy(home, productId, ['--idempotency-key', 'one']);
    expect(again.deliveries[0]?.voucher_code).toBe(code);
    expect(await home.json(['wallet', 'balance'])).toEqual(before);
  });
});

describe('codes of the real process', () => {
  it('are masked when looked back at, revealed into a private file, and forgotten', async () => {
    const [order] = await home.json<{ order_id: string }[]>(['orders']);
    const id = order?.order_id ?? '';
    const shown = await home.run(['orders', 'show', id, '--json']);
    expect(shown.stdout).not.toContain('TEST-');
    const revealed = await home.run(['orders', 'reveal', id]);
    expect(revealed.stdout).toContain('TEST-');
    const file = await home.run(['orders', 'reveal', id, '--output', 'card.json']);
    expect(file.status).toBe(0);
    expect(file.stdout + file.stderr).not.toContain('TEST-');
    const again = await home.run(['orders', 'reveal', id, '--output', 'card.json']);
    expect(again.status).toBe(13);
    await home.json(['orders', 'forget', id]);
    const gone = await home.run(['orders', 'reveal', id, '--json']);
    expect(gone.status).toBe(3);
    expect(JSON.parse(gone.stderr).error.code).toBe('CODES_FORGOTTEN');
  });
});
