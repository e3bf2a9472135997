/** The checkout host with Base as its rail, on a real EVM: each payment buys once. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { WireOrderReceipt } from '../../../src/contract/checkout.ts';
import type { PaymentPayload, PaymentRequirement } from '../../../src/contract/x402.ts';
import { atomic } from '../../../src/domain/money/money.ts';
import { createEvmFacilitator } from '../../../src/rails/evm/facilitator.ts';
import { createEvmMerchant } from '../../../src/rails/evm/merchant.ts';
import { createEvmPayer } from '../../../src/rails/evm/payer.ts';
import { openSqliteStore } from '../../../src/store/sqlite.ts';
import type { Store } from '../../../src/store/store.ts';
import { claimsOf } from '../../../src/store/tables/claims.ts';
import { feeTransactionsOf } from '../../../src/store/tables/fee-transactions.ts';
import {
  bodyOf,
  type Challenge,
  checkoutHost,
  type Host,
  paymentResponse,
} from '../../support/checkout-host.ts';
import { EVM_FEE_ACCOUNT, EVM_MERCHANT, EVM_PAYER, NETWORK } from '../../support/evm-payment.ts';
import { type EvmWorld, evmWorld } from '../../support/evm-world.ts';

let world: EvmWorld;
let store: Store;
let host: Host;
beforeAll(async () => {
  world = await evmWorld();
  const { clock, chain } = world.evm;
  store = await openSqliteStore(':memory:');
  await chain.fund(EVM_PAYER.address, { usdcAtomic: 1_000_000_000n, wei: 0n });
  await chain.fund(EVM_FEE_ACCOUNT.address, { usdcAtomic: 0n, wei: 10n ** 18n });
  clock.advance(60_000);
  const parts = { rpc: world.rpc, network: NETWORK, clock, feeAccount: EVM_FEE_ACCOUNT };
  host = await checkoutHost({
    clock,
    rail: createEvmMerchant({ network: NETWORK, payTo: EVM_MERCHANT, maxTimeoutSeconds: 60 }),
    facilitator: createEvmFacilitator({
      ...{ ...parts, claims: claimsOf(store), transactions: feeTransactionsOf(store) },
      confirmTimeoutMs: 3_000,
    }),
  });
});
afterAll(async () => {
  await world.evm.close();
  await host.store.close();
  await store.close();
});

const rail = () => createEvmPayer({ rpc: world.rpc, network: NETWORK });

async function paymentFor(requirement: PaymentRequirement, tag: number): Promise<PaymentPayload> {
  const amountAtomic = atomic(BigInt(requirement.amount ?? '0'));
  const payment = await rail().sign({
    ...{ way: 'x402', requirement, amountAtomic, signer: EVM_PAYER },
    tag: new Uint8Array(32).fill(tag),
  });
  return { x402Version: 2, accepted: requirement, payload: rail().payload(payment) };
}

const counts = async () => ({
  money: (await rail().balances(EVM_MERCHANT)).usdcAtomic ?? 0n,
  sent: await world.rpc.count(EVM_FEE_ACCOUNT.address),
});

/** As a client of the public standard: without X-Session-Id. */
const pay = (asked: Challenge, payload: PaymentPayload) =>
  host.pay(asked, { payload, sessionId: null });

test('a payment buys, and the same again tells the same', async () => {
  const before = await counts();
  const asked = await host.challenge();
  expect(asked.requirement).toMatchObject({ network: NETWORK.network, payTo: EVM_MERCHANT });
  const payload = await paymentFor(asked.requirement, 1);
  const paid = await pay(asked, payload);
  expect(paid.status).toBe(200);
  const { transaction } = paymentResponse(paid);
  expect(await world.rpc.receipt(transaction)).toMatchObject({ isDone: true });
  const receipt = await bodyOf<WireOrderReceipt>(paid);
  const again = await pay(asked, payload);
  expect(again.status).toBe(200);
  expect((await bodyOf<WireOrderReceipt>(again)).order_id).toBe(receipt.order_id);
  const { money, sent } = await counts();
  expect(money - before.money).toBe(BigInt(asked.requirement.amount ?? '0'));
  expect(sent - before.sent).toBe(1);
});

test('an authorization that bought buys nothing for somebody else', async () => {
  const asked = await host.challenge();
  const payload = await paymentFor(asked.requirement, 2);
  expect((await pay(asked, payload)).status).toBe(200);
  const before = await counts();
  const other = await host.challenge();
  const stolen = { ...payload, accepted: other.requirement };
  expect((await pay(other, stolen)).status).not.toBe(200);
  expect(await counts()).toEqual(before);
});

test('two authorizations with one nonce buy once', async () => {
  const [one, other] = [await host.challenge(), await host.challenge()];
  const payloads = [await paymentFor(one.requirement, 3), await paymentFor(other.requirement, 3)];
  const before = await counts();
  const replies = await Promise.all([
    pay(one, payloads[0] as PaymentPayload),
    pay(other, payloads[1] as PaymentPayload),
  ]);
  expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
  const { money, sent } = await counts();
  expect(money - before.money).toBe(BigInt(one.requirement.amount ?? '0'));
  expect(sent - before.sent).toBe(1);
});

test('a payment that was on the chain before the shop had it buys nothing', async () => {
  const asked = await host.challenge();
  const payload = await paymentFor(asked.requirement, 4);
  await world.settle(payload.payload);
  const late = await pay(asked, payload);
  expect(late.status).toBe(402);
  // Whoever reads the chain has it too.
  expect(await bodyOf(late)).toMatchObject({ reason: 'invalid_exact_evm_nonce_already_used' });
});
