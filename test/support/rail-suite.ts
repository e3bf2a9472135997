/** What every payer's rail must do: shared code relies on this and knows no rail. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { PaymentPayload, PaymentRequirement } from '../../src/contract/x402.ts';
import type { SignedPayment } from '../../src/domain/journal/journal.ts';
import { type Atomic, atomic } from '../../src/domain/money/money.ts';
import type { PayerRail, Signer } from '../../src/rails/rail.ts';

export interface RailWorld {
  readonly rail: PayerRail;
  /** Holds 100 USDC. */
  readonly signer: Signer;
  /** For this amount of USDC. */
  requirement(amountAtomic: Atomic): PaymentRequirement;
  /** A merchant hands the payment to the chain, which may refuse it. */
  settle(payload: PaymentPayload['payload']): Promise<string | undefined>;
  advance(ms: number): void;
  close?(): Promise<unknown>;
}

const AMOUNT = atomic(25_500_000n);
/** Longer than any payment is valid and any block waits for finality. */
const LONG_MS = 30 * 60_000;
const TURN_MS = 40_000;
const tag = (byte: number) => new Uint8Array(32).fill(byte);

export function railSuite(name: string, open: () => Promise<RailWorld>): void {
  describe(name, () => {
    let world: RailWorld;
    beforeEach(async () => {
      world = await open();
    });
    afterEach(() => world.close?.());

    const order = (byte = 1, amountAtomic = AMOUNT) => {
      const { signer } = world;
      const requirement = world.requirement(amountAtomic);
      return { way: 'x402', requirement, amountAtomic, signer, tag: tag(byte) } as const;
    };
    /** As the journal gives it back. */
    const sign = async (byte?: number): Promise<SignedPayment> =>
      JSON.parse(JSON.stringify(await world.rail.sign(order(byte))));
    const own = async (isTip = true) => {
      const query = { known: new Set<string>(), mostReads: 10, isTip };
      return (await world.rail.ownPayments(world.signer.address, query)).payments;
    };

    test('a payment is open until it is settled, and is landed when that is final', async () => {
      const { rail, signer } = world;
      const payment = await sign();
      expect(payment.payer).toBe(signer.address);
      expect([await rail.isLive(payment), await rail.fate(payment)]).toEqual([
        true,
        { fate: 'pending' },
      ]);
      expect(await rail.transactionOf(payment)).toBeUndefined();
      const transaction = await world.settle(rail.payload(payment));
      expect(transaction).toEqual(expect.any(String));
      expect((await rail.fate(payment)).fate).toBe('pending');
      expect(await rail.transactionOf(payment)).toBe(transaction);
      world.advance(LONG_MS);
      expect(await rail.fate(payment)).toMatchObject({ fate: 'landed', transaction });
      expect((await rail.balances(signer.address)).usdcAtomic).toBe(100_000_000n - AMOUNT);
    });

    test('a payment is dead when no block can hold it any more, and not before', async () => {
      const { rail } = world;
      const horizon = await rail.horizon(TURN_MS);
      const payment = await sign();
      expect([horizon.covers(payment), await horizon.isPast()]).toEqual([true, false]);
      world.advance(LONG_MS);
      expect([await rail.isLive(payment), await horizon.isPast()]).toEqual([false, true]);
      expect(await rail.fate(payment)).toMatchObject({ fate: 'dead' });
      await world.settle(rail.payload(payment));
      expect((await rail.fate(payment)).fate).toBe('dead');
      expect((await rail.balances(payment.payer)).usdcAtomic).toBe(100_000_000n);
    });

    test('a payment signed after a turn is not within its horizon', async () => {
      const horizon = await world.rail.horizon(TURN_MS);
      world.advance(10 * TURN_MS);
      expect(horizon.covers(await sign())).toBe(false);
    });

    test('payments of two tags both land, those of one tag once', async () => {
      const [one, again, other] = [await sign(1), await sign(1), await sign(2)];
      expect(again).toEqual(one);
      expect(other.messageHash).not.toBe(one.messageHash);
      for (const payment of [one, other]) {
        expect(await world.settle(world.rail.payload(payment))).toBeDefined();
      }
      await world.settle(world.rail.payload(again));
      const { usdcAtomic } = await world.rail.balances(world.signer.address);
      expect(usdcAtomic).toBe(100_000_000n - 2n * AMOUNT);
    });

    test('the history tells a payment with its tag, as it was signed', async () => {
      const { rail, signer } = world;
      const payment = await sign(7);
      expect(await own()).toEqual([]);
      const transactionId = await world.settle(rail.payload(payment));
      const [found, ...more] = await own();
      expect(more).toEqual([]);
      expect(found).toMatchObject({
        ...{ transactionId, isDirect: false, isFinal: false, amountAtomic: AMOUNT },
        destination: rail.recipientAccount(world.requirement(AMOUNT).payTo),
      });
      expect([found?.carries(tag(7)), found?.carries(tag(8))]).toEqual([true, false]);
      expect(found?.signed).toMatchObject({
        ...{ messageHash: payment.messageHash, signature: payment.signature, payer: payment.payer },
      });
      expect(found && rail.payload(found.signed)).toEqual(rail.payload(payment));
      const nowMs = (await rail.timeMs()) ?? Number.NaN;
      const span = { sinceMs: nowMs - LONG_MS, nowMs, known: new Set<string>() };
      expect(await rail.outflows(signer.address, span)).toMatchObject([
        {
          transactionId,
          amountAtomic: AMOUNT,
          signatures: expect.arrayContaining([payment.signature]),
        },
      ]);
      expect(await own(false)).toEqual([]);
      world.advance(LONG_MS);
      expect(await own(false)).toMatchObject([{ transactionId, isFinal: true }]);
    });

    test('what a payer signed is read from an unproven record, and nothing else', async () => {
      const payment = await sign();
      const horizon = await world.rail.horizon();
      const found = horizon.recover(payment);
      expect(found).toMatchObject({ amountAtomic: AMOUNT, asset: world.rail.usdc.asset });
      expect(found && horizon.covers(found.signed)).toBe(true);
      for (const change of [{ messageHash: '00' }, { payer: world.requirement(AMOUNT).payTo }]) {
        expect(horizon.recover({ ...payment, ...change })).toBeUndefined();
      }
    });

    test.each([
      ['itself', { payTo: true }, 'REQUIREMENT_UNACCEPTABLE'],
      ['another asset', { asset: 'another' }, 'REQUIREMENT_UNACCEPTABLE'],
      ['another network', { network: 'another' }, 'REQUIREMENT_UNACCEPTABLE'],
      ['another amount', { amount: '1' }, 'REQUIREMENT_UNACCEPTABLE'],
    ])('a payment to %s is not signed', async (_what, change, code) => {
      const asked = order();
      const { address } = world.signer;
      const terms = 'payTo' in change ? { payTo: address } : change;
      const requirement = { ...asked.requirement, ...terms };
      await expect(world.rail.sign({ ...asked, requirement })).rejects.toMatchObject({ code });
    });

    test('more than the wallet holds is not signed', async () => {
      const refused = world.rail.sign(order(1, atomic(100_000_001n)));
      await expect(refused).rejects.toMatchObject({
        code: 'FUNDS_TOO_LOW',
        message: expect.stringContaining(` on ${world.rail.name}, `),
        details: { network: world.rail.network },
      });
    });
  });
}
