/** Sessions of Streamable HTTP: `initialize` opens one, a header names it, DELETE or idle time ends it. */
import type { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import type { Clock } from '../domain/clock.ts';
import { giverOf } from '../domain/fair-share.ts';

/** Ours: enough for the clients of one machine. */
const MAX_SESSIONS = 1_000;
const IDLE_MS = 10 * 60_000;

export interface Session {
  readonly transport: WebStandardStreamableHTTPServerTransport;
  /** The partner, with its secret, whose orders its tools make and read; no other caller may use the session. */
  readonly owner: string;
  /** Of the client's socket; empty within one process. */
  readonly address: string;
}

export interface Sessions {
  /** Returns the owner's session with this id and marks it as used now. */
  find(id: string, owner: string): Session | undefined;
  /**
   * Whether this address may open a session now. If the maximum is reached, the address with the most
   * sessions loses the one it has not used for longest.
   */
  makeRoom(address: string): boolean;
  add(id: string, session: Session): void;
  remove(id: string): void;
  /** Ends all sessions. */
  close(): Promise<void>;
}

/** Creates an empty set of sessions. @param most sessions open at once; tests set fewer */
export function createSessions(clock: Pick<Clock, 'now'>, most = MAX_SESSIONS): Sessions {
  // Ordered by last use: the most recently used session is last.
  const live = new Map<string, Session & { readonly usedAtMs: number }>();
  const use = (id: string, { transport, owner, address }: Session): void => {
    live.delete(id);
    live.set(id, { transport, owner, address, usedAtMs: clock.now() });
  };
  const end = (id: string, { transport }: Session): void => {
    live.delete(id);
    transport.close().catch(() => undefined);
  };
  const sweep = (): void => {
    for (const [id, session] of live) {
      if (session.usedAtMs + IDLE_MS > clock.now()) return;
      end(id, session);
    }
  };
  const giveUp = (newcomer: string): boolean => {
    const giver = giverOf(
      [...live.values()].map(({ address }) => address),
      newcomer,
    );
    const oldest = [...live].find(([, { address }]) => address === giver);
    if (oldest === undefined) return false;
    end(...oldest);
    return true;
  };
  return {
    find(id, owner) {
      sweep();
      const session = live.get(id);
      if (session?.owner !== owner) return undefined;
      use(id, session);
      return session;
    },
    makeRoom(address) {
      sweep();
      return live.size < most || giveUp(address);
    },
    add: use,
    remove: (id) => {
      live.delete(id);
    },
    async close() {
      const all = [...live.values()];
      live.clear();
      await Promise.allSettled(all.map(({ transport }) => transport.close()));
    },
  };
}
