/** A top-up cannot be taken back: a phone of another country is not topped up in silence. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CliResult, type Home, makeHome } from '../support/cli.ts';
import { stdioClient } from '../support/mcp-client.ts';
import { type ServedHere, serveHere } from '../support/served-here.ts';
import { fundedWallet } from '../support/shop.ts';
import { KEYS, noTerminalBecause, openTerminal } from '../support/terminal.ts';

const LONDON = '+447400123456';
const TORONTO = '+14165550123';
const MAIL = ['--email', 'you@example.com'] as const;
const AGREED = ['--yes', '--max-amount', '60', '--allow-duplicate'] as const;
const ALLOWED = '--allow-other-country';

const agentOrder = (to: string) => ({
  user: { email: 'buyer@example.com' },
  payment: { type: 'via', payment_via: 'user_wallet', coin: 'USDC', network: 'Solana' },
  deliveries: [
    {
      denomination: 'range',
      product_value: '8',
      brand_name: 'AT&T',
      country_code: 'US',
      beneficiary_account: to,
    },
  ],
});

let home: Home;
let words: readonly string[];

beforeAll(async () => {
  home = makeHome();
  await fundedWallet(home, [], '1000');
  const place = ['--country', 'us', '--brand', 'AT&T'];
  const [range] = await home.json<{ product_id: string }[]>(['catalog', ...place]);
  words = ['order', range?.product_id ?? '', ...place, '--value', '5', ...MAIL];
});

const failureOf = ({ stderr }: CliResult) => JSON.parse(stderr).error;
const bought = async () => (await home.json<{ beneficiary: string }[]>(['orders'])).length;

describe.each([
  ['the checkout host', []],
  ['the partner API', ['--via', 'partner', '--pay']],
])('at %s', (_where, surface) => {
  const order = (to: string, ...more: readonly string[]) =>
    home.run([...words, '--to', to, ...surface, ...AGREED, ...more, '--json']);

  it.each([
    ['of another calling code', LONDON, 'United Kingdom'],
    ['of a country that shares the calling code', TORONTO, 'Canada'],
    ['that is dialled from the product’s country', '011 44 7400 123456', 'United Kingdom'],
  ])('a number %s is refused off a terminal', async (_what, to, country) => {
    const before = await bought();
    const refused = await order(to);
    expect([refused.status, refused.stdout]).toEqual([7, '']);
    expect(failureOf(refused)).toMatchObject({
      code: 'PHONE_OTHER_COUNTRY',
      message: `The phone number’s country is ${country}, the product’s is United States; nothing was sent`,
      hint: expect.stringContaining(ALLOWED),
      funds_at_risk: 'none',
    });
    expect(await bought()).toBe(before);
  });

  it('is bought where the flag says that it is meant', async () => {
    const before = await bought();
    expect((await order(LONDON, ALLOWED)).status).toBe(0);
    const orders = await home.json<{ beneficiary: string }[]>(['orders']);
    expect([orders.length, orders[0]?.beneficiary]).toEqual([before + 1, LONDON]);
  });

  it('a national number is read by the product’s country', async () => {
    expect((await order('(415) 555-0142')).status).toBe(0);
    const [last] = await home.json<{ beneficiary: string }[]>(['orders']);
    expect(last?.beneficiary).toBe('+14155550142');
  });

  it('a number that the country cannot have is refused', async () => {
    for (const to of ['123', '+1415555', '07911 123456', '4155550142.0', '4.155550142E+09']) {
      const refused = await order(to);
      expect(refused.status).toBe(2);
      expect(['PHONE_INVALID', 'ORDER_PROBLEMS', 'BENEFICIARY_INVALID']).toContain(
        failureOf(refused).code,
      );
    }
  });

  it('a rehearsal of what would be refused is refused', async () => {
    expect((await order(LONDON, '--dry-run')).status).toBe(7);
  });

  it('the number is shown whole, with its country, before it is paid', async () => {
    const rehearsal = [...words, '--to', '415 555 0142', ...surface, '--dry-run'];
    const shown = await home.run(rehearsal);
    expect(shown.stdout).toContain('+14155550142 (United States)');
  });

  describe.skipIf(noTerminalBecause)('on a terminal', () => {
    it('is asked about, and bought after a yes alone', async () => {
      const before = await bought();
      const line = [...words, '--to', LONDON, ...surface, '--allow-duplicate'];
      const declined = openTerminal(line, { home: home.dir, columns: 120, rows: 40 });
      const screen = await declined.shows('Buy it anyway?');
      expect(screen).toContain(`The country of ${LONDON} is United Kingdom`);
      declined.send(KEYS.enter);
      expect(await declined.ended).toBe(7);
      expect(await bought()).toBe(before);
      const agreed = openTerminal(line, { home: home.dir, columns: 120, rows: 40 });
      await agreed.shows('Buy it anyway?');
      agreed.send(`y${KEYS.enter}`);
      await agreed.shows(/Pay up to|Buy it\?|Make this order/);
      expect(agreed.screen()).toContain(`${LONDON} (United Kingdom)`);
      agreed.send(`y${KEYS.enter}`);
      expect(await agreed.ended).toBe(0);
      expect(await bought()).toBe(before + 1);
    });
  });
});

it('scrip validate says it of a valid order', async () => {
  const place = ['--country', 'us', '--brand', 'AT&T', '--value', '5'];
  const checked = ['validate', words[1] ?? '', ...place, ...MAIL, '--to', LONDON];
  const { status, stderr } = await home.run(checked);
  expect([status, stderr.includes(ALLOWED)]).toEqual([0, true]);
});

describe('a cart', () => {
  const cart = (to: string, more: readonly string[]) =>
    home.run(['order', '--cart', '-', ...MAIL, '--yes', '--max-total', '60', '--json', ...more], {
      input: `product_id,country,brand,value,to\n${words[1]},us,AT&T,6,${to}\n`,
    });

  it('names the line, and buys nothing', async () => {
    const refused = await cart(LONDON, []);
    expect([refused.status, refused.stdout]).toEqual([2, '']);
    expect(failureOf(refused)).toMatchObject({
      code: 'CART_INVALID',
      details: { lines: [{ line: 2, field: 'to', code: 'PHONE_OTHER_COUNTRY' }] },
    });
  });

  it('refuses a number that a spreadsheet made a decimal', async () => {
    const refused = await cart('4155550142.0', []);
    expect([refused.status, refused.stdout]).toEqual([2, '']);
    expect(failureOf(refused)).toMatchObject({
      code: 'CART_INVALID',
      details: { lines: [{ line: 2, field: 'to', code: 'PHONE_INVALID' }] },
    });
  });

  it('is bought with the flag; national numbers are read by the line’s country', async () => {
    expect(JSON.parse((await cart(LONDON, [ALLOWED])).stdout)).toMatchObject([
      { status: 'completed', to: LONDON },
    ]);
    const bare = JSON.parse((await cart('415-555-0177', [])).stdout);
    expect(bare).toMatchObject([{ status: 'completed', to: '+14155550177' }]);
    const same = JSON.parse((await cart('+1 415 555 0177', [])).stdout);
    expect(same).toMatchObject([{ already_bought: true }]);
  });
});

describe('the guided purchase', () => {
  const flags = ['--type', 'mobile_topup', '--country', 'us', '--brand', 'AT&T', '--value', '7'];
  const means = ['--coin', 'USDC', '--network', 'Solana', ...MAIL];
  const wizard = ['wizard', ...flags, ...means];

  it('says it at the recap and buys nothing where nobody can be asked', async () => {
    const agreed = ['--plain', '--yes', '--max-amount', '60'];
    const refused = await home.run([...wizard, ...agreed, '--to', LONDON]);
    expect(refused.status).toBe(7);
    expect(refused.stderr).toContain(`For: ${LONDON} (United Kingdom)`);
    expect(refused.stderr).toContain('error[PHONE_OTHER_COUNTRY]');
    const allowed = await home.run([...wizard, ...agreed, '--to', LONDON, ALLOWED]);
    expect(allowed.status).toBe(0);
    expect(allowed.stderr).toContain(`scrip order`);
    expect(allowed.stderr).toContain(ALLOWED);
  });

  it.skipIf(noTerminalBecause)('asks on a terminal; a national number is told whole', async () => {
    const terminal = openTerminal([...wizard, '--to', LONDON, '--allow-duplicate'], {
      home: home.dir,
      columns: 160,
      rows: 60,
    });
    await terminal.shows('? 9/9');
    expect(terminal.screen()).toContain(`${LONDON} (United Kingdom)`);
    terminal.send(`yes${KEYS.enter}`);
    await terminal.shows('Buy it anyway?');
    terminal.send(`y${KEYS.enter}`);
    expect(await terminal.ended).toBe(0);
    // The terminal breaks the line where it ends.
    const line = terminal.screen().replaceAll('\n', '');
    expect(line).toMatch(/scrip order .*--allow-other-country/);
    const national = openTerminal([...wizard, '--to', '415 555 0142'], { home: home.dir });
    await national.shows('+14155550142 (United States)');
    national.send(KEYS.ctrlC);
    await national.ended;
  });
});

describe('the service', () => {
  let sandbox: ServedHere;
  beforeAll(async () => {
    sandbox = await serveHere(home);
  });
  afterAll(() => sandbox.stop());

  const post = async (path: string, body: unknown) => {
    const headers = { 'Content-Type': 'application/json', 'X-Cr-Application': 'test' };
    const reply = await fetch(`${sandbox.url}${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    return { status: reply.status, body: (await reply.json()) as { problems?: unknown } };
  };
  const checkout = (to: string) =>
    post('/v1/orders', {
      email: 'you@example.com',
      items: [{ product_id: words[1], beneficiary_account: to, product_value: 5 }],
    });
  const { user: _, ...validation } = agentOrder('');
  const partner = (to: string) =>
    post('/v5/orders/validations', {
      ...validation,
      deliveries: [{ ...validation.deliveries[0], beneficiary_account: to }],
    });

  it.each(['+1415555', '+44207183', '07911123456', '+99912345678', '+9198765432100'])(
    'refuses %s, which is no whole number of any country',
    async (to) => {
      expect(await checkout(to)).toMatchObject({
        status: 400,
        body: { error: 'invalid_beneficiary', message: expect.stringContaining(to) },
      });
      expect((await partner(to)).body.problems).toMatchObject([
        { problem: 'INVALID_BENEFICIARY_ACCOUNT' },
      ]);
    },
  );

  it('takes a number of another country: whose it is, the client has asked', async () => {
    expect((await checkout(LONDON)).status).toBe(402);
    expect((await partner(LONDON)).body.problems ?? []).toEqual([]);
  });
});

describe('an agent', () => {
  const yes = () => ({ action: 'accept', content: { pay: true } }) as const;

  it('makes no order for a phone of another country, unless the user started it so', async () => {
    const client = await stdioClient(home, ['--allow-pay'], yes);
    const { error } = await client.call('createOrder', agentOrder(LONDON));
    expect(error).toMatchObject({ code: 'PHONE_OTHER_COUNTRY', funds_at_risk: 'none' });
    const { result: made } = await client.call('createOrder', agentOrder('415 555 0142'));
    for (const to of ['4155550142.0', '4.155550142E+09', '+9198765432100']) {
      const refused = await client.call('createOrder', agentOrder(to));
      expect(refused.error).toMatchObject({ code: 'PHONE_INVALID', funds_at_risk: 'none' });
    }
    await client.call('payOrder', { order_id: made.order_id, max_amount: '20' });
    expect(client.asked[0]).toContain('For: +14155550142 (United States)');
    await client.close();
    const trusted = await stdioClient(home, [ALLOWED]);
    const { result: foreign } = await trusted.call('createOrder', agentOrder(LONDON));
    await trusted.close();
    const payer = await stdioClient(home, ['--allow-pay'], yes);
    const paid = await payer.call('payOrder', { order_id: foreign.order_id, max_amount: '20' });
    expect([paid.error.code, payer.asked]).toEqual(['PHONE_OTHER_COUNTRY', []]);
    await payer.close();
  });
});
