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

/** The connections of one address. */
interface Party<Connection> {
  readonly connections: Set<Connection>;
  /** How many of them have a running request. */
  busy: number;
}

interface Held<Connection> {
  readonly address: string;
  readonly party: Party<Connection>;
  requests: number;
  /** Number of the turn in which it last became idle or busy. */
  since: number;
}

export type Connections<Connection extends object> = ReturnType<
  typeof createConnections<Connection>
>;

export function createConnections<Connection extends object>({ connections, perAddress }: Room) {
  const parties = new Map<string, Party<Connection>>();
  const held = new Map<Connection, Held<Connection>>();
  let turn = 0;

  function leave(connection: Connection): void {
    const place = held.get(connection);
    if (!place) return;
    held.delete(connection);
    const { party, address, requests } = place;
    party.connections.delete(connection);
    if (requests > 0) party.busy -= 1;
    if (party.connections.size === 0) parties.delete(address);
  }

  /** Returns the connection to close; undefined if there is room. */
  function closedFor(connection: Connection, own: Party<Connection> | undefined) {
    const size = own ? sizeOf(own) : 0;
    if (own && size >= perAddress) return oldest(own, 'idle') ?? connection;
    if (held.size < connections) return undefined;
    const waiting = largest(parties.values(), (party) => sizeOf(party) - party.busy);
    const heaviest = largest(parties.values(), sizeOf);
    const busy = heaviest && sizeOf(heaviest) > size + 1 ? oldest(heaviest, 'busy') : undefined;
    return (waiting && oldest(waiting, 'idle')) ?? busy ?? connection;
  }

  /** Returns the connection of a party that has been idle or busy for longest. */
  function oldest(party: Party<Connection>, state: 'idle' | 'busy'): Connection | undefined {
    let found: Connection | undefined;
    let least = Number.POSITIVE_INFINITY;
    for (const connection of party.connections) {
      const place = held.get(connection);
      if (!place || place.requests > 0 !== (state === 'busy') || place.since >= least) continue;
      least = place.since;
      found = connection;
    }
    return found;
  }

  /** Adds 1 to the running requests of a connection, or takes 1 away. */
  function add(connection: Connection, change: 1 | -1): void {
    const place = held.get(connection);
    if (!place) return;
    const wasBusy = place.requests > 0;
    place.requests += change;
    const isBusy = place.requests > 0;
    if (wasBusy === isBusy) return;
    place.party.busy += change;
    turn += 1;
    place.since = turn;
  }

  return {
    /**
     * Admits a connection; returns the one to close instead, which is the new one itself if no other
     * may go.
     */
    enter(connection: Connection, address: string): Connection | undefined {
      const closed = closedFor(connection, parties.get(address));
      if (closed === connection) return closed;
      if (closed) leave(closed);
      const party = parties.get(address) ?? { connections: new Set(), busy: 0 };
      parties.set(address, party);
      party.connections.add(connection);
      turn += 1;
      held.set(connection, { address, party, requests: 0, since: turn });
      return closed;
    },
    has: (connection: Connection) => held.has(connection),
    /** Call when a request of the connection begins. */
    work: (connection: Connection) => add(connection, 1),
    /** Call when a request of the connection ends. */
    rest: (connection: Connection) => add(connection, -1),
    leave,
  };
}

function sizeOf({ connections }: Party<unknown>): number {
  return connections.size;
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
