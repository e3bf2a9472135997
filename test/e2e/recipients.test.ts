/** The policy's recipients, by the real process: nobody else gets goods, codes or the receipt. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Home, makeHome } from '../support/cli.ts';
import { AGREED, amazonProducts, fundedWallet, HERE } from '../support/shop.ts';

let home: Home;
let productId: string;

beforeAll(async () => {
  home = makeHome();
  await fundedWallet(home);
  productId = amazonProducts().fixed.product_id;
  await home.json(['policy', 'set', 'recipients', '*@example.org,+39*']);
});

/** Begins like a phone number of the policy, and is somebody's mailbox. */
const LIKE_A_NUMBER = '+39a@evil.example';

it('an order of the partner API with refunds to another wallet is refused unsent', async () => {
  const stranger = '9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin';
  const words = [
    ...['order', productId, ...HERE, '--via', 'partner', '--pay', ...AGREED, '--json'],
    ...['--to', 'ada@example.org', '--email', 'ada@example.org', '--refund-wallet', stranger],
  ];
  const refused = await home.run(words);
  expect(refused.status, refused.stdout).toBe(6);
  expect(JSON.parse(refused.stderr).error).toMatchObject({
    code: 'RECIPIENT_NOT_ALLOWED',
    message: expect.stringContaining(`not allow refunds to ${stranger}`),
  });
  // Made without a payment, and paid later.
  const made = await home.json<{ order_id: string }>([
    ...words.filter((word) => word !== '--pay'),
    '--no-wait',
  ]);
  const pay = ['pay', made.order_id, '--yes', '--max-amount', '26', '--json'];
  const unpaid = await home.run(pay);
  expect(JSON.parse(unpaid.stderr).error.code).toBe('RECIPIENT_NOT_ALLOWED');
  const policy = join(home.dir, '.config', 'scrip', 'policy.json');
  const kept = readFileSync(policy, 'utf8');
  writeFileSync(policy, JSON.stringify({ recipients: ['*@example.org', stranger] }));
  expect((await home.run(pay)).status).toBe(0);
  writeFileSync(policy, kept);
});

describe.each([
  ['the checkout host', []],
  ['the partner API', ['--via', 'partner', '--pay']],
])('under a policy for *@example.org and +39*, at %s', (_name, surface) => {
  const words = (to: string, email: string) => [
    ...['order', productId, ...HERE, ...surface, '--to', to, '--email', email, ...AGREED, '--json'],
  ];

  it.each([
    ['whose e-mail is another’s', 'ada@example.org', 'eve@elsewhere.example'],
    ['for an e-mail address that begins like a number', LIKE_A_NUMBER, 'ada@example.org'],
  ])('an order %s is refused unsent', async (_what, to, email) => {
    const refused = await home.run(words(to, email));
    expect(refused.status, refused.stdout).not.toBe(0);
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
