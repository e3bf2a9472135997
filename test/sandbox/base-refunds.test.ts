/** What was paid to the sandbox on Base: it is refunded there, and the audit knows of it. */
import { join } from 'node:path';
import { createWalletClient, custom, type Hex } from 'viem';
import { base } from 'viem/chains';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { WireCatalogItem } from '../../src/contract/checkout.ts';
import { createEvmPayer } from '../../src/rails/evm/payer.ts';
import { createEvmRpc } from '../../src/rails/evm/rpc.ts';
import { fundByFaucet } from '../../src/rails/faucet.ts';
import { audit } from '../../src/sandbox/audit.ts';
import { openChainStore, openSecrets } from '../../src/sandbox/data-folder.ts';
import { baseTreasuryOf } from '../../src/sandbox/evm/landed.ts';
import { connect } from '../../src/store/sqlite-driver.ts';
import { EVM_PAYER, NETWORK } from '../support/evm-payment.ts';
import { evmAccount } from '../support/live-evm.ts';
import { BASE, jsonOf, type PartnerSandbox, partnerSandbox } from '../support/partner-sandbox.ts';
import { payAtHost } from '../support/pay-at-host.ts';
import { USDC, USDC_ABI } from '../support/usdc.ts';

const REFUSED = 'friend+failing@example.com';
const FUNDS = 200_000_000n;

let shop: PartnerSandbox;
beforeEach(async () => {
  shop = await partnerSandbox();
  await fund(EVM_PAYER.address, { usdcAtomic: FUNDS, lamports: 0n });
  await shop.pass(1_000);
});
afterEach(() => shop.close());

const node = () => ({
  url: `${BASE}/rpc/base`,
  fetch: (url: string, init?: RequestInit) => shop.current().handle(new Request(url, init)),
  clock: shop.clock,
});
const fund = (owner: string, funds: Parameters<typeof fundByFaucet>[2]) =>
  fundByFaucet({ ...node(), url: 'http://127.0.0.1/rpc/base' }, owner, funds);
const payer = () => createEvmPayer({ rpc: createEvmRpc(node()), network: NETWORK });

async function buy(...beneficiaries: readonly string[]): Promise<string> {
  const path = '/v1/catalog?country_code=us&brand_name=Amazon.com';
  const items = await jsonOf<WireCatalogItem[]>(await shop.get(path));
  const product_id = items.find(({ is_range }) => !is_range)?.product_id;
  const order = {
    email: 'you@example.com',
    items: beneficiaries.map((beneficiary_account) => ({ product_id, beneficiary_account })),
  };
  const paid = await payAtHost((headers) => shop.post('/v1/orders', order, headers), {
    ...{ rail: payer(), signer: EVM_PAYER },
  });
  return paid.orderId;
}

async function check() {
  const chain = await openChainStore(shop.dataDir);
  const { store } = shop.current();
  const draw = openSecrets(shop.dataDir);
  const report = await audit({ store, chain, draw }, shop.clock.now());
  await chain.close();
  return report;
}

it('a failed line is refunded on Base to the wallet that paid, and the books agree', async () => {
  const orderId = await buy('friend@example.com', REFUSED);
  for (let step = 0; step < 15; step += 1) await shop.pass(3_000);
  const { payouts, orders, sessions } = shop.current().store.tables;
  const [payout] = await payouts.ofOrder(orderId);
  expect(payout).toMatchObject({ state: 'sent', transaction: expect.stringMatching(/^0x/) });
  const session = await sessions.byId((await orders.byId(orderId))?.sessionId ?? '');
  const paid = FUNDS - ((await payer().balances(EVM_PAYER.address)).usdcAtomic ?? 0n);
  expect(2n * paid).toBe(BigInt(session?.amountAtomic ?? 0));
  const { mismatches, checked } = await check();
  expect(mismatches).toEqual([]);
  expect(checked).toMatchObject({ settlements: 1, refunds: 1, transfers: 1 });
});

it('a payment on Base that the chain does not have is found', async () => {
  await buy('friend@example.com');
  await shop.pass(3_000);
  expect((await check()).mismatches).toEqual([]);
  const { close, run } = await connect(join(shop.dataDir, 'sandbox.db'));
  await run(`update settlements set "transaction" = '0x00'`);
  await close();
  expect((await check()).mismatches).toMatchObject([{ kind: 'settled_without_payment' }]);
});

it('USDC that came to the treasury and pays nothing is found', async () => {
  await buy('friend@example.com');
  const treasury = baseTreasuryOf(openSecrets(shop.dataDir));
  const account = evmAccount('stranger');
  const funds = { usdcAtomic: 5_000_000n, lamports: 1_000_000_000n };
  await fund(account.address, funds);
  const ask = async (asked: object) => {
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, ...asked });
    const { result } = await jsonOf<{ result: unknown }>(
      await node().fetch(node().url, { method: 'POST', headers, body }),
    );
    return result;
  };
  const client = createWalletClient({ account, chain: base, transport: custom({ request: ask }) });
  const transaction = await client.writeContract({
    ...{ address: USDC, abi: USDC_ABI, functionName: 'transfer' },
    args: [treasury as Hex, 3_000_000n],
  });
  await shop.pass(3_000);
  expect((await check()).mismatches).toMatchObject([
    { kind: 'payment_without_order', subject: transaction },
  ]);
});
