/** Named values of the store, such as the seed of the chain. */
import type { Db } from '../sql.ts';
import { table } from '../table.ts';

interface Fact {
  readonly name: string;
  readonly value: string;
}

/** Names of facts about what follows, which may be a person's. */
export const SUPPLIER_FAULT = 'supplier fault of ';
export const ENDPOINT_GONE = 'webhook endpoint gone: ';

const facts = table<Fact>('facts', 'name');

export function factsIn(db: Db) {
  const { first, add, put } = facts.in(db);
  const get = async (name: string) => (await first({ name }))?.value;
  return {
    get,
    /** Returns the value of `name`; stores this one first if there is none. */
    once: async (name: string, value: string) => {
      const known = await get(name);
      if (known !== undefined) return known;
      await add({ name, value });
      // Another writer may have been first; the stored value counts.
      return (await get(name)) ?? value;
    },
    set: (name: string, value: string) => put({ name, value }),
  };
}
