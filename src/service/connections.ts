/**
 * Chooses which connections to close when there are too many: idle ones first, and no address may
 * crowd out the others.
 */

/** Maximum number of connections. */
export interface Room {
  readonly connections: number;
  /** Maximum per address. */
  readonly perAddress: number;
}

export interface Connections<Connection extends object> {
  /**
   * Admits a connection; returns the one to close instead, which is the new one itself if no other
   * may go.
   */
  enter(connection: Connection, address: string): Connection | undefined;
  has(connection: Connection): boolean;
  /** Call when a request of the connection begins. */
  work(connection: Connection): void;
  /** Call when a request of the connection ends. */
  rest(connection: Connection): void;
  leave(connection: Connection): void;
}

/** The connections of one address; in each set, the one idle or busy for longest comes first. */
interface Party<Connection> {
  readonly idle: Set<Connection>;
  readonly busy: Set<Connection>;
}

interface Held<Connection> {
  readonly address: string;
  readonly party: Party<Connection>;
  requests: number;
}

export function createConnections<Connection extends object>({
  connections,
  perAddress,
}: Room): Connections<Connection> {
  const parties = new Map<string, Party<Connection>>();
  const held = new Map<Connection, Held<Connection>>();

  function leave(connection: Connection): void {
    const place = held.get(connection);
    if (!place) return;
    held.delete(connection);
    place.party.idle.delete(connection);
    place.party.busy.delete(connection);
    if (sizeOf(place.party) === 0) parties.delete(place.address);
  }

  /** Returns the connection to close; undefined if there is room. */
  function closedFor(connection: Connection, own: Party<Connection> | undefined) {
    const size = own ? sizeOf(own) : 0;
    if (own && size >= perAddress) return first(own.idle) ?? connection;
    if (held.size < connections) return undefined;
    const waiting = largest(parties.values(), ({ idle }) => idle.size);
    const heaviest = largest(parties.values(), sizeOf);
    const busy = heaviest && sizeOf(heaviest) > size + 1 ? first(heaviest.busy) : undefined;
    return (waiting && first(waiting.idle)) ?? busy ?? connection;
  }

  return {
    enter(connection, address) {
      const closed = closedFor(connection, parties.get(address));
      if (closed === connection) return closed;
      if (closed) leave(closed);
      const party = parties.get(address) ?? { idle: new Set(), busy: new Set() };
      parties.set(address, party);
      party.idle.add(connection);
      held.set(connection, { address, party, requests: 0 });
      return closed;
    },
    has: (connection) => held.has(connection),
    work(connection) {
      const place = held.get(connection);
      if (!place) return;
      place.requests += 1;
      place.party.idle.delete(connection);
      place.party.busy.add(connection);
    },
    rest(connection) {
      const place = held.get(connection);
      if (!place) return;
      place.requests -= 1;
      if (place.requests > 0) return;
      place.party.busy.delete(connection);
      place.party.idle.add(connection);
    },
    leave,
  };
}

function sizeOf({ idle, busy }: Party<unknown>): number {
  return idle.size + busy.size;
}

function first<T>(values: ReadonlySet<T>): T | undefined {
  const [value] = values;
  return value;
}

/** Returns the first of the largest values; undefined if all are empty. */
function largest<T>(values: Iterable<T>, sizeOfOne: (value: T) => number): T | undefined {
  let found: T | undefined;
  let most = 0;
  for (const value of values) {
    const size = sizeOfOne(value);
    if (size <= most) continue;
    most = size;
    found = value;
  }
  return found;
}
