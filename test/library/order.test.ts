/** Orders of other programs on the embedded service, each by a process that imports the tarball. */
import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CliResult, makeHome } from '../support/cli.ts';
import { type Installed, installWithService } from '../support/installed.ts';
import { amazonProducts, fundedWallet, HERE } from '../support/shop.ts';

const CODE = /TEST(-[0-9A-Z]{4}){3}/;
const TIME = { timeout: 180_000 };

let installed: Installed;
/** Names that no other has. */
let count = 0;
function next(): number {
  count += 1;
  return count;
}

beforeAll(async () => {
  installed = await installWithService();
});

afterAll(() => installed?.remove());

/** Runs the body of a program with a shop of its own, and closes it; gives what it told. */
async function run(body: string, shop: string = `shop-${next()}`): Promise<unknown> {
  const tell = 'export let told;\nconst tell = (value) => { told = value; };';
  return installed.tell(
    `program-${next()}.mjs`,
    programOf(body, { sandbox: { dataDir: `./${shop}` } }, tell),
  );
}

/** In a process of its own. */
function started(body: string, options: object): Promise<CliResult> {
  const tell = 'const tell = (told) => console.log(JSON.stringify(told));';
  return installed.run(`program-${next()}.mjs`, programOf(body, options, tell));
}

function programOf(body: string, options: object, tell: string): string {
  return `import { createScrip, ScripError } from 'scrip-cli';
import { inspect } from 'node:util';
${tell}
const scrip = await createScrip(${JSON.stringify(options)});
const product = async (value = '25') => (await scrip.find('amazon', { country: 'us', value }))[0].id;
const card = async (value) => ({ productId: await product(value), to: 'friend@example.com' });
const yes = () => true;
const codeOf = (promise) => promise.then(({ status }) => status, ({ code }) => code);
${body}
await scrip.close();
`;
}

describe('what speaks against an order', () => {
  it('is that nobody confirms it, declines it, or names too little', TIME, async () => {
    const told = await run(`const asked = [];
tell([
  await codeOf(scrip.order(await card(), { idempotencyKey: 'a' })),
  await codeOf(scrip.order(await card(), { confirm: (summary) => (asked.push(summary), false) })),
  await codeOf(scrip.order(await card(), { confirm: async () => 'yes' })),
  await codeOf(scrip.order(await card(), { confirm: yes, maxAmount: '25.24' })),
  await codeOf(scrip.order(await card(), { confirm: yes, maxamount: '5' })),
  await codeOf(scrip.order({ ...(await card()), quantity: 2 }, { confirm: yes })),
  asked,
  await scrip.orders(),
]);`);
    expect(told).toEqual([
      ...['CONFIRMATION_REQUIRED', 'DECLINED', 'DECLINED', 'AMOUNT_OVER_CAP', 'USAGE', 'USAGE'],
      [
        {
          ...{ merchant: 'embedded:sandbox', brand: 'Amazon.com', country: 'us' },
          ...{ productId: expect.any(String), productName: 'Amazon.com 25 USD' },
          ...{ value: '25', currency: 'USD', price: '25.25', maxAmount: '25.38' },
          ...{ to: 'friend@example.com', email: 'friend@example.com', leftToday: '100000.00' },
        },
      ],
      [],
    ]);
  });

  it('is the policy, by a number or a name, and a policy that is none', TIME, async () => {
    const shop = { dataDir: './shop-of-policies' };
    const told = await run(
      `const under = async (policy) => {
  const other = await createScrip({ sandbox: ${JSON.stringify(shop)}, policy });
  try { return await codeOf(other.order({ ...(await card()), country: 'us', brand: 'Amazon.com' }, { confirm: yes })); }
  finally { await other.close(); }
};
tell([
  await under({ perOrder: '25' }),
  await under({ recipients: ['*@example.org'] }),
  await under({ kinds: ['esim'] }),
  await under({ nonInteractive: { enabled: false } }),
  await under({ perOder: '25' }),
  await under({ perOrder: '26' }),
]);`,
      'shop-of-policies',
    );
    expect(told).toEqual([
      ...['SPENDING_LIMIT', 'RECIPIENT_NOT_ALLOWED', 'POLICY_REFUSED', 'UNATTENDED_OFF'],
      ...['POLICY_INVALID', 'delivered'],
    ]);
  });

  it('is told beforehand, without an order', TIME, async () => {
    const told = await run(`const id = await product();
tell([
  await scrip.validate({ productId: id, to: 'friend@example.com' }),
  (await scrip.validate({ productId: id, to: 'friend@' })).map(({ code }) => code),
  (await scrip.validate({ productId: id, to: 'friend@example.com', value: '3' })).map(({ code }) => code),
  await codeOf(scrip.validate({ productId: 'unheard-of', to: 'friend@example.com' })),
]);`);
    expect(told).toEqual([[], ['EMAIL_INVALID'], ['VALUE_NOT_ALLOWED'], 'USAGE']);
  });
});

describe('a product that is looked for', () => {
  it('tells whether it is meant for sure', TIME, async () => {
    const told = await run(`const found = async (words, value) =>
  (await scrip.find(words, { country: 'us', value })).map(({ name, value, range, isExact }) => [name, value ?? range.max, isExact]);
const [{ id }] = await scrip.find('amazon', { country: 'us', value: '50' });
tell([await found('AMAZON', '25'), await found('amazo', '25'), await found(id), await found('nothing-like-it')]);`);
    const sure = [
      ['Amazon.com 25 USD', '25', true],
      ['Amazon.com 1-2000 USD', '2000', true],
    ];
    const like = sure.map(([name, value]) => [name, value, false]);
    expect(told).toEqual([sure, like, [['Amazon.com 50 USD', '50', true]], []]);
  });
});

describe('the codes of a delivery', () => {
  it('are in no inspection and no JSON before they are revealed', TIME, async () => {
    const told =
      (await run(`const outcome = await scrip.order(await card(), { confirm: yes, note: 'hers' });
const records = await scrip.orders();
const states = [];
for await (const state of scrip.track(outcome.orderId)) states.push(state);
const everything = { outcome, records, states };
tell({
  shown: inspect(everything, { depth: 9, showHidden: true }) + JSON.stringify(everything),
  code: outcome.deliveries[0].reveal().code,
  again: states.at(-1).deliveries[0].reveal().code,
  note: records[0].note,
});`)) as { shown: string; code: string; again: string; note: string };
    expect(told.code).toMatch(CODE);
    expect(told.again).toBe(told.code);
    expect(told.note).toBe('hers');
    expect(told.shown).toContain('Amazon.com 25 USD');
    expect(told.shown).not.toContain(told.code);
    expect(told.shown).not.toContain('TEST-');
  });

  it('come again for the same key, unasked, and for no other order', TIME, async () => {
    const told = (await run(`const options = { idempotencyKey: 'gift', confirm: yes };
const one = await scrip.order(await card(), options);
const none = () => { throw new Error('asked'); };
const two = await scrip.order(await card(), { ...options, confirm: none, maxAmount: '1' });
tell({
  codes: [one, two].map(({ deliveries }) => deliveries[0].reveal().code),
  payments: new Set([one, two].map(({ payment }) => payment.transaction)).size,
  others: [
    await codeOf(scrip.order(await card('50'), options)),
    await codeOf(scrip.order({ ...(await card()), to: 'other@example.com' }, options)),
    await codeOf(scrip.order({ ...(await card()), email: 'me@example.com' }, options)),
    await codeOf(scrip.order(await card(), { ...options, idempotencyKey: 'another' })),
  ],
  orders: (await scrip.orders()).length,
});`)) as { codes: string[]; payments: number; others: string[]; orders: number };
    expect(told.codes[1]).toBe(told.codes[0]);
    expect(told).toMatchObject({ payments: 1, orders: 1 });
    expect(told.others).toEqual([...Array(3).fill('IDEMPOTENCY_KEY_REUSED'), 'DUPLICATE_PURCHASE']);
  });
});

describe('an order that is aborted', () => {
  it('before anything is signed is refused, and nothing is under way', TIME, async () => {
    const told = await run(`const stop = new AbortController();
const error = await scrip
  .order(await card(), { idempotencyKey: 'a', confirm: () => (stop.abort(), true), signal: stop.signal })
  .catch((error) => error);
const aborted = AbortSignal.abort();
tell([
  [error instanceof ScripError, error.code, error.fundsAtRisk],
  await codeOf(scrip.brands({ country: 'us', signal: aborted })),
  await codeOf(scrip.find('amazon', { country: 'us', signal: aborted })),
  (await scrip.orders()).map(({ status }) => status),
]);`);
    expect(told).toEqual([
      [true, 'INTERRUPTED', 'none'],
      'INTERRUPTED',
      'INTERRUPTED',
      expect.not.arrayContaining(['unknown', 'pending']),
    ]);
  });

  it('after it is signed goes on with the same key, and is paid once', TIME, async () => {
    const told = (await run(`const input = await card();
const outcomes = [];
const step = async (word) => {
  const stop = new AbortController();
  const onStep = (text) => text.includes(word) && stop.abort();
  outcomes.push(await scrip.order(input, { idempotencyKey: 'gift', confirm: yes, onStep, signal: stop.signal }));
};
await step('Sending the payment');
await step('Waiting for delivery');
outcomes.push(await scrip.order(input, { idempotencyKey: 'gift', confirm: yes }));
const records = await scrip.orders();
tell({
  statuses: outcomes.map(({ status }) => status),
  keys: outcomes.map(({ idempotencyKey }) => idempotencyKey),
  amounts: records.map(({ payment }) => payment.amount),
  code: outcomes.at(-1).deliveries[0].reveal().code,
});`)) as { statuses: string[]; keys: string[]; amounts: string[]; code: string };
    expect(['pending', 'unknown']).toContain(told.statuses[0]);
    expect(told.statuses.at(-1)).toBe('delivered');
    expect(told).toMatchObject({ keys: ['gift', 'gift', 'gift'], amounts: ['25.25'] });
    expect(told.code).toMatch(CODE);
  });

  it('by closing the instance, in another process, goes on as well', TIME, async () => {
    const options = { sandbox: { dataDir: './shop-that-closes' } };
    const first = await started(
      `const outcome = scrip.order(await card(), {
  idempotencyKey: 'gift',
  confirm: yes,
  onStep: (text) => text.includes('Sending the payment') && setImmediate(() => scrip.close()),
});
tell((await outcome).status);`,
      options,
    );
    expect(first).toMatchObject({ status: 0, stderr: '' });
    expect(['pending', 'unknown']).toContain(JSON.parse(first.stdout));
    const second = await started(
      `const { status, payment } = await scrip.order(await card(), { idempotencyKey: 'gift', confirm: yes });
tell([status, payment.amount, (await scrip.orders()).length]);`,
      options,
    );
    expect(second).toMatchObject({ status: 0, stderr: '' });
    expect(JSON.parse(second.stdout)).toEqual(['delivered', '25.25', 1]);
  });

  it(
    'while it is confirmed is not waited for, nor when twenty calls share a signal',
    TIME,
    async () => {
      const told = await run(`const stop = new AbortController();
const many = Array.from({ length: 20 }, () => scrip.brands({ country: 'us', signal: stop.signal }));
const counts = new Set((await Promise.all(many)).map(({ length }) => length));
const never = () => (setTimeout(() => stop.abort(), 10), new Promise(() => {}));
const other = await createScrip({ sandbox: { dataDir: './shop-within' } });
const [{ id }] = await other.find('amazon', { country: 'us', value: '10' });
tell([
  counts.size,
  await codeOf(scrip.order(await card(), { confirm: never, signal: stop.signal })),
  await codeOf(other.order({ productId: id, to: 'friend@example.com' }, { confirm: () => other.close() })),
  (await scrip.orders()).length,
]);`);
      expect(told).toEqual([1, 'INTERRUPTED', 'INTERRUPTED', 0]);
    },
  );

  it('at a partner API is gone on with as well', TIME, async () => {
    const told =
      await run(`const other = await createScrip({ sandbox: { dataDir: './shop-of-partner' }, via: 'partner' });
const [{ id }] = await other.find('amazon', { country: 'us', value: '10' });
const input = { productId: id, to: 'friend@example.com' };
const stop = new AbortController();
const onStep = (text) => text.includes('Sending the payment') && stop.abort();
const one = await other.order(input, { idempotencyKey: 'a', confirm: yes, onStep, signal: stop.signal });
const two = await other.order(input, { idempotencyKey: 'a', confirm: yes });
const shown = inspect(two, { depth: 9, showHidden: true }) + JSON.stringify(two);
const { code } = two.deliveries[0].reveal();
tell([one.status, two.status, one.orderId === two.orderId, shown.includes(code), (await other.orders()).length]);
await other.close();`);
    expect(told).toEqual([expect.stringMatching(/pending|unknown/), 'delivered', true, false, 1]);
  });

  it('by a kill of its process is finished by the next, and paid once', TIME, async () => {
    const options = { sandbox: { dataDir: './shop-that-dies' } };
    const buying = (more: string) =>
      `const { status, payment } = await scrip.order(await card(), { idempotencyKey: 'gift', confirm: yes, ${more} });
tell([status, payment.amount, (await scrip.orders()).length]);`;
    const dying =
      "onStep: (text) => text.includes('Sending') && process.kill(process.pid, 'SIGKILL')";
    expect(await started(buying(dying), options)).toMatchObject({ signal: 'SIGKILL', stdout: '' });
    const { stdout } = await started(buying(''), options);
    expect(JSON.parse(stdout)).toEqual(['delivered', '25.25', 1]);
  });

  it('leaves a closed instance that refuses everything', TIME, async () => {
    const told = await run(`await scrip.close();
tell([await codeOf(scrip.brands({ country: 'us' })), await codeOf(scrip.orders())]);`);
    expect(told).toEqual(['INTERRUPTED', 'INTERRUPTED']);
  });
});

describe('an order that failed', () => {
  it('has its refund, which the chain proves', TIME, async () => {
    const told =
      (await run(`const failing = { ...(await card()), to: 'friend+failing@example.com' };
const outcome = await scrip.order(failing, { confirm: yes });
let last;
do {
  for await (const state of scrip.track(outcome.orderId)) last = state;
} while (last.refunds[0]?.state !== 'sent');
tell({ status: outcome.status, price: outcome.payment.amount, refunds: [outcome.refunds, last.refunds] });`)) as {
        status: string;
        price: string;
        refunds: readonly (readonly { readonly amount: string; readonly coin: string }[])[];
      };
    expect(told.status).toBe('failed');
    const owed = { amount: told.price, coin: 'USDC', toOwnWallet: true };
    expect(told.refunds).toMatchObject([[owed], [{ ...owed, state: 'sent', proof: 'proved' }]]);
  });
});

describe('an order that is not waited for', () => {
  it('is pending, and followed to its goods', TIME, async () => {
    const told =
      (await run(`const outcome = await scrip.order(await card(), { confirm: yes, waitMs: 0 });
const states = [];
for await (const { status, isFinal, deliveries } of scrip.track(outcome.orderId)) {
  states.push([status, isFinal, deliveries.some(({ hasCode }) => hasCode)]);
}
const stop = new AbortController();
let first = 0;
for await (const state of scrip.track(outcome.orderId)) { first += 1; break; }
tell({ status: outcome.status, states, first, strange: await codeOf(scrip.track('cr_unheard-of').next()) });`)) as {
        status: string;
        states: [string, boolean, boolean][];
      };
    expect(told).toMatchObject({ status: 'pending', first: 1, strange: 'ORDER_UNKNOWN' });
    expect(told.states.at(-1)).toEqual(['completed', true, true]);
    expect(told.states.slice(0, -1).every(([, isFinal]) => !isFinal)).toBe(true);
  });
});

describe('a signer of the program', () => {
  const SIGNER = `import { generateKeyPairSync, sign } from 'node:crypto';
const { privateKey, publicKey } = generateKeyPairSync('ed25519');
const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const address = (() => {
  const key = publicKey.export({ type: 'spki', format: 'der' }).subarray(-32);
  let number = BigInt('0x' + key.toString('hex'));
  let text = '';
  for (; number > 0n; number /= 58n) text = ALPHABET[Number(number % 58n)] + text;
  // One key in 256 begins with a zero.
  return '1'.repeat(key.findIndex((byte) => byte > 0)) + text;
})();
const messages = [];
const signed = (message) => (messages.push(message), sign(null, message, privateKey));
`;
  it('is given whole messages, and its wallet pays', TIME, async () => {
    const told =
      await run(`${SIGNER.replaceAll('import {', 'const {').replace("} from 'node:crypto'", "} = await import('node:crypto')")}
const shop = { dataDir: './shop-of-signer', fund: '30' };
const own = await createScrip({ sandbox: shop, wallet: { address, sign: signed } });
const bad = await createScrip({ sandbox: shop, wallet: { address, sign: () => new Uint8Array(64) } });
const input = { ...(await card()), country: 'us', brand: 'Amazon.com' };
const wrong = await codeOf(bad.order(input, { confirm: yes }));
const { status, payment } = await own.order(input, { confirm: yes });
const isWhole = messages.some((message) => message.length > 200 && Buffer.from(message).includes('TokenkegQ') === false);
const more = await codeOf(own.order(await card('10').then((one) => ({ ...one, country: 'us', brand: 'Amazon.com' })), { confirm: yes }));
await own.close();
await bad.close();
tell([wrong, status, payment.payer === address, isWhole, more]);`);
    expect(told).toEqual(['SIGNER_FAILED', 'delivered', true, true, 'FUNDS_TOO_LOW']);
  });
});

describe('one journal', () => {
  it('of two instances and a command line pays one key once', async () => {
    const home = makeHome();
    await fundedWallet(home, [], '100');
    const { fixed } = amazonProducts();
    const state = join(home.dir, '.local', 'state', 'scrip');
    const options = {
      // It is marked here, and given nothing.
      sandbox: { dataDir: join(state, 'sandbox'), fund: '0' },
      wallet: { keyFile: join(home.dir, '.local', 'share', 'scrip', 'wallets', 'sandbox.json') },
      journal: join(state, 'journal'),
    };
    const order = `{ productId: '${fixed.product_id}', country: 'us', brand: 'Amazon.com', to: 'friend@example.com' }`;
    const buying = `const buy = () => scrip.order(${order}, { idempotencyKey: 'one', confirm: yes });
const both = await Promise.all([buy(), buy()]);
tell(both.map(({ deliveries }) => deliveries[0].reveal().code));`;
    const words = ['order', fixed.product_id, ...HERE, '--to', 'friend@example.com', '--yes'];
    const once = ['--max-amount', '60', '--idempotency-key', 'one', '--reveal', '--json'];
    const [one, two, line] = await Promise.all([
      started(buying, options),
      started(buying, options),
      // A process, as the two instances are: each asks whether the others still run.
      home.run([...words, ...once], { isProcess: true }),
    ]);
    expect([one, two, line].map(({ status, stderr }) => ({ status, stderr }))).toEqual(
      Array(3).fill({ status: 0, stderr: '' }),
    );
    const codes = [
      ...JSON.parse(one.stdout),
      ...JSON.parse(two.stdout),
      JSON.parse(line.stdout).deliveries[0].voucher_code,
    ];
    expect(new Set(codes).size).toBe(1);
    const { usdc } = await home.json<{ usdc: string }>(['wallet', 'balance']);
    expect(Number(usdc)).toBe(100 - 10.1);
  });

  it('and its folder are for their owner alone', TIME, async () => {
    await run(`await scrip.order(await card(), { confirm: yes }); tell(0);`, 'shop-of-owner');
    const shop = join(installed.dir, 'shop-of-owner');
    const open = readdirSync(shop, { recursive: true, encoding: 'utf8' }).filter(
      (name) => (statSync(join(shop, name)).mode & 0o077) !== 0,
    );
    expect(open).toEqual([]);
    rmSync(shop, { recursive: true });
  });
});
