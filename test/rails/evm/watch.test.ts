/** Finds what came to an order's own address on Base. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { EvmRpc } from '../../../src/rails/evm/rpc.ts';
import { evmSigner } from '../../../src/rails/evm/secp256k1.ts';
import { createEvmWatch, type EvmWatchOptions } from '../../../src/rails/evm/watch.ts';
import { EVM_PAYER, NETWORK, payloadOfAuthorization, secretOf } from '../../support/evm-payment.ts';
import { evmShop } from '../../support/evm-shop.ts';
import { type EvmWorld, evmWorld } from '../../support/evm-world.ts';

let world: EvmWorld;
let shop: ReturnType<typeof evmShop>;
let orders = 0;
beforeAll(async () => {
  world = await evmWorld();
  await world.evm.chain.fund(EVM_PAYER.address, { usdcAtomic: 10_000_000_000n, wei: 0n });
  world.evm.clock.advance(60_000);
  shop = evmShop(world, () => {
    throw new Error('nothing is stored');
  });
});
afterAll(() => world.evm.close());

const orderAt = (address: string | null) => ({
  ...{ orderId: 'a', address, coin: 'USDC', network: 'Base' },
});
const watchOf = (more: Partial<EvmWatchOptions> = {}, over: Partial<EvmRpc> = {}) =>
  createEvmWatch({ network: NETWORK, ...more, rpc: { ...world.rpc, ...over } });
const newAddress = () => {
  orders += 1;
  return evmSigner(secretOf(`order ${orders}`)).address;
};

/** A payment; gives the id of its transaction. */
async function pay(to: string, amount: bigint): Promise<string> {
  const authorization = await shop.authorizationNow({ to, value: amount.toString() });
  return world.settle(await payloadOfAuthorization(authorization));
}

it('counts each transfer once, by its transaction, and nothing for an order without an address', async () => {
  const to = newAddress();
  expect((await watchOf().received(orderAt(to))).seenAtomic).toBe(0n);
  const transactions = [await pay(to, 5_000_000n), await pay(to, 3_000_000n)];
  await pay(newAddress(), 1_000_000n);
  expect(await watchOf().received(orderAt(to))).toEqual({
    ...{ confirmedAtomic: 8_000_000n, seenAtomic: 8_000_000n, unexplainedAtomic: 0n },
    transactions,
  });
  expect((await watchOf().received(orderAt(null))).seenAtomic).toBe(0n);
});

it('counts large sums once they are final, and sees them before', async () => {
  const [to, finalFromAtomic] = [newAddress(), 10_000_000n];
  await pay(to, finalFromAtomic);
  const watch = watchOf({ finalFromAtomic });
  const open = { confirmedAtomic: 0n, seenAtomic: finalFromAtomic };
  expect(await watch.received(orderAt(to))).toMatchObject(open);
  world.evm.clock.advance(60_000);
  expect((await watch.received(orderAt(to))).confirmedAtomic).toBe(finalFromAtomic);
});

it('counts nothing that came before the order', async () => {
  const to = newAddress();
  await pay(to, 5_000_000n);
  const before = String((await world.rpc.head('latest')).number + 1);
  world.evm.clock.advance(1_000);
  const transaction = await pay(to, 2_000_000n);
  const watch = watchOf({ since: async () => before });
  expect(await watch.received(orderAt(to))).toMatchObject({
    ...{ confirmedAtomic: 2_000_000n, transactions: [transaction] },
  });
});

it('without its logs a balance is seen, not counted, and unexplained once it is final', async () => {
  const to = newAddress();
  await pay(to, 5_000_000n);
  const watch = watchOf({}, { logs: async () => [] });
  const seen = { confirmedAtomic: 0n, seenAtomic: 5_000_000n };
  expect(await watch.received(orderAt(to))).toMatchObject({ ...seen, unexplainedAtomic: 0n });
  world.evm.clock.advance(60_000);
  expect(await watch.received(orderAt(to))).toMatchObject({
    ...{ ...seen, unexplainedAtomic: 5_000_000n },
  });
});

it('names the orders whose balance differs from what is known', async () => {
  const [paid, unpaid] = [newAddress(), newAddress()];
  await pay(paid, 1_000_000n);
  const known = (orderId: string, address: string, seenAtomic: bigint, isConfirmed = true) => ({
    ...{ ...orderAt(address), orderId, seenAtomic: seenAtomic as never, isConfirmed },
  });
  const changed = await watchOf().changed?.([
    known('new', paid, 0n),
    known('old', paid, 1_000_000n),
    known('open', paid, 1_000_000n, false),
    known('unpaid', unpaid, 0n),
  ]);
  expect([...(changed ?? [])]).toEqual(['new', 'open']);
});
