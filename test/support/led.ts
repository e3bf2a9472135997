/** Variables of the tests that lead a command line to another time or port: in a process, or in the tests' own. */
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

interface Clock {
  now(): number;
  readonly setTimeout: typeof setTimeout;
}

const require = createRequire(import.meta.url);
const LED_BY = { FAULT_CLOCK: './fast-clock.cjs', OTHER_PORT: './other-port.cjs' } as const;
const { clockOf }: { clockOf(text: string, wall: Clock): Clock } = require(LED_BY.FAULT_CLOCK);
const { leadElsewhere }: { leadElsewhere(text: string): () => void } = require(LED_BY.OTHER_PORT);

type Environment = Readonly<Record<string, string>>;

/** Options of Node for a process with these variables. */
export function loadedFor(env: Environment): readonly string[] {
  return Object.entries(LED_BY).flatMap(([name, file]) =>
    name in env ? ['--require', fileURLToPath(new URL(file, import.meta.url))] : [],
  );
}

/** The time of a command line with these variables. */
export function timeFor({
  FAULT_CLOCK,
}: Environment): Pick<typeof globalThis, 'Date' | 'setTimeout'> {
  if (FAULT_CLOCK === undefined) return { Date, setTimeout };
  const clock = clockOf(FAULT_CLOCK, { now: Date.now, setTimeout });
  const led = new Proxy(Date, {
    get: (target, key) => (key === 'now' ? clock.now : Reflect.get(target, key, target)),
  });
  return { Date: led, setTimeout: clock.setTimeout };
}

/** Leads this process's connections to the other port, until the function that it gives is called. */
export function leadFor({ OTHER_PORT }: Environment): () => void {
  return OTHER_PORT === undefined ? () => undefined : leadElsewhere(OTHER_PORT);
}
