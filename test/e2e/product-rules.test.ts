/** One set of rules for a product, whichever side of the merchant it is bought from. */
import { describe, expect, it } from 'vitest';
import { makeHome } from '../support/cli.ts';
import { postJson } from '../support/post-json.ts';
import { serveHere } from '../support/served-here.ts';
import { fundedWallet, productOf } from '../support/shop.ts';

interface Case {
  readonly brand: string;
  readonly value: string;
  readonly email?: string;
  /** As the partner API names it. */
  readonly problem: string;
  /** As the checkout host names it. */
  readonly error: string;
  readonly code: string;
  readonly exit: number;
  readonly says: string;
}

const VISA = 'Visa Virtual Gift Card';
const RULES = { code: 'ORDER_PROBLEMS', exit: 2 } as const;
const CASES: readonly Case[] = [
  {
    ...{ brand: 'eBay', value: '50' },
    ...{ problem: 'NOT_AVAILABLE_PRODUCT', error: 'product_not_found' },
    ...{ code: 'PRODUCT_UNKNOWN', exit: 3 },
    says: 'eBay 50 USD: the product is no longer in the catalogue',
  },
  {
    ...{ brand: 'eBay', value: '25' },
    ...{ problem: 'OUT_OF_STOCK', error: 'out_of_stock' },
    ...{ code: 'OUT_OF_STOCK', exit: 4 },
    says: 'eBay 25 USD: the product is out of stock',
  },
  {
    ...{ brand: 'eBay', value: '10' },
    ...{ problem: 'NOT_ACTIVE', error: 'not_active' },
    ...RULES,
    says: 'eBay 10 USD: the product is inactive or paused',
  },
  {
    ...{ brand: 'Etsy', value: '25' },
    ...{ problem: 'LOGIN_REQUIRED', error: 'login_required' },
    ...RULES,
    says: 'Etsy 25 USD: the product needs a signed-in user',
  },
  {
    ...{ brand: VISA, value: '25' },
    ...{ problem: 'KYC_MISSING', error: 'kyc_missing' },
    ...RULES,
    says: 'Visa Virtual Gift Card 25 USD: these products, or this amount, need a verified account',
  },
  {
    ...{ brand: VISA, value: '25', email: 'ann+kyc-pending@example.com' },
    ...{ problem: 'KYC_PENDING', error: 'kyc_pending' },
    ...RULES,
    says: 'Visa Virtual Gift Card 25 USD: identity verification is in progress',
  },
  {
    ...{ brand: 'eBay', value: '100' },
    ...{ problem: 'VERIFICATION_REQUIRED', error: 'verification_required' },
    ...RULES,
    says: 'eBay 100 USD: extra verification is needed',
  },
];

const home = makeHome();
const shop = await serveHere(home);
await fundedWallet(home, shop.flags);
const idOf = ({ brand, value }: Pick<Case, 'brand' | 'value'>) => productOf(brand, `${value} USD`);
const emailOf = ({ email = 'you@example.com' }: Pick<Case, 'email'>) => email;

const ask = (one: Pick<Case, 'brand' | 'value' | 'email'>) =>
  postJson(`${shop.url}/v1/orders`, {
    email: emailOf(one),
    items: [{ product_id: idOf(one), beneficiary_account: 'friend@example.com' }],
  });

const wordsOf = (verb: string, one: Case) => [
  ...[verb, idOf(one), '--country', 'us', '--brand', one.brand, '--to', 'friend@example.com'],
  ...['--email', emailOf(one), ...shop.flags],
];

describe.each(CASES)('$problem of $brand $value', (one) => {
  it('is told by the checkout host before a payment is asked for', async () => {
    const reply = await ask(one);
    expect([reply.status, await reply.json()]).toEqual([
      400,
      { error: one.error, message: expect.stringContaining(`items.0: ${one.says}`) },
    ]);
  });

  it('is told by order, and by validate before one', async () => {
    const agreed = ['--yes', '--max-amount', '200', '--allow-duplicate'];
    const error = await home.failure([...wordsOf('order', one), ...agreed]);
    const validated = await home.failure(wordsOf('validate', one));
    const message = expect.stringContaining(one.says);
    expect(error).toMatchObject({ status: one.exit, code: one.code, message });
    expect(JSON.parse(validated.stdout).problems).toEqual([
      expect.objectContaining({ problem: one.problem }),
    ]);
    // What to do about it is the same on both sides, where one code stands for all of them.
    if (one.code === 'ORDER_PROBLEMS') {
      expect(error.hint).toBe(validated.hint);
    }
  });
});

describe('an account that the rule is kept by', () => {
  it.each([
    ['signed in', { brand: 'Etsy', value: '25', email: 'ann+signedin@example.com' }],
    [
      'verified',
      { brand: 'Visa Virtual Gift Card', value: '25', email: 'ann+verified@example.com' },
    ],
  ])('%s is asked for a payment', async (_what, one) => {
    expect((await ask(one)).status).toBe(402);
  });
});

it('the wizard tells the reason before it asks for a yes', async () => {
  const [one] = CASES.filter(({ problem }) => problem === 'LOGIN_REQUIRED');
  if (one === undefined) throw new Error('there is no such case');
  const answers = ['--type', 'giftcard', '--country', 'us', '--brand', one.brand];
  const person = ['--to', 'friend@example.com', '--email', 'you@example.com'];
  const means = ['--coin', 'USDC', '--network', 'Solana'];
  const words = ['wizard', '--plain', '--yes', '--max-amount', '60', ...answers];
  const said = await home.run([...words, '--value', one.value, ...person, ...means, ...shop.flags]);
  expect(said.stderr).toContain(one.says);
  expect(said.status).toBe(2);
});
