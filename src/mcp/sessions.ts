/** Sessions of Streamable HTTP: opened by `initialize`, found by their header, ended by DELETE or idleness. */
import type { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import type { Clock } from '../domain/clock.ts';
import { giverOf } from '../domain/fair-share.ts';

/** Ours: enough for the clients of one machine. */
const MAX_SESSIONS = 1_000;
const IDLE_MS = 10 * 60_000;

export interface Session {
  readonly transport: WebStandardStreamableHTTPServerTransport;
  /** Whose orders its tools make and read: a session answers no other caller. */
  readonly owner: string;
  /** Of the socket that opened it; empty within a process. */
  readonly address: string;
}

export interface Sessions {
  /** The session of an id, to its owner; it counts as used now. */
  find(id: string, owner: string): Session | undefined;
  /**
   * Whether an address may open another one now. Where all places are taken, the address with most of
   * them gives up the session that it used longest ago.
   */
  makeRoom(address: string): boolean;
  add(id: string, session: Session): void;
  remove(id: string): void;
  /** Ends all. */
  close(): Promise<void>;
}

/** @param most that are open at once; tests name fewer */
export function createSessions(clock: Pick<Clock, 'now'>, most = MAX_SESSIONS): Sessions {
  // The one that was used last stands last.
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
