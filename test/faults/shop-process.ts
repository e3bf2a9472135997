/** The served sandbox in a process of its own, which dies where it is told to: `{ arm: 'name:n' }`. */
import { countHits, type FailPoint } from '../../src/domain/journal/fail-points.ts';
import { serveSandbox } from '../../src/sandbox/serve.ts';
import { fastClock, type Pace } from './fast-clock.ts';

export interface ShopOptions {
  readonly dataDir: string;
  readonly port: number;
  readonly pace: Pace;
  /** Armed from the start. */
  readonly arm?: string | undefined;
}

const options: ShopOptions = JSON.parse(process.argv[2] ?? '{}');
let isReached: (name: FailPoint) => boolean =
  options.arm === undefined ? () => false : countHits(options.arm);
process.on('message', ({ arm }: { readonly arm: string | null }) => {
  isReached = arm === null ? () => false : countHits(arm);
  process.send?.({ armed: arm });
});
// The harness is gone: nobody would ever end this process.
process.on('disconnect', () => process.exit());

const served = await serveSandbox({
  dataDir: options.dataDir,
  port: options.port,
  host: '127.0.0.1',
  clock: fastClock(options.pace),
  random: (length) => crypto.getRandomValues(new Uint8Array(length)),
  failPoint: (name) => {
    if (isReached(name)) process.kill(process.pid, 'SIGKILL');
  },
});
process.send?.({ url: served.url });
