/** A top-up cannot be taken back: a phone of another country is not topped up in silence. */
import { describe, expect, it } from 'vitest';
import { makeHome } from '../support/cli.ts';
import { stdioClient } from '../support/mcp-client.ts';
import { fundedWallet, productOf } from '../support/shop.ts';
import { answering, KEYS, noTerminalBecause, openTerminal } from '../support/terminal.ts';

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

const home = makeHome();
await fundedWallet(home, [], '1000');
const place = ['--country', 'us', '--brand', 'AT&T'];
const product = productOf('AT&T', undefined);
const words = ['order', product, ...place, '--value', '5', ...MAIL];
const OTHER = { status: 7, code: 'PHONE_OTHER_COUNTRY', funds_at_risk: 'none' };

const bought = async () => (await home.json<{ beneficiary: string }[]>(['orders'])).length;

describe.each([
  ['the checkout host', []],
  ['the partner API', ['--via', 'partner', '--pay']],
])('at %s', (_where, surface) => {
  const wordsTo = (to: string, ...more: readonly string[]) => [
    ...[...words, '--to', to, ...surface, ...AGREED, ...more],
  ];

  it('is refused off a terminal, also in a rehearsal, and so is a number that no phone has', async () => {
    const before = await bought();
    const refused = await home.failure(wordsTo(LONDON));
    const message =
      'The phone number’s country is United Kingdom, the product’s is United States; nothing was sent';
    const hint = expect.stringContaining(ALLOWED);
    expect(refused).toMatchObject({ ...OTHER, stdout: '', message, hint });
    const rehearsed = await home.failure(wordsTo(TORONTO, '--dry-run'));
    expect(rehearsed).toMatchObject({ ...OTHER, message: expect.stringContaining('is Canada') });
    for (const to of ['07911 123456', '4155550142.0']) {
      const { status, code } = await home.failure(wordsTo(to));
      const invalid = /^(PHONE_INVALID|ORDER_PROBLEMS|BENEFICIARY_INVALID)$/;
      expect([status, code]).toEqual([2, expect.stringMatching(invalid)]);
    }
    expect(await bought()).toBe(before);
  });

  it('is bought where the flag says that it is meant; a national number is read by the country', async () => {
    await home.json(wordsTo(LONDON, ALLOWED));
    await home.json(wordsTo('(415) 555-0142'));
    const [last, before] = await home.json<{ beneficiary: string }[]>(['orders']);
    expect([before?.beneficiary, last?.beneficiary]).toEqual([LONDON, '+14155550142']);
  });

  it.skipIf(noTerminalBecause)(
    'is asked about on a terminal, and bought after a yes alone',
    async () => {
      const before = await bought();
      const line = [...words, '--to', LONDON, ...surface, '--allow-duplicate'];
      const open = () => openTerminal(line, home, { columns: 120, rows: 40 });
      const declined = await answering(open(), ['Buy it anyway?', KEYS.enter]);
      expect(declined.seen[0]).toContain(`The country of ${LONDON} is United Kingdom`);
      expect([declined.status, await bought()]).toEqual([7, before]);
      const asked = /Pay up to|Buy it\?|Make this order/;
      const agreed = await answering(open(), ['Buy it anyway?', KEYS.yes], [asked, KEYS.yes]);
      expect(agreed.seen[1]).toContain(`${LONDON} (United Kingdom)`);
      expect([agreed.status, await bought()]).toEqual([0, before + 1]);
    },
  );
});

it('scrip validate says it of a valid order', async () => {
  const checked = ['validate', product, ...place, '--value', '5', ...MAIL, '--to', LONDON];
  const { status, stderr } = await home.run(checked);
  expect([status, stderr.includes(ALLOWED)]).toEqual([0, true]);
});

describe('a cart', () => {
  const wordsOf = ['order', '--cart', '-', ...MAIL, '--yes', '--max-total', '60'];
  const input = (to: string) => ({
    input: `product_id,country,brand,value,to\n${product},us,AT&T,6,${to}\n`,
  });
  const cart = (to: string, more: readonly string[] = []) =>
    home.json([...wordsOf, ...more], input(to));

  it('names the lines of other countries, and of what a spreadsheet made a decimal', async () => {
    const row = input('4155550142.0').input.split('\n')[1];
    const both = { input: `${input(LONDON).input}${row}\n` };
    expect(await home.failure(wordsOf, both)).toMatchObject({
      ...{ status: 2, stdout: '', code: 'CART_INVALID' },
      details: {
        lines: [
          { line: 2, field: 'to', code: 'PHONE_OTHER_COUNTRY' },
          { line: 3, field: 'to', code: 'PHONE_INVALID' },
        ],
      },
    });
  });

  it('is bought with the flag; national numbers are read by the line’s country', async () => {
    const status = 'completed';
    expect(await cart(LONDON, [ALLOWED])).toMatchObject([{ status, to: LONDON }]);
    expect(await cart('415-555-0177')).toMatchObject([{ status, to: '+14155550177' }]);
    expect(await cart('+1 415 555 0177')).toMatchObject([{ already_bought: true }]);
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
});

describe('an agent', () => {
  const yes = () => ({ action: 'accept', content: { pay: true } }) as const;

  it('makes no order for a phone of another country, unless the user started it so', async () => {
    const client = await stdioClient(home, ['--allow-pay'], yes);
    const { error } = await client.call('createOrder', agentOrder(LONDON));
    expect(error).toMatchObject({ code: 'PHONE_OTHER_COUNTRY', funds_at_risk: 'none' });
    const { result: made } = await client.call('createOrder', agentOrder('415 555 0142'));
    const refused = await client.call('createOrder', agentOrder('4155550142.0'));
    expect(refused.error).toMatchObject({ code: 'PHONE_INVALID', funds_at_risk: 'none' });
    await client.call('payOrder', { order_id: made.order_id, max_amount: '20' });
    expect(client.asked[0]).toContain('For: +14155550142 (United States)');
    const trusted = await stdioClient(home, [ALLOWED]);
    const { result: foreign } = await trusted.call('createOrder', agentOrder(LONDON));
    const payer = await stdioClient(home, ['--allow-pay'], yes);
    const paid = await payer.call('payOrder', { order_id: foreign.order_id, max_amount: '20' });
    expect([paid.error.code, payer.asked]).toEqual(['PHONE_OTHER_COUNTRY', []]);
  });
});
