/** The servers that lease work of a store: what one held when it died is free at once. */
import { createTable } from '../columns.ts';
import type { Db } from '../database.ts';
import { statement } from '../statement.ts';

declare module '../database.ts' {
  interface Database {
    readonly servers: { readonly name: string };
  }
}

export const createServers = createTable('servers', { name: 'text key' });

const ALL = statement((db, _all: object) => db.selectFrom('servers').select('name'));

/** Names of servers, noted when they first leased and removed when they close. */
export function serversIn(db: Db) {
  return {
    all: async () => (await ALL.all(db, {})).map(({ name }) => name),
    add: async (name: string) => {
      await db
        .insertInto('servers')
        .values({ name })
        .onConflict((conflict) => conflict.column('name').doNothing())
        .execute();
    },
    remove: async (names: readonly string[]) => {
      await db.deleteFrom('servers').where('name', 'in', names).execute();
    },
  };
}

interface Noted {
  readonly servers: ReturnType<typeof serversIn>;
}

/** What an engine knows of servers. */
export interface Census {
  /** Name of this server; undefined while nothing would show its death. */
  own(): string | undefined;
  dead(names: readonly string[]): Promise<readonly string[]>;
}

/** This server among those of its store. */
export type Presence = Pick<ReturnType<typeof createPresence>, 'note' | 'dead'>;

export function createPresence(census: Census) {
  let noted: string | undefined;
  return {
    /** Notes this server before it leases; writes only the first time. */
    async note({ servers }: Noted) {
      const own = census.own();
      if (own === undefined || own === noted) return;
      await servers.add(own);
      noted = own;
    },
    /** Returns the noted names whose servers have died for sure. */
    async dead({ servers }: Noted) {
      const names = await servers.all();
      // The write that noted it may have been undone.
      if (noted !== undefined && !names.includes(noted)) noted = undefined;
      const others = names.filter((name) => name !== noted);
      return others.length === 0 ? [] : census.dead(others);
    },
    /** Removes this server's name: it holds nothing any more. */
    async leave({ servers }: Noted) {
      // If this fails, the name is found dead later.
      if (noted !== undefined) await servers.remove([noted]).catch(() => undefined);
    },
  };
}
