/** `GET /livez` and `/readyz`: whether the process runs, and whether it can sell now. */

import type { Clock } from '../domain/clock.ts';
import { ScripError } from '../domain/errors.ts';

/** Each resolves if its part works, and rejects if not. */
export type Checks = Readonly<Record<string, () => Promise<unknown>>>;

/** Result per part: `ok`, or a code for why it does not work. */
export type Readiness = Readonly<Record<string, string>>;

const CHECK_MS = 3_000;
const HEADERS = { 'Cache-Control': 'no-store' };

/**
 * Runs all checks in parallel, each for at most three seconds. Error messages are left out: they
 * name hosts.
 */
export async function readiness(checks: Checks, clock: Clock): Promise<Readiness> {
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

export function isReady(found: Readiness): boolean {
  return Object.values(found).every((state) => state === 'ok');
}

export function liveReply(): Response {
  return new Response('ok\n', { headers: HEADERS });
}

/** 503 takes a server out of a load balancer; a server that is stopping answers the same. */
export function readyReply(found: Readiness): Response {
  const ready = isReady(found);
  return Response.json({ ready, checks: found }, { status: ready ? 200 : 503, headers: HEADERS });
}
