/**
 * Canaries at the tools of agents: every tool over both transports, payments included, told by a
 * server that was not asked to reveal codes; and servers that die while they pay.
 */

import { afterAll, describe, expect, it } from 'vitest';
import { TOOLS } from '../../src/contract/agent.ts';
import { MAIL, OWN_MAIL } from '../support/canary.ts';
import { openCanaryWorld } from '../support/canary-world.ts';
import { IS_FULL } from '../support/fuzz.ts';
import { httpClient, stdioClient, type ToolClient } from '../support/mcp-client.ts';

const SLOW_MS = 120_000;
const yes = () => ({ action: 'accept', content: { pay: true } }) as const;
const VIA = { type: 'via', payment_via: 'user_wallet', coin: 'USDC', network: 'Solana' };
const CARD = { country_code: 'US', brand_name: 'Amazon.com' };
const anOrder = (lang: string) => ({
  user: { email: OWN_MAIL },
  payment: VIA,
  deliveries: [{ ...CARD, denomination: '25 USD', beneficiary_account: MAIL }],
  lang,
});

/** Calls of every tool that does not order, good ones and bad ones. */
const CALLS: readonly (readonly [string, Record<string, unknown>])[] = [
  ['getCurrencies', {}],
  ['listBrands', { country_code: 'US' }],
  ['listProductsForCountry', { ...CARD, coin: 'USDC' }],
  ['getPaymentViasWithCurrencies', {}],
  ['getProductPrice', { ...CARD, face_value: 25, coin: 'USDC' }],
  ['searchProducts', { country_code: 'US', q: MAIL }],
  ['validateOrder', anOrder('en')],
  ['validateOrder', { ...anOrder('en'), deliveries: [{ ...CARD, beneficiary_account: MAIL }] }],
  ['createOrder', { user: { email: OWN_MAIL } }],
  ['getOrderStatus', { order_id: MAIL }],
  ['payOrder', { order_id: crypto.randomUUID(), max_amount: '1' }],
];
/** What is journaled while an order is made and paid through tools. */
const MAKING = ['created', 'created-recorded'];
const PAYING = ['reserved', 'signed', 'attempt-written', 'submitted'];

const open: { close(): Promise<unknown> }[] = [];
const world = await openCanaryWorld();
afterAll(async () => {
  await Promise.all(open.map((one) => one.close()));
  await world.close();
});

const flags = (): readonly string[] => [...world.flags(), '--verbose', '--allow-pay'];

async function overStdio(env: Readonly<Record<string, string>> = {}): Promise<ToolClient> {
  const client = await stdioClient(world.home, flags(), yes, { env, said: world.overhear });
  open.push(client);
  return client;
}

async function overHttp(): Promise<ToolClient> {
  const child = world.home.start(['mcp', '--http', '--port', '0', '--json', ...flags()]);
  world.listen(child);
  const gone = new Promise((resolve) => child.once('close', resolve));
  const said = await new Promise<string>((resolve, reject) => {
    child.stdout?.setEncoding('utf8').once('data', resolve);
    child.once('close', () => reject(new Error('the tool server ended')));
  });
  const { url, authorization } = JSON.parse(said);
  const client = await httpClient(url, authorization, yes);
  const close = async (): Promise<void> => {
    await client.close();
    child.kill('SIGTERM');
    await gone;
  };
  open.push({ close });
  return client;
}

/** Calls a tool and keeps every word of its result. */
async function call(client: ToolClient, name: string, args: Record<string, unknown> = {}) {
  const answer = await client.call(name, args);
  world.hear(answer.text);
  return answer;
}

async function untilDone(client: ToolClient, orderId: string) {
  for (;;) {
    const { result } = await call(client, 'getOrderStatus', { order_id: orderId });
    if (result.order_state !== 'WaitingForDelivery') return result;
  }
}

async function askedThrough(client: ToolClient): Promise<void> {
  const { result } = await call(client, 'purchaseElicitation');
  const { session_token } = result;
  for (const answer of ['giftcard', 'US', 'Amazon.com', 'nonsense']) {
    await call(client, 'purchaseElicitation', { session_token, answer });
  }
}

describe('no tool tells a secret', () => {
  it.each([
    ['stdio', () => overStdio()],
    ['Streamable HTTP', overHttp],
  ])('over %s', { timeout: SLOW_MS }, async (name, connect) => {
    const client = await connect();
    for (const [tool, args] of CALLS) await call(client, tool, args);
    await askedThrough(client);
    const { result: made } = await call(client, 'createOrder', anOrder(name.slice(0, 2)));
    const paying = { order_id: made.order_id, max_amount: '26' };
    const paid = await call(client, 'payOrder', paying);
    expect(paid.error).toBeUndefined();
    expect(await untilDone(client, made.order_id)).toMatchObject({ order_state: 'Done' });
    await call(client, 'payOrder', paying);
    world.hear(client.asked.join('\n'));
    await world.reveal(made.order_id);
    const called = new Set([...CALLS.map(([tool]) => tool), 'purchaseElicitation']);
    // A tool that is added is called here as well.
    expect([...called].toSorted()).toEqual(
      [...TOOLS.map((row) => row.name), 'payOrder'].toSorted(),
    );
  });

  it.each(IS_FULL ? MAKING : [])(
    'and a server that dies at %s leaves none',
    { timeout: SLOW_MS },
    async (point) => {
      const dying = await overStdio({ SCRIP_TEST: '1', SCRIP_FAIL_POINT: point });
      await expect(dying.call('createOrder', anOrder(point.slice(0, 9)))).rejects.toThrow();
      await call(await overStdio(), 'createOrder', anOrder(point.slice(0, 9)));
    },
  );

  it.each(IS_FULL ? PAYING : ['submitted'])(
    'and a server that dies at %s while it pays leaves none',
    { timeout: SLOW_MS },
    async (point) => {
      const dying = await overStdio({ SCRIP_TEST: '1', SCRIP_FAIL_POINT: point });
      const { result: made } = await call(dying, 'createOrder', anOrder(point.slice(0, 9)));
      const paying = { order_id: made.order_id, max_amount: '26' };
      await expect(dying.call('payOrder', paying)).rejects.toThrow();
      const client = await overStdio();
      expect((await call(client, 'payOrder', paying)).error).toBeUndefined();
      expect(await untilDone(client, made.order_id)).toMatchObject({ order_state: 'Done' });
      await world.reveal(made.order_id);
    },
  );

  it('as the search of all of it shows', { timeout: SLOW_MS }, async () => {
    await Promise.all(open.splice(0).map((one) => one.close()));
    const { leaks, counts } = await world.search();
    expect(leaks).toEqual([]);
    expect(counts.code).toBeGreaterThanOrEqual(3);
    expect(counts.payment).toBeGreaterThanOrEqual(3);
  });
});
