/** `GET /livez` and `/readyz`: whether the process runs, and whether it can sell now. */

import type { Clock } from '../domain/clock.ts';
import { ScripError } from '../domain/errors.ts';
import type { Message } from '../domain/message.ts';

/** Each resolves if its part works, and rejects if not. */
export type Checks = Readonly<Record<string, () => Promise<unknown>>>;

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
