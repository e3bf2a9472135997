/** The servers that lease work of a store: what one held when it died is free at once. */

/** Names of servers, noted when they first leased and removed when they close. */
export interface ServerNames {
  all(): Promise<readonly string[]>;
  add(name: string): Promise<void>;
  remove(names: readonly string[]): Promise<void>;
}

interface Noted {
  readonly servers: ServerNames;
}

/** This server among those of its store. */
export interface Presence {
  /** Notes this server before it leases; writes only the first time. */
  note(tables: Noted): Promise<void>;
  /** Returns the noted names whose servers have died for sure. */
  dead(tables: Noted): Promise<readonly string[]>;
}

/** What an engine knows of servers. */
export interface Census {
  /** Name of this server; undefined while nothing would show its death. */
  own(): string | undefined;
  dead(names: readonly string[]): Promise<readonly string[]>;
}

export interface OwnPresence extends Presence {
  /** Removes this server's name: it holds nothing any more. */
  leave(tables: Noted): Promise<void>;
}

export function createPresence(census: Census): OwnPresence {
  let noted: string | undefined;
  return {
    async note({ servers }) {
      const own = census.own();
      if (own === undefined || own === noted) return;
      await servers.add(own);
      noted = own;
    },
    async dead({ servers }) {
      const names = await servers.all();
      // The write that noted it may have been undone.
      if (noted !== undefined && !names.includes(noted)) noted = undefined;
      const others = names.filter((name) => name !== noted);
      return others.length === 0 ? [] : census.dead(others);
    },
    async leave({ servers }) {
      // If this fails, the name is found dead later.
      if (noted !== undefined) await servers.remove([noted]).catch(() => undefined);
    },
  };
}
