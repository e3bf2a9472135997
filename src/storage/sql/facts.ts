import type { Kysely } from 'kysely';
import type { Database } from '../database.ts';
import type { Facts } from '../store.ts';

export function factsIn(db: Kysely<Database>): Facts {
  const get: Facts['get'] = async (name) => {
    const found = await db
      .selectFrom('facts')
      .select('value')
      .where('name', '=', name)
      .executeTakeFirst();
    return found?.value;
  };
  return {
    get,
    once: async (name, value) => {
      const known = await get(name);
      if (known !== undefined) return known;
      await db
        .insertInto('facts')
        .values({ name, value })
        .onConflict((conflict) => conflict.column('name').doNothing())
        .execute();
      // Another writer may have been first; what is stored counts.
      return (await get(name)) ?? value;
    },
    set: async (name, value) => {
      await db
        .insertInto('facts')
        .values({ name, value })
        .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
        .execute();
    },
  };
}
