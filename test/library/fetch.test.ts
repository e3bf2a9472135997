/** `scrip.fetch` of other programs, at hosts of both versions of x402 on both networks. */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeHome } from '../support/cli.ts';
import { type Installed, installWithService } from '../support/installed.ts';
import { BINARY, onBase, onSolana, type PaidHost, paidHost } from '../support/paid-host.ts';
import { serveHere } from '../support/served-here.ts';

const TIME = { timeout: 180_000 };
const home = makeHome();
const sandbox = await serveHere(home, true);
const [solana, base] = [await onSolana(sandbox.url), await onBase(sandbox.url)];
const onEach = {
  solana: { v2: await paidHost(2, solana, true), v1: await paidHost(1, solana, true) },
  base: { v2: await paidHost(2, base, true), v1: await paidHost(1, base, true) },
} as const;
const plain = await paidHost(2, solana);
/** The chain that the hosts are paid on, opened by the program itself. */
const dataDir = join(home.dir, '.local', 'state', 'scrip', 'sandbox');

let installed: Installed;
let count = 0;

beforeAll(async () => {
  installed = await installWithService();
});

afterAll(() => installed?.remove());

type Network = keyof typeof onEach;

function programOf(network: Network, body: string): string {
  return `import { createScrip } from 'scrip-cli';
const scrip = await createScrip(${JSON.stringify({ sandbox: { dataDir }, network })});
const codeOf = (promise) => promise.then(({ status }) => status, ({ code }) => code);
const maxAmount = '0.02';
const told = await (async () => { ${body} })();
await scrip.close();
`;
}

function tell(network: Network, body: string): Promise<unknown> {
  count += 1;
  return installed.tell(`fetch-${count}.mjs`, `${programOf(network, body)}export { told };\n`);
}

describe.each(['solana', 'base'] as const)('on %s', (network) => {
  it.each(['v2', 'v1'] as const)('a host of %s is paid once for a key', TIME, async (version) => {
    const host: PaidHost = onEach[network][version];
    const told = await tell(
      network,
      `const options = { maxAmount, idempotencyKey: '${network}-${version}' };
const first = await scrip.fetch('${host.url}/report', options);
const { report, at } = await first.clone().json();
const again = await scrip.fetch(new Request('${host.url}/report#part'), options);
const other = await scrip.fetch('${host.url}/report', { maxAmount });
return [
  first instanceof Response, first.ok, first.url, first.headers.get('content-type'), report,
  (await again.json()).at === at,
  (await other.json()).at === at,
  await codeOf(scrip.fetch('${host.url}/binary', options)),
];`,
    );
    expect(told).toEqual([
      ...[true, true, `${host.url}/report`, 'application/json', 'fine', true, false],
      'IDEMPOTENCY_KEY_REUSED',
    ]);
    expect(host.paid).toHaveLength(2);
  });

  it('an order is paid there, too', TIME, async () => {
    const told = await tell(
      network,
      `const [card] = await scrip.find('amazon', { country: 'us', value: '25' });
const order = { productId: card.id, to: '${network}@example.com' };
const { status, payment } = await scrip.order(order, { confirm: () => true });
return [status, payment.asset];`,
    );
    expect(told).toEqual(['delivered', (network === 'base' ? base : solana).asset]);
  });

  it('killed before it sends the payment, a program pays once', TIME, async () => {
    const host = onEach[network].v2;
    const before = host.paid.length;
    const body = (onStep: string) => `
const options = { maxAmount, idempotencyKey: 'killed-${network}', onStep: ${onStep} };
console.log((await scrip.fetch('${host.url}/report', options)).status);`;
    const dying = "(step) => step.startsWith('Sending') && process.kill(process.pid, 'SIGKILL')";
    const first = await installed.run('killed.mjs', programOf(network, body(dying)));
    expect(first).toMatchObject({ signal: 'SIGKILL', stdout: '' });
    expect(host.paid).toHaveLength(before);
    const second = await installed.run('again.mjs', programOf(network, body('undefined')));
    expect(second).toMatchObject({ status: 0, stdout: '200\n', stderr: '' });
    expect(host.paid).toHaveLength(before + 1);
  });
});

describe('a payment', () => {
  const { url, paid } = onEach.base.v2;

  it('is refused unless a maximum or a function allows it', TIME, async () => {
    const before = paid.length;
    const told = await tell(
      'base',
      `const url = '${url}/report', asked = [];
return [
  await codeOf(scrip.fetch(url)),
  await codeOf(scrip.fetch(url, { maxAmount: '0.009' })),
  await codeOf(scrip.fetch(url, { maxAmount: 'much' })),
  await codeOf(scrip.fetch(url, { maxAmount, idempotencykey: 'once' })),
  await codeOf(scrip.fetch(url, { maxAmount, confirm: (summary) => (asked.push(summary), false) })),
  await codeOf(scrip.fetch(url, { maxAmount, signal: AbortSignal.abort() })),
  await codeOf(scrip.fetch(url, { maxAmount, headers: { 'x-payment': 'mine' } })),
  await codeOf(scrip.fetch('http://api.example/', { maxAmount })),
  await codeOf(scrip.fetch('/report', { maxAmount })),
  asked,
];`,
    );
    expect(told).toEqual([
      ...['CONFIRMATION_REQUIRED', 'AMOUNT_OVER_CAP', 'AMOUNT_INVALID', 'USAGE', 'DECLINED'],
      ...['INTERRUPTED', 'INPUT_INVALID', 'INPUT_INVALID', 'INPUT_INVALID'],
      [
        {
          ...{ merchant: new URL(url).host, method: 'GET', url: `${url}/report` },
          ...{ amount: '0.01', network: 'eip155:8453', payTo: base.payTo },
          leftToday: expect.any(String),
        },
      ],
    ]);
    expect(paid).toHaveLength(before);
  });

  it('is listed among the orders', TIME, async () => {
    const told = await tell(
      'base',
      `await scrip.fetch('${url}/report', { confirm: () => true });
const [{ productName, merchant, status, payment }] = await scrip.orders();
return { productName, merchant, status, payment };`,
    );
    expect(told).toMatchObject({
      ...{ productName: `GET ${new URL(url).host}/report`, merchant: url, status: 'delivered' },
      payment: { amount: '0.01', payTo: base.payTo },
    });
  });
});

describe('a request and its answer', () => {
  const { url } = plain;

  it('are those of the global fetch', TIME, async () => {
    const told = await tell(
      'solana',
      `const post = (body) => scrip.fetch('${url}/echo', { method: 'POST', body, maxAmount });
return [
  await (await post('a question')).text(),
  await (await post(new URLSearchParams({ a: 'b c' }))).text(),
  await codeOf(post(new FormData())),
  await codeOf(post(Uint8Array.of(${BINARY}))),
  [...new Uint8Array(await (await scrip.fetch('${url}/binary', { maxAmount })).arrayBuffer())],
  await (await scrip.fetch('${url}/free')).text(),
  await codeOf(scrip.fetch('${url}/bad')),
  await codeOf(scrip.fetch('${url}/empty', { maxAmount })),
  (await scrip.fetch('${url}/moved', { maxAmount })).headers.get('location'),
];`,
    );
    expect(told).toEqual([
      ...['a question!', 'a=b+c!', 'INPUT_INVALID', 'INPUT_INVALID', [...BINARY], 'for nothing'],
      ...[400, 204, 'https://elsewhere.example/'],
    ]);
  });
});
