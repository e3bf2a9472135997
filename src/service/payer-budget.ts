/** Records failed payments per payer in the store, so a restart does not clear them. */
import type { Clock } from '../domain/clock.ts';
import {
  addFailure,
  CLEAN_RECORD,
  isBlocked,
  type PayerRecord,
} from '../domain/payment/payer-failures.ts';
import type { PayerBudget } from '../rails/merchant-rail.ts';
import type { Facts, Store } from '../store/store.ts';

export function createPayerBudget(store: Store, clock: Pick<Clock, 'now'>): PayerBudget {
  return {
    isBlocked: async (payer) => isBlocked(await read(store.tables.facts, payer), clock.now()),
    note: (payer, failure) =>
      store.write(async ({ facts, holds }) => {
        await holds.take(`payer ${payer}`);
        const record = addFailure(await read(facts, payer), failure);
        await facts.set(nameOf(payer), JSON.stringify(record));
      }),
  };
}

async function read(facts: Facts, payer: string): Promise<PayerRecord> {
  const text = await facts.get(nameOf(payer));
  return text === undefined ? CLEAN_RECORD : JSON.parse(text);
}

function nameOf(payer: string): string {
  return `failed payments of ${payer}`;
}
