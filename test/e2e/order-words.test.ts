/** `scrip order amazon 25`: a product by its words, and settings in the place of flags. */
import { spawnSync } from 'node:child_process';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type CliResult, type Home, inShell, makeHome, SCRIP } from '../support/cli.ts';
import { serveSandbox } from '../support/served-sandbox.ts';
import { amazonProducts, fundedWallet, type OrderDocument } from '../support/shop.ts';
import { KEYS, noTerminalBecause, openTerminal, type TerminalRun } from '../support/terminal.ts';

const LIMIT = { timeout: 180_000 };
const ADDRESS = 'you@example.com';
const AGREED = ['--to', ADDRESS, '--yes', '--max-amount', '40'];

const errorOf = ({ stderr }: CliResult) => JSON.parse(stderr).error;

describe('an order in words off a terminal', LIMIT, () => {
  let home: Home;
  beforeAll(async () => {
    home = makeHome();
    await fundedWallet(home);
    await home.run(['config', 'set', 'country', 'us']);
  });

  const rehearsed = (...words: readonly string[]) =>
    home.json<{ product_id: string; max_amount_usdc: string; beneficiary: string; email: string }>([
      'order',
      ...words,
      '--dry-run',
    ]);

  it('is bought by brand and value, in the country of the settings', async () => {
    const words = ['order', 'amazon', '10', '--to', ADDRESS, '--yes', '--max-amount', '11'];
    const { deliveries } = await home.json<OrderDocument>([...words, '--reveal']);
    expect(deliveries[0]?.voucher_code).toMatch(/^TEST-\w/);
  });

  it.each([
    ['the brand in another spelling', ['AMAZON.com', '10']],
    ['the name of the product', ['amazon.com', '10', 'usd']],
    ['brand and --value', ['amazon', '--value', '10.00']],
  ])('means the fixed product of exactly that value by %s', async (_by, words) => {
    const { product_id } = await rehearsed(...words, '--to', ADDRESS);
    expect(product_id).toBe(amazonProducts().fixed.product_id);
  });

  it('means a range where no product has exactly that value', async () => {
    const { product_id } = await rehearsed('amazon', '37', '--to', ADDRESS);
    expect(product_id).toBe(amazonProducts().range.product_id);
  });

  it('takes an id alone: its brand follows from it', async () => {
    const { product_id } = amazonProducts().fixed;
    expect(await rehearsed(product_id, '--to', ADDRESS)).toMatchObject({ product_id });
  });

  it('is found at the partner API as well, and proposes no limit in another coin', async () => {
    const people = ['--to', ADDRESS, '--email', ADDRESS, '--coin', 'BTC'];
    const order = await home.json<{ order_id: string; deliveries: { deliverable: object }[] }>([
      ...['order', 'amazon', '50', ...people, '--yes'],
    ]);
    expect(order.deliveries[0]?.deliverable).toMatchObject({ denomination: '50 USD' });
    const error = errorOf(await home.run(['order', 'ama', '10', ...people, '--yes', '--json']));
    expect(error.code).toBe('PRODUCT_AMBIGUOUS');
    expect(error.hint).toContain('--coin BTC');
    expect(error.hint).not.toContain('--max-amount');
  });

  it('is agreed on with the limit that was named', async () => {
    const rehearsal = await rehearsed('amazon', '10', '--to', ADDRESS, '--max-amount', '11');
    expect(Number(rehearsal.max_amount_usdc)).toBe(11);
  });

  it.each([
    ['the beginning of several names', ['ama', '25'], 'PRODUCT_AMBIGUOUS'],
    ['a typo', ['amazn', '25'], 'PRODUCT_AMBIGUOUS'],
    ['a brand without a value', ['amazon'], 'PRODUCT_AMBIGUOUS'],
    ['a value that is not sold', ['amazon', '3000'], 'VALUE_OUT_OF_RANGE'],
    ['a name that is nothing', ['xyzzy', '25'], 'BRAND_UNKNOWN'],
  ])('refuses %s, and opens no purchase', async (_what, words, code) => {
    const before = await home.json<unknown[]>(['orders']);
    const result = await home.run(['order', ...words, ...AGREED, '--json']);
    const error = errorOf(result);
    expect([result.status, result.stdout, error.code]).toEqual([2, '', code]);
    expect(error.funds_at_risk).toBe('none');
    const ids = error.details.products.map((one: { product_id: string }) => one.product_id);
    expect(ids.every((id: string) => error.hint.includes(id))).toBe(true);
    expect(ids.length > 0).toBe(code !== 'BRAND_UNKNOWN');
    expect(await home.json(['orders'])).toEqual(before);
  });

  it('names a plan by its name, and no gigabytes as money', async () => {
    const { hint, details } = errorOf(await home.run(['order', 'esim', ...AGREED, '--json']));
    expect(hint).toMatch(/^'eSIM 1 GB 7 days': scrip order /);
    expect(hint).not.toMatch(/\d USD/);
    expect(details.products[0]).toMatchObject({ name: 'eSIM 1 GB 7 days', face_value: '7' });
  });

  it('lists the range first of what is sold beside a value, at its nearest one', async () => {
    const { hint } = errorOf(await home.run(['order', 'amazon', '3000', ...AGREED, '--json']));
    const [first] = hint.split('\n');
    expect(first).toMatch(/^'Amazon\.com 1 to 2000 USD': scrip order \S+ 2000 /);
    expect(first).toContain(amazonProducts().range.product_id);
    expect(hint).toContain(amazonProducts().fixed.product_id);
  });

  it('is told by lines that mean one product each, as they stand', async () => {
    const words = ['ama', '25', '--to', "o'hara@example.com", '--note', 'a b', '--dry-run'];
    const { hint, details } = errorOf(await home.run(['order', ...words, '--json']));
    const lines: string[] = hint
      .split('\n')
      .map((line: string) => line.replace(/^.*?: (?=scrip )/, ''));
    const ids = details.products.map((one: { product_id: string }) => one.product_id);
    expect(lines.map((line) => /order (\S+)/.exec(line)?.[1])).toEqual(ids);
    for (const [index, line] of lines.entries()) {
      const typed = line.replace(/^scrip/, inShell(SCRIP));
      const env = { PATH: process.env.PATH ?? '', HOME: home.dir };
      const { status, stdout } = spawnSync('sh', ['-c', `${typed} --json`], { env });
      expect([status, JSON.parse(String(stdout)).product_id]).toEqual([0, ids[index]]);
    }
  });

  it('names each missing flag, and how to keep it', async () => {
    const error = errorOf(await home.run(['order', 'amazon', '10', '--yes', '--json']));
    const missing = ['--to', '--max-amount'];
    expect(error).toMatchObject({ code: 'USAGE', exit: 2, details: { missing } });
    expect(error.hint).toContain('--to is who receives it');
    expect(error.hint).toContain('scrip config set to');
    const topUp = ['order', 'claro', '50', '--country', 'br', '--to', '+5511987654321'];
    const { hint, details } = errorOf(await home.run([...topUp, '--json']));
    expect(details.missing).toEqual(['--email', '--yes', '--max-amount']);
    expect(hint).toContain('--email is your own address');
  });

  it.each([
    ['amazn', 'PRODUCT_AMBIGUOUS'],
    ['xyzzy', 'BRAND_UNKNOWN'],
  ])('reports a misspelt name before a missing option: %s', async (name, code) => {
    const error = errorOf(await home.run(['order', name, '25', '--json']));
    expect(error).toMatchObject({ code, details: { missing: ['--to', '--yes', '--max-amount'] } });
    expect(error.hint).toMatch(/\nAlso missing: --to\n--to is .*, with your own --email\./);
  });

  it('finds the country of an id that was listed here, and of one of the sandbox', async () => {
    const listed = await home.json<{ product_id: string }[]>([
      ...['catalog', 'eSIM', '--country', 'de'],
    ]);
    const [{ product_id = '' } = {}] = listed;
    const fresh = makeHome();
    await fundedWallet(fresh);
    await fresh.run(['config', 'set', 'country', 'us']);
    for (const at of [home, fresh]) {
      const words = ['order', product_id, '--to', ADDRESS, '--dry-run'];
      expect(await at.json(words)).toMatchObject({ product_id });
    }
  });
});

describe('settings in the place of flags', LIMIT, () => {
  it('are flags, environment, profile, in that order', async () => {
    const home = makeHome();
    await fundedWallet(home);
    for (const [key, value] of [
      ['country', 'us'],
      ['email', 'me@example.com'],
      ['to', ADDRESS],
    ] as const) {
      expect((await home.run(['config', 'set', key, value])).status).toBe(0);
    }
    const words = ['order', 'amazon', '10', '--dry-run'];
    const said = async (more: readonly string[] = [], env: Record<string, string> = {}) =>
      home.json<{ beneficiary: string; email: string }>([...words, ...more], { env });
    expect(await said()).toMatchObject({ beneficiary: ADDRESS, email: 'me@example.com' });
    expect(await said([], { SCRIP_TO: 'env@example.com' })).toMatchObject({
      beneficiary: 'env@example.com',
    });
    expect(await said(['--to', 'flag@example.com'], { SCRIP_TO: 'env@example.com' })).toMatchObject(
      {
        beneficiary: 'flag@example.com',
        email: 'me@example.com',
      },
    );
  });

  it('refuse an address that is none', async () => {
    const home = makeHome();
    const { status, stderr } = await home.run(['config', 'set', 'email', 'nowhere', '--json']);
    expect([status, JSON.parse(stderr).error.code]).toEqual([2, 'EMAIL_INVALID']);
  });
});

describe('a key that has bought before', LIMIT, () => {
  it('is answered by the journal alone, and is of those words alone', async () => {
    const home = makeHome();
    const served = await serveSandbox(home, ['--data', `${home.dir}/served`]);
    const flags = [
      '--checkout-url',
      served.url,
      '--country',
      'us',
      '--idempotency-key',
      'november',
    ];
    await fundedWallet(home, ['--checkout-url', served.url]);
    const words = ['order', 'amazon', '10', ...flags, ...AGREED, '--reveal'];
    const first = await home.json<OrderDocument>(words);
    const other = await home.run(['order', 'uber', '25', ...flags, ...AGREED, '--json']);
    expect(errorOf(other).code).toBe('IDEMPOTENCY_KEY_REUSED');
    await served.stop();
    const again = await home.json<OrderDocument & { already_bought: boolean }>(words);
    expect(again).toMatchObject({ order_id: first.order_id, already_bought: true });
    expect(again.deliveries[0]?.voucher_code).toBe(first.deliveries[0]?.voucher_code);
  });
});

describe.skipIf(noTerminalBecause)(`an order in words (${noTerminalBecause})`, LIMIT, () => {
  let home: Home;
  beforeEach(() => {
    home = makeHome();
  });

  /** Types, and counts keys; those of an address are counted where it is typed. */
  const typist = (terminal: TerminalRun, line: string) => {
    const typed = { keys: line.length + 1 };
    return {
      keys: () => typed.keys,
      press: (keys: string) => {
        typed.keys += keys.length;
        terminal.send(keys);
      },
      address: (text: string) => terminal.send(text),
    };
  };

  it('is a delivered code within 40 keys in an empty home, and within 25 after that', async () => {
    const open = () => openTerminal(['order', 'amazon', '25'], { home: home.dir, rows: 50 });
    const first = open();
    const one = typist(first, 'scrip order amazon 25');
    await first.shows(/In which country[\s\S]*❯ United States/);
    one.press(KEYS.enter);
    await first.shows('config unset country');
    await first.shows('Which e-mail address');
    one.address(ADDRESS);
    one.press(KEYS.enter);
    await first.shows('your own address');
    one.press(KEYS.enter);
    await first.shows('config unset email');
    await first.shows('(Y/n)');
    one.press(KEYS.enter);
    await first.shows('(y/N');
    one.press(`y${KEYS.enter}`);
    expect(await first.ended).toBe(0);
    expect(first.screen()).toMatch(/TEST-\w/);
    expect(one.keys()).toBeLessThanOrEqual(40);

    const second = openTerminal(['order', 'amazon', '25', '--allow-duplicate'], {
      home: home.dir,
      rows: 50,
    });
    const two = typist(second, 'scrip order amazon 25');
    await second.shows(`(${ADDRESS})`);
    two.press(KEYS.enter);
    await second.shows('(y/N');
    two.press(`y${KEYS.enter}`);
    expect(await second.ended).toBe(0);
    expect(second.screen()).toMatch(/TEST-\w/);
    expect(two.keys()).toBeLessThanOrEqual(25);
  });

  it('that means several is chosen from a list with prices', async () => {
    await fundedWallet(home);
    const words = ['order', 'ama', '25', '--country', 'us', '--to', ADDRESS];
    const terminal = openTerminal(words, { home: home.dir, rows: 50 });
    const list = await terminal.shows('Which one?');
    expect(await terminal.shows(/Amazon\.com +25 USD +25\.25 USDC/)).toBeTruthy();
    expect(list).not.toContain('error[');
    terminal.send('uber');
    await terminal.shows(/❯ Uber +25 USD/);
    terminal.send(KEYS.enter);
    expect(await terminal.shows('(y/N')).toMatch(/Uber gift card.*25 USD/);
    terminal.send(KEYS.enter);
    expect(await terminal.ended).toBe(7);
  });

  it('with a typo is a question whose Enter takes the only candidate', async () => {
    await fundedWallet(home);
    const words = ['order', 'starbuks', '25', '--country', 'us', '--to', ADDRESS];
    const terminal = openTerminal(words, { home: home.dir, rows: 50 });
    await terminal.shows(/Did you mean Starbucks\? \(Y\/n\)/);
    terminal.send(KEYS.enter);
    expect(await terminal.shows('(y/N')).toMatch(/Starbucks gift card.*25 USD/);
    terminal.send(KEYS.enter);
    expect(await terminal.ended).toBe(7);
    const other = openTerminal(words, { home: home.dir, rows: 50 });
    await other.shows('Did you mean Starbucks');
    other.send(`n${KEYS.enter}`);
    await other.shows('Which one?');
    other.send(KEYS.ctrlC);
    expect(await other.ended).not.toBe(0);
  });

  it('asks again for a value off the step, before the e-mail address', async () => {
    await fundedWallet(home);
    const words = ['order', 'amazon', '37.5', '--country', 'us'];
    const terminal = openTerminal(words, { home: home.dir, rows: 50 });
    const asked = await terminal.shows('Which amount for Amazon.com?');
    expect(asked).not.toMatch(/e-mail/i);
    terminal.send('38');
    await terminal.shows('38 USD');
    terminal.send(KEYS.enter);
    await terminal.shows(/e-mail/i);
    terminal.send(KEYS.ctrlC);
    expect(await terminal.ended).not.toBe(0);
  });

  it('asks for the value of a range alone, and for no answer that a flag gives', async () => {
    await fundedWallet(home);
    const { range } = amazonProducts();
    const words = ['order', range.product_id, '--country', 'us', '--to', ADDRESS];
    const terminal = openTerminal(words, { home: home.dir, rows: 50 });
    await terminal.shows('Which amount for Amazon.com?');
    terminal.send('37');
    await terminal.shows('37 USD');
    terminal.send(KEYS.enter);
    expect(await terminal.shows('(y/N')).toMatch(/37/);
    terminal.send(KEYS.ctrlC);
    expect(await terminal.ended).not.toBe(0);
    expect(terminal.written()).not.toContain('In which country');
  });

  it('asks for the product where none is named', async () => {
    await fundedWallet(home);
    const words = ['order', '--country', 'us', '--to', ADDRESS];
    const terminal = openTerminal(words, { home: home.dir, rows: 50 });
    await terminal.shows('Type the name of a brand');
    terminal.send('amazon 10');
    terminal.send(KEYS.ctrlC);
    expect(await terminal.ended).not.toBe(0);
  });

  it('asks nothing with --yes', async () => {
    const words = ['order', 'ama', '25', '--yes', '--country', 'us', '--to', ADDRESS];
    const terminal = openTerminal(words, { home: home.dir, rows: 50 });
    expect(await terminal.ended).toBe(2);
    expect(terminal.screen()).toContain('PRODUCT_AMBIGUOUS');
  });
});
