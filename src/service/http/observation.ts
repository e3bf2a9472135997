/** Gives each request an id, counts requests, and writes the counts in Prometheus format. */

import type { RequestListener } from 'node:http';
import type { Clock } from '../../domain/clock.ts';
import { ScripError } from '../../domain/message/errors.ts';
import { t } from '../../domain/message/message.ts';
import type { Readiness } from './health.ts';

interface Options {
  readonly clock: Pick<Clock, 'now'>;
  random(length: number): Uint8Array;
  report?(error: unknown): void;
}

const REQUEST_ID = 'X-Request-Id';
/** An id from the caller's proxy is kept if it has this form. */
const GIVEN_ID = /^[A-Za-z0-9._-]{1,64}$/;

/** By first path segment; the rest is left out, since an order's id is a credential. */
const SURFACES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    v1: 'checkout',
    v2: 'partner',
    v3: 'partner',
    v4: 'partner',
    v5: 'partner',
    mcp: 'tools',
    facilitator: 'facilitator',
  }),
);

interface Counts {
  /** By surface and status. */
  readonly requests: Map<
    string,
    { readonly labels: Readonly<Record<string, string>>; value: number }
  >;
  readonly seconds: Histogram;
  warnings: number;
}

export type Observation = ReturnType<typeof createObservation>;

export function createObservation({ clock, random, report }: Options) {
  const counts: Counts = {
    requests: new Map(),
    warnings: 0,
    seconds: createHistogram('scrip_http_request_seconds', 'surface'),
  };
  // A rate needs the count before the first fault.
  for (const surface of [...SURFACES.values(), 'other']) {
    for (const status of ['500', '503']) {
      counts.requests.set(`${surface} ${status}`, { labels: { surface, status }, value: 0 });
    }
  }
  const warned = (error: unknown): void => {
    counts.warnings += 1;
    report?.(error);
  };
  const state = { running: 0, named: 0, cached: 0 };
  // A random name per process plus a counter, of one width so that equal answers are equally long, is
  // cheaper than a random id: most requests take microseconds.
  const name = Buffer.from(random(8)).toString('hex');
  const newId = (): string => {
    state.named += 1;
    return `${name}-${String(state.named).padStart(9, '0')}`;
  };
  return {
    /** Wraps the listener of what the service answers. */
    around:
      (listener: RequestListener): RequestListener =>
      (request, response) => {
        const given = request.headers['x-request-id'];
        const id = typeof given === 'string' && GIVEN_ID.test(given) ? given : newId();
        const startedAtMs = clock.now();
        response.setHeader(REQUEST_ID, id);
        state.running += 1;
        response.once('close', () => {
          state.running -= 1;
          const { statusCode: status } = response;
          const surface = surfaceOf(request.url ?? '');
          count(counts, surface, { status, seconds: (clock.now() - startedAtMs) / 1_000 });
          if (status === 500) warned(failed(id, `${request.method} ${surface}`));
        });
        listener(request, response);
      },
    /** Counts an answer from the cache, which has no id: it takes microseconds. */
    cached: () => {
      state.cached += 1;
    },
    /** Counts a warning of any part, and passes it on. */
    warned,
    /** The text of `/metrics`, with the service's own lines. */
    text: (found: Readiness, own: readonly string[]) => write(counts, state, { found, own }),
  };
}

function failed(id: string, what: string): ScripError {
  return new ScripError('INTERNAL', t`Request ${id} (${what}) ended with status 500`, {
    details: { subject: id },
  });
}

function surfaceOf(url: string): string {
  const [, first = ''] = url.split(/[/?]/);
  return SURFACES.get(first) ?? 'other';
}

function count(
  { requests, seconds: histogram }: Counts,
  surface: string,
  { status, seconds }: { readonly status: number; readonly seconds: number },
): void {
  const key = `${surface} ${status}`;
  const one = requests.get(key) ?? { labels: { surface, status: String(status) }, value: 0 };
  requests.set(key, one);
  one.value += 1;
  histogram.note(surface, seconds);
}

interface Told {
  readonly found: Readiness;
  readonly own: readonly string[];
}

function write(
  { requests, seconds, warnings }: Counts,
  { running, cached }: { readonly running: number; readonly cached: number },
  { found, own }: Told,
): string {
  const ready = Object.entries(found.checks).map(([part, state]) => ({
    labels: { part },
    value: state === 'ok' ? 1 : 0,
  }));
  const degraded = Object.entries(found.degraded ?? {}).map(([part, fault]) => ({
    labels: { part },
    value: fault === null ? 0 : 1,
  }));
  const lines = [
    ...metricLines('scrip_http_requests_total', 'counter', [...requests.values()]),
    ...seconds.lines(),
    ...metricLines('scrip_http_cached_answers_total', 'counter', [{ value: cached }]),
    ...metricLines('scrip_warnings_total', 'counter', [{ value: warnings }]),
    ...metricLines('scrip_http_requests_running', 'gauge', [{ value: running }]),
    ...metricLines('scrip_ready', 'gauge', ready),
    ...(degraded.length === 0 ? [] : metricLines('scrip_degraded', 'gauge', degraded)),
    ...own,
  ];
  return `${lines.join('\n')}\n`;
}

// The text format of Prometheus, 0.0.4.

export interface Sample {
  readonly labels?: Readonly<Record<string, string>>;
  readonly value: number | string;
}

interface Histogram {
  note(label: string, seconds: number): void;
  lines(): readonly string[];
}

/** Lines of one metric. Labels are our own words, never a caller's. */
export function metricLines(
  name: string,
  type: 'counter' | 'gauge',
  samples: readonly Sample[],
): readonly string[] {
  return [`# TYPE ${name} ${type}`, ...samples.map((sample) => line(name, sample))];
}

const LINE = /^(?<name>\w+)(?:\{(?<labels>[^}]*)\})? (?<value>\S+)$/;

/** Reads such lines back. */
export function samplesIn(lines: readonly string[]) {
  return lines.flatMap((text) => {
    const { name = '', labels = '', value } = LINE.exec(text)?.groups ?? {};
    const pairs = [...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, label = '', of = '']) => [
      label,
      of,
    ]);
    return name === '' ? [] : [{ name, labels: Object.fromEntries(pairs), value: Number(value) }];
  });
}

/** Upper bounds, in seconds. */
const BUCKETS = [0.005, 0.025, 0.1, 0.5, 1, 5, 10] as const;

interface Series {
  readonly buckets: number[];
  seconds: number;
  count: number;
}

/** @param label whose values tell the series apart */
export function createHistogram(name: string, label: string): Histogram {
  const series = new Map<string, Series>();
  return {
    note(value, seconds) {
      const one = series.get(value) ?? { buckets: BUCKETS.map(() => 0), seconds: 0, count: 0 };
      series.set(value, one);
      one.count += 1;
      one.seconds += Math.max(0, seconds);
      for (const [index, bound] of BUCKETS.entries()) {
        if (seconds <= bound) one.buckets[index] = (one.buckets[index] ?? 0) + 1;
      }
    },
    lines: () => [
      `# TYPE ${name} histogram`,
      ...[...series].flatMap(([value, { buckets, seconds, count }]) => [
        ...[...BUCKETS, '+Inf' as const].map((bound, index) =>
          line(`${name}_bucket`, {
            labels: { [label]: value, le: String(bound) },
            value: buckets[index] ?? count,
          }),
        ),
        line(`${name}_sum`, { labels: { [label]: value }, value: seconds }),
        line(`${name}_count`, { labels: { [label]: value }, value: count }),
      ]),
    ],
  };
}

function line(name: string, { labels = {}, value }: Sample): string {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${text}"`);
  return pairs.length === 0 ? `${name} ${value}` : `${name}{${pairs.join(',')}} ${value}`;
}
