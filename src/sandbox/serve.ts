/** Serves the sandbox on a port of this machine, with the timer that advances its orders. */

import type { RequestListener } from 'node:http';
import { PAYMENT_SIGNATURE_HEADER } from '../contract/x402.ts';
import { ScripError } from '../domain/errors.ts';
import { verbatim } from '../domain/message.ts';
import type { NamedCaller } from '../service/callers.ts';
import { type Listening, type ListenOptions, listen } from '../service/node.ts';
import type { Caller } from '../service/traffic.ts';
import type { RequestInfo } from './faults/endpoints.ts';
import type { FaultPlan } from './faults/fault-plan.ts';
import { faultyListener } from './faults/faulty-listener.ts';
import { listenWithSockets, type SocketParts } from './rpc/listening.ts';
import { openSandbox, type Sandbox, type SandboxOptions } from './sandbox.ts';
import { createToolSide, type OpenTools } from './tool-side.ts';

export interface ServeOptions extends Omit<SandboxOptions, 'baseUrl'> {
  /** Opens the tool server at its first request; without it there is none. */
  readonly tools?: OpenTools;
  /** 0 takes any free port. */
  readonly port: number;
  readonly host: string;
  /** Addresses and networks of the operator's proxies, whose `X-Forwarded-For` is trusted. */
  readonly trustedProxies?: readonly string[] | undefined;
}

export interface Served {
  /** `http://host:port`, without a trailing slash. */
  readonly url: string;
  /** Seed of the faults; null without faults. */
  readonly faultSeed: number | null;
  /** Secret that signs the webhooks of a partner's orders. */
  webhookSecret(applicationId: string): Promise<string>;
  /** Address that pays the network fees; null with a remote facilitator. */
  readonly feePayer: string | null;
  /** Other hosts whose payments the fee payer pays for. */
  readonly callers: readonly Pick<NamedCaller, 'name' | 'lamportsPerDay'>[];
  /** Finishes running requests, then closes the store. */
  close(): Promise<void>;
}

/** Interval between ticks. */
const TICK_MS = 250;

/**
 * Starts the server.
 * @throws {ScripError} INPUT_INVALID when the port is taken, and what `openSandbox` throws
 */
export async function serveSandbox({
  port,
  host,
  trustedProxies,
  tools,
  ...options
}: ServeOptions): Promise<Served> {
  // The address is known only once the port is bound; requests before that wait for the service.
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
  const server = await listenWhole(
    {
      handler: async (request, caller) =>
        (await toolSide.handle(request, caller)) ??
        handleOnceOrTwice((await opened).service, options.faults, request, caller),
      follow: (path, headers) => sandbox?.follow(path, headers),
      around: options.faults && around(options.faults, clock),
      port,
      host,
      trustedProxies,
    },
    options.chainRpc ? undefined : { opened: opened.then(ownChain), clock, report },
  );
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
      await Promise.all([served.settle(), toolSide.close()]);
      await server.close();
      await ticking;
      await served.close();
    },
  };
}

/** Serves the chain's WebSockets only if the chain is in this process. */
function listenWhole(
  options: ListenOptions,
  sockets: SocketParts | undefined,
): Promise<Pick<Listening, 'url' | 'close'>> {
  return sockets === undefined ? listen(options) : listenWithSockets(options, sockets);
}

function ownChain({ baseUrl, service }: { readonly baseUrl: string; readonly service: Sandbox }) {
  const { chain } = service;
  if (chain) return { baseUrl, chain };
  throw new ScripError('INTERNAL', verbatim('the chain is not in this process'));
}

function around(plan: FaultPlan, clock: SandboxOptions['clock']) {
  return (listener: RequestListener) => faultyListener(listener, plan, clock);
}

/**
 * Simulates a network that delivers a request twice: the service handles both copies, and one is
 * answered.
 */
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
