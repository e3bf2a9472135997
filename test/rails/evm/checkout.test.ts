/** The checkout host with Base as its rail, on a real EVM: each payment buys once. */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { WireOrderReceipt } from '../../../src/contract/checkout.ts';
import type { PaymentPayload, PaymentRequirement } from '../../../src/contract/x402.ts';
import { atomic } from '../../../src/domain/money/money.ts';
import type { Authorization } from '../../../src/rails/evm/authorization.ts';
import { createEvmFacilitator } from '../../../src/rails/evm/facilitator.ts';
import { createEvmPayer } from '../../../src/rails/evm/payer.ts';
import { createEvmMerchant } from '../../../src/rails/evm/requirement.ts';
import { openSqliteStore } from '../../../src/store/sqlite.ts';
import { claimsOf, feeTransactionsOf, type Store } from '../../../src/store/store.ts';
import {
  bodyOf,
  type Challenge,
  checkoutHost,
  type Host,
  paymentResponse,
} from '../../support/checkout-host.ts';
import {
  EVM_FEE_ACCOUNT,
  EVM_MERCHANT,
  EVM_PAYER,
  EVM_STRANGER,
  NETWORK,
  payloadOfAuthorization,
  signedOf,
} from '../../support/evm-payment.ts';
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

describe('a hostile buyer buys nothing with', () => {
  const ORDER_OF_CURVE = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
  type Signed = Awaited<ReturnType<typeof payloadOfAuthorization>>;
  const now = async (requirement: PaymentRequirement): Promise<Authorization> => {
    const { time } = await world.rpc.head('latest');
    return {
      ...{ from: EVM_PAYER.address, to: requirement.payTo, value: requirement.amount ?? '' },
      ...{ validAfter: `${time - 600}`, validBefore: `${time + 60}` },
      nonce: `0x${randomBytes(32).toString('hex')}`,
    };
  };
  const signed =
    (change: object = {}, how: Parameters<typeof payloadOfAuthorization>[1] = {}) =>
    async (requirement: PaymentRequirement) =>
      payloadOfAuthorization({ ...(await now(requirement)), ...change }, how);
  const altered =
    (change: (signed: Signed) => object) => async (requirement: PaymentRequirement) => {
      const good = await signed()(requirement);
      return { ...good, ...change(good) };
    };
  const highS = ({ signature }: Signed) => {
    const s = ORDER_OF_CURVE - BigInt(`0x${signature.slice(66, 130)}`);
    const v = signature.endsWith('1b') ? '1c' : '1b';
    return { signature: `${signature.slice(0, 66)}${s.toString(16).padStart(64, '0')}${v}` };
  };
  const inAuthorization = (change: object) =>
    altered(({ authorization }) => ({ authorization: { ...authorization, ...change } }));

  test.each<[string, (requirement: PaymentRequirement) => Promise<object>]>([
    ['a high s', altered(highS)],
    ['a signature for another chain', signed({}, { network: { ...NETWORK, chainId: 1 } })],
    ['a signature for the test network', signed({}, { network: { ...NETWORK, chainId: 84_532 } })],
    ['the signature of somebody else', signed({}, { signer: EVM_STRANGER })],
    ['less than the price', signed({ value: '1' })],
    ['a payment to itself', signed({ to: EVM_PAYER.address })],
    ['a value of its own after it signed', inAuthorization({ value: '1' })],
    ['an authorization that is over', signed({ validBefore: '1' })],
    [
      'an authorization that begins later',
      signed({ validAfter: '9999999999', validBefore: '9999999999' }),
    ],
    ['an authorization for 32 years', signed({ validBefore: '9999999999' })],
    ['a value in hexadecimal', inAuthorization({ value: '0x18148d0' })],
    ['no signature', altered(() => ({ signature: '0x' }))],
  ])('%s', async (_what, payloadOf) => {
    const asked = await host.challenge();
    const before = await counts();
    const payload = await payloadOf(asked.requirement);
    const reply = await pay(asked, {
      ...{ x402Version: 2, accepted: asked.requirement },
      payload: { ...payload },
    });
    expect([400, 402]).toContain(reply.status);
    expect(await counts()).toEqual(before);
  });

  test('an authorization for another session, also under its session’s name', async () => {
    const [own, other] = [await host.challenge(), await host.challenge()];
    const payload = await paymentFor(own.requirement, 20);
    const paid = await pay(own, payload);
    const { order_id } = await bodyOf<WireOrderReceipt>(paid);
    const before = await counts();
    for (const sessionId of [other.sessionId, null]) {
      const stolen = { ...payload, accepted: other.requirement };
      const reply = await host.pay(other, { payload: stolen, sessionId });
      // Where the reply is a receipt it is the one that was paid for.
      const told = await bodyOf<{ readonly order_id?: string }>(reply);
      expect([undefined, order_id]).toContain(told.order_id);
    }
    expect(await counts()).toEqual(before);
  });

  test('its nonce in upper case, or its addresses in lower case: it is the same payment', async () => {
    const [own, other] = [await host.challenge(), await host.challenge()];
    const payload = await paymentFor(own.requirement, 0xab);
    const paid = await bodyOf<WireOrderReceipt>(await pay(own, payload));
    const before = await counts();
    const { authorization } = signedOf(payload.payload);
    const written = [
      { nonce: `0x${authorization.nonce.slice(2).toUpperCase()}` },
      { from: authorization.from.toLowerCase(), to: authorization.to.toLowerCase() },
    ];
    for (const change of written) {
      const rewritten = { ...payload.payload, authorization: { ...authorization, ...change } };
      for (const asked of [own, other]) {
        const again = { ...payload, accepted: asked.requirement, payload: rewritten };
        const told = await bodyOf<{ readonly order_id?: string }>(await pay(asked, again));
        expect([undefined, paid.order_id]).toContain(told.order_id);
      }
    }
    expect(await counts()).toEqual(before);
  });
});

describe('the shop is paid once', () => {
  test('by five calls at once', async () => {
    const asked = await host.challenge();
    const payload = await paymentFor(asked.requirement, 30);
    const before = await counts();
    const replies = await Promise.all(Array.from({ length: 5 }, () => pay(asked, payload)));
    const orders = await Promise.all(replies.map((reply) => bodyOf<WireOrderReceipt>(reply)));
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect(new Set(orders.map(({ order_id }) => order_id)).size).toBe(1);
    const { money, sent } = await counts();
    expect(money - before.money).toBe(BigInt(asked.requirement.amount ?? ''));
    expect(sent - before.sent).toBe(1);
  });

  test('for each of five orders at once, by five payments', async () => {
    const asked = await Promise.all(Array.from({ length: 5 }, () => host.challenge()));
    const payloads = await Promise.all(
      asked.map(({ requirement }, index) => paymentFor(requirement, 40 + index)),
    );
    const before = await counts();
    const replies = await Promise.all(
      asked.map((one, index) => pay(one, payloads[index] as PaymentPayload)),
    );
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    const orders = await Promise.all(replies.map((reply) => bodyOf<WireOrderReceipt>(reply)));
    expect(new Set(orders.map(({ order_id }) => order_id)).size).toBe(5);
    const { money, sent } = await counts();
    expect(money - before.money).toBe(5n * BigInt(asked[0]?.requirement.amount ?? ''));
    expect(sent - before.sent).toBe(5);
  });

  test('although its reply was lost three times, and the buyer signs again', async () => {
    const asked = await host.challenge();
    const payload = await paymentFor(asked.requirement, 50);
    const before = await counts();
    for (let lost = 0; lost < 3; lost += 1) expect((await pay(asked, payload)).status).toBe(200);
    // As a buyer that takes silence for a refusal: another authorization for the same session.
    const again = await pay(asked, await paymentFor(asked.requirement, 51));
    expect(await bodyOf(again)).toMatchObject({ error: 'session_used' });
    const { money, sent } = await counts();
    expect(money - before.money).toBe(BigInt(asked.requirement.amount ?? ''));
    expect(sent - before.sent).toBe(1);
  });
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
