/** `scrip serve` that takes payments on Base too: its chains are of a sandbox of their own. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createWalletClient, http } from 'viem';
import { base as viemBase } from 'viem/chains';
import { expect, it, vi } from 'vitest';
import type { WirePartnerOrder } from '../../src/contract/partner-orders.ts';
import { BASE } from '../../src/contract/usdc.ts';
import type { PaymentRequirement } from '../../src/contract/x402.ts';
import type { AuditReport } from '../../src/domain/operator/audit.ts';
import { systemClock } from '../../src/net/clock.ts';
import { createHttpFetch } from '../../src/net/fetch.ts';
import { createEvmPayer } from '../../src/rails/evm/payer.ts';
import { createEvmRpc } from '../../src/rails/evm/rpc.ts';
import { evmSigner } from '../../src/rails/evm/secp256k1.ts';
import { fundByFaucet } from '../../src/rails/faucet.ts';
import { HAS_BROWSER, openBrowser } from '../support/browser.ts';
import { putWallet } from '../support/browser-wallet.ts';
import { FINAL_SOON, makeHome, SCRIP } from '../support/cli.ts';
import { EVM_PAYER, NETWORK, secretOf } from '../support/evm-payment.ts';
import { evmAccount } from '../support/live-evm.ts';
import { via } from '../support/partner-sandbox.ts';
import { payAtHost } from '../support/pay-at-host.ts';
import { PRODUCT, prepareShop, REFUSED, withBase } from '../support/real-shop.ts';
import type { ServedSandbox } from '../support/served-sandbox.ts';
import { USDC, USDC_ABI } from '../support/usdc.ts';

const PRICE = 25_250_000n;
const TREASURY = evmSigner(secretOf('base treasury')).address;
const FEES = evmSigner(secretOf('fees')).address;
const REFUNDS = evmSigner(secretOf('base refunds')).address;

const home = makeHome(SCRIP, FINAL_SOON);
const shop = await prepareShop(home);
const at = (name: string) => join(home.dir, name);
const baseUrl = `${shop.chain.url}/rpc/base`;
const write = (url: string, more: object = {}) => {
  const config = withBase(home, shop.configFile, url, more);
  writeFileSync(at(shop.configFile), JSON.stringify(config));
};
write(baseUrl);

const chain = { url: baseUrl, fetch: createHttpFetch({}), clock: systemClock };
const rpc = createEvmRpc(chain);
const payer = createEvmPayer({ rpc, network: NETWORK });
const held = async (owner: string) => (await payer.balances(owner)).usdcAtomic ?? 0n;
const give = (owner: string, usdcAtomic: bigint, lamports: bigint) =>
  fundByFaucet(chain, owner, { usdcAtomic, lamports });
const check = async () => {
  const { stdout } = await home.run(['serve', '--config', shop.configFile, '--check', '--json']);
  const { checks }: { checks: { part: string; ok: boolean; detail: string }[] } =
    JSON.parse(stdout);
  return checks.filter(({ part }) => part.startsWith('base'));
};

let open: ServedSandbox;
const post = (to: string, headers: Readonly<Record<string, string>> = {}) =>
  fetch(`${open.url}/v1/orders`, {
    method: 'POST',
    body: JSON.stringify({
      email: 'you@example.com',
      items: [{ product_id: PRODUCT, face_value: '20', beneficiary_account: to }],
    }),
    headers: { 'content-type': 'application/json', ...headers },
  });

/** What the host takes, by network. */
async function asked() {
  const { accepts } = (await (await post('friend@example.com')).json()) as {
    accepts: PaymentRequirement[];
  };
  return new Map(accepts.map((accept) => [accept.network, accept]));
}

/** Pays on Base; gives the order's id. */
const pay = async (to: string): Promise<string> =>
  (await payAtHost((headers) => post(to, headers), { rail: payer, signer: EVM_PAYER })).orderId;

it('a fee account with too little is named by the check, and stops sales on Base alone', async () => {
  expect((await check()).map(({ part, ok }) => [part, ok])).toEqual([
    ['base chain', true],
    ['base fee account', false],
    ['base treasury', true],
    ['base refund wallet', true],
  ]);
  open = await shop.open();
  const ready = async () => (await fetch(`${open.url}/readyz`)).json();
  const degraded = { base: expect.stringContaining('Nothing is sold on Base') };
  await vi.waitFor(async () => expect(await ready()).toMatchObject({ degraded }), WAIT);
  expect(await ready()).toMatchObject({ ready: true });
  expect([...(await asked()).keys()]).not.toContain(BASE);
  expect(open.warnings()).toContain(`the fee payer ${FEES} has 0 ETH`);
  await open.stop();
});

it('sells for USDC on Base, which comes to the treasury at once, and sends refunds there', async () => {
  await give(FEES, 0n, 1_000_000_000n);
  await give(REFUNDS, 500_000_000n, 0n);
  await give(EVM_PAYER.address, 100_000_000n, 0n);
  expect((await check()).map(({ ok, detail }) => [ok, detail])).toEqual([
    [true, expect.stringMatching(/^finalized block \d+$/)],
    [true, `${FEES} has 1 ETH`],
    [true, `${TREASURY} can be paid to`],
    [true, `${REFUNDS} has 500.00 USDC`],
  ]);
  open = await shop.open();
  const told = JSON.parse(open.printed());
  expect(told).toMatchObject({ base: { fee_account: FEES, treasury: TREASURY } });
  expect((await asked()).get(BASE)?.payTo).toBe(TREASURY);
  const ids = [await pay('friend@example.com'), await pay(REFUSED)];
  expect(await held(TREASURY)).toBe(2n * PRICE);
  const refunds = () =>
    home.json<{ order_id: string; state: string; transaction: string }[]>([
      ...['serve', 'refunds', '--config', shop.configFile, '--all'],
    ]);
  await vi.waitFor(async () => {
    expect(await refunds()).toMatchObject([{ order_id: ids[1], state: 'sent' }]);
  }, LONG);
  const [refund] = await refunds();
  expect(refund?.transaction).toMatch(/^0x[0-9a-f]{64}$/);
  expect(await held(EVM_PAYER.address)).toBe(100_000_000n - PRICE);
  expect(await held(REFUNDS)).toBe(500_000_000n - PRICE);
});

/** An order of the partner API that is paid on Base. */
async function order(beneficiary = 'friend@example.com'): Promise<WirePartnerOrder> {
  const response = await fetch(`${open.url}/v5/orders`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'X-Cr-Application': 'page',
      'X-Cr-Version': '1',
    },
    body: JSON.stringify({
      user: { email: 'you@example.com' },
      payment: via('USDC', 'Base'),
      deliveries: [
        {
          ...{ denomination: '20 EUR', brand_name: 'Eckladen', country_code: 'DE' },
          beneficiary_account: beneficiary,
        },
      ],
      refund_wallet_address: EVM_PAYER.address,
    }),
  });
  const text = await response.text();
  expect([response.status, text]).toEqual([200, expect.stringContaining('order_id')]);
  return JSON.parse(text);
}

const stateOf = async ({ order_id }: WirePartnerOrder) => {
  const headers = { 'X-Cr-Application': 'page', 'X-Cr-Version': '1' };
  const response = await fetch(`${open.url}/v5/orders/${order_id}`, { headers });
  return (await response.json()) as WirePartnerOrder;
};

it('an order of the partner API is paid by a transfer to its own address, swept and refunded', async () => {
  const account = evmAccount('sender');
  await give(account.address, 100_000_000n, 1_000_000_000n);
  const wallet = createWalletClient({ account, chain: viemBase, transport: http(baseUrl) });
  const before = await held(TREASURY);
  const orders = [await order(), await order(REFUSED)] as const;
  const addresses = orders.map(({ wallet_address: address }) => address as `0x${string}`);
  for (const to of addresses) {
    const transfer = { address: USDC, abi: USDC_ABI, functionName: 'transfer' } as const;
    await wallet.writeContract({ ...transfer, args: [to, PRICE] });
  }
  await vi.waitFor(async () => {
    expect(await stateOf(orders[0])).toMatchObject({ order_state: 'Done' });
    expect(await held(TREASURY)).toBe(before + 2n * PRICE);
  }, LONG);
  expect(await Promise.all(addresses.map(held))).toEqual([0n, 0n]);
  await vi.waitFor(async () => {
    expect(await stateOf(orders[1])).toMatchObject({ order_state: 'WaitingForManualAction' });
  }, LONG);
  await home.run([
    ...['serve', 'release', orders[1].order_id, '--refuse', '--reason', 'no goods'],
    ...['--config', shop.configFile],
  ]);
  const refunds = () =>
    home.json<{ order_id: string; state: string }[]>([
      ...['serve', 'refunds', '--config', shop.configFile, '--all'],
    ]);
  await vi.waitFor(async () => {
    const found = (await refunds()).find(({ order_id: id }) => id === orders[1].order_id);
    expect(found).toMatchObject({ state: 'sent' });
  }, LONG);
});

it.skipIf(!HAS_BROWSER)('is paid from its page by a wallet of the browser', async () => {
  const browser = await openBrowser({});
  for (const isOld of [false, true]) {
    const context = await browser.newContext();
    const wallet = await putWallet(context, isOld ? 'Old Wallet' : 'Test Wallet', isOld);
    await give(wallet.address, 100_000_000n, 0n);
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text());
    });
    const made = await order();
    await page.goto(made.checkout_url ?? '');
    const link = page.getByRole('link', { name: 'Open in a wallet' });
    expect(await link.getAttribute('href')).toBe(made.qr_text);
    const name = isOld ? 'the wallet of this browser' : 'Test Wallet';
    const button = page.getByRole('button', { name: `Pay with ${name}, without a network fee` });
    wallet.refuse(true);
    await button.click();
    await page.getByRole('alert').getByText('Not paid: User rejected the request').waitFor();
    wallet.refuse(false);
    await button.click();
    await page.getByRole('heading', { name: 'Delivered' }).waitFor();
    expect(wallet.asked.slice(0, 3)).toEqual([
      ...['eth_requestAccounts', 'wallet_switchEthereumChain', 'eth_signTypedData_v4'],
    ]);
    expect([await held(wallet.address), complaints]).toEqual([100_000_000n - PRICE, []]);
    await context.close();
  }
  await browser.close();
});

it('agrees with its nodes, and tells monitors of Base by its label', async () => {
  const books = await home.json<AuditReport>(['serve', 'books', '--config', shop.configFile]);
  const { settlements, partner_orders: orders, refunds } = books.checked;
  expect([books.mismatches, settlements, orders, refunds]).toEqual([[], 2, HAS_BROWSER ? 4 : 2, 2]);
  const read = async () => (await fetch(`${open.url}/metrics`)).text();
  await vi.waitFor(async () => expect(await read()).toContain(`eth{network="${BASE}"} `), WAIT);
  expect(await read()).toContain(`scrip_refund_wallet_usdc{network="${BASE}"} `);
  expect(await read()).toContain(`scrip_degraded{part="base"} 0`);
});

it('is not opened on a chain of Base that it was not begun on', async () => {
  await open.stop();
  const other = await prepareShop(makeHome(SCRIP, FINAL_SOON));
  write(`${other.chain.url}/rpc/base`, { witness_rpc: undefined });
  const refused = await home.failure(['serve', '--config', shop.configFile]);
  expect(refused).toMatchObject({ code: 'STORE_UNUSABLE' });
  expect(refused.message).toContain('chain.base.rpc');
  await other.stop();
});

const WAIT = { timeout: 15_000, interval: 100 };
/** Payments have to be final. */
const LONG = { timeout: 60_000, interval: 300 };
