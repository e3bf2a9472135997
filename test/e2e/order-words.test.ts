/** `scrip order amazon 25`: a product by its words. */
import { spawnSync } from 'node:child_process';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Home, inShell, makeHome, SCRIP } from '../support/cli.ts';
import { serveSandbox } from '../support/served-sandbox.ts';
import { amazonProducts, fundedWallet, type OrderDocument } from '../support/shop.ts';
import { answering, KEYS, noTerminalBecause, openTerminal } from '../support/terminal.ts';

const ADDRESS = 'you@example.com';
const AGREED = ['--to', ADDRESS, '--yes', '--max-amount', '40'];

describe('an order in words off a terminal', () => {
  const home = makeHome();
  beforeAll(async () => {
    await fundedWallet(home);
    await home.run(['config', 'set', 'country', 'us']);
  });

  it('is bought by brand and value, in the country of the settings', async () => {
    const words = ['order', 'amazon', '10', '--to', ADDRESS, '--yes', '--max-amount', '11'];
    const { deliveries } = await home.json<OrderDocument>([...words, '--reveal']);
    expect(deliveries[0]?.voucher_code).toMatch(/^TEST-\w/);
  });

  it('is found at the partner API as well, and proposes no limit in another coin', async () => {
    const people = ['--to', ADDRESS, '--email', ADDRESS, '--coin', 'BTC'];
    const order = await home.json<{ order_id: string; deliveries: { deliverable: object }[] }>([
      ...['order', 'amazon', '50', ...people, '--yes'],
    ]);
    expect(order.deliveries[0]?.deliverable).toMatchObject({ denomination: '50 USD' });
    const error = await home.failure(['order', 'ama', '10', ...people, '--yes']);
    expect(error.code).toBe('PRODUCT_AMBIGUOUS');
    expect(error.hint).toContain('--coin BTC');
    expect(error.hint).not.toContain('--max-amount');
  });

  it('opens no purchase where the words mean no one product', async () => {
    const before = await home.json<unknown[]>(['orders']);
    for (const [words, code] of [
      ['ama 25', 'PRODUCT_AMBIGUOUS'],
      ['amazn 25', 'PRODUCT_AMBIGUOUS'],
      ['amazon', 'PRODUCT_AMBIGUOUS'],
      ['amazon 3000', 'VALUE_OUT_OF_RANGE'],
      ['xyzzy 25', 'BRAND_UNKNOWN'],
    ] as const) {
      const error = await home.failure(['order', ...words.split(' '), ...AGREED]);
      expect(error).toMatchObject({ status: 2, stdout: '', code, funds_at_risk: 'none' });
      const ids = error.details.products.map((one: { product_id: string }) => one.product_id);
      expect(ids.every((id: string) => error.hint.includes(id))).toBe(true);
      expect(ids.length > 0).toBe(code !== 'BRAND_UNKNOWN');
    }
    expect(await home.json(['orders'])).toEqual(before);
  });

  it('names a plan by its name, and no gigabytes as money', async () => {
    const { hint, details } = await home.failure(['order', 'esim', ...AGREED]);
    expect(hint).toMatch(/^'eSIM 1 GB 7 days': scrip order /);
    expect(hint).not.toMatch(/\d USD/);
    expect(details.products[0]).toMatchObject({ name: 'eSIM 1 GB 7 days', face_value: '4' });
  });

  it('lists the range first of what is sold beside a value, at its nearest one', async () => {
    const { hint } = await home.failure(['order', 'amazon', '3000', ...AGREED]);
    const [first] = hint.split('\n');
    expect(first).toMatch(/^'Amazon\.com 1 to 2000 USD': scrip order \S+ 2000 /);
    expect(first).toContain(amazonProducts().range.product_id);
    expect(hint).toContain(amazonProducts().fixed.product_id);
  });

  it('is told by lines that mean one product each, as they stand', async () => {
    const words = ['ama', '25', '--to', "o'hara@example.com", '--note', 'a b', '--dry-run'];
    const { hint, details } = await home.failure(['order', ...words]);
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
    const error = await home.failure(['order', 'amazon', '10', '--yes']);
    const missing = ['--to', '--max-amount'];
    expect(error).toMatchObject({ code: 'USAGE', exit: 2, details: { missing } });
    expect(error.hint).toContain('--to is who receives it');
    expect(error.hint).toContain('scrip config set to');
    const topUp = ['order', 'claro', '50', '--country', 'br', '--to', '+5511987654321'];
    const { hint, details } = await home.failure([...topUp]);
    expect(details.missing).toEqual(['--email', '--yes', '--max-amount']);
    expect(hint).toContain('--email is your own address');
  });

  it.each([
    ['amazn', 'PRODUCT_AMBIGUOUS'],
    ['xyzzy', 'BRAND_UNKNOWN'],
  ])('reports a misspelt name before a missing option: %s', async (name, code) => {
    const error = await home.failure(['order', name, '25']);
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

describe('a key that has bought before', () => {
  it('is answered by the journal alone, and is of those words alone', async () => {
    const home = makeHome();
    const served = await serveSandbox(home, ['--data', `${home.dir}/served`]);
    const at = ['--checkout-url', served.url];
    const flags = [...at, '--country', 'us', '--idempotency-key', 'november'];
    await fundedWallet(home, at);
    const words = ['order', 'amazon', '10', ...flags, ...AGREED, '--reveal'];
    const first = await home.json<OrderDocument>(words);
    const other = await home.failure(['order', 'uber', '25', ...flags, ...AGREED]);
    expect(other.code).toBe('IDEMPOTENCY_KEY_REUSED');
    await served.stop();
    const again = await home.json<OrderDocument & { already_bought: boolean }>(words);
    expect(again).toMatchObject({ order_id: first.order_id, already_bought: true });
    expect(again.deliveries[0]?.voucher_code).toBe(first.deliveries[0]?.voucher_code);
  });
});

describe.skipIf(noTerminalBecause)(`an order in words (${noTerminalBecause})`, () => {
  let home: Home;
  beforeEach(() => {
    home = makeHome();
  });
  const open = (...words: readonly string[]) =>
    openTerminal(['order', ...words, '--country', 'us', '--to', ADDRESS], home, { rows: 50 });

  it('is a delivered code within 40 keys in an empty home, and within 25 after that', async () => {
    const ENTER = KEYS.enter;
    /** Types the line and the answers; those of an address are not counted. */
    const buy = async (words: readonly string[], ...answers: Parameters<typeof answering>[1][]) => {
      const run = await answering(openTerminal(words, home, { rows: 50 }), ...answers);
      // The code is alone on its line, and only how to redeem it stands below it.
      expect([run.status, run.screen]).toEqual([0, expect.stringMatching(/^ {6}TEST-\S+$/m)]);
      const typed = [`scrip order amazon 25${ENTER}`, ...answers.map(([, keys]) => keys)];
      return typed.join('').replace(ADDRESS, '').length;
    };
    const words = ['order', 'amazon', '25'];
    const first = await buy(
      words,
      [/In which country[\s\S]*❯ United States/, ENTER],
      [/config unset country[\s\S]*Which e-mail address/, `${ADDRESS}${ENTER}`],
      ['your own address', ENTER],
      [/config unset email[\s\S]*Create one with 100 USDC of test money\? \(Y\/n\)/, ENTER],
      ['(y/N', KEYS.yes],
    );
    expect(first).toBeLessThanOrEqual(40);
    const { usdc } = await home.json<{ usdc: string }>(['wallet', 'balance']);
    expect(Number(usdc)).toBeLessThan(100);
    const repeated = [...words, '--allow-duplicate'];
    const second = await buy(repeated, [`(${ADDRESS})`, ENTER], ['(y/N', KEYS.yes]);
    expect(second).toBeLessThanOrEqual(25);
  });

  it('with a typo is a question whose Enter takes the only candidate', async () => {
    await fundedWallet(home);
    const meant = /Did you mean Starbucks\? \(Y\/n\)/;
    const asked = [/Starbucks gift card.*25 USD[\s\S]*\(y\/N/, KEYS.enter] as const;
    expect((await answering(open('starbuks', '25'), [meant, KEYS.enter], asked)).status).toBe(7);
    const left = ['Which one?', KEYS.ctrlC] as const;
    const other = await answering(open('starbuks', '25'), [meant, KEYS.no], left);
    expect(other.status).not.toBe(0);
  });

  it('asks again for a value off the step, before the e-mail address', async () => {
    await fundedWallet(home);
    const run = await answering(
      openTerminal(['order', 'amazon', '37.5', '--country', 'us'], home, { rows: 50 }),
      ['Which amount for Amazon.com?', '38'],
      ['38 USD', KEYS.enter],
      [/e-mail/i, KEYS.ctrlC],
    );
    expect(run.seen[0]).not.toMatch(/e-mail/i);
    expect(run.status).not.toBe(0);
  });

  it('asks for the value of a range alone, and for no answer that a flag gives', async () => {
    await fundedWallet(home);
    const run = await answering(
      open(amazonProducts().range.product_id),
      ['Which amount for Amazon.com?', '37'],
      ['37 USD', KEYS.enter],
      [/37[\s\S]*\(y\/N/, KEYS.ctrlC],
    );
    expect(run.status).not.toBe(0);
    expect(run.written).not.toContain('In which country');
  });

  it('asks for the product where none is named, and nothing with --yes', async () => {
    await fundedWallet(home);
    const stop = `amazon 10${KEYS.ctrlC}`;
    const run = await answering(open(), ['Type the name of a brand', stop]);
    expect(run.status).not.toBe(0);
    const { status, screen } = await answering(open('ama', '25', '--yes'));
    expect([status, screen]).toEqual([2, expect.stringContaining('PRODUCT_AMBIGUOUS')]);
  });
});
