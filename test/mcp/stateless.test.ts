/** MCP 2026-07-28 over HTTP: each call complete in itself, questions as results, and what a client keeps signed. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PaymentQuote } from '../../src/api/partner/pay-terms.ts';
import type { PaidOrder } from '../../src/api/tool-backend.ts';
import { atomic } from '../../src/domain/money/money.ts';
import { RATE_LIMITS } from '../../src/domain/rate-limit.ts';
import { createToolEndpoint } from '../../src/mcp/http.ts';
import { localServer } from '../../src/mcp/local-tools.ts';
import { manualClock } from '../support/manual-clock.ts';
import { BASE, type PartnerSandbox, partnerSandbox } from '../support/partner-sandbox.ts';
import { BOTH, backendOver, toolWorld } from '../support/tool-world.ts';

const REVISION = '2026-07-28';
const FORMS = { elicitation: { form: {} } };
const ORDER_ID = '6f1f2f0e-5a0b-4f6e-9c39-0d2f4c1b7a10';
const PAY = { name: 'payOrder', arguments: { order_id: ORDER_ID, max_amount: '26' } };

interface Reply {
  readonly error?: { readonly code: number; readonly data?: unknown };
  // biome-ignore lint/suspicious/noExplicitAny: results of many shapes, read by tests.
  readonly result?: any;
}

type Send = (init: {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}) => Promise<Response>;

interface Said {
  readonly capabilities?: object;
  readonly headers?: Readonly<Record<string, string>>;
  readonly revision?: string;
}

/** One call as a client of the revision sends it. */
async function say(
  send: Send,
  method: string,
  params: Readonly<Record<string, unknown>> = {},
  { capabilities = FORMS, headers = {}, revision = REVISION }: Said = {},
): Promise<{ readonly status: number; readonly reply: Reply }> {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': revision,
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': capabilities,
  };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } });
  const named = typeof params.name === 'string' ? { 'Mcp-Name': params.name } : {};
  const standard = { 'MCP-Protocol-Version': revision, 'Mcp-Method': method, ...named };
  const response = await send({ body, headers: { ...standard, ...headers } });
  const reply: Reply = JSON.parse(await response.text());
  return { status: response.status, reply };
}

describe('the service', () => {
  let shop: PartnerSandbox;
  beforeAll(async () => {
    shop = await partnerSandbox();
  });
  afterAll(() => shop.close());
  const open = () => toolWorld(shop.current()).send;

  it('is discovered without initialize, and says how long lists may be kept', async () => {
    const send = open();
    const { reply } = await say(send, 'server/discover');
    expect(reply.result).toMatchObject({
      resultType: 'complete',
      supportedVersions: [REVISION],
      capabilities: { tools: {}, prompts: {}, resources: {} },
      instructions: expect.stringContaining('searchProducts'),
      cacheScope: 'public',
    });
    const listed = (await say(send, 'tools/list')).reply.result;
    expect(listed).toMatchObject({ resultType: 'complete', ttlMs: 300_000, cacheScope: 'public' });
    expect(listed.tools).toHaveLength(10);
  });

  it.each<[string, number, number, Said]>([
    ['a header that names another method', 400, -32020, { headers: { 'Mcp-Method': 'ping' } }],
    ['a header that names another tool', 400, -32020, { headers: { 'Mcp-Name': 'createOrder' } }],
    ['a revision that there is not', 400, -32022, { revision: '2027-01-01' }],
  ])('refuses %s', async (_name, status, code, said) => {
    const params = { name: 'getCurrencies', arguments: {} };
    const refused = await say(open(), 'tools/call', params, said);
    expect([refused.status, refused.reply.error?.code]).toEqual([status, code]);
  });

  it('keeps nothing between two calls, and acts for the partner of each', async () => {
    const send = open();
    const params = { name: 'getCurrencies', arguments: {} };
    const { reply } = await say(send, 'tools/call', params, { headers: { 'Mcp-Session-Id': 'x' } });
    const { structuredContent, resultType } = reply.result;
    expect(structuredContent.result).toEqual(await (await shop.get('/v3/currencies')).json());
    expect(resultType).toBe('complete');
  });

  it('reads an order as a resource for its partner, and for no other', async () => {
    const send = open();
    const { order_id } = await shop.create();
    const uri = `scrip://orders/${order_id}`;
    const named = { 'Mcp-Name': uri };
    const { reply } = await say(send, 'resources/read', { uri }, { headers: named });
    expect(JSON.parse(reply.result.contents[0].text)).toEqual(await shop.read(order_id));
    const headers = { ...named, 'X-Cr-Application': 'another-shop' };
    const strange = await say(send, 'resources/read', { uri }, { headers });
    expect(strange.reply.error?.code).toBe(-32602);
  });

  describe('has the wizard ask the user', () => {
    const params = { name: 'purchaseElicitation', arguments: { ask_user: true } };
    const ANSWERS = ['giftcard', 'US', 'Amazon.com', '25', 'friend@example.com', 'USDC', 'Solana'];

    it('in forms, one question after another, back and after a wrong answer too', async () => {
      const send = open();
      const shown: string[] = [];
      let { result } = (await say(send, 'tools/call', params)).reply;
      const answer = async (content: object) => {
        expect(result.resultType).toBe('input_required');
        const { message, requestedSchema } = result.inputRequests.form.params;
        expect(Object.keys(requestedSchema.properties)).toEqual(['answer', 'back']);
        shown.push(message);
        const again = {
          ...params,
          requestState: result.requestState,
          inputResponses: { form: { action: 'accept', content } },
        };
        ({ result } = (await say(send, 'tools/call', again)).reply);
      };
      await answer({ answer: 'nothing of the kind' });
      expect(result.inputRequests.form.params.message.split('\n').length).toBeGreaterThan(1);
      await answer({ answer: 'giftcard' });
      await answer({ back: true });
      for (const text of [...ANSWERS, 'me@example.com', 'yes']) await answer({ answer: text });
      expect(result.structuredContent.result).toMatchObject({
        status: 'complete',
        payment_details: { coinSymbol: 'USDC', coinAmount: '25.25' },
      });
      expect(shown[3]).toBe(shown[1]?.split('\n').at(-1));
    });

    it('but not where the client has no forms, and no further once one is closed', async () => {
      const send = open();
      const without = await say(send, 'tools/call', params, { capabilities: {} });
      expect(without.reply.result.content[0].text).toContain('"CONFIRMATION_REQUIRED"');
      const { result } = (await say(send, 'tools/call', params)).reply;
      const closed = await say(send, 'tools/call', {
        ...params,
        requestState: result.requestState,
        inputResponses: { form: { action: 'cancel' } },
      });
      expect(closed.reply.result).toMatchObject({ isError: true });
      expect(closed.reply.result.content[0].text).toContain('"DECLINED"');
    });
  });
});

describe('the question before a payment', () => {
  const yes = { form: { action: 'accept', content: { pay: true } } };

  /** This machine's tools over a wallet that pays nothing, and counts. */
  function wallet() {
    const clock = manualClock();
    const state = { paid: 0, amount: 25_250_000n, orderState: 'Done' };
    const orderNow = (): PaidOrder['order'] => ({
      order_id: ORDER_ID,
      created_at: 1,
      payment_state: 'PaymentReceived',
      order_state: state.orderState,
      is_payment_processor_external: false,
      payment_transactions: ['sig'],
    });
    const terms = { coin: 'USDC', network: 'Solana', payTo: 'Recipient', refundsTo: undefined };
    const backend = {
      ...backendOver(async (url) =>
        String(url).includes(ORDER_ID)
          ? Response.json(orderNow())
          : Response.json({}, { status: 404 }),
      ),
      local: {
        make: async () => orderNow(),
        keepPurchase: async () => undefined,
        placed: (text: string) => text,
        keepEnd: async () => [],
        mayPayAlone: async () => false,
        approve: () => Promise.reject(new Error('nobody waits for an approval')),
        pay: async (_: string, agree: (quote: PaymentQuote) => Promise<void>) => {
          const amountAtomic = atomic(state.amount);
          const order = orderNow();
          await agree({ ...terms, order, amountAtomic, decimals: 6, openingCost: null });
          state.paid += 1;
          return { order, transactions: ['sig'] };
        },
      },
    };
    const stateKey = new Uint8Array(32).fill(7);
    const options = { backend, version: '1.2.3', stateKey, mayPay: true, areCodesShown: false };
    const endpointOf = (owner: string) =>
      createToolEndpoint({
        ...localServer(options),
        baseUrl: BASE,
        clock,
        rate: RATE_LIMITS.toolRequestsByAddress,
        newSessionId: () => crypto.randomUUID(),
        ownerOf: () => owner,
        backendFor: () => backend,
      });
    const sendAs =
      (owner: string): Send =>
      ({ body, headers }) => {
        const init = { 'Content-Type': 'application/json', Accept: BOTH, ...headers };
        const request = new Request(`${BASE}/mcp`, { method: 'POST', body, headers: init });
        return endpointOf(owner).handle(request, '');
      };
    const call = async (more: object = {}, owner = 'me', said: Said = {}) =>
      (await say(sendAs(owner), 'tools/call', { ...PAY, ...more }, said)).reply;
    const task = async (method: string, taskId: string) =>
      (await say(sendAs('me'), method, { taskId }, { headers: { 'Mcp-Name': taskId } })).reply;
    return { clock, state, call, task };
  }

  it('is a result, and the answer pays, at any of our processes', async () => {
    const { call, state } = wallet();
    const { result } = await call();
    expect(result.resultType).toBe('input_required');
    expect(result.inputRequests.form).toMatchObject({
      method: 'elicitation/create',
      params: { message: expect.stringContaining('Pay 25.25 USDC') },
    });
    expect(state.paid).toBe(0);
    const paid = await call({ requestState: result.requestState, inputResponses: yes });
    expect(paid.result.structuredContent.result.transactions).toEqual([{ untrusted_text: 'sig' }]);
    expect(paid.result.content[1]).toMatchObject({ uri: `scrip://orders/${ORDER_ID}` });
    expect(state.paid).toBe(1);
  });

  it.each<[string, object]>([
    ['no', { form: { action: 'accept', content: { pay: false } } }],
    ['a text', { form: { action: 'accept', content: { pay: 'true' } } }],
    ['a form that was closed', { form: { action: 'cancel' } }],
  ])('answered with %s pays nothing', async (_name, inputResponses) => {
    const { call, state } = wallet();
    const { result } = await call();
    const told = await call({ requestState: result.requestState, inputResponses });
    expect([told.result.content[0].text, state.paid]).toEqual([
      expect.stringContaining('"DECLINED"'),
      0,
    ]);
  });

  it('answered after 60 seconds pays nothing', async () => {
    const { call, state, clock } = wallet();
    const { result } = await call();
    clock.advance(60_001);
    const told = await call({ requestState: result.requestState, inputResponses: yes });
    expect([told.result.content[0].text, state.paid]).toEqual([
      expect.stringContaining('"DECLINED"'),
      0,
    ]);
  });

  it('is put again where an answer comes without it, or the price has changed', async () => {
    const { call, state } = wallet();
    const unasked = await call({ inputResponses: yes });
    expect(unasked.result.resultType).toBe('input_required');
    state.amount = 25_900_000n;
    const { requestState } = unasked.result;
    const dearer = await call({ requestState, inputResponses: yes });
    expect(dearer.result.inputRequests.form.params.message).toContain('Pay 25.9 USDC');
    expect(state.paid).toBe(0);
  });

  it('of another caller, of other arguments, or changed, is refused', async () => {
    const { call, state } = wallet();
    const { requestState } = (await call()).result;
    const [head = '', body = '', mac = ''] = requestState.split('.');
    const claims = JSON.parse(Buffer.from(body, 'base64url').toString());
    claims.p.message = claims.p.message.replace('25.25', '1.00');
    const forged = [head, Buffer.from(JSON.stringify(claims)).toString('base64url'), mac].join('.');
    const dearer = { ...PAY.arguments, max_amount: '2600' };
    const refused = [
      await call({ requestState, inputResponses: yes }, 'another'),
      await call({ requestState, inputResponses: yes, arguments: dearer }),
      await call({ requestState: forged, inputResponses: yes }),
      await call({ requestState: 'v1.e30.AAAA', inputResponses: yes }),
    ];
    expect(refused.map(({ error }) => error?.code)).toEqual([-32602, -32602, -32602, -32602]);
    expect(state.paid).toBe(0);
  });

  describe('once answered, is a task', () => {
    const extensions = { 'io.modelcontextprotocol/tasks': {} };
    const TASKS = { capabilities: { ...FORMS, extensions } };

    it('while the goods are awaited, and the order at its end', async () => {
      const { call, task, state } = wallet();
      state.orderState = 'WaitingForDelivery';
      const { result } = await call({}, 'me', TASKS);
      const answered = { requestState: result.requestState, inputResponses: yes };
      const paid = (await call(answered, 'me', TASKS)).result;
      const known = { taskId: ORDER_ID, status: 'working', ttlMs: null, pollIntervalMs: 30_000 };
      expect(paid).toMatchObject({ resultType: 'task', ...known });
      expect((await task('tasks/get', ORDER_ID)).result).toMatchObject({
        resultType: 'complete',
        ...known,
        statusMessage: 'WaitingForDelivery',
      });
      for (const method of ['tasks/cancel', 'tasks/update']) {
        expect((await task(method, ORDER_ID)).result).toMatchObject({ resultType: 'complete' });
      }
      state.orderState = 'Done';
      const done = (await task('tasks/get', ORDER_ID)).result;
      expect(done).toMatchObject({ status: 'completed', result: { resultType: 'complete' } });
      expect(done.result.structuredContent.result.order.order_state).toBe('Done');
      expect(state.paid).toBe(1);
    });

    it('but not for a client that takes none, and there is no other', async () => {
      const { call, task, state } = wallet();
      state.orderState = 'WaitingForDelivery';
      const { result } = await call();
      const paid = await call({ requestState: result.requestState, inputResponses: yes });
      expect(paid.result).toMatchObject({ resultType: 'complete' });
      expect((await task('tasks/get', crypto.randomUUID())).error?.code).toBe(-32602);
    });
  });
});
