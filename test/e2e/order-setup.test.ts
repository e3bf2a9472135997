/** What comes before an order can be paid: told by creation, stream, webhook and status, and followed. */
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import type { WirePartnerOrder } from '../../src/contract/partner-orders.ts';
import { hostThat } from '../support/at-end.ts';
import { makeHome } from '../support/cli.ts';
import { orderBody, via } from '../support/partner-sandbox.ts';
import { postJson } from '../support/post-json.ts';
import { serveSandbox } from '../support/served-sandbox.ts';
import { amazonProducts, fundedWallet } from '../support/shop.ts';

const LIMIT = { timeout: 180_000 };
const TERMINAL_FREE = { ...via('BTC', 'Mainnet') };

const told = new Map<string, string[]>();

const home = makeHome();
const shop = await serveSandbox(home, ['--webhook-allow-private']);
const hook = await hostThat(async (request, response) => {
  const { data } = JSON.parse(await text(request));
  const states = `${data.seq} ${data.order_state} ${data.payment_state}`;
  told.set(data.order_id, [...(told.get(data.order_id) ?? []), states]);
  response.writeHead(204).end();
});
await fundedWallet(home, shop.flags);

const HEADERS = { 'Content-Type': 'application/json', 'X-Cr-Application': 'shop-1' };

async function create(email: string, more: Record<string, unknown> = {}) {
  const body = orderBody({
    user: { email },
    payment: TERMINAL_FREE,
    state_transition_notification_url: hook,
    ...more,
  });
  const reply = await postJson(`${shop.url}/v5/orders`, body, HEADERS);
  expect(reply.status).toBe(200);
  return (await reply.json()) as WirePartnerOrder;
}

const statesOf = ({ order_state, payment_state }: WirePartnerOrder) =>
  `${order_state} ${payment_state}`;

/** What the stream says until the order is in one of these states. */
async function stream(orderId: string, ends: readonly string[]): Promise<WirePartnerOrder[]> {
  const headers = { ...HEADERS, Accept: 'text/event-stream' };
  const reply = await fetch(`${shop.url}/v5/orders/${orderId}/subscribe`, { headers });
  const seen: WirePartnerOrder[] = [];
  let text = '';
  for await (const chunk of reply.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk;
    const messages = text.split('\n\n');
    text = messages.pop() ?? '';
    for (const message of messages) {
      const data = /^data: (\{.*)$/m.exec(message)?.[1];
      const isStop = /^event: stop$/m.test(message);
      if (data !== undefined && !isStop) seen.push(JSON.parse(data));
    }
    if (ends.includes(seen.at(-1)?.order_state ?? '')) break;
  }
  return seen;
}

const CASES: readonly {
  readonly scenario: string;
  readonly more?: Record<string, unknown>;
  readonly states: readonly string[];
}[] = [
  {
    scenario: 'slow-wallet',
    states: [
      'Created WalletRequested',
      'Created WalletCreated',
      'WaitingForPayment PaymentRequested',
    ],
  },
  {
    scenario: 'setup-failed',
    states: ['Created WalletRequested', 'PaymentSetupFailed Failed'],
  },
  {
    scenario: 'nft-cards',
    states: [
      'WaitingForNFTCards WalletCreated',
      'NFTCardsSpent WalletCreated',
      'WaitingForPayment PaymentRequested',
    ],
  },
  {
    scenario: 'slow-coupon',
    more: { coupon_code: 'WELCOME10' },
    states: ['WaitingForCoupon WalletCreated', 'WaitingForPayment PaymentRequested'],
  },
];

describe.concurrent.each(CASES)('the scenario $scenario', LIMIT, ({ scenario, more, states }) => {
  it('is told by creation, stream, webhooks and status', async ({ expect }) => {
    const order = await create(`ann+${scenario}@example.com`, more);
    expect(statesOf(order)).toBe(states[0]);
    const early = await postJson(`${shop.url}/sandbox/orders/${order.order_id}/pay`, {});
    expect(early.status).toBe(409);
    const seen = await stream(order.order_id, ['WaitingForPayment', 'PaymentSetupFailed']);
    expect(seen.map(statesOf)).toEqual(states);
    // Nobody is shown where to pay before the payment is asked for.
    for (const { order_state, payment_state, qr_text, wallet_address, ...rest } of seen) {
      const isAsked = order_state === 'WaitingForPayment';
      const isWalletThere = payment_state !== 'WalletRequested' && payment_state !== 'Failed';
      expect([qr_text !== undefined, rest.payment_requested_at !== null]).toEqual([
        isAsked,
        isAsked,
      ]);
      expect(wallet_address !== undefined).toBe(isWalletThere);
    }
    const headers = HEADERS;
    const read = await fetch(`${shop.url}/v5/orders/${order.order_id}`, { headers });
    expect(statesOf((await read.json()) as WirePartnerOrder)).toBe(states.at(-1));
    await expect
      .poll(() => told.get(order.order_id)?.toSorted())
      .toEqual(states.map((one, index) => `${index + 1} ${one}`));
  });
});

describe('a coupon that pays for all', LIMIT, () => {
  it('is redeemed first, and then the goods come', async () => {
    const order = await create('ann+slow-coupon@example.com', { coupon_code: 'GIFT100' });
    expect(statesOf(order)).toBe('WaitingForCoupon WalletCreated');
    const seen = await stream(order.order_id, ['Done']);
    expect(statesOf(seen.at(-1) ?? order)).toBe('Done PaymentReceived');
  });

  it('without a coupon the scenario changes nothing', async () => {
    const order = await create('ann+slow-coupon@example.com');
    expect(statesOf(order)).toBe('WaitingForPayment PaymentRequested');
  });
});

describe('the command line', LIMIT, () => {
  const GOODS = ['--country', 'us', '--brand', 'Amazon.com', '--value', '10', '--via', 'partner'];
  const productId = amazonProducts().range.product_id;
  const order = (scenario: string, more: readonly string[]) =>
    home.run([
      ...['order', productId, ...GOODS, '--to', 'friend@example.com', '--yes', '--json'],
      ...['--email', `bob+${scenario}@example.com`, '--allow-duplicate', ...more, ...shop.flags],
    ]);

  it('follows an order whose payment cannot be set up to its end: exit status 10', async () => {
    const made = await order('setup-failed', ['--coin', 'BTC', '--network', 'Mainnet']);
    const { order_id: orderId } = JSON.parse(made.stdout);
    const followed = await home.failure(['track', orderId, ...shop.flags]);
    expect(followed).toMatchObject({ status: 10, code: 'ORDER_FAILED', funds_at_risk: 'none' });
  });

  it.concurrent.each([
    ['slow-wallet', []],
    ['nft-cards', []],
    ['slow-coupon', ['--coupon', 'WELCOME10']],
  ])('waits until %s can be paid, pays and gets the goods', async (scenario, more) => {
    const means = ['--coin', 'USDC', '--network', 'Solana', '--pay', '--max-amount', '20'];
    const bought = await order(scenario, [...means, ...more]);
    expect([bought.status, bought.stderr]).toEqual([0, '']);
    expect(JSON.parse(bought.stdout)).toMatchObject({ order_state: 'Done' });
  });
});
