/** The rail of Base beside x402’s own packages, each at its defaults. */
import { x402Client } from '@x402/core/client';
import { x402Facilitator } from '@x402/core/facilitator';
import { toFacilitatorEvmSigner } from '@x402/evm';
import { ExactEvmScheme } from '@x402/evm/exact/client';
import { ExactEvmScheme as ExactEvmFacilitator } from '@x402/evm/exact/facilitator';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type PaymentPayload, paymentPayload } from '../../../src/contract/x402.ts';
import { atomic } from '../../../src/domain/money/money.ts';
import { createEvmFacilitator } from '../../../src/rails/evm/facilitator.ts';
import { createEvmPayer } from '../../../src/rails/evm/payer.ts';
import { createEvmMerchant } from '../../../src/rails/evm/requirement.ts';
import { openSqliteStore } from '../../../src/store/sqlite.ts';
import { claimsOf, feeTransactionsOf } from '../../../src/store/store.ts';
import { EVM_FEE_ACCOUNT, EVM_MERCHANT, EVM_PAYER, NETWORK } from '../../support/evm-payment.ts';
import { type EvmWorld, evmWorld } from '../../support/evm-world.ts';
import { skippingClock } from '../../support/manual-clock.ts';

const AMOUNT = 750_000n;
const merchant = createEvmMerchant({
  ...{ network: NETWORK, payTo: EVM_MERCHANT, maxTimeoutSeconds: 60 },
});

let world: EvmWorld;
beforeAll(async () => {
  // Its client goes by the computer's clock.
  world = await evmWorld(skippingClock(Date.now()));
  await world.evm.chain.fund(EVM_PAYER.address, { usdcAtomic: 10_000_000n, wei: 0n });
  await world.evm.chain.fund(EVM_FEE_ACCOUNT.address, { usdcAtomic: 0n, wei: 10n ** 18n });
  world.evm.clock.advance(1_000);
});
afterAll(() => world.evm.close());

const asked = async () =>
  (await merchant.requirement({ amountAtomic: atomic(AMOUNT), description: 'a card' })).requirement;

test('its client pays at our merchant', async () => {
  const store = await openSqliteStore(':memory:');
  const { settle, verify } = createEvmFacilitator({
    ...{ rpc: world.rpc, network: NETWORK, clock: world.evm.clock, feeAccount: EVM_FEE_ACCOUNT },
    ...{ claims: claimsOf(store), transactions: feeTransactionsOf(store), confirmTimeoutMs: 3_000 },
  });
  const buyer = await world.evm.walletOf('x402 buyer', AMOUNT);
  const client = new x402Client().register('eip155:*', new ExactEvmScheme(buyer.account as never));
  const requirement = await asked();
  const resource = { url: 'https://host.example/', description: '', mimeType: '' };
  const made = await client.createPaymentPayload({
    ...{ x402Version: 2, resource, accepts: [requirement] },
  } as never);
  const payload: PaymentPayload = paymentPayload().parse(JSON.parse(JSON.stringify(made)));
  expect(merchant.inspect(payload).payer).toBe(buyer.account.address);
  expect(await verify(payload, requirement)).toMatchObject({ isValid: true });
  expect(await settle(payload, requirement)).toMatchObject({ success: true });
  const rail = createEvmPayer({ rpc: world.rpc, network: NETWORK });
  expect((await rail.balances(buyer.account.address)).usdcAtomic).toBe(0n);
  await store.close();
});

test('our wallet pays at its facilitator', async () => {
  const wallet = await world.evm.walletOf('x402 facilitator', 0n);
  const signer = toFacilitatorEvmSigner({ ...wallet, address: wallet.account.address } as never);
  const facilitator = new x402Facilitator();
  facilitator.register('eip155:8453', new ExactEvmFacilitator(signer));
  const rail = createEvmPayer({ rpc: world.rpc, network: NETWORK });
  const requirement = await asked();
  const order = {
    way: 'x402',
    requirement,
    amountAtomic: atomic(AMOUNT),
    signer: EVM_PAYER,
  } as const;
  const payment = await rail.sign({ ...order, tag: new Uint8Array(32).fill(3) });
  const payload = {
    x402Version: 2,
    accepted: requirement,
    payload: rail.payload(payment),
  } as never;
  expect(await facilitator.verify(payload, requirement as never)).toMatchObject({ isValid: true });
  const settled = await facilitator.settle(payload, requirement as never);
  expect(settled).toMatchObject({ success: true, payer: EVM_PAYER.address });
  expect(await rail.transactionOf(payment)).toBe(settled.transaction);
});
