/** Orders of other programs at a host: real money as far as they know, and the policy that it takes. */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Home, makeHome } from '../support/cli.ts';
import { type Installed, installPackage } from '../support/installed.ts';
import { type ServedHere, serveHere } from '../support/served-here.ts';
import { fundedWallet } from '../support/shop.ts';

const TIME = { timeout: 180_000 };

let installed: Installed;
let home: Home;
let shop: ServedHere;
let host: string;
let keyFile: string;

beforeAll(async () => {
  installed = await installPackage();
  home = makeHome();
  shop = await serveHere(home);
  host = new URL(shop.url).host;
  await fundedWallet(home, shop.flags);
  keyFile = join(home.dir, '.local', 'share', 'scrip', 'wallets', 'sandbox.json');
});

afterAll(async () => {
  await shop?.stop();
  installed?.remove();
});

/** Runs the body of a program and gives what it told. */
async function run(name: string, body: string): Promise<unknown> {
  const usual = {
    checkoutUrl: shop.url,
    rpcUrl: `${shop.url}/rpc`,
    wallet: { keyFile },
    journal: join(home.dir, name),
  };
  const source = `import { createScrip } from 'scrip-cli';
const usual = ${JSON.stringify(usual)};
const codeOf = (promise) => promise.then(({ status }) => status ?? 'done', ({ code }) => code);
const using = async (options, work) => {
  const scrip = await createScrip({ ...usual, ...options });
  try { return await work(scrip); } finally { await scrip.close(); }
};
const buy = async (scrip, more = { idempotencyKey: 'one' }) => {
  const [{ id }] = await scrip.find('amazon', { country: 'us', value: '10' });
  return scrip.order({ productId: id, to: 'friend@example.com' }, { confirm: () => true, ...more });
};
const hosts = { '${host}': { payTo: 'any' } };
const nonInteractive = { enabled: true, perOrder: '20' };
const told = await (async () => { ${body} })();
console.log(JSON.stringify(told));
`;
  const { status, stdout, stderr } = await installed.run(`${name}.mjs`, source);
  if (status !== 0 || stderr !== '') throw new Error(`ended with ${status}: ${stderr}`);
  return JSON.parse(stdout);
}

describe('a program that pays a host', () => {
  it('needs a policy that names it, an RPC and a key, and then buys once', TIME, async () => {
    const told = await run(
      'policies',
      `return [
  await using({}, (scrip) => codeOf(buy(scrip))),
  await using({ policy: { hosts } }, (scrip) => codeOf(buy(scrip))),
  await using({ policy: { hosts, nonInteractive }, rpcUrl: undefined }, (scrip) => codeOf(buy(scrip))),
  await using({ policy: { hosts, nonInteractive } }, (scrip) => codeOf(buy(scrip, {}))),
  await using({ policy: { hosts, nonInteractive: { enabled: true, perOrder: '10' } } }, (scrip) => codeOf(buy(scrip))),
  await using({ policy: { hosts, nonInteractive } }, (scrip) => codeOf(buy(scrip))),
  await using({ policy: { hosts, nonInteractive } }, (scrip) => codeOf(buy(scrip))),
  await using({}, async (scrip) => (await scrip.orders()).map(({ merchant, payment }) => [merchant, payment.amount])),
];`,
    );
    expect(told).toEqual([
      ...['HOST_NOT_ALLOWED', 'UNATTENDED_OFF', 'SPENDING_UNKNOWN', 'USAGE'],
      ...['SPENDING_LIMIT', 'delivered', 'delivered'],
      [[shop.url, '10.10']],
    ]);
  });

  it('buys at a partner API, and pays what was made before', TIME, async () => {
    const made = await home.json<{ order_id: string }>([
      ...['order', await fixedId(), '--country', 'us', '--brand', 'Amazon.com', '--via', 'partner'],
      ...['--to', 'later@example.com', '--email', 'me@example.com', '--yes', ...shop.flags],
    ]);
    // A payment is measured by the order as it was made, which is in the command line's journal.
    const journal = join(home.dir, '.local', 'state', 'scrip', 'journal');
    const told = await run(
      'partner',
      `const options = { via: 'partner', policy: { hosts, nonInteractive }, journal: '${journal}' };
const asked = [];
return [
  await using(options, (scrip) => codeOf(buy(scrip, { idempotencyKey: 'two' }))),
  await using(options, (scrip) => codeOf(scrip.pay('${made.order_id}'))),
  await using(options, (scrip) => codeOf(scrip.pay('${made.order_id}', { confirm: () => true, maxAmount: '1' }))),
  await using({}, (scrip) => codeOf(scrip.pay('${made.order_id}', { confirm: () => true }))),
  await using(options, (scrip) => codeOf(scrip.pay('${made.order_id}', { confirm: (summary) => (asked.push(summary), false) }))),
  asked,
];`,
    );
    expect(told).toEqual([
      ...['delivered', 'CONFIRMATION_REQUIRED', 'AMOUNT_OVER_CAP', 'ORDER_NOT_PAYABLE', 'DECLINED'],
      [
        expect.objectContaining({
          merchant: host,
          orderId: made.order_id,
          amount: '10.1',
          coin: 'USDC',
        }),
      ],
    ]);
  });

  it('opens an encrypted key file with a passphrase that it is told', TIME, async () => {
    const path = join(home.dir, 'locked.json');
    const secret = join(home.dir, 'secret');
    await home.run(['wallet', 'new', '--keypair', path, '--encrypt', '--passphrase-fd', '0'], {
      input: 'correct horse battery\n',
    });
    const told = await run(
      'locked',
      `const policy = { hosts, nonInteractive };
const wallet = { keyFile: '${path}' };
// The key file has a key for Base beside it, where the day's spending is read too.
usual.baseRpcUrl = usual.rpcUrl + '/base';
return [
  await using({ policy, wallet }, (scrip) => codeOf(buy(scrip))),
  await using({ policy, wallet: { ...wallet, passphrase: 'wrong' } }, (scrip) => codeOf(buy(scrip))),
  await using({ policy, wallet: { ...wallet, passphrase: async () => 'correct horse battery' } }, (scrip) => codeOf(buy(scrip))),
  await using({ policy, wallet: { keyFile: '${secret}' } }, (scrip) => codeOf(buy(scrip))),
];`,
    );
    expect(told).toEqual([
      ...['PASSPHRASE_REQUIRED', 'PASSPHRASE_WRONG', 'FUNDS_TOO_LOW', 'WALLET_MISSING'],
    ]);
  });

  it('is told what is missing, and reads without a wallet', TIME, async () => {
    const told = await run(
      'missing',
      `const nothing = { wallet: undefined, journal: undefined };
return [
  await codeOf(createScrip({})),
  await codeOf(createScrip({ checkoutUrl: 'http://shop.example' })),
  await codeOf(createScrip({ ...usual, network: 'polygon' })),
  await using({ ...nothing, checkoutUrl: undefined }, (scrip) => codeOf(scrip.brands({ country: 'us' }))),
  await using({ ...nothing, checkoutUrl: undefined }, async (scrip) => (await scrip.fetch(usual.checkoutUrl + '/nothing')).status),
  await codeOf(createScrip({ ...usual, jornal: 'here' })),
  await using({ journal: undefined }, (scrip) => codeOf(buy(scrip))),
  await using({ wallet: undefined }, (scrip) => codeOf(buy(scrip))),
  await using(nothing, async (scrip) => (await scrip.brands({ country: 'us' })).length > 100),
  await using(nothing, async (scrip) => codeOf(scrip.brands({ country: 'xx' }))),
  await using(nothing, async (scrip) => (await scrip.catalog({ country: 'us', brand: 'Steam' })).map(({ brand }) => brand)[0]),
  await using(nothing, async (scrip) => codeOf(scrip.catalog({ country: 'us', brand: 'Steem' }))),
];`,
    );
    expect(told).toEqual([
      ...['USAGE', 'INPUT_INVALID', 'INPUT_INVALID', 'USAGE', 404],
      ...['USAGE', 'USAGE', 'WALLET_MISSING', true],
      ...['COUNTRY_UNKNOWN', 'Steam', 'BRAND_UNKNOWN'],
    ]);
  });
});

async function fixedId(): Promise<string> {
  const items = await home.json<{ product_id: string; denomination: string }[]>([
    ...['catalog', '--country', 'us', '--brand', 'Amazon.com', ...shop.flags],
  ]);
  return items.find(({ denomination }) => denomination === '10 USD')?.product_id ?? '';
}
