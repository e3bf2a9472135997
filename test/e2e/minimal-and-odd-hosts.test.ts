/** Hosts that say the least that the interface allows, and hosts that say more than anybody asked. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CliResult, FINAL_SOON, makeHome, SCRIP } from '../support/cli.ts';
import { type FrontHost, openFrontHost } from '../support/front-host.ts';
import { stdioClient } from '../support/mcp-client.ts';
import { mannersOf, type Spoil, WRITINGS } from '../support/odd-hosts.ts';
import { serveHere } from '../support/served-here.ts';
import { amazonProducts, fundedWallet, GIFT, HERE, orderOf } from '../support/shop.ts';
import { KEYS, noTerminalBecause, openTerminal, type TerminalRun } from '../support/terminal.ts';

// biome-ignore lint/suspicious/noExplicitAny: bodies of many shapes.
type Body = any;

const MADE = ['--via', 'partner', '--coin', 'USDC', '--network', 'Solana'];
const PARTNER = [...MADE, '--pay'];
/** A price of 10.1, whether it was told as a text or as a number. */
const TEN = expect.stringMatching(/^10\.10?$/);
const OTHER_ADDRESS = '9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin';

const home = makeHome(SCRIP, FINAL_SOON);
const sandbox = await serveHere(home, true);
const wallet = await fundedWallet(home, sandbox.flags, '2000');
const { fixed, range } = amazonProducts();
const fixedId = fixed.product_id;
const rangeId = range.product_id;

// A terminal and a tool server start beside a dozen commands, on a machine that may have more to do.
const LIMIT = { timeout: 180_000 };

describe.each([
  ['sends only what the interface requires', WRITINGS.minimal],
  ['sends odd but harmless extras', WRITINGS.odd],
])('a host that %s', LIMIT, (_name, writing) => {
  let host: FrontHost;
  let at: readonly string[];
  let spoil: Spoil | undefined;
  beforeAll(async () => {
    const manners = mannersOf(writing, () => spoil);
    host = await openFrontHost(sandbox.url, manners);
    at = host.flags;
  });
  afterAll(() => host.close());

  const run = (words: readonly string[]): Promise<CliResult> =>
    home.run([...words, ...at, '--json']);
  /** The document of a command that has nothing to complain of. */
  const said = async (words: readonly string[]): Promise<Body> => {
    const { status, stderr, stdout } = await run(words);
    expect([words.slice(0, 2), status, stderr]).toEqual([words.slice(0, 2), 0, '']);
    return JSON.parse(stdout);
  };

  /** An order of either surface is tracked to its end, and its code given out by the journal. */
  const followed = async (orderId: string): Promise<void> => {
    const tracked = await said(['track', orderId]);
    expect(tracked).toMatchObject({ order_id: orderId });
    expect(tracked.status ?? tracked.order_state).toMatch(/^(completed|Done)$/);
    const revealed = await home.run(['orders', 'reveal', orderId, '--json']);
    expect([revealed.status, revealed.stderr]).toEqual([0, '']);
    const [{ voucher_code, deliverable }] = JSON.parse(revealed.stdout).deliveries;
    expect(voucher_code ?? deliverable.pin_code).toMatch(/^TEST-[A-Z0-9-]{4,}$/);
  };

  /** What people are shown says nothing that is not there. */
  const shownPlainly = async (words: readonly string[]): Promise<void> => {
    const shown = await home.run([...words, ...at]);
    expect([words, shown.status, shown.stdout]).toEqual([words, 0, expect.stringMatching(/\w/)]);
    expect(shown.stdout).not.toMatch(STRANGE);
  };

  const newest = async (): Promise<string> => {
    const [order] = await home.json<readonly { order_id: string }[]>(['orders']);
    return order?.order_id ?? '';
  };

  it('is searched, and quotes, at the checkout host', async () => {
    expect(await said(['countries'])).toContainEqual(expect.objectContaining({ code: 'mx' }));
    expect(await said(['search', 'amazn', '--country', 'us'])).toContainEqual(
      expect.objectContaining({ brand: 'Amazon.com' }),
    );
    expect(await said(['brands', '--country', 'us'])).toContainEqual(
      expect.objectContaining({ brand_name: 'Amazon.com' }),
    );
    const listed = await said(['catalog', ...HERE]);
    expect(listed).toContainEqual(
      expect.objectContaining({ product_id: fixedId, is_range: false, price_usdc: TEN }),
    );
    expect(listed).toContainEqual(
      expect.objectContaining({ product_id: rangeId, is_range: true, price_usdc: 'variable' }),
    );
    expect(await said(['price', fixedId, ...HERE])).toMatchObject({ price_usdc: TEN });
    const chosen = ['price', rangeId, ...HERE, '--value', '25'];
    const priced = await said(chosen);
    expect(priced).toMatchObject({ price_usdc: '25.25' });
    expect(Number(priced.face_value)).toBe(25);
    for (const words of [['catalog', ...HERE], chosen, ['brands', '--country', 'us']]) {
      await shownPlainly(words);
    }
  });

  it('is searched, and quotes, by the partner API', async () => {
    const by = ['--via', 'partner'];
    expect(await said(['brands', '--country', 'us', ...by])).toContainEqual(
      expect.objectContaining({ brand: 'Amazon.com' }),
    );
    expect(await said(['catalog', ...HERE, ...by])).toContainEqual(
      expect.objectContaining({ product_id: fixedId, coin_amount: TEN }),
    );
    expect(await said(['price', fixedId, ...HERE, ...by])).toMatchObject({ coin_amount: TEN });
    const chosen = ['price', rangeId, ...HERE, '--value', '25', ...by];
    expect(await said(chosen)).toMatchObject({ coin_amount: '25.25' });
    expect(await said(['currencies'])).toContainEqual(expect.objectContaining({ name: 'USDC' }));
    expect(await said(['vias'])).toContainEqual(
      expect.objectContaining({ coin: 'USDC', network: 'Solana' }),
    );
    const order = [rangeId, ...HERE, '--value', '25', '--to', 'friend@example.com'];
    expect(await said(['validate', ...order])).toMatchObject({ valid: true, coin_amount: '25.25' });
    for (const words of [['catalog', ...HERE, ...by], chosen, ['vias'], ['validate', ...order]]) {
      await shownPlainly(words);
    }
  });

  it.each([
    ['fixed', () => orderOf(fixedId), '10.10'],
    ['range', () => orderOf(rangeId, ['--value', '20']), '20.20'],
  ])(
    'sells a %s product at the checkout host, and the payment is named',
    async (_kind, words, amount) => {
      const bought = await said(words());
      expect(bought).toMatchObject({ status: 'completed', amount });
      expect(bought.transaction).toMatch(/^[1-9A-HJ-NP-Za-km-z]{80,90}$/);
      const shown = await home.run(['orders', 'show', bought.order_id, '--json']);
      expect(shown.stdout).toContain(bought.transaction);
      await followed(bought.order_id);
    },
  );

  it('sells a range product by the partner API', async () => {
    const bought = await said([...orderOf(rangeId, ['--value', '20']), ...PARTNER]);
    expect(bought).toMatchObject({ order_state: 'Done', created_at: expect.any(Number) });
    await followed(bought.order_id);
  });

  it('sells a fixed product by an order that is made, streamed and paid', async () => {
    const { order_id: orderId, wallet_address: payTo } = await said(orderOf(fixedId, MADE));
    expect(payTo).toMatch(/^[1-9A-HJ-NP-Za-km-z]{32,44}$/);
    // What a status leaves out is what the creation said.
    const terms = { wallet_address: payTo, coin: 'USDC', network: 'Solana', coin_amount: TEN };
    expect(await said(['pay', orderId, '--show'])).toMatchObject(terms);
    const stream = `GET /v5/orders/${orderId}/subscribe`;
    const tracking = said(['track', orderId]);
    await expect.poll(() => host.asked).toContain(stream);
    const paid = await said(['pay', orderId, '--yes', '--max-amount', '60']);
    expect(paid).toMatchObject({ order_state: 'Done' });
    expect(await tracking).toMatchObject({ order_id: orderId, order_state: 'Done' });
    await followed(orderId);
  });

  describe.skipIf(noTerminalBecause)(`and the wizard (${noTerminalBecause ?? 'terminal'})`, () => {
    const choose = async (terminal: TerminalRun, question: RegExp, text: string, first: string) => {
      await terminal.shows(question);
      terminal.send(text);
      await terminal.shows(new RegExp(`\\? \\d/9 [\\s\\S]*\\s${text}\\s+❯ ${first}`));
      terminal.send(KEYS.enter);
    };
    const type = async (terminal: TerminalRun, question: RegExp, text: string) => {
      await terminal.shows(question);
      terminal.send(`${text}${KEYS.enter}`);
    };

    it('sell a fixed product at the checkout host', async () => {
      const before = await newest();
      // The wizard keeps the country for the next time.
      await home.run(['config', 'unset', 'country']);
      const terminal = openTerminal(['wizard', '--email', 'you@example.com', ...at], home);
      await choose(terminal, /\? 1\/9/, 'gift', 'Gift card or eSIM');
      await choose(terminal, /\? 2\/9/, 'United S', 'United States');
      await choose(terminal, /\? 3\/9/, 'amazo', 'Amazon.com');
      await choose(terminal, /\? 4\/9/, '10 USD', '10 USD');
      await type(terminal, /\? 5\/9/, 'wizard@example.com');
      await choose(terminal, /\? 6\/9/, 'usdc', 'USDC');
      await choose(terminal, /\? 7\/9/, 'sol', 'Solana');
      const recap = await terminal.shows('? 9/9 Is everything right?');
      expect(recap).toContain('10.10 USDC');
      terminal.send(`yes${KEYS.enter}`);
      expect(await terminal.ended).toBe(0);
      expect(terminal.screen()).toMatch(/^ {6}TEST-/m);
      const orderId = await newest();
      expect(orderId).not.toBe(before);
      expect(await home.json(['orders', 'show', orderId])).toMatchObject({ product_id: fixedId });
      await followed(orderId);
    });

    it('sell a range product by the partner API', async () => {
      const before = await newest();
      const words = ['--type', 'giftcard', '--country', 'us', '--brand', 'Amazon.com'];
      const [, to = '', , email = ''] = GIFT;
      const given = [...words, '--value', '21', '--to', to, '--email', email];
      const means = ['--coin', 'SOL', '--network', 'Solana'];
      const terminal = openTerminal(['wizard', ...given, ...means, ...at], home);
      await type(terminal, /\? 9\/9/, 'yes');
      expect(await terminal.ended).toBe(0);
      const orderId = await newest();
      expect(orderId).not.toBe(before);
      await followed(orderId);
    });
  });

  it('is bought from by an agent', async () => {
    const words = ['--allow-pay', ...at, '--mcp-url', host.url];
    const agent = await stdioClient(home, words, () => ({
      action: 'accept',
      content: { pay: true },
    }));
    const told = async (name: string, args: Record<string, unknown> = {}): Promise<Body> => {
      const { isError, text, result } = await agent.call(name, args);
      expect([name, isError, isError ? text : '']).toEqual([name, false, '']);
      return result;
    };
    const where = { brand_name: 'Amazon.com', country_code: 'US' };
    const [, to = ''] = GIFT;
    const order = {
      user: { email: 'you@example.com' },
      payment: { type: 'via', payment_via: 'user_wallet', coin: 'USDC', network: 'Solana' },
    };
    const goods = { ...where, beneficiary_account: to };
    expect(
      JSON.stringify(await told('searchProducts', { country_code: 'US', q: 'amazn' })),
    ).toContain('Amazon.com');
    const brands = await told('listBrands', { country_code: 'US', search: 'amazon' });
    expect(JSON.stringify(brands)).toContain('Amazon.com');
    await told('getCurrencies');
    await told('getPaymentViasWithCurrencies');
    const products = await told('listProductsForCountry', { ...where, coin: 'USDC' });
    expect(JSON.stringify(products)).toContain(fixedId);
    const price = await told('getProductPrice', { ...where, face_value: 22, coin: 'USDC' });
    expect(price.coin_amount).toBe('22.22');
    const deliveries = [{ ...goods, denomination: 'range', product_value: '22' }];
    await told('validateOrder', { ...order, deliveries });
    const made = await told('createOrder', { ...order, deliveries });
    await told('payOrder', { order_id: made.order_id, max_amount: '60' });
    expect(agent.asked.at(-1)).toContain('For: friend@example.com');
    const read = await told('getOrderStatus', { order_id: made.order_id });
    expect(read).toMatchObject({ order_id: made.order_id });
    await followed(made.order_id);
    let step = await told('purchaseElicitation');
    const answers = ['giftcard', 'us', 'Amazon.com', '23', to, 'USDC', 'Solana', to, 'yes'];
    for (const answer of answers) {
      step = await told('purchaseElicitation', { session_token: step.session_token, answer });
    }
    const [, order_id = ''] = /orders\/([0-9a-f-]{36})/.exec(JSON.stringify(step)) ?? [];
    await told('payOrder', { order_id, max_amount: '60' });
    await followed(order_id);
  });

  describe('and is wrong about money, is not paid:', () => {
    const refusedOf = async (wrong: Spoil, words: readonly string[]): Promise<Body> => {
      spoil = wrong;
      try {
        const { status, stdout, stderr } = await run(words);
        expect([status === 0, stdout]).toEqual([false, '']);
        return JSON.parse(stderr).error;
      } finally {
        spoil = undefined;
      }
    };

    /** A change of the requirement in the 402. */
    const inAccept =
      (change: (accept: Body) => Body): Spoil =>
      (asked, body) =>
        asked === 'POST /v1/orders' && body.accepts !== undefined
          ? { ...body, accepts: body.accepts.map(change) }
          : body;

    it.each<[string, Spoil]>([
      ['amount', inAccept((one) => ({ ...one, maxAmountRequired: '61000000', amount: undefined }))],
      ['asset', inAccept((one) => ({ ...one, asset: OTHER_ADDRESS }))],
      ['recipient', inAccept((one) => ({ ...one, payTo: wallet }))],
      ['network', inAccept((one) => ({ ...one, network: 'solana:somewhere' }))],
      ['fee payer', inAccept((one) => ({ ...one, extra: { ...one.extra, feePayer: wallet } }))],
      ['end', (_asked, body) => (body.accepts ? { ...body, expiresAt: 1_000 } : body)],
    ])('the %s of a 402', async (_field, wrong) => {
      const { code, funds_at_risk } = await refusedOf(wrong, orderOf(fixedId));
      expect([code, funds_at_risk]).toEqual([
        expect.stringMatching(
          /^(REQUIREMENT_UNACCEPTABLE|AMOUNT_OVER_CAP|CHALLENGE_EXPIRED|NETWORK_MISMATCH)$/,
        ),
        'none',
      ]);
    });

    let madeId: string;
    beforeAll(async () => {
      madeId = (await said(orderOf(fixedId, MADE))).order_id;
    });

    /** Of a made order, as its status tells it. */
    const inStatus =
      (fields: Body): Spoil =>
      (asked, body) =>
        /^GET \/v5\/orders\//.test(asked) ? { ...body, ...fields } : body;

    it.each<[string, Body]>([
      ['amount', { coin_amount: '10.2' }],
      ['recipient', { wallet_address: OTHER_ADDRESS }],
      ['recipient, which is none any more,', { wallet_address: '' }],
      ['coin', { coin: 'SOL' }],
      ['network', { network: 'Base' }],
    ])('the %s of an order that is made', async (_field, fields) => {
      const pay = ['pay', madeId, '--yes', '--max-amount', '60'];
      const { code, funds_at_risk } = await refusedOf(inStatus(fields), pay);
      expect([code, funds_at_risk]).toEqual([
        expect.stringMatching(/^(ORDER_NOT_PAYABLE|ATTENTION_NEEDED)$/),
        'none',
      ]);
    });
  });
});

/** Words of a program that showed what was not there, and controls of a terminal. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: what must not be shown.
const STRANGE = /undefined|null|NaN|\[object|[\u0000-\u0008\u000b-\u001f\u202e]/;

describe('the pace of the interface', () => {
  it('is kept towards a host that is not embedded: five seconds at least between two looks', async () => {
    const looks: number[] = [];
    const host = await openFrontHost(sandbox.url, {
      answer: ({ path }, reply) => {
        if (!path.startsWith('/v1/orders/') || reply.status !== 200) return reply;
        looks.push(Date.now());
        const order = reply.body as Body;
        return looks.length < 2
          ? { ...reply, body: { ...order, status: 'processing', deliveries: [] } }
          : reply;
      },
    });
    const words = [...orderOf(fixedId), ...host.flags, '--json'];
    const bought = await home.run(words, { env: { SCRIP_TEST: '' } });
    expect([bought.status, bought.stderr]).toEqual([0, '']);
    const gaps = looks.slice(1).map((look, index) => look - (looks[index] ?? 0));
    expect(gaps).toHaveLength(1);
    // How much longer is up to the machine; timers may be a little early.
    for (const gap of gaps) expect(gap).toBeGreaterThanOrEqual(4_950);
  });
});
