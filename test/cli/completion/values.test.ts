/** `scrip completion --values`, as a shell calls it. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { beforeEach, expect, it } from 'vitest';
import { type Home, makeHome } from '../../support/cli.ts';

let home: Home;
beforeEach(() => {
  home = makeHome();
});

const ask = async (...words: readonly string[]): Promise<readonly string[]> => {
  const { status, stdout, stderr } = await home.run(['completion', '--values', ...words]);
  expect([status, stderr]).toEqual([0, '']);
  return stdout.split('\n').filter((line) => line !== '');
};

const steamIn = (country: string) =>
  home.json<readonly { product_id: string }[]>([
    'catalog',
    '--country',
    country,
    '--brand',
    'Steam',
  ]);

it('knows the embedded catalog without having been asked for it', async () => {
  expect(await ask('brands', '--', '--country', 'us')).toContain('Amazon.com');
  const countries = await ask('countries');
  expect(countries).toContain('us\tUnited States');
  expect(countries.length).toBeGreaterThan(100);
  const everywhere = await ask('countries', '--', '--checkout-url', 'https://host.example');
  expect(everywhere.length).toBeGreaterThan(countries.length);
  expect(await ask('coins')).toContain('BTC\tBitcoin');
  expect(await ask('schema', '--', 'schema', 'wallet')).toContain('balance');
  const products = await steamIn('de');
  const told = await ask('products', '--', '--country', 'de', '--brand', 'Steam');
  expect(told.map((line) => line.split('\t')[0])).toEqual(products.map((one) => one.product_id));
});

it('answers a whole line, with what the build has written of the commands', async () => {
  expect(await ask('line', '--', 'order', '--coin', 'BTC', '--network', '')).toEqual([
    ':values',
    'Mainnet',
    'Lightning',
  ]);
  expect(await ask('line', '--', 'sandbox', '--fault', '')).toContain('drop-reply');
  expect(await ask('line', '--', 'order', '--payment-via', '')).toContain('user_wallet');
  expect(await ask('line', '--', 'wallet', 'balance', '--fields', '')).toContain('usdc');
  expect(await ask('line', '--', 'order', '--cart', '')).toEqual([':files']);
});

it('offers the products that a command has shown', async () => {
  expect(await ask('products', '--', 'price')).toEqual([]);
  const [first] = await steamIn('us');
  const told = await ask('products', '--', 'price');
  expect(told[0]?.split('\t')).toEqual([first?.product_id, expect.stringContaining('Steam')]);
});

it('offers the order that was just bought, by its id, with its name', async () => {
  await home.json(['wallet', 'new']);
  await home.json(['wallet', 'fund']);
  const [product] = await steamIn('us');
  const order = await home.json<{ order_id: string }>(
    `order ${product?.product_id} --country us --brand Steam --to ada@example.com --email ada@example.com --yes --max-amount 30`.split(
      ' ',
    ),
  );
  expect(await ask('orders')).toEqual([
    expect.stringMatching(new RegExp(`^${order.order_id}\tSteam 5 USD, \\d{4}-\\d\\d-\\d\\d$`)),
  ]);
});

it('is nothing, and no error, where a setting or a file makes no sense', async () => {
  expect(await ask('brands', '--', '--profile', 'nobody')).toEqual([]);
  expect(await ask()).toEqual([]);
  mkdirSync(`${home.dir}/.config/scrip`, { recursive: true });
  writeFileSync(`${home.dir}/.config/scrip/config.json`, '{');
  expect(await ask('profiles')).toEqual([]);
  writeFileSync(`${home.dir}/.config/scrip/config.json`, '{"profiles":{"mine":{}}}');
  mkdirSync(`${home.dir}/.cache/scrip/completion-sandbox.json`, { recursive: true });
  expect(await ask('profiles')).toEqual(['sandbox\tthe embedded service', 'mine\ttest money']);
  expect(await ask('orders')).toEqual([]);
});

it('does not load the program', async () => {
  const env = { NODE_DEBUG: 'esm' };
  const { stderr } = await home.run(['completion', '--values', 'countries'], { env });
  expect(stderr).not.toContain('main.js');
});
