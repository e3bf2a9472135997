import type { Kysely } from 'kysely';
import type { Database } from '../database.ts';
import type { Facts } from '../store.ts';
import { statement } from './statement.ts';

interface Fact {
  readonly name: string;
  readonly value: string;
}

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

export function factsIn(db: Kysely<Database>): Facts {
  const get: Facts['get'] = async (name) => (await GET.first(db, { name }))?.value;
  return {
    get,
    once: async (name, value) => {
      const known = await get(name);
      if (known !== undefined) return known;
      await ADD.run(db, { name, value });
      // Another writer may have been first; the stored value counts.
      return (await get(name)) ?? value;
    },
    set: async (name, value) => {
      await SET.run(db, { name, value });
    },
  };
}
