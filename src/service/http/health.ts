/** `GET /livez` and `/readyz`: whether the process runs, and whether it can sell now. */

import type { Clock } from '../../domain/clock.ts';
import { ScripError } from '../../domain/message/errors.ts';
import type { Message } from '../../domain/message/message.ts';
import type { Store } from '../../store/store.ts';
import { SINGLE } from '../../store/writes.ts';

/** Each resolves if its part works, and rejects if not. */
export type Checks = Readonly<Record<string, () => Promise<unknown>>>;

/** How long a write that the store refused counts: small writes may succeed where those of orders fail. */
const REFUSED_MS = 30_000;
/** Everyone may ask whether the shop is ready, and each answer needs no write of its own. */
const WRITTEN_MS = 1_000;

/**
 * Wraps a store; knows the fate of its writes, and makes a small one where none was lately. The check
 * rejects while the disk is full or the database refuses writes, although it still reads.
 */
export function watchWrites(
  store: Store,
  clock: Pick<Clock, 'now'>,
): { readonly store: Store; readonly check: () => Promise<void> } {
  let refused: { readonly error: ScripError; readonly atMs: number } | undefined;
  let last: { readonly atMs: number; readonly done: Promise<void> } | undefined;
  const isRecent = (atMs: number, ms: number) => Math.abs(clock.now() - atMs) < ms;
  const note = (error: unknown): void => {
    // The next write tells whether a lost connection is back.
    if (!(error instanceof ScripError) || error.code !== 'STORE_UNUSABLE') return;
    const { isConnectionLost, isAway } = error.details;
    if (isConnectionLost !== true && isAway !== true) refused = { error, atMs: clock.now() };
  };
  const watched: Store = {
    ...store,
    async write(work, options) {
      try {
        return await store.write(work, options);
      } catch (error) {
        note(error);
        throw error;
      }
    },
  };
  return {
    store: watched,
    async check() {
      if (refused !== undefined && isRecent(refused.atMs, REFUSED_MS)) throw refused.error;
      if (last === undefined || !isRecent(last.atMs, WRITTEN_MS)) {
        const atMs = clock.now();
        const done = watched.write(({ facts }) => facts.set('ready', String(atMs)), SINGLE);
        last = { atMs, done };
      }
      await last.done;
    },
  };
}

/** By part: what is wrong with it, in words that name no host; null where nothing is. */
export type Degraded = Readonly<Record<string, Message | null>>;

export interface Readiness {
  /** Result per part: `ok`, or a code for why it does not work. */
  readonly checks: Readonly<Record<string, string>>;
  readonly degraded?: Degraded | undefined;
}

const CHECK_MS = 3_000;
const HEADERS = { 'Cache-Control': 'no-store' };

/**
 * Runs all checks in parallel, each for at most three seconds. Error messages are left out: they
 * name hosts.
 */
export async function readiness(checks: Checks, clock: Clock): Promise<Readiness['checks']> {
  const results = await Promise.all(
    Object.entries(checks).map(async ([part, check]) => [part, await tried(check, clock)]),
  );
  return Object.fromEntries(results);
}

async function tried(check: () => Promise<unknown>, clock: Clock): Promise<string> {
  const done = new AbortController();
  const late = clock.sleep(CHECK_MS, done.signal).then(
    () => 'TIMEOUT',
    () => 'ok',
  );
  try {
    const ended = check().then(() => 'ok');
    return await Promise.race([ended, late]);
  } catch (error) {
    return error instanceof ScripError ? error.code : 'INTERNAL';
  } finally {
    done.abort();
  }
}

export function liveReply(): Response {
  return new Response('ok\n', { headers: HEADERS });
}

/**
 * 503 takes a server out of a load balancer; a server that is stopping answers the same. One that
 * sells less than it should stays in, and says so.
 */
export function readyReply({ checks, degraded = {} }: Readiness): Response {
  const ready = Object.values(checks).every((state) => state === 'ok');
  const faults = Object.entries(degraded).filter(([, fault]) => fault !== null);
  const less = Object.fromEntries(faults.map(([part, fault]) => [part, String(fault)]));
  const body = { ready, checks, ...(faults.length === 0 ? {} : { degraded: less }) };
  return Response.json(body, { status: ready ? 200 : 503, headers: HEADERS });
}
