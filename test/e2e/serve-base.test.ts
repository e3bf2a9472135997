/** `scrip serve` that takes payments on Base too: its chains are of a sandbox of their own. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { BASE } from '../../src/contract/usdc.ts';
import type { PaymentRequirement } from '../../src/contract/x402.ts';
import type { AuditReport } from '../../src/domain/operator/audit.ts';
import { systemClock } from '../../src/net/clock.ts';
import { createHttpFetch } from '../../src/net/fetch.ts';
import { createEvmPayer } from '../../src/rails/evm/payer.ts';
import { createEvmRpc } from '../../src/rails/evm/rpc.ts';
import { evmSigner } from '../../src/rails/evm/secp256k1.ts';
import { fundByFaucet } from '../../src/rails/faucet.ts';
import { FINAL_SOON, makeHome, SCRIP } from '../support/cli.ts';
import { EVM_PAYER, NETWORK, secretOf } from '../support/evm-payment.ts';
import { payAtHost } from '../support/pay-at-host.ts';
import { PRODUCT, prepareShop, REFUSED, withBase } from '../support/real-shop.ts';
import type { ServedSandbox } from '../support/served-sandbox.ts';

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

it('agrees with its nodes, and tells monitors of Base by its label', async () => {
  const books = await home.json<AuditReport>(['serve', 'books', '--config', shop.configFile]);
  expect([books.mismatches, books.checked.settlements, books.checked.refunds]).toEqual([[], 2, 1]);
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
