/** Named values of the store, such as the seed of the chain. */
import { createTable } from '../columns.ts';
import type { Database, Db } from '../database.ts';
import { statement } from '../statement.ts';

type Fact = Database['facts'];

export const createFacts = createTable('facts', { name: 'text key', value: 'text' });

const GET = statement((db, { name }: Pick<Fact, 'name'>) =>
  db.selectFrom('facts').select('value').where('name', '=', name),
);

const ADD = statement((db, fact: Fact) =>
  db
    .insertInto('facts')
    .values(fact)
    .onConflict((conflict) => conflict.column('name').doNothing()),
);

const SET = statement((db, fact: Fact) =>
  db
    .insertInto('facts')
    .values(fact)
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value: fact.value })),
);

export function factsIn(db: Db) {
  const get = async (name: string) => (await GET.first(db, { name }))?.value;
  return {
    get,
    /** Returns the value of `name`; stores this one first if there is none. */
    once: async (name: string, value: string) => {
      const known = await get(name);
      if (known !== undefined) return known;
      await ADD.run(db, { name, value });
      // Another writer may have been first; the stored value counts.
      return (await get(name)) ?? value;
    },
    set: (name: string, value: string) => SET.run(db, { name, value }),
  };
}
