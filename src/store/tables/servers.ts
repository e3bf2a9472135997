/** The servers that lease work of a store: what one held when it died is free at once. */

import { type Db, join, sql } from '../sql.ts';
import { table } from '../table.ts';

const servers = table<{ readonly name: string }>('servers', 'name');

/** Names of servers, noted when they first leased and removed when they close. */
export function serversIn(db: Db) {
  const { add, select } = servers.in(db);
  return {
    all: async () => (await select(sql``)).map(({ name }) => name),
    add: (name: string) => add({ name }),
    remove: async (names: readonly string[]) => {
      await db.run(sql`delete from servers where name in (${join(names)})`);
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
