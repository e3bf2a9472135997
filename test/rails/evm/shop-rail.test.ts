/** A shop's own money on Base: each transfer is made once, and is found again. */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { atomic } from '../../../src/domain/money/money.ts';
import type { EvmRpc } from '../../../src/rails/evm/rpc.ts';
import { createEvmShopRail } from '../../../src/rails/evm/shop-rail.ts';
import { openSqliteStore } from '../../../src/store/sqlite.ts';
import { claimsOf, feeTransactionsOf, type Store } from '../../../src/store/store.ts';
import {
  EVM_AMOUNT,
  EVM_FEE_ACCOUNT,
  EVM_MERCHANT,
  EVM_PAYER,
  EVM_STRANGER,
  NETWORK,
} from '../../support/evm-payment.ts';
import { type EvmWorld, evmWorld } from '../../support/evm-world.ts';
import { rpcFailure } from '../../support/rpc-failure.ts';

const LATER_MS = 30 * 60_000;
let world: EvmWorld;
let store: Store;
beforeAll(async () => {
  world = await evmWorld();
  store = await openSqliteStore(':memory:');
  await world.evm.chain.fund(EVM_PAYER.address, { usdcAtomic: 1_000_000_000n, wei: 0n });
  await world.evm.chain.fund(EVM_FEE_ACCOUNT.address, { usdcAtomic: 0n, wei: 10n ** 18n });
  world.evm.clock.advance(60_000);
});
afterAll(async () => {
  await world.evm.close();
  await store.close();
});

function shopRail(over: Partial<EvmRpc> = {}, witness?: EvmRpc) {
  return createEvmShopRail({
    rpc: { ...world.rpc, ...over },
    ...{ witness, network: NETWORK, clock: world.evm.clock, feeAccount: EVM_FEE_ACCOUNT },
    ...{ claims: claimsOf(store), transactions: feeTransactionsOf(store) },
    random: (length) => randomBytes(length),
  });
}

const reference = () => Uint8Array.from(randomBytes(32));
const transfer = (more: object = {}) => ({
  ...{ owner: EVM_PAYER, payTo: EVM_MERCHANT, amountAtomic: atomic(EVM_AMOUNT) },
  ...more,
});
const begun = async (more: object = {}) =>
  claimsOf(store).claim(await shopRail().sign(transfer(more)));

describe('a transfer of the shop', () => {
  it('is landed once it is final, and is found by its reference', async () => {
    const named = { owner: EVM_PAYER.address, reference: reference() };
    const { follow, landed, received, changesIn } = shopRail({}, world.rpc);
    const claim = await begun(named.reference && { reference: named.reference });
    expect(await landed(named)).toBeUndefined();
    expect(await follow(claim, 1_000)).toBeUndefined();
    expect(await landed(named)).toEqual({ kind: 'open' });
    world.evm.clock.advance(LATER_MS);
    const outcome = await follow(claim, 0);
    expect(outcome).toMatchObject({ state: 'landed', landedIn: expect.stringMatching(/^0x/) });
    const transaction = outcome?.landedIn ?? '';
    expect(await landed(named)).toEqual({ kind: 'final', transaction });
    expect(await received(transaction, EVM_MERCHANT)).toEqual({
      amountAtomic: EVM_AMOUNT,
      isFinal: true,
    });
    expect(
      await changesIn(transaction, [EVM_MERCHANT, EVM_PAYER.address, EVM_STRANGER.address]),
    ).toMatchObject([
      { change: EVM_AMOUNT, feePayer: EVM_FEE_ACCOUNT.address },
      { change: -EVM_AMOUNT },
      { change: 0n },
    ]);
  });

  it('is not signed again with a reference that was used', async () => {
    const named = reference();
    const claim = await begun({ reference: named });
    await shopRail().follow(claim, 1_000);
    await expect(shopRail().sign(transfer({ reference: named }))).rejects.toMatchObject({
      code: 'FACILITATOR_UNAVAILABLE',
    });
  });

  it('is signed again with its reference once the one before is dead', async () => {
    const named = reference();
    const away = { send: () => Promise.reject(rpcFailure('away')) };
    const claim = await begun({ reference: named });
    expect(await shopRail(away).follow(claim, 0)).toBeUndefined();
    world.evm.clock.advance(LATER_MS);
    expect(await shopRail(away).follow(claim, 0)).toMatchObject({ state: 'expired' });
    const again = await begun({ reference: named });
    expect(again.messageHash).not.toBe(claim.messageHash);
    await shopRail().follow(again, 1_000);
    world.evm.clock.advance(LATER_MS);
    expect(await shopRail().follow(again, 0)).toMatchObject({ state: 'landed' });
  });

  it('of more than there is is refused', async () => {
    const refused = shopRail().sign(transfer({ owner: EVM_STRANGER }));
    await expect(refused).rejects.toMatchObject({ code: 'FACILITATOR_UNAVAILABLE' });
  });
});

describe('what the records are compared with', () => {
  it('is each change of an owner’s money, oldest first', async () => {
    world.evm.clock.advance(60_000);
    const sinceMs = (await world.rpc.head('latest')).time * 1_000;
    for (const payTo of [EVM_MERCHANT, EVM_STRANGER.address]) {
      await shopRail().follow(await begun({ payTo }), 1_000);
      world.evm.clock.advance(2_000);
    }
    const [own, others] = await shopRail({}, world.rpc).histories(EVM_PAYER.address, sinceMs);
    expect(own).toMatchObject([{ change: -EVM_AMOUNT }, { change: -EVM_AMOUNT }]);
    expect(others).toEqual(own);
    const [merchant] = await shopRail().histories(EVM_MERCHANT, sinceMs);
    expect(merchant).toMatchObject([{ change: EVM_AMOUNT, feePayer: EVM_FEE_ACCOUNT.address }]);
  });

  it('is nothing of a transaction that the nodes show differently, or not as final', async () => {
    const blind = { ...world.rpc, receipt: async () => null };
    const claim = await begun();
    await shopRail().follow(claim, 1_000);
    const row = await feeTransactionsOf(store).byMessage(claim.messageHash);
    const { transaction = '' } = row ?? {};
    expect(await shopRail().changesIn(transaction, [EVM_MERCHANT])).toBeUndefined();
    world.evm.clock.advance(LATER_MS);
    expect(await shopRail().changesIn(transaction, [EVM_MERCHANT])).toHaveLength(1);
    expect(await shopRail({}, blind).changesIn(transaction, [EVM_MERCHANT])).toBeUndefined();
    expect(await shopRail({}, blind).received(transaction, EVM_MERCHANT)).toBeUndefined();
  });

  it('is the money of each owner, the fee account’s coin, and where the nodes are', async () => {
    const { usdcOf, feeAccount, heads } = shopRail(
      {},
      { ...world.rpc, head: () => Promise.reject(rpcFailure('away')) },
    );
    const [held] = await usdcOf([EVM_MERCHANT, EVM_FEE_ACCOUNT.address]);
    expect(held).toBeGreaterThan(0n);
    expect(await feeAccount()).toMatchObject({
      address: EVM_FEE_ACCOUNT.address,
      coin: 'ETH',
      decimals: 18,
    });
    expect(await heads()).toEqual([(await world.rpc.head('finalized')).number, undefined]);
  });

  it('is unknown where the node begins later', async () => {
    await expect(
      shopRail({ block: async () => null }).histories(EVM_MERCHANT, 0),
    ).rejects.toMatchObject({
      code: 'CHAIN_UNREACHABLE',
    });
  });
});

describe('an address', () => {
  it.each([
    [EVM_MERCHANT, true, true],
    [EVM_MERCHANT.toLowerCase(), true, true],
    [NETWORK.asset, true, false],
    [`0x${'0'.repeat(40)}`, true, false],
    ['FzU4', false, false],
  ])('%s', async (text, isAddress, canReceive) => {
    const rail = shopRail();
    expect([rail.isAddress(text), rail.isKeyAddress(text), await rail.canReceive(text)]).toEqual([
      isAddress,
      canReceive,
      canReceive,
    ]);
  });

  it.each([
    [`0x${'a1'.repeat(32)}`, true],
    [`0x${'a1'.repeat(31)}`, false],
    ['a1'.repeat(32), false],
  ])('is a transaction’s id: %s', (text, isId) => {
    expect(shopRail().isTransactionId(text)).toBe(isId);
  });
});
