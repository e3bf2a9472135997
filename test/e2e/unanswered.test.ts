/** A merchant that takes the payment and never answers, by real processes: the command ends, and a later one finishes. */
import { expect, it } from 'vitest';
import { makeHome } from '../support/cli.ts';
import { type Manners, openFrontHost, SILENCE } from '../support/front-host.ts';
import { ledgerAt } from '../support/ledger.ts';
import { serveHere } from '../support/served-here.ts';
import { amazonProducts, fundedWallet, type OrderDocument, orderOf } from '../support/shop.ts';

const home = makeHome();
const sandbox = await serveHere(home);
const merchant = await openFrontHost(sandbox.url);
const payer = await fundedWallet(home, sandbox.flags);
const payments = () => ledgerAt(`${sandbox.url}/rpc`).payments(payer);
const { fixed } = amazonProducts();

/** What the merchant does with paid calls; all others are answered. */
const MOODS = {
  'keeps the payment': (isStruck) => ({
    instead: ({ headers }) => (isStruck(headers) ? SILENCE : undefined),
  }),
  'settles in silence': (isStruck) => ({
    answer: ({ headers }, reply) => (isStruck(headers) ? SILENCE : reply),
  }),
} satisfies Record<string, (isStruck: (headers: object) => boolean) => Manners>;

/** Counts the paid calls that are left without an answer. */
function strike(mood: keyof typeof MOODS): { count: number } {
  const struck = { count: 0 };
  const isStruck = (headers: object): boolean => {
    const isPaid = 'payment-signature' in headers;
    struck.count += isPaid ? 1 : 0;
    return isPaid;
  };
  merchant.behave(MOODS[mood](isStruck));
  return struck;
}
const wordsOf = (key: string) =>
  orderOf(fixed.product_id, ['--idempotency-key', key, '--timeout', '1s', ...merchant.flags]);

it.each(Object.keys(MOODS) as (keyof typeof MOODS)[])(
  'a merchant that %s: exit 9 within --timeout, and resume finishes it with the same payment',
  async (mood) => {
    const before = await payments();
    const struck = strike(mood);
    const left = await home.failure(wordsOf(mood.replaceAll(' ', '-')));
    expect(left).toMatchObject({
      ...{ status: 9, stdout: '', code: 'OUTCOME_UNKNOWN', funds_at_risk: 'possible' },
      hint: expect.stringContaining(`scrip orders resume ${left.details.intent_id}`),
    });
    expect(struck.count).toBe(1);

    merchant.behave({});
    const [finished] = await home.json<OrderDocument[]>([
      ...['orders', 'resume', left.details.intent_id, ...merchant.flags],
    ]);
    expect(finished).toMatchObject({
      status: 'completed',
      deliveries: [{ voucher_code: expect.stringMatching(/^TEST-/) }],
    });
    expect(await payments()).toEqual([finished?.transaction, ...before]);
  },
);

it('a merchant that never answers at all: exit 9 for the resume as well, and nothing is signed anew', async () => {
  const before = await payments();
  strike('keeps the payment');
  expect((await home.failure(wordsOf('silent'))).status).toBe(9);
  const resume = ['orders', 'resume', '--timeout', '1s', ...merchant.flags];
  const resumed = await home.failure(resume);
  expect([resumed.status, JSON.parse(resumed.stdout)]).toMatchObject([9, [{ status: 'unknown' }]]);
  expect(await payments()).toEqual(before);
});
