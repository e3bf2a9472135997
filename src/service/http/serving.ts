/** Serves a service on a port, with a timer that advances its orders. */

import type { Fetch } from '../../contract/fetch.ts';
import { TOOL_MANIFEST_PATH, TOOL_SERVER_PATHS } from '../../contract/tool-manifest.ts';
import { isLoopbackHost } from '../../domain/address/loopback.ts';
import type { Clock } from '../../domain/clock.ts';
import type { FollowOrder } from '../partner/events/stream.ts';
import {
  type Checks,
  type Degraded,
  liveReply,
  type Readiness,
  readiness,
  readyReply,
} from './health.ts';
import { type Listening, type ListenOptions, listen } from './node.ts';
import { createObservation, type Observation } from './observation.ts';
import type { Caller } from './route.ts';

/** An open service: the sandbox, or a shop. */
export interface OpenService {
  /** Answers any path. */
  handle(request: Request, caller?: Caller): Promise<Response>;
  /** Order streams, for a server that holds many of them. */
  readonly follow: FollowOrder;
  /** Advances orders. */
  tick(): Promise<void>;
  /** Ends the streams and waits for webhooks that are being sent. */
  settle(): Promise<void>;
  close(): Promise<void>;
  /** Checks for `/readyz`: without one of these parts nothing is sold. */
  readonly checks: Checks;
  /** Parts without which less is sold, and what is wrong with each; for its operator all alarms. */
  readonly degraded?: (isOperator: boolean) => Degraded;
  /** Lines of its own for `/metrics`. */
  readonly metrics?: () => Promise<readonly string[]>;
}

export interface ServingOptions<S extends OpenService>
  extends Pick<ListenOptions, 'port' | 'host' | 'trustedProxies' | 'around'> {
  /**
   * Opens the service at its address, which is known once the port is bound.
   * @param report counts a warning, and passes it on
   */
  open(baseUrl: string, report: (error: unknown) => void): Promise<S>;
  /** Used instead of `handle`. */
  readonly answer?: (service: S, request: Request, caller: Caller) => Promise<Response>;
  /** Binds the port instead of `listen`. */
  readonly listenWith?: (
    options: ListenOptions,
    opened: Promise<At<S>>,
  ) => Promise<Pick<Listening, 'url' | 'drain' | 'close'>>;
  /** Opens the tool server at its first request; without it there is none. */
  readonly tools?: OpenTools | undefined;
  /** Address at which clients reach the service; by default the bound address. */
  readonly publicUrl?: string | undefined;
  /** How long it goes on after it says that it is not ready, for a balancer to notice; 0 by default. */
  readonly drainMs?: number | undefined;
  readonly clock: Clock;
  random(length: number): Uint8Array;
  report?(error: unknown): void;
}

/** A service and the address at which clients reach it. */
export interface At<S> {
  readonly baseUrl: string;
  readonly service: S;
}

export interface Serving<S> {
  /** `http://host:port`, without a trailing slash. */
  readonly url: string;
  readonly service: S;
  /** Finishes running requests, then closes the service. */
  close(): Promise<void>;
}

/** Interval at which orders are advanced. */
const TICK_MS = 250;
/** Ticks that may run at once: one that waits for a chain or a supplier holds up no other work. */
const MOST_TICKS = 8;

/** @throws {ScripError} INPUT_INVALID if the port is taken, and what `open` throws */
export async function serveService<S extends OpenService>(
  options: ServingOptions<S>,
): Promise<Serving<S>> {
  const { port, host, trustedProxies, around, listenWith = listen, publicUrl } = options;
  const answer = options.answer ?? ((service, request, caller) => service.handle(request, caller));
  // The address is known only once the port is bound; earlier requests wait for the service.
  const observation = createObservation(options);
  const { warned: report } = observation;
  let openAt: (url: string) => void = () => undefined;
  const opened = new Promise<string>((resolve) => {
    openAt = resolve;
  }).then(async (url) => {
    const baseUrl = publicUrl ?? url;
    return { baseUrl, service: await options.open(baseUrl, report) };
  });
  let service: S | undefined;
  const [draining, stopping] = [new AbortController(), new AbortController()];
  const health = healthPaths(options, {
    observation,
    report,
    draining: draining.signal,
  });
  const toolSide = createToolSide(opened, options.tools);
  const server = await listenWith(
    {
      handler: async (request, caller) =>
        (await health(request, caller, service)) ??
        (await toolSide.handle(request, caller)) ??
        answer((await opened).service, request, caller),
      follow: (...asked) => {
        const opening = service?.follow(...asked);
        return opening && stopping.signal.aborted ? refuseStream() : opening;
      },
      observed: observation,
      around,
      port,
      host,
      trustedProxies,
      report,
    },
    opened,
  );
  openAt(server.url);
  try {
    service = (await opened).service;
  } catch (error) {
    await server.close();
    throw error;
  }
  const ticking = tickUntil(stopping.signal, service, { clock: options.clock, report });
  const open = service;
  return {
    url: server.url,
    service: open,
    async close() {
      draining.abort();
      server.drain();
      await options.clock.sleep(options.drainMs ?? 0);
      stopping.abort();
      await Promise.all([open.settle(), toolSide.close()]);
      await server.close();
      await ticking;
      await open.close();
    },
  };
}

const RESTART_SECONDS = '1';
/** Less than a monitor waits. */
const OWN_LINES_MS = 3_000;

/** Refuses new streams while the server stops: an open stream would delay that. */
async function refuseStream(): Promise<Response> {
  return new Response(null, { status: 503, headers: { 'Retry-After': RESTART_SECONDS } });
}

type Watchable = Pick<OpenService, 'checks' | 'degraded' | 'metrics'>;

interface Watched {
  readonly observation: Observation;
  readonly draining: AbortSignal;
  readonly report: (error: unknown) => void;
}

/** Answers monitoring paths (`/metrics`, and alarms, only for callers on this machine); undefined for every other path. */
function healthPaths(
  { clock }: { readonly clock: Clock },
  { observation, draining, report }: Watched,
) {
  const found = async (service: Watchable | undefined, isOperator: boolean): Promise<Readiness> => {
    if (service === undefined) return { checks: { service: 'STARTING' } };
    if (draining.aborted) return { checks: { service: 'STOPPING' } };
    const checks = await readiness(service.checks, clock);
    return { checks, degraded: service.degraded?.(isOperator) };
  };
  /** Without the database the rest is still told. */
  const ownLines = async (service: Pick<OpenService, 'metrics'> | undefined) => {
    const done = new AbortController();
    const late = clock.sleep(OWN_LINES_MS, done.signal).then(
      () => [],
      () => [],
    );
    const lines = service?.metrics?.().catch((error: unknown) => {
      report(error);
      return [];
    });
    const first = await Promise.race([lines ?? [], late]);
    done.abort();
    return first;
  };
  return async (
    { method, url }: Request,
    { address = '' }: Caller,
    service: Watchable | undefined,
  ): Promise<Response | undefined> => {
    if (method !== 'GET') return undefined;
    const { pathname } = new URL(url);
    if (pathname === '/livez') return liveReply();
    const isOperator = isLoopbackHost(address);
    if (pathname === '/readyz') return readyReply(await found(service, isOperator));
    if (pathname !== '/metrics' || !isOperator) return undefined;
    const headers = { 'Content-Type': 'text/plain; version=0.0.4', 'Cache-Control': 'no-store' };
    const [state, own] = await Promise.all([found(service, true), ownLines(service)]);
    return new Response(observation.text(state, own), { headers });
  };
}

async function tickUntil(
  signal: AbortSignal,
  service: Pick<OpenService, 'tick'>,
  { clock, report }: { readonly clock: Clock; report(error: unknown): void },
): Promise<void> {
  const running = new Set<Promise<void>>();
  while (!signal.aborted) {
    if (running.size < MOST_TICKS) {
      const tick: Promise<void> = service
        .tick()
        .catch(report)
        .finally(() => running.delete(tick));
      running.add(tick);
    }
    await clock.sleep(TICK_MS, signal).catch(() => undefined);
  }
  await Promise.all(running);
}

// The tool server for agents, served beside the service and opened at its first request.

/** What the tool server gets from the service. */
interface ToolHome {
  /** Address at which clients reach it, without a trailing slash. */
  readonly baseUrl: string;
  /** Returns a `Fetch` to the service in this process, on behalf of the caller's address. */
  fetchFor(address: string): Fetch;
}

/** The tool server for agents, at the paths of the contract. */
interface ServedTools {
  handle(request: Request, address: string): Promise<Response>;
  close(): Promise<void>;
}

/** The part of the service that the tools call. */
interface Handles {
  handle(request: Request, caller?: Caller): Promise<Response>;
}

export type OpenTools = (home: ToolHome) => Promise<ServedTools>;

const PATHS: ReadonlySet<string> = new Set([...TOOL_SERVER_PATHS, TOOL_MANIFEST_PATH]);

/** Its code is large and rarely needed, so it loads on first use. */
export function createToolSide(
  opened: Promise<{ readonly baseUrl: string; readonly service: Handles }>,
  open: OpenTools | undefined,
) {
  let tools: Promise<ServedTools> | undefined;
  const openOnce = async (start: OpenTools): Promise<ServedTools> => {
    const { baseUrl, service } = await opened;
    const fetchFor =
      (address: string): Fetch =>
      (url, init) =>
        service.handle(new Request(url, init), address === '' ? undefined : { address });
    return start({ baseUrl, fetchFor });
  };
  return {
    /** Returns undefined for paths of the service. */
    async handle(request: Request, { address = '' }: Caller): Promise<Response | undefined> {
      if (!open || !PATHS.has(new URL(request.url).pathname)) return undefined;
      tools ??= openOnce(open);
      return (await tools).handle(request, address);
    },
    close: async (): Promise<void> => (await tools)?.close(),
  };
}
