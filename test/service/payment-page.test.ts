/** The payment page as text: what it says in each state, what it never says, and its headers. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { reachableStates } from '../../src/domain/order/order-states.ts';
import { paymentPage } from '../../src/service/page/page.ts';
import { isPayable, SITUATIONS, situationOf } from '../../src/service/page/situation.ts';
import { languageOf, textsIn } from '../../src/service/page/texts.ts';
import { ENGINES } from '../support/engines.ts';
import { PAGED_ORDERS, pay } from '../support/paid-orders.ts';
import {
  AMAZON_25,
  BUYER_WALLET,
  type PartnerSandbox,
  partnerSandbox,
  via,
} from '../support/partner-sandbox.ts';

/** Text as a reader has it: tags gone, entities read. */
const readable = (page: string): string =>
  page
    .replace(/<[^>]*>/g, ' ')
    .replaceAll('&#39;', "'")
    .replace(/\s+/g, ' ');

describe('situations', () => {
  it('every pair of states that an order can have has one, and none is without a pair', () => {
    const found = new Set(reachableStates().map(situationOf));
    expect(new Set(SITUATIONS)).toEqual(found);
    expect(PAGED_ORDERS.map(([situation]) => situation).toSorted()).toEqual(SITUATIONS.toSorted());
  });

  it('nothing is asked for once the order has ended or the money has come', () => {
    for (const states of reachableStates()) {
      if (!isPayable(situationOf(states))) continue;
      expect(['WaitingForPayment', 'PaymentFailed']).toContain(states.orderState);
      expect(states.paymentState).not.toBe('PaymentReceived');
    }
  });
});

describe.each(ENGINES)('the service on %s', (engine) => {
  let host: PartnerSandbox;
  beforeAll(async () => {
    host = await partnerSandbox({ engine });
  });
  afterAll(() => host.close());

  const pageOf = async (
    { order_id }: { readonly order_id: string },
    headers: Record<string, string> = {},
  ): Promise<string> => (await host.get(await host.pagePath(order_id), headers)).text();

  describe('the page', () => {
    it.each(PAGED_ORDERS)('says that an order is %s, in two languages', async (situation, make) => {
      const order = await make(host);
      for (const language of ['en', 'es'] as const) {
        const page = await pageOf(order, { 'Accept-Language': language });
        const [title, what] = textsIn(language).situations[situation];
        expect(page).toContain(`<html lang="${language}">`);
        expect(readable(page)).toContain(`${title} ${what}`);
        expect(page.includes('http-equiv="refresh"')).toBe(!page.includes('data-over'));
      }
    });

    it('gives amount, address, network, QR code and a link for the wallet', async () => {
      const order = await host.create({ payment: via('BTC', 'Mainnet') });
      expect(order.checkout_url).toMatch(/^http:\/\/sandbox\.invalid\/pay\/[a-z2-7]{26}$/);
      const page = await pageOf(order);
      expect(page).toContain('<p class="shop">sandbox.invalid</p>');
      for (const text of [order.coin_amount, order.wallet_address, 'Bitcoin', 'Amazon.com']) {
        expect(readable(page)).toContain(text);
      }
      const uri = (order.qr_text ?? '').replaceAll('&', '&amp;');
      expect(page).toContain(`<a class="pay" href="${uri}">`);
      const [, picture = ''] = /<img src="([^"]+)"/.exec(page) ?? [];
      const drawn = await host.get(picture);
      expect([drawn.status, drawn.headers.get('Content-Type')]).toEqual([200, 'image/svg+xml']);
    });

    it('names each product once, with the value that was chosen of a range', async () => {
      const range = { ...AMAZON_25, denomination: 'range', product_value: 40 };
      const order = await host.create({ deliveries: [AMAZON_25, range, AMAZON_25] });
      expect(readable(await pageOf(order))).toContain(
        'You are buying 2 × Amazon.com 25 USD, Amazon.com 40 USD',
      );
    });

    it('asks for what is missing after a part', async () => {
      const order = await host.create({ payment: via('BTC', 'Mainnet') });
      await pay(host, order, { amount: '0.0001' });
      await host.pass(2_000);
      const page = readable(await pageOf(order));
      expect(page).toContain('Missing amount 0.0001525 BTC');
      expect(page).toContain('Received 0.0001 BTC');
    });

    it('says which refund there is, and that it needs an address', async () => {
      const [, make] = PAGED_ORDERS.find(([situation]) => situation === 'refunded') ?? [];
      const order = await make?.(host);
      if (!order) throw new Error('no refunded order');
      const page = readable(await pageOf(order));
      expect(page).toContain('Refund 0.0001 BTC: Give the shop an address for the refund.');
    });

    it('shows no code, nobody’s address, and not which partner made the order', async () => {
      const order = await host.create({ payment: via('BTC', 'Mainnet') });
      await pay(host, order);
      await host.pass(2_000);
      const done = await host.read(order.order_id);
      const page = await pageOf(order);
      const secrets = [
        done.deliveries?.[0]?.deliverable.pin_code,
        'friend@example.com',
        'buyer@example.com',
        'shop-1',
      ];
      for (const secret of secrets) {
        expect(secret).toBeTruthy();
        expect(page).not.toContain(secret);
      }
    });

    it('is kept by no cache, framed by nobody, and runs nothing but its own file', async () => {
      const order = await host.create();
      const { headers } = await host.get(await host.pagePath(order.order_id));
      expect(headers.get('Cache-Control')).toBe('no-store');
      expect(headers.get('Referrer-Policy')).toBe('no-referrer');
      const policy = headers.get('Content-Security-Policy') ?? '';
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).not.toContain('unsafe');
      expect(await pageOf(order)).not.toMatch(/<script>|style="|onclick|javascript:/);
    });

    it('is under 60 KB with all that it loads', async () => {
      const order = await host.create({ payment: via('BTC', 'Mainnet') });
      const page = await pageOf(order);
      const loaded = [...page.matchAll(/(?:src|href)="(\/[^"]+)"/g)].map(([, path = '']) => path);
      expect(loaded.toSorted()).toEqual([
        '/pay/live.js',
        '/pay/style.css',
        expect.stringMatching(/^\/qr\//),
      ]);
      const sizes = await Promise.all(
        loaded.map(async (path) => (await (await host.get(path)).arrayBuffer()).byteLength),
      );
      expect(page.length + sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(60_000);
    });

    it('answers 404 for any other id, also that of an order, in words', async () => {
      const order = await host.create({ payment: via('BTC', 'Mainnet') });
      const reply = await host.get(`/pay/${order.order_id}?lang=es`);
      expect(reply.status).toBe(404);
      expect(readable(await reply.text())).toContain('No existe ese pedido');
    });
  });

  describe('who has the link', () => {
    const onChain: (typeof PAGED_ORDERS)[number] = ['due', ({ create }) => create()];

    it.each([...PAGED_ORDERS, onChain])(
      'finds no id of the order in anything that the page gives: %s',
      async (_situation, make) => {
        // With a key of its own, so that a refund asks for its address on the page.
        const keyed = { 'Idempotency-Key': crypto.randomUUID() };
        const order = await make({ ...host, create: (more) => host.create(more, keyed) });
        const words = await wordsGiven(await host.pagePath(order.order_id));
        expect(words).toContain((await host.pagePath(order.order_id)).split('/').at(-1));
        const opened = await Promise.all(
          words.map(async (word) => {
            const paths = [`/v5/orders/${word}`, `/v5/orders/${word}/subscribe`];
            const replies = await Promise.all(paths.map((path) => host.get(path)));
            for (const { body } of replies) await body?.cancel();
            return replies.some(({ status }) => status === 200) ? [word] : [];
          }),
        );
        expect(opened.flat()).toEqual([]);
        expect((await host.get(`/v5/orders/${order.order_id}`)).status).toBe(200);
      },
    );

    /** Everything long enough to be an id in what the holder of a link can get, headers and addresses included. */
    async function wordsGiven(page: string): Promise<string[]> {
      const html = await (await host.get(page)).text();
      const linked = [...html.matchAll(/(?:href|src)="(\/[^"]+)"/g)].map(([, path = '']) => path);
      const forms = [...html.matchAll(/action="([^"]+)"/g)].map(([, path = '']) => path);
      const account = BUYER_WALLET.address;
      const replies = await Promise.all([
        ...[page, `${page}/transaction`, ...linked].map((path) => host.get(path)),
        host.post(`${page}/transaction`, { account }),
        ...forms.map((path) => host.post(path, { address: account, order_key: 'a guess' })),
      ]);
      const stream = await host.get(`${page}/events`);
      const texts = await Promise.all(
        replies.map(async (reply) => `${JSON.stringify([...reply.headers])} ${await reply.text()}`),
      );
      const reader = stream.body?.getReader();
      const first = await reader?.read();
      await reader?.cancel();
      texts.push(Buffer.from(first?.value ?? []).toString(), ...linked, ...forms, page);
      const packed = texts.join(' ').match(/[A-Za-z0-9+/]{100,}=*/g) ?? [];
      texts.push(...packed.map((text) => Buffer.from(text, 'base64').toString('latin1')));
      return [...new Set(texts.join(' ').match(/[\w-]{16,}/g))];
    }
  });

  describe('the form that pays with test money', () => {
    it('leads back to the page', async () => {
      const order = await host.create({ payment: { type: 'binance_pay', coin: 'USDT' } });
      const page = await pageOf(order);
      const [, action = ''] = /<form method="post" action="([^"]+)">/.exec(page) ?? [];
      const reply = await host.post(action, {});
      expect([reply.status, reply.headers.get('Location')]).toEqual([
        303,
        await host.pagePath(order.order_id),
      ]);
      expect(await reply.text()).toBe('');
      await host.pass(2_000);
      expect(readable(await pageOf(order))).toContain('Delivered');
    });

    it('is not there for an order that the embedded chain pays', async () => {
      expect(await pageOf(await host.create())).not.toContain('<form');
    });
  });

  describe('the link of a Solana wallet', () => {
    it('has a reference of its own for each order, which does not tell the order', async () => {
      const orders = [await host.create(), await host.create()];
      const references = orders.map(
        ({ qr_text }) => /^solana:.*&reference=(\w+)$/.exec(qr_text ?? '')?.[1],
      );
      expect(references).not.toContain(undefined);
      expect(new Set(references).size).toBe(2);
      const again = await host.read(orders[0]?.order_id ?? '');
      expect(again.qr_text).toBe(orders[0]?.qr_text);
    });
  });

  describe('the stream of a page', () => {
    it('says that the order changed and nothing of it, and ends with the order', async () => {
      const order = await host.create({ payment: via('BTC', 'Mainnet') });
      const reply = await host.get(`${await host.pagePath(order.order_id)}/events`);
      expect(reply.headers.get('Content-Type')).toBe('text/event-stream');
      await pay(host, order);
      await host.pass(2_000);
      await host.pass(2_000);
      const text = await reply.text();
      const said = text.split('\n').filter((line) => line.startsWith('data:'));
      expect(said.length).toBeGreaterThan(2);
      expect(new Set(said)).toEqual(new Set(['data: {}']));
      expect(text).toContain('event: stop');
    });
  });
});

it('the page and the wallet name the shop, and what is done leads back to it', async () => {
  const named = { shopName: 'Eckladen <b>', website: 'https://eckladen.example/?a=1&b=2' };
  const host = await partnerSandbox();
  const order = await host.create();
  const row = await host.current().store.tables.partnerOrders.byId(order.order_id);
  if (!row) throw new Error('no order');
  const paged = { ...named, row, payment: order, deliveries: [], refunds: [], isSandbox: false };
  const pageIn = async (states: Partial<typeof row>) =>
    String(
      await paymentPage('es', {
        ...{ ...paged, row: { ...row, ...states } },
        ...{ simulateAt: undefined, sponsoredAt: undefined, wallet: undefined },
      }),
    );
  expect(await pageIn({})).toContain('<p class="shop">Eckladen &lt;b&gt;</p>');
  expect(await pageIn({})).not.toContain('eckladen.example');
  const over = { orderState: 'Done', paymentState: 'PaymentReceived' } as const;
  expect(await pageIn(over)).toContain(
    '<a href="https://eckladen.example/?a=1&amp;b=2">Volver a Eckladen &lt;b&gt;</a>',
  );
  await host.close();
});

it.each([
  [null, null, 'en'],
  [null, 'es-MX,es;q=0.9,en;q=0.8', 'es'],
  [null, 'en;q=0.3, es;q=0.4', 'es'],
  [null, 'de,fr', 'en'],
  ['es', 'en', 'es'],
  ['xx', 'es', 'en'],
])('?lang=%s and Accept-Language %s are read as %s', (asked, header, language) => {
  expect(languageOf(asked, header)).toBe(language);
});
