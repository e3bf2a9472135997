/** The policy's recipients, by the real process: nobody else gets goods, codes or the receipt. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Home, makeHome } from '../support/cli.ts';
import { AGREED, amazonProducts, fundedWallet, HERE } from '../support/shop.ts';

let home: Home;
let productId: string;

beforeAll(async () => {
  home = makeHome();
  await fundedWallet(home);
  productId = (await amazonProducts(home)).fixed.product_id;
  await home.json(['policy', 'set', 'recipients', '*@example.org']);
});
afterAll(() => home.remove());

describe.each([
  ['the checkout host', []],
  ['the partner API', ['--via', 'partner', '--pay']],
])('under a policy for *@example.org, at %s', (_name, surface) => {
  const words = (to: string, email: string) => [
    ...['order', productId, ...HERE, ...surface, '--to', to, '--email', email, ...AGREED, '--json'],
  ];

  it('an order whose e-mail is another’s is refused unsent', async () => {
    const refused = await home.run(words('ada@example.org', 'eve@elsewhere.example'));
    expect(JSON.parse(refused.stderr).error).toMatchObject({
      code: 'RECIPIENT_NOT_ALLOWED',
      funds_at_risk: 'none',
    });
  });

  it('an order with both of them there is bought', async () => {
    const bought = await home.run(words('ada@example.org', 'grace@example.org'));
    expect(bought.status, bought.stderr).toBe(0);
  });
});
