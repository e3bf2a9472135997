/** A merchant whose payments are settled elsewhere, by a facilitator that speaks x402 over HTTP. */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Home, makeHome } from '../support/cli.ts';
import { ledgerAt } from '../support/ledger.ts';
import { type ServedSandbox, serveSandbox } from '../support/served-sandbox.ts';
import { AGREED, amazonProducts, fundedWallet, orderOf } from '../support/shop.ts';

describe('a sandbox that settles by a facilitator elsewhere', () => {
  let home: Home;
  let facilitator: ServedSandbox;
  let shop: ServedSandbox;
  let payer: string;

  // Both processes share one folder, and so one chain; only the first one settles.
  beforeAll(async () => {
    home = makeHome();
    facilitator = await serveSandbox(home);
    shop = await serveSandbox(home, ['--facilitator', facilitator.url]);
    payer = await fundedWallet(home, shop.flags);
  });
  afterAll(async () => {
    await shop.stop();
    await facilitator.stop();
  });

  it('sells, and the payment lands', async () => {
    const { fixed } = amazonProducts();
    const order = await home.json<{ status: string; transaction: string }>(
      orderOf(fixed.product_id, shop.flags),
    );
    expect(order.status).toBe('completed');
    expect(await ledgerAt(`${shop.url}/rpc`).payments(payer)).toEqual([order.transaction]);
  });

  it('charges nothing while the facilitator is away', async () => {
    await facilitator.stop();
    const { fixed } = amazonProducts();
    const before = await ledgerAt(`${shop.url}/rpc`).balance(payer);
    const body = JSON.stringify({
      email: 'you@example.com',
      items: [{ product_id: fixed.product_id, beneficiary_account: 'friend@example.com' }],
    });
    const dry = await home.run([...orderOf(fixed.product_id, shop.flags), '--dry-run', ...AGREED]);
    expect(dry.status).toBe(0);
    const asked = await fetch(`${shop.url}/v1/orders`, { method: 'POST', body });
    // What it supports was read less than a minute ago.
    expect(asked.status).toBe(402);
    expect(await ledgerAt(`${shop.url}/rpc`).balance(payer)).toBe(before);
  });

  it('refuses an address that is not one', async () => {
    const result = await home.run([
      'sandbox',
      '--facilitator',
      'http://example.com',
      '--data',
      join(home.dir, 'x'),
    ]);
    expect(result.status).toBe(2);
    expect(result.stderr).toContain('--facilitator');
  });
});
