import { describe, expect, it } from 'vitest';
import type { Entry, Intent, JournalEvent } from '../../src/domain/journal/journal.ts';
import {
  findDuplicate,
  orderRecipients,
  recipientsOf,
} from '../../src/domain/order/ordered-products.ts';
import { anAttempt, anIntent } from '../support/journal-records.ts';

const MINUTE_MS = 60_000;
const item = (over = {}) => ({ product_id: 'p', beneficiary_account: 'ada@example.org', ...over });
const bodyOf = (...items: object[]) => JSON.stringify({ email: 'a@example.org', items });
const delivery = (over = {}) => ({
  brand_name: 'Acme',
  denomination: '25 USD',
  country_code: 'US',
  beneficiary_account: 'ada@example.org',
  ...over,
});
const entry = (
  intent: Partial<Intent>,
  facts: readonly JournalEvent[] = [],
  attempts = 0,
): Entry => ({
  intent: anIntent({ body: bodyOf(item()), ...intent }),
  attempts: Array.from({ length: attempts }, (_, index) => anAttempt(index + 1)),
  facts,
});
const { createdAtMs, host } = anIntent();
const GOODS = { fact: 'goods', attempt: 1, status: 'completed', sealed: '' } as const;
const CLOSED: JournalEvent = { fact: 'closed', reason: 'declined' };
const DEAD: JournalEvent = { fact: 'dead', attempt: 1, proof: 'expired' };

describe('the same goods', () => {
  const summary = {
    ...{ productId: 'p', productName: 'Acme 25', brandName: 'Acme', countryCode: 'us' },
    ...{ faceValue: '25', currency: 'USD', beneficiary: 'ada@example.org' },
  };
  const ofPartner = { summary: { ...summary, faceValue: '25.00 USD', countryCode: 'US' } };
  const query = { body: bodyOf(item()), host, nowMs: createdAtMs + MINUTE_MS, summary };
  const PARTNER = { coin: 'USDC', network: 'Solana', decimals: 6, refundAddress: null };

  it.each<[string, Entry, Partial<typeof query>]>([
    ['bought', entry({}, [GOODS], 1), {}],
    ['being bought', entry({}, [], 1), {}],
    ['begun', entry({}), {}],
    ['for another e-mail of the buyer', entry({ body: bodyOf(item()).replace('a@', 'b@') }), {}],
    [
      'for the same person in other letters',
      entry({ body: bodyOf(item({ beneficiary_account: 'Ada@Example.org' })) }),
      {},
    ],
    [
      'of the partner API, of one host, and wanted at the checkout',
      entry(
        {
          partner: PARTNER,
          body: JSON.stringify({
            deliveries: [delivery({ beneficiary_account: 'ADA@example.org' })],
          }),
          ...ofPartner,
        },
        [],
        1,
      ),
      {},
    ],
    [
      'of the checkout, wanted of the partner API',
      entry({ summary }),
      { body: JSON.stringify({ deliveries: [delivery()] }), ...ofPartner },
    ],
    ['nine minutes ago', entry({}), { nowMs: createdAtMs + 9 * MINUTE_MS }],
    ['by a clock that was ahead', entry({}), { nowMs: createdAtMs - MINUTE_MS }],
    [
      'of the partner API, paid',
      entry({ partner: PARTNER, body: JSON.stringify({ deliveries: [delivery()] }) }, [], 1),
      { body: JSON.stringify({ deliveries: [{ deliverable: delivery() }] }) },
    ],
  ])('%s are found', (_what, known, over) => {
    expect(findDuplicate([known], { ...query, ...over })).toBe(known);
  });

  it.each<[string, Entry, Partial<typeof query>]>([
    ['another product', entry({ body: bodyOf(item({ product_id: 'q' })) }), {}],
    ['another value', entry({ body: bodyOf(item({ product_value: 30 })) }), {}],
    ['another beneficiary', entry({ body: bodyOf(item({ beneficiary_account: 'b' })) }), {}],
    ['one more of them', entry({ body: bodyOf(item(), item()) }), {}],
    ['another host', entry({ host: 'https://other.example' }), {}],
    ['eleven minutes ago', entry({}), { nowMs: createdAtMs + 11 * MINUTE_MS }],
    ['given up before anything was signed', entry({}, [CLOSED]), {}],
    ['given up after proof that it cost nothing', entry({}, [DEAD, CLOSED], 1), {}],
    ['failed', entry({}, [{ ...GOODS, status: 'failed' }], 1), {}],
    [
      'of the partner API, only made',
      entry({ partner: PARTNER, body: JSON.stringify({ deliveries: [delivery()] }) }),
      { body: JSON.stringify({ deliveries: [delivery()] }) },
    ],
    [
      'of the partner API, of another value',
      entry({ summary }),
      {
        body: JSON.stringify({ deliveries: [delivery()] }),
        summary: { ...summary, faceValue: '30 USD' },
      },
    ],
    ['nothing at all', entry({ body: '{}' }), { body: '{}' }],
  ])('are not: %s', (_what, known, over) => {
    expect(findDuplicate([known], { ...query, ...over })).toBeUndefined();
  });

  it('in another order are the same', () => {
    const [one, other] = [item(), item({ product_id: 'q' })];
    const known = entry({ body: bodyOf(one, other) });
    expect(findDuplicate([known], { ...query, body: bodyOf(other, one) })).toBe(known);
  });
});

describe('recipients', () => {
  it.each([
    ['of items', bodyOf(item(), item({ beneficiary_account: 'eve@example.org' })), 3],
    [
      'of items, and the contact of the order',
      JSON.stringify({ ...JSON.parse(bodyOf(item())), email: 'eve@example.org' }),
      2,
    ],
    [
      'of deliveries, and the user of the order',
      JSON.stringify({ deliveries: [delivery()], user: { email: 'eve@example.org' } }),
      2,
    ],
    ['of deliveries, each once', JSON.stringify({ deliveries: [delivery(), delivery()] }), 1],
    ['of a body that names none: the one of the listing', '{"order_id":"x"}', 1],
    ['of a body that is none', 'x', 1],
  ])('%s', (_what, body, count) => {
    expect(recipientsOf(anIntent({ body }))).toHaveLength(count);
  });

  const order = (email?: string) => ({
    deliveries: [delivery()],
    ...(email === undefined ? {} : { user: { email } }),
  });
  it.each<[string, string, readonly unknown[], readonly string[]]>([
    [
      'by the request alone, where it is on record',
      JSON.stringify({ deliveries: [delivery()], user: { email: 'eve@example.org' } }),
      [order('mallory@example.org')],
      ['ada@example.org', 'eve@example.org'],
    ],
    [
      'by the order as it was told, and as it is told',
      '{"wizard_order_id":"x"}',
      [order(), order('eve@example.org')],
      ['ada@example.org', 'eve@example.org'],
    ],
    ['with one that is not told', '{"wizard_order_id":"x"}', [order()], ['ada@example.org', '']],
    ['of an order that tells none', '{}', [undefined, {}], [anIntent({}).summary.beneficiary, '']],
  ])('of an order of the partner API are known %s', (_what, body, told, expected) => {
    expect(orderRecipients(anIntent({ body }), told)).toEqual(expected);
  });
});
