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

const labels = (view: RecordView) => view.lines.map(([label]) => String(label));

describe('an order that waits for its payment', () => {
  it('shows amount, address, URI and QR code', async () => {
    const view = await partnerOrderView(BITCOIN);
    expect(labels(view)).toEqual(expect.arrayContaining(['Send', 'To', 'Payment URI']));
    expect(view.picture).toBeDefined();
  });

  it('shows the checkout page where there is no address to pay to', async () => {
    const { wallet_address: _address, qr_text: _uri, network: _network, ...rest } = BITCOIN;
    const page = 'https://pay.example/checkout/1';
    const view = await partnerOrderView({ ...rest, checkout_url: page });
    expect(view.lines).toContainEqual(['Checkout page', page]);
    expect(String(view.note)).toContain(page);
    expect(view.picture).toBeUndefined();
  });

  it('shows nothing to pay to once the window is over', async () => {
    const view = await partnerOrderView({ ...BITCOIN, payment_state: 'WaitingForExpiry' });
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
  const delivered: WirePartnerOrder = {
    ...BITCOIN,
    order_state: 'Done',
    payment_state: 'PaymentReceived',
    received_amount: '0.0001',
    payment_transactions: ['tx1'],
    deliveries: [
      {
        id: 'd1',
        delivery_state: 'completed',
        kind: 'giftcard',
        deliverable: {
          brand_name: 'Amazon.com',
          denomination: 'range',
          product_value: '25',
          currency_code: 'USD',
          country_code: 'US',
          beneficiary_account: 'friend@example.com',
          pin_code: 'TEST-1',
        },
      },
    ],
  };

  it('a delivered order says each thing once, what was bought above all', async () => {
    const { title, screen } = await partnerOrderView(delivered);
    expect(title).toBe('Amazon.com 25 USD');
    expect(screen).toEqual([
      [
        ['Order', BITCOIN.order_id],
        ['State', 'Done (Fully delivered)'],
      ],
      [['Received', '0.0001 BTC']],
      [
        ['For', 'friend@example.com'],
        ['Code', 'TEST-1'],
      ],
      [['Transaction', 'tx1']],
    ]);
  });

  it('an order to be paid says its amount once', async () => {
    const { screen = [] } = await partnerOrderView(BITCOIN);
    const amounts = screen.flat().filter(([, value]) => value === '0.0001 BTC');
    expect(amounts).toEqual([['Send', '0.0001 BTC']]);
  });

  it('several goods are told apart', async () => {
    const [one] = delivered.deliveries ?? [];
    const deliveries = one === undefined ? [] : [one, one];
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
