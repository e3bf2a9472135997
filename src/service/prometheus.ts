/** The text format of Prometheus, 0.0.4. */

export interface Sample {
  readonly labels?: Readonly<Record<string, string>>;
  readonly value: number | string;
}

export interface Histogram {
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
