/** Sessions of Streamable HTTP: opened by `initialize`, found by their header, ended by DELETE or idleness. */
import type { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import type { Clock } from '../domain/clock.ts';

/** Reliability 6.2. */
export const MAX_SESSIONS = 1_000;
const IDLE_MS = 10 * 60_000;

export interface Session {
  readonly transport: WebStandardStreamableHTTPServerTransport;
  /** Whose orders its tools make and read: a session answers nobody else. */
  readonly owner: string;
}

export interface Sessions {
  /** The session of an id, to its owner; it counts as used now. */
  find(id: string, owner: string): Session | undefined;
  /** Whether another one may be opened now. */
  hasRoom(): boolean;
  add(id: string, session: Session): void;
  remove(id: string): void;
  /** Ends all. */
  close(): Promise<void>;
}

export function createSessions(clock: Pick<Clock, 'now'>): Sessions {
  // The one that was used last stands last.
  const live = new Map<string, Session & { readonly usedAtMs: number }>();
  const use = (id: string, { transport, owner }: Session): void => {
    live.delete(id);
    live.set(id, { transport, owner, usedAtMs: clock.now() });
  };
  const sweep = (): void => {
    for (const [id, { transport, usedAtMs }] of live) {
      if (usedAtMs + IDLE_MS > clock.now()) return;
      live.delete(id);
      transport.close().catch(() => undefined);
    }
  };
  return {
    find(id, owner) {
      sweep();
      const session = live.get(id);
      if (session?.owner !== owner) return undefined;
      use(id, session);
      return session;
    },
    hasRoom() {
      sweep();
      return live.size < MAX_SESSIONS;
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
