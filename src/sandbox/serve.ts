/** The sandbox on a port of this machine, with the timer that moves its orders on. */

import type { RequestListener } from 'node:http';
import { PAYMENT_SIGNATURE_HEADER } from '../contract/x402.ts';
import { ScripError } from '../domain/errors.ts';
import { t } from '../domain/message.ts';
import type { NamedCaller } from '../service/callers.ts';
import { type Listening, type ListenOptions, listen } from '../service/node.ts';
import type { Caller } from '../service/traffic.ts';
import type { RequestInfo } from './faults/endpoints.ts';
import type { FaultPlan } from './faults/fault-plan.ts';
import { faultyListener } from './faults/faulty-listener.ts';
import { createRpcSockets } from './rpc/sockets.ts';
import { openSandbox, RPC_PATH, type Sandbox, type SandboxOptions } from './sandbox.ts';
import { createToolSide, type OpenTools } from './tool-side.ts';

export interface ServeOptions extends Omit<SandboxOptions, 'baseUrl'> {
  /** Opens the tool server at its first request; there is none when left out. */
  readonly tools?: OpenTools;
  /** 0 takes any free port. */
  readonly port: number;
  readonly host: string;
  /** Addresses and networks of the operator's own proxies, whose `X-Forwarded-For` is believed. */
  readonly trustedProxies?: readonly string[] | undefined;
}

export interface Served {
  /** `http://host:port`, without a trailing slash. */
  readonly url: string;
  /** What faults are drawn from; null when none were asked for. */
  readonly faultSeed: number | null;
  /** What webhooks of a partner's orders are signed with. */
  webhookSecret(applicationId: string): Promise<string>;
  /** Address that pays the network fees; null where the facilitator is elsewhere. */
  readonly feePayer: string | null;
  /** Whose payments it pays for beside our own. */
  readonly callers: readonly Pick<NamedCaller, 'name' | 'lamportsPerDay'>[];
  /** Lets running requests finish, then closes the store. */
  close(): Promise<void>;
}

/** How often orders are moved on. */
const TICK_MS = 250;

/** @throws {ScripError} INPUT_INVALID when the port is taken, and what `openSandbox` throws */
export async function serveSandbox({
  port,
  host,
  trustedProxies,
  tools,
  ...options
}: ServeOptions): Promise<Served> {
  // The address is known only when the port is bound, so early requests wait for the service.
  let openAt: (url: string) => void = () => undefined;
  const opened = new Promise<string>((resolve) => {
    openAt = resolve;
  }).then(async (baseUrl) => ({
    baseUrl,
    service: await openSandbox({ ...options, baseUrl }),
  }));
  let sandbox: Sandbox | undefined;
  const toolSide = createToolSide(opened, tools);
  const { clock, report } = options;
  const sockets = createRpcSockets({
    opened: opened.then(({ baseUrl, service }) => ({ baseUrl, chain: service.chain })),
    path: RPC_PATH,
    clock,
    ...(report ? { report } : {}),
  });
  const { upgrade } = sockets;
  const { server, next } = await listenOnTwo(
    {
      handler: async (request, caller) =>
        (await toolSide.handle(request, caller)) ??
        handleOnceOrTwice((await opened).service, options.faults, request, caller),
      follow: (path, headers) => sandbox?.follow(path, headers),
      around: options.faults && around(options.faults, clock),
      upgrade,
      port,
      host,
      trustedProxies,
    },
    { handler: websocketsOnly, upgrade, host, trustedProxies },
  );
  if (next instanceof ScripError) report?.(next);
  openAt(server.url);
  const { service: served } = await opened;
  sandbox = served;
  const stopping = new AbortController();
  const ticking = tickUntil(stopping.signal, served, options);
  return {
    url: server.url,
    faultSeed: options.faults?.seed ?? null,
    webhookSecret: served.webhookSecret,
    feePayer: served.feePayer,
    callers: options.callers ?? [],
    async close() {
      stopping.abort();
      sockets.close();
      await Promise.all([served.settle(), toolSide.close()]);
      await server.close();
      if (!(next instanceof ScripError)) await next.close();
      await ticking;
      await served.close();
    },
  };
}

/** Ports tried where any will do. */
const TRIES = 8;

/**
 * A port, and the next one: web3.js looks for websockets one port beyond the RPC, as validators have
 * them. Without a free next port the first is served alone.
 */
async function listenOnTwo(
  options: ListenOptions,
  beside: Omit<ListenOptions, 'port'>,
): Promise<{ readonly server: Listening; readonly next: Listening | ScripError }> {
  for (let tries = 1; ; tries += 1) {
    const server = await listen(options);
    const next = await listenBeside(beside, server.port + 1);
    if (!(next instanceof ScripError) || options.port !== 0 || tries === TRIES) {
      return { server, next };
    }
    await server.close();
  }
}

/** What stands in the way is told, and is no reason not to serve. */
async function listenBeside(
  options: Omit<ListenOptions, 'port'>,
  port: number,
): Promise<Listening | ScripError> {
  try {
    if (port <= MAX_PORT) return await listen({ ...options, port });
  } catch (error) {
    if (!(error instanceof ScripError)) throw error;
  }
  const message = t`Port ${port} is not free: web3.js, which expects websockets there, will not find them`;
  return new ScripError('INPUT_INVALID', message);
}

const MAX_PORT = 65_535;

function websocketsOnly(): Response {
  const message = 'Websockets of the Solana RPC alone are served here.\n';
  return new Response(message, {
    status: 426,
    headers: { Connection: 'Upgrade', Upgrade: 'websocket' },
  });
}

function around(plan: FaultPlan, clock: SandboxOptions['clock']) {
  return (listener: RequestListener) => faultyListener(listener, plan, clock);
}

/** A network may deliver a request twice: both copies are worked on, one is answered. */
async function handleOnceOrTwice(
  sandbox: Sandbox,
  plan: FaultPlan | undefined,
  request: Request,
  caller: Caller,
): Promise<Response> {
  if (plan?.strike(['duplicate'], factsOf(request)) === undefined) {
    return sandbox.handle(request, caller);
  }
  const [reply] = await Promise.all([
    sandbox.handle(request.clone(), caller),
    sandbox.handle(request, caller),
  ]);
  return reply;
}

function factsOf({ method, url, headers }: Request): RequestInfo {
  return { method, path: new URL(url).pathname, isPaid: headers.has(PAYMENT_SIGNATURE_HEADER) };
}

async function tickUntil(
  signal: AbortSignal,
  sandbox: Sandbox,
  { clock, report }: Pick<SandboxOptions, 'clock' | 'report'>,
): Promise<void> {
  while (!signal.aborted) {
    await sandbox.tick().catch((error: unknown) => report?.(error));
    await clock.sleep(TICK_MS, signal).catch(() => undefined);
  }
}
