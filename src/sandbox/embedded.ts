/** Routes requests to the embedded service through the same `Fetch`, without a port. */
import type { Fetch } from '../contract/fetch.ts';
import type { Clock } from '../domain/clock.ts';
import type { Sandbox } from './sandbox.ts';

export interface EmbeddedOptions {
  /** Base address of the embedded service, without a trailing slash. */
  readonly baseUrl: string;
  /** Opens the sandbox; called at each request to it. */
  open(): Promise<Sandbox>;
  /** Handles requests to all other addresses. */
  readonly network: Fetch;
  readonly clock: Clock;
  readonly interrupted: AbortSignal;
  /** Receives errors that no caller sees. */
  report(error: unknown): void;
}

/** Interval between ticks while an order's stream is read. */
const TICK_MS = 250;

/** Creates a `Fetch` that routes by address; a request about orders runs a tick first. */
export function createEmbeddedFetch(options: EmbeddedOptions): Fetch {
  const { baseUrl, open, network, clock, interrupted, report } = options;
  return async (url, init) => {
    if (!isUnder(url, baseUrl)) return network(url, init);
    const sandbox = await open();
    const { pathname } = new URL(url);
    if (/^\/(v1|v5|sandbox)\/orders/.test(pathname)) await sandbox.tick();
    // While the stream is read, only these ticks advance the order.
    if (pathname.endsWith('/subscribe')) {
      const over = AbortSignal.any([interrupted, init?.signal ?? interrupted]);
      keepMoving(sandbox, clock, over).catch(report);
    }
    return sandbox.fetch(url, init);
  };
}

/** Whether a URL equals the base or lies under it. */
function isUnder(url: string, baseUrl: string): boolean {
  return url === baseUrl || url.startsWith(`${baseUrl}/`);
}

async function keepMoving(sandbox: Sandbox, clock: Clock, over: AbortSignal): Promise<void> {
  while (!over.aborted) {
    await sandbox.tick();
    await clock.sleep(TICK_MS, over).catch(() => undefined);
  }
}
