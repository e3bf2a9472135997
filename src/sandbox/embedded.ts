/** The embedded service in the network's place: the same `Fetch`, no port. */
import type { Fetch } from '../contract/fetch.ts';
import type { Clock } from '../domain/clock.ts';
import type { Sandbox } from './sandbox.ts';

export interface EmbeddedOptions {
  /** Address that stands for the embedded service, without a trailing slash. */
  readonly baseUrl: string;
  /** Opens it at its first request. */
  open(): Promise<Sandbox>;
  /** What reaches every other address. */
  readonly network: Fetch;
  readonly clock: Clock;
  readonly interrupted: AbortSignal;
  /** Told of faults that no caller is told of. */
  report(error: unknown): void;
}

/** How often orders are moved on while a stream of one is read. */
const TICK_MS = 250;

/** Routes by address; requests about orders move them on first. */
export function createEmbeddedFetch(options: EmbeddedOptions): Fetch {
  const { baseUrl, open, network, clock, interrupted, report } = options;
  return async (url, init) => {
    if (!isUnder(url, baseUrl)) return network(url, init);
    const sandbox = await open();
    const { pathname } = new URL(url);
    if (/^\/(v1|v5|sandbox)\/orders/.test(pathname)) await sandbox.tick();
    // Nothing else moves the order on while its stream is read.
    if (pathname.endsWith('/subscribe')) {
      const over = AbortSignal.any([interrupted, init?.signal ?? interrupted]);
      keepMoving(sandbox, clock, over).catch(report);
    }
    return sandbox.fetch(url, init);
  };
}

/** Whether an address is that of a base or lies under it. */
function isUnder(url: string, baseUrl: string): boolean {
  return url === baseUrl || url.startsWith(`${baseUrl}/`);
}

async function keepMoving(sandbox: Sandbox, clock: Clock, over: AbortSignal): Promise<void> {
  while (!over.aborted) {
    await sandbox.tick();
    await clock.sleep(TICK_MS, over).catch(() => undefined);
  }
}
