/** Gives each request an id, counts requests, and writes the counts in Prometheus format. */

import type { RequestListener } from 'node:http';
import type { Clock } from '../domain/clock.ts';
import { ScripError } from '../domain/errors.ts';
import { t } from '../domain/message.ts';
import type { Readiness } from './health.ts';

export interface Observation {
  /** Wraps the listener of what the service answers. */
  around(listener: RequestListener): RequestListener;
  /** Counts an answer from the cache, which has no id: it takes microseconds. */
  cached(): void;
  /** The text of `/metrics`. */
  text(found: Readiness): string;
}

interface Options {
  readonly clock: Pick<Clock, 'now'>;
  random(length: number): Uint8Array;
  report?(error: unknown): void;
}

const REQUEST_ID = 'X-Request-Id';
/** An id from the caller's proxy is kept if it has this form. */
const GIVEN_ID = /^[A-Za-z0-9._-]{1,64}$/;

/** Upper bounds of the histogram, in seconds. */
const BUCKETS = [0.005, 0.025, 0.1, 0.5, 1, 5, 10] as const;

/** By first path segment; the rest is left out, since an order's id is a credential. */
const SURFACES: Readonly<Record<string, string>> = {
  v1: 'checkout',
  v2: 'partner',
  v3: 'partner',
  v4: 'partner',
  v5: 'partner',
  mcp: 'tools',
  facilitator: 'facilitator',
};

interface Series {
  readonly byStatus: Map<number, number>;
  readonly buckets: number[];
  seconds: number;
  count: number;
}

export function createObservation({ clock, random, report }: Options): Observation {
  const series = new Map<string, Series>();
  const state = { running: 0, named: 0, cached: 0 };
  // A random name per process plus a counter, of one width so that equal answers are equally long, is
  // cheaper than a random id: most requests take microseconds.
  const name = Buffer.from(random(8)).toString('hex');
  const newId = (): string => {
    state.named += 1;
    return `${name}-${String(state.named).padStart(9, '0')}`;
  };
  return {
    around: (listener) => (request, response) => {
      const given = request.headers['x-request-id'];
      const id = typeof given === 'string' && GIVEN_ID.test(given) ? given : newId();
      const startedAtMs = clock.now();
      response.setHeader(REQUEST_ID, id);
      state.running += 1;
      response.once('close', () => {
        state.running -= 1;
        const { statusCode: status } = response;
        const surface = surfaceOf(request.url ?? '');
        count(series, surface, { status, seconds: (clock.now() - startedAtMs) / 1_000 });
        if (status === 500) report?.(failed(id, `${request.method} ${surface}`));
      });
      listener(request, response);
    },
    cached: () => {
      state.cached += 1;
    },
    text: (found) => write(series, state, found),
  };
}

function failed(id: string, what: string): ScripError {
  return new ScripError('INTERNAL', t`Request ${id} (${what}) ended with status 500`, {
    details: { subject: id },
  });
}

function surfaceOf(url: string): string {
  const [, first = ''] = url.split(/[/?]/);
  return SURFACES[first] ?? 'other';
}

function count(
  series: Map<string, Series>,
  surface: string,
  { status, seconds }: { readonly status: number; readonly seconds: number },
): void {
  const one = series.get(surface) ?? {
    byStatus: new Map(),
    buckets: BUCKETS.map(() => 0),
    seconds: 0,
    count: 0,
  };
  series.set(surface, one);
  one.byStatus.set(status, (one.byStatus.get(status) ?? 0) + 1);
  one.count += 1;
  one.seconds += Math.max(0, seconds);
  for (const [index, bound] of BUCKETS.entries()) {
    if (seconds <= bound) one.buckets[index] = (one.buckets[index] ?? 0) + 1;
  }
}

/** Text format 0.0.4. */
function write(
  series: ReadonlyMap<string, Series>,
  { running, cached }: { readonly running: number; readonly cached: number },
  found: Readiness,
): string {
  const all = [...series];
  const lines = [
    '# TYPE scrip_http_requests_total counter',
    ...all.flatMap(([surface, { byStatus }]) =>
      [...byStatus].map(
        ([status, n]) => `scrip_http_requests_total{surface="${surface}",status="${status}"} ${n}`,
      ),
    ),
    '# TYPE scrip_http_request_seconds histogram',
    ...all.flatMap(([surface, one]) => histogram(surface, one)),
    '# TYPE scrip_http_cached_answers_total counter',
    `scrip_http_cached_answers_total ${cached}`,
    '# TYPE scrip_http_requests_running gauge',
    `scrip_http_requests_running ${running}`,
    '# TYPE scrip_ready gauge',
    ...Object.entries(found).map(
      ([part, ok]) => `scrip_ready{part="${part}"} ${ok === 'ok' ? 1 : 0}`,
    ),
  ];
  return `${lines.join('\n')}\n`;
}

function histogram(surface: string, { buckets, seconds, count: all }: Series): readonly string[] {
  const name = 'scrip_http_request_seconds';
  const bucket = (bound: number | '+Inf', n: number) =>
    `${name}_bucket{surface="${surface}",le="${bound}"} ${n}`;
  return [
    ...BUCKETS.map((bound, index) => bucket(bound, buckets[index] ?? 0)),
    bucket('+Inf', all),
    `${name}_sum{surface="${surface}"} ${seconds}`,
    `${name}_count{surface="${surface}"} ${all}`,
  ];
}
