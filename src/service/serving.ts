/** Serves a service on a port, with the timer that moves its orders on. */

import type { Clock } from '../domain/clock.ts';
import { type Listening, type ListenOptions, listen } from './node.ts';
import type { FollowOrder } from './partner/stream.ts';
import { createToolSide, type OpenTools } from './tool-side.ts';
import type { Caller } from './traffic.ts';

/** An open service with its own parts: the sandbox, or a shop. */
export interface OpenService {
  /** Answers any path. */
  handle(request: Request, caller?: Caller): Promise<Response>;
  /** Streams of orders, for a server that holds very many of them. */
  readonly follow: FollowOrder;
  /** Moves orders on. */
  tick(): Promise<void>;
  /** Ends the streams and waits for the webhooks that are under way. */
  settle(): Promise<void>;
  close(): Promise<void>;
}

export interface ServingOptions<S extends OpenService>
  extends Pick<ListenOptions, 'port' | 'host' | 'trustedProxies' | 'around'> {
  /** Opens the service at its address, which is known once the port is bound. */
  open(baseUrl: string): Promise<S>;
  /** Answers in place of `handle`. */
  readonly answer?: (service: S, request: Request, caller: Caller) => Promise<Response>;
  /** Binds the port in place of `listen`. */
  readonly listenWith?: (
    options: ListenOptions,
    opened: Promise<At<S>>,
  ) => Promise<Pick<Listening, 'url' | 'close'>>;
  /** Opens the tool server at its first request; there is none when left out. */
  readonly tools?: OpenTools | undefined;
  /** Where clients reach the service; the address that is bound when left out. */
  readonly publicUrl?: string | undefined;
  readonly clock: Clock;
  report?(error: unknown): void;
}

/** A service and the address under which clients see it. */
export interface At<S> {
  readonly baseUrl: string;
  readonly service: S;
}

export interface Serving<S> {
  /** `http://host:port`, without a trailing slash. */
  readonly url: string;
  readonly service: S;
  /** Lets running requests finish, then closes the service. */
  close(): Promise<void>;
}

/** How often orders are moved on. */
const TICK_MS = 250;

/** @throws {ScripError} INPUT_INVALID when the port is taken, and what `open` throws */
export async function serveService<S extends OpenService>(
  options: ServingOptions<S>,
): Promise<Serving<S>> {
  const { port, host, trustedProxies, around, listenWith = listen, publicUrl } = options;
  const answer = options.answer ?? ((service, request, caller) => service.handle(request, caller));
  // The address is known only when the port is bound, so early requests wait for the service.
  let openAt: (url: string) => void = () => undefined;
  const opened = new Promise<string>((resolve) => {
    openAt = resolve;
  }).then(async (url) => {
    const baseUrl = publicUrl ?? url;
    return { baseUrl, service: await options.open(baseUrl) };
  });
  let service: S | undefined;
  const toolSide = createToolSide(opened, options.tools);
  const server = await listenWith(
    {
      handler: async (request, caller) =>
        (await toolSide.handle(request, caller)) ?? answer((await opened).service, request, caller),
      follow: (path, headers) => service?.follow(path, headers),
      around,
      port,
      host,
      trustedProxies,
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
  const stopping = new AbortController();
  const ticking = tickUntil(stopping.signal, service, options);
  const open = service;
  return {
    url: server.url,
    service: open,
    async close() {
      stopping.abort();
      await Promise.all([open.settle(), toolSide.close()]);
      await server.close();
      await ticking;
      await open.close();
    },
  };
}

async function tickUntil(
  signal: AbortSignal,
  service: Pick<OpenService, 'tick'>,
  { clock, report }: { readonly clock: Clock; report?(error: unknown): void },
): Promise<void> {
  while (!signal.aborted) {
    await service.tick().catch((error: unknown) => report?.(error));
    await clock.sleep(TICK_MS, signal).catch(() => undefined);
  }
}
