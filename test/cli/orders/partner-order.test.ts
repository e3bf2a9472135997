/** How an order of the partner API is shown while it can be paid, and when it no longer can. */
import { describe, expect, it } from 'vitest';
import { explainProblem } from '../../../src/api/partner/problems.ts';
import { partnerOrderError } from '../../../src/api/payment/outcome-error.ts';
import { partnerOrderView } from '../../../src/cli/orders/partner-order.ts';
import type { RecordView } from '../../../src/cli/output/view.ts';
import type { WirePartnerOrder } from '../../../src/contract/partner-orders.ts';

const BITCOIN: WirePartnerOrder = {
  order_id: '8ecb0cbb-a408-4327-b822-9d51a0e68505',
  created_at: 1_800_000_000,
  payment_state: 'PaymentRequested',
  order_state: 'WaitingForPayment',
  is_payment_processor_external: false,
  coin: 'BTC',
  network: 'Mainnet',
  coin_amount: '0.0001',
  wallet_address: 'bc1qexample',
  qr_text: 'bitcoin:bc1qexample?amount=0.0001',
};

/** The order's window in the sandbox, so many seconds after it was placed. */
const windowAt = (seconds: number, windowMs: number | undefined = 900_000) => ({
  ...{ nowMs: (BITCOIN.created_at + seconds) * 1_000, lang: 'en', windowMs },
});
const lastOf = ({ screen = [] }: Pick<RecordView, 'screen'>) => screen.at(-1)?.at(-1)?.map(String);
const labels = (view: RecordView) => view.lines.map(([label]) => String(label));

describe('an order that waits for its payment', () => {
  it('shows amount, address, URI and QR code', async () => {
    const view = await partnerOrderView(BITCOIN);
    expect(labels(view)).toEqual(expect.arrayContaining(['Send', 'To', 'Payment URI']));
    expect(view.picture).toBeDefined();
  });

  it('of a sandbox in a coin without a chain says how to simulate it, with nothing to scan', async () => {
    const order = { ...BITCOIN, sandbox_mode: true };
    const fresh = await partnerOrderView(order, undefined, windowAt(0));
    expect(fresh.picture).toBeUndefined();
    expect(String(fresh.note)).toContain(`scrip sandbox pay ${BITCOIN.order_id}`);
    const text = (fresh.screen ?? []).flat().map(([label, value]) => `${label} ${value}`);
    expect(text).toContain('Send 0.0001 BTC of test money');
    expect(text.join()).not.toMatch(/bc1|Mainnet/);
    const [first, ...others] = fresh.lines.map(([label, value]) => `${label} ${value}`);
    expect(first).toBe(
      `Test order Send no real coins to it. To simulate the payment: scrip sandbox pay ${BITCOIN.order_id}`,
    );
    expect(others.join()).not.toMatch(/bc1|Mainnet|bitcoin:/);
    expect(fresh.record).toMatchObject({ payment_simulated: true, qr_text: BITCOIN.qr_text });
    expect((await partnerOrderView(BITCOIN)).record).toMatchObject({ payment_simulated: false });
  });

  it.each([
    ['WaitingForPayment', 'PaymentRequested', 'unpaid'],
    ['WaitingForDelivery', 'PaymentReceived', 'processing'],
    ['Done', 'PaymentReceived', 'completed'],
    ['Expired', 'PaymentRequested', 'expired'],
  ])('has in JSON for %s and %s the status %s', async (order_state, payment_state, status) => {
    const { record } = await partnerOrderView({ ...BITCOIN, order_state, payment_state });
    expect(record).toMatchObject({ status, order_state, payment_state });
  });

  it.each([
    [60, /^\d{1,2}:\d\d [AP]M, 14 minutes left$/],
    [14 * 60 + 1, /, 1 minute left$/],
  ])('in the sandbox says until when, %i seconds after it was placed', async (seconds, until) => {
    const view = await partnerOrderView(BITCOIN, undefined, windowAt(seconds));
    expect(lastOf(view)).toEqual(['Pay until', expect.stringMatching(until)]);
    expect(view.picture?.groupsBelow).toBe(1);
  });

  it('of a merchant, whose window is not known, says when it was ordered', async () => {
    const unknown = { ...windowAt(0), windowMs: undefined };
    const told = expect.stringMatching(/^\d.*; pay soon: orders end$/);
    expect(lastOf(await partnerOrderView(BITCOIN, undefined, unknown))).toEqual(['Ordered', told]);
  });

  it('of no time that there is says none', async () => {
    const order = { ...BITCOIN, created_at: 9e15 };
    const { screen = [] } = await partnerOrderView(order, undefined, windowAt(0));
    expect(screen.flat().map(([label]) => String(label))).not.toContain('Pay until');
  });

  it('shows the checkout page, beside an address to pay to or without one', async () => {
    const { wallet_address: _address, qr_text: _uri, network: _network, ...rest } = BITCOIN;
    const checkout_url = 'https://pay.example/checkout/1';
    const [alone, beside] = [
      await partnerOrderView({ ...rest, checkout_url }),
      await partnerOrderView({ ...BITCOIN, checkout_url }),
    ];
    for (const { lines } of [alone, beside]) {
      expect(lines).toContainEqual(['Checkout page', checkout_url]);
    }
    expect(String(alone.note)).toContain(checkout_url);
    expect(alone.picture).toBeUndefined();
    expect(String(beside.note)).toContain('any wallet');
  });

  it.each([
    ['by its merchant', 'WaitingForExpiry', 60],
    ['by the clock', 'PaymentRequested', 900],
  ])('shows nothing to pay to once the window is over %s', async (_, payment_state, seconds) => {
    const view = await partnerOrderView(
      { ...BITCOIN, payment_state },
      undefined,
      windowAt(seconds),
    );
    expect(labels(view)).not.toContain('To');
    expect(view.picture).toBeUndefined();
    expect(String(view.note)).toContain('send no money');
  });
});

describe('a word of a merchant that every object has', () => {
  it.each(['constructor', '__proto__', 'toString'])('%s is no state that is known', (state) => {
    const error = partnerOrderError({ ...BITCOIN, order_state: state });
    expect(error).toMatchObject({ code: 'ORDER_PENDING', exit: 8 });
  });

  it.each(['constructor', '__proto__', 'toString'])('%s is no problem that is known', (problem) => {
    expect(String(explainProblem({ problem }).remedy)).toBe('Ask the merchant.');
  });
});

describe('on a terminal', () => {
  const card = {
    ...{ id: 'd1', delivery_state: 'completed', kind: 'giftcard' },
    deliverable: {
      ...{ brand_name: 'Amazon.com', denomination: 'range', product_value: '25' },
      ...{ currency_code: 'USD', country_code: 'US', pin_code: 'TEST-1' },
      beneficiary_account: 'friend@example.com',
    },
  };
  const delivered: WirePartnerOrder = {
    ...{ ...BITCOIN, order_state: 'Done', payment_state: 'PaymentReceived' },
    ...{ received_amount: '0.0001', payment_transactions: ['tx1'], deliveries: [card] },
  };

  it('a delivered order says each thing once, what was bought above all', async () => {
    const { title, screen, lines } = await partnerOrderView(delivered);
    expect(title).toBe('Amazon.com 25 USD');
    // A pipe gets the words of a terminal; the names of the interface are in the JSON.
    const piped = lines.map(([label, value]) => [String(label), String(value)]);
    expect(piped).toContainEqual(['Status', 'completed (Fully delivered)']);
    expect(screen).toEqual([
      [
        ['Order', BITCOIN.order_id],
        ['Status', 'completed (Fully delivered)'],
      ],
      [['Received', '0.0001 BTC']],
      [
        ['For', 'friend@example.com'],
        ['Code', 'TEST-1'],
      ],
      [['Transaction', 'tx1']],
    ]);
  });

  it('several goods are told apart', async () => {
    const deliveries = [card, card];
    const { title, screen = [] } = await partnerOrderView({ ...delivered, deliveries });
    expect(title).toBeUndefined();
    expect(screen.flat().filter(([label]) => String(label).startsWith('Item'))).toEqual([
      ['Item 1', 'Amazon.com 25 USD'],
      ['Item 2', 'Amazon.com 25 USD'],
    ]);
  });
});

describe('the end of an order', () => {
  it('asks for a refund where money was seen, and not where it went back', () => {
    const ended = { ...BITCOIN, payment_state: 'ExpiredAfterPaymentDetection' } as const;
    expect(String(partnerOrderError({ ...ended, order_state: 'Expired' })?.hint)).toContain(
      'refund',
    );
    expect(String(partnerOrderError({ ...ended, order_state: 'Refunded' })?.hint)).not.toContain(
      'ask for a refund',
    );
  });
});
