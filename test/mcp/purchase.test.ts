/** A purchase by the SDK's own client over stdio, paid after a yes, and not paid without one. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Home, makeHome } from '../support/cli.ts';
import { stdioClient, type ToolClient } from '../support/mcp-client.ts';
import { fundedWallet } from '../support/shop.ts';

const ORDER = {
  user: { email: 'buyer@example.com' },
  payment: { type: 'via', payment_via: 'user_wallet', coin: 'USDC', network: 'Solana' },
  deliveries: [
    {
      denomination: '25 USD',
      brand_name: 'Amazon.com',
      country_code: 'US',
      beneficiary_account: 'friend@example.com',
    },
  ],
};
const yes = () => ({ action: 'accept', content: { pay: true } }) as const;

let home: Home;
const open: ToolClient[] = [];
const connect = async (
  args: readonly string[] = [],
  answer?: Parameters<typeof stdioClient>[2],
) => {
  const client = await stdioClient(home, args, answer);
  open.push(client);
  return client;
};
const usdcOf = async (): Promise<string> =>
  (await home.json<{ usdc: string }>(['wallet', 'balance'])).usdc;

beforeAll(async () => {
  home = makeHome();
  await fundedWallet(home);
});
afterAll(async () => {
  await Promise.all(open.map((client) => client.close()));
});

/** Reads the order until it is over; each reading moves the embedded service on. */
async function untilDone(client: ToolClient, orderId: string) {
  for (;;) {
    const { result } = await client.call('getOrderStatus', { order_id: orderId });
    if (result.order_state !== 'WaitingForDelivery') return result;
  }
}

describe('through the tools', () => {
  it('a gift card is looked for, priced, checked, ordered, paid after a yes, and delivered', async () => {
    const client = await connect(['--allow-pay'], yes);
    const { result: found } = await client.call('searchProducts', {
      country_code: 'us',
      q: 'amazn',
    });
    const brand: string = found.brands[0].brand.untrusted_text;
    const { result: listed } = await client.call('listProductsForCountry', {
      country_code: 'us',
      brand_name: brand,
      coin: 'USDC',
    });
    expect(listed[0].products.length).toBeGreaterThan(1);
    const face = { country_code: 'us', brand_name: brand, face_value: 25, coin: 'USDC' };
    expect((await client.call('getProductPrice', face)).result.coin_amount).toBe('25.25');
    expect((await client.call('validateOrder', ORDER)).result.problems ?? []).toEqual([]);
    const { result: made } = await client.call('createOrder', ORDER);
    const before = await usdcOf();
    const paid = await client.call('payOrder', { order_id: made.order_id, max_amount: '26' });
    expect(paid).toMatchObject({ isError: false, result: { transactions: [expect.any(String)] } });
    expect(client.asked).toEqual([
      expect.stringMatching(
        new RegExp(`25\\.25 USDC[^]*Network: Solana[^]*${made.wallet_address}[^]*${made.order_id}`),
      ),
    ]);
    const done = await untilDone(client, made.order_id);
    expect(done).toMatchObject({ order_state: 'Done', payment_state: 'PaymentReceived' });
    expect(done.deliveries[0].deliverable.pin_code).toMatch(/^hidden: run scrip orders reveal/);
    expect(Number(before) - Number(await usdcOf())).toBeCloseTo(25.25);
    // The command line knows it, and its codes.
    const shown = await home.json<typeof done>(['orders', 'reveal', made.order_id]);
    const code: string = shown.deliveries[0].deliverable.pin_code;
    expect(JSON.stringify(done)).not.toContain(code);
    const revealed = await connect(['--reveal-codes']);
    const { result: told } = await revealed.call('getOrderStatus', { order_id: made.order_id });
    expect(told.deliveries[0].deliverable.pin_code).toEqual({ untrusted_text: code });
    // Paid is paid: nobody is asked again.
    await client.call('payOrder', { order_id: made.order_id, max_amount: '26' });
    expect(client.asked).toHaveLength(1);
  });

  it('an order that was given back has its refund', async () => {
    const client = await connect(['--allow-pay'], yes);
    const deliveries = [
      { ...ORDER.deliveries[0], beneficiary_account: 'friend+failing@example.com' },
    ];
    const { result: made } = await client.call('createOrder', { ...ORDER, deliveries });
    const { order_id: orderId } = made;
    await client.call('payOrder', { order_id: orderId, max_amount: '26' });
    const read = async () => (await client.call('getOrderStatus', { order_id: orderId })).result;
    let told = await read();
    while (told.order_state !== 'WaitingForManualAction') told = await read();
    expect(told).not.toHaveProperty('refunds');
    await home.json(['sandbox', 'refund', orderId]);
    told = await read();
    expect(told.refunds).toMatchObject([
      { amount: '25.25', coin: 'USDC', proof: null, to_own_wallet: true },
    ]);
  });

  it('the same order twice in a row is one order', async () => {
    const client = await connect();
    const order = { ...ORDER, user: { email: 'twice@example.com' } };
    const [one, two] = [
      await client.call('createOrder', order),
      await client.call('createOrder', order),
    ];
    expect(two.result.order_id).toBe(one.result.order_id);
  });

  it('an order with problems is not made, and the problems are named', async () => {
    const client = await connect();
    const deliveries = [{ ...ORDER.deliveries[0], beneficiary_account: '+14155550123' }];
    const { error } = await client.call('createOrder', { ...ORDER, deliveries });
    expect(error.code).toBe('ORDER_PROBLEMS');
    expect(JSON.stringify(error.details)).toContain('INVALID_BENEFICIARY_ACCOUNT');
  });
});

describe('a call that is canceled while the user is asked', () => {
  it('pays nothing, and the form is taken away', async () => {
    const canceling = new AbortController();
    const client = await connect(['--allow-pay'], () => {
      canceling.abort();
      return yes();
    });
    const { result: made } = await client.call('createOrder', {
      ...ORDER,
      user: { email: 'canceled@example.com' },
    });
    const before = await usdcOf();
    const args = { order_id: made.order_id, max_amount: '26' };
    const paid = client.client.callTool({ name: 'payOrder', arguments: args }, undefined, {
      signal: canceling.signal,
    });
    await expect(paid).rejects.toThrow();
    const { result } = await client.call('getOrderStatus', { order_id: made.order_id });
    expect([result.order_state, await usdcOf()]).toEqual(['WaitingForPayment', before]);
  });
});

describe('nothing is paid', () => {
  const CASES: readonly [string, Parameters<typeof stdioClient>[2], string, string][] = [
    ['when the user declines', () => ({ action: 'decline' }), '26', 'DECLINED'],
    ['when the user closes the form', () => ({ action: 'cancel' }), '26', 'DECLINED'],
    [
      'when the answer is no',
      () => ({ action: 'accept', content: { pay: false } }),
      '26',
      'DECLINED',
    ],
    ['when the client cannot ask', undefined, '26', 'CONFIRMATION_REQUIRED'],
    ['above the amount that was named', yes, '25.24', 'AMOUNT_OVER_CAP'],
  ];

  it.each(CASES)('%s', async (name, answer, max_amount, code) => {
    const client = await connect(['--allow-pay'], answer);
    const { result } = await client.call('createOrder', { ...ORDER, lang: name.slice(0, 20) });
    const before = await usdcOf();
    const { isError, error } = await client.call('payOrder', {
      order_id: result.order_id,
      max_amount,
    });
    expect([isError, error.code]).toEqual([true, code]);
    expect(error.funds_at_risk).toBe('none');
    const verb = answer === undefined ? 'approvals answer' : 'pay';
    if (code !== 'AMOUNT_OVER_CAP') {
      expect(error.hint).toContain(`scrip ${verb} ${result.order_id}`);
    }
    expect(await usdcOf()).toBe(before);
    const { result: after } = await client.call('getOrderStatus', { order_id: result.order_id });
    expect(after.order_state).toBe('WaitingForPayment');
  });

  it('for an order that this machine did not make', async () => {
    const client = await connect(['--allow-pay'], yes);
    const { error } = await client.call('payOrder', {
      order_id: '6f1f2f0e-5a0b-4f6e-9c39-0d2f4c1b7a10',
      max_amount: '26',
    });
    expect(error.code).toBe('ORDER_UNKNOWN');
    expect(client.asked).toEqual([]);
  });

  it('without --allow-pay: there is no such tool', async () => {
    const client = await connect([], yes);
    await expect(client.call('payOrder', { order_id: 'x', max_amount: '1' })).rejects.toThrow(
      'there is no tool payOrder',
    );
  });
});

describe('through the prompt and purchaseElicitation alone', () => {
  it('a gift card is ordered, one answer after another, and can be paid', async () => {
    const client = await connect(['--allow-pay'], yes);
    const prompt = await client.client.getPrompt({
      name: 'purchaseGiftCard',
      arguments: {
        brand: 'Amazon.com',
        amount: '25',
        country: 'US',
        coin: 'USDC',
        network: 'Solana',
        email: 'friend@example.com',
      },
    });
    const [message] = prompt.messages;
    const text = message?.content.type === 'text' ? message.content.text : '';
    // A small agent that does what it reads, and no more.
    const answers = [...text.matchAll(/^ {3}\d+\. \w+: (".*")$/gm)].map(([, quoted]): string =>
      JSON.parse(quoted ?? ''),
    );
    let { result } = await client.call('purchaseElicitation');
    const { session_token } = result;
    for (const answer of [...answers, 'yes']) {
      expect(result.status).toBe('continue');
      ({ result } = await client.call('purchaseElicitation', { session_token, answer }));
    }
    expect(result).toMatchObject({
      status: 'complete',
      payment_details: { coinSymbol: 'USDC', coinAmount: '25.25' },
    });
    const orderId = /orders\/([0-9a-f-]{36})/.exec(result.next_step.untrusted_text)?.[1] ?? '';
    // No question of the wizard is for an address of refunds: a script pays nothing without one.
    const unasked = await home.run(['pay', orderId, '--yes', '--max-amount', '26', '--json']);
    expect(JSON.parse(unasked.stderr).error).toMatchObject({
      code: 'ORDER_NOT_PAYABLE',
      hint: expect.stringContaining(`in a terminal without --yes: scrip pay ${orderId}`),
    });
    const paid = await client.call('payOrder', { order_id: orderId, max_amount: '25.25' });
    expect(paid.error).toBeUndefined();
    expect(client.asked).toEqual([expect.stringContaining('Refunds to: the order has none')]);
    expect(await untilDone(client, orderId)).toMatchObject({ order_state: 'Done' });
    const again = await client.call('purchaseElicitation', { session_token, answer: 'yes' });
    expect(again.result.next_step.untrusted_text).toContain(orderId);
  });
});
