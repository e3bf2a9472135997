/** Simulated payments, for networks that the sandbox has no chain of. */
import type { Clock } from '../../domain/clock.ts';
import { type Atomic, atomic } from '../../domain/money/money.ts';
import type { PaymentWatch } from '../../rails/merchant-rail.ts';
import type { Facts, Store } from '../../store/store.ts';

/** Time until a simulated payment is confirmed, or fails. */
export const PLAYED_CONFIRMATION_MS = 1_000;

interface Payment {
  readonly amountAtomic: Atomic;
  readonly fails: boolean;
}

interface PlayedPayment {
  readonly transaction: string;
  /** Decimal digits, in the coin's smallest unit. */
  readonly amountAtomic: string;
  readonly fails: boolean;
  readonly atMs: number;
}

export type PlayedPayments = ReturnType<typeof createPlayedPayments>;

export function createPlayedPayments(
  store: Store,
  clock: Pick<Clock, 'now'>,
  random: (length: number) => Uint8Array,
) {
  const received: PaymentWatch['received'] = async ({ orderId }) => {
    const payments = read(await store.tables.facts.get(nameOf(orderId)));
    const isSettled = ({ atMs }: PlayedPayment) => clock.now() >= atMs + PLAYED_CONFIRMATION_MS;
    const good = payments.filter(({ fails }) => !fails);
    return {
      confirmedAtomic: sum(good.filter(isSettled)),
      seenAtomic: sum(payments.filter((payment) => !payment.fails || !isSettled(payment))),
      transactions: good.map(({ transaction }) => transaction),
    };
  };
  return {
    received,
    /** Simulates a payment, which may be one that fails; returns its transaction id. */
    play: (orderId: string, { amountAtomic, fails }: Payment): Promise<string> => {
      const transaction = `TEST-${Buffer.from(random(16)).toString('hex')}`;
      const payment = { transaction, amountAtomic: `${amountAtomic}`, fails, atMs: clock.now() };
      return store.write(async ({ facts, partnerOrders, holds }) => {
        await holds.take(`order ${orderId}`);
        const before = read(await facts.get(nameOf(orderId)));
        await facts.set(nameOf(orderId), JSON.stringify([...before, payment]));
        // Schedules the check in the store, in case this process ends before it makes one.
        await partnerOrders.wake({ orderId }, clock.now());
        return transaction;
      });
    },
  };
}

/** Sum of an order's simulated payments that do not fail, confirmed or not. */
export async function playedFor(facts: Pick<Facts, 'get'>, orderId: string): Promise<Atomic> {
  return sum(read(await facts.get(nameOf(orderId))).filter(({ fails }) => !fails));
}

const nameOf = (orderId: string): string => `payments played for ${orderId}`;

function read(text: string | undefined): readonly PlayedPayment[] {
  return text === undefined ? [] : JSON.parse(text);
}

function sum(payments: readonly PlayedPayment[]): Atomic {
  return atomic(payments.reduce((total, { amountAtomic }) => total + BigInt(amountAtomic), 0n));
}
