/** Serves the sandbox on a port of this machine. */

import type { RequestListener } from 'node:http';
import { PAYMENT_SIGNATURE_HEADER } from '../contract/x402.ts';
import { ScripError } from '../domain/message/errors.ts';
import { verbatim } from '../domain/message/message.ts';
import type { ServedSandbox } from '../domain/operator/operator.ts';
import { type Listening, listen } from '../service/http/node.ts';
import type { Caller } from '../service/http/route.ts';
import { type OpenTools, serveService } from '../service/http/serving.ts';
import { databaseLabel } from '../store/open.ts';
import { checkVm } from './chain/vm.ts';
import { shopAddress } from './data-folder.ts';
import type { FaultPlan } from './faults/fault-plan.ts';
import type { RequestInfo } from './faults/fault-spec.ts';
import { faultyListener } from './faults/faulty-parts.ts';
import { forOwnPages, isRpcPath } from './rpc/handler.ts';
import { listenWithSockets } from './rpc/sockets.ts';
import { openSandbox, type Sandbox, type SandboxOptions } from './sandbox.ts';
import { type OwnChainOptions, openOwnChain } from './shop-chain.ts';

export interface ServeOptions extends Omit<SandboxOptions, 'baseUrl'> {
  /** Opens the tool server at its first request; without it there is none. */
  readonly tools?: OpenTools;
  /** 0 takes any free port. */
  readonly port: number;
  readonly host: string;
  /** Addresses and networks of the operator's proxies, whose `X-Forwarded-For` is trusted. */
  readonly trustedProxies?: readonly string[] | undefined;
}

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
}: ServeOptions): Promise<ServedSandbox> {
  const { clock, random, report, faults } = options;
  const { url, service, close } = await serveService<Sandbox>({
    port,
    host,
    trustedProxies,
    tools,
    clock,
    random,
    ...(report ? { report } : {}),
    open: (baseUrl, warn) => openSandbox({ ...options, baseUrl, report: warn }),
    answer: (sandbox, request, caller) => handleOnceOrTwice(sandbox, faults, request, caller),
    around: faults && around(faults, clock),
    listenWith: (asked, opened) => {
      // Serves the chain's WebSockets only if the chain is in this process.
      if (options.chainRpc) return listen(asked);
      const chain = opened.then(ownChain);
      // A failed start is thrown by the server; sockets wait for the chain only once a client has come.
      chain.catch(() => undefined);
      return listenWithSockets(asked, { opened: chain, clock, report });
    },
  });
  return {
    url,
    faultSeed: faults?.seed ?? null,
    webhookSecret: service.webhookSecret,
    database: databaseLabel(shopAddress(options)),
    feePayer: service.feePayer,
    close,
  };
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

// Serves the embedded chain as its own process: JSON-RPC and WebSockets, without a shop.

export interface ServeChainOptions extends OwnChainOptions {
  readonly dataDir: string;
  /** 0 takes any free port. */
  readonly port: number;
  readonly host: string;
  report?(error: unknown): void;
}

/**
 * Starts the server.
 * @throws {ScripError} INPUT_INVALID when the port is taken; STORE_UNUSABLE, PLATFORM_UNSUPPORTED
 */
export async function serveChain(
  options: ServeChainOptions,
): Promise<Pick<Listening, 'url' | 'close'>> {
  const { dataDir, port, host, clock, finalSlots, report } = options;
  checkVm();
  const { answer, embedded: chain, close } = await openOwnChain(dataDir, { clock, finalSlots });
  let openAt: (opened: { baseUrl: string; chain: typeof chain }) => void = () => undefined;
  const opened = new Promise<{ baseUrl: string; chain: typeof chain }>((resolve) => {
    openAt = resolve;
  });
  const handler = async (request: Request): Promise<Response> => {
    const { baseUrl } = await opened;
    if (isRpcPath(new URL(request.url).pathname)) return forOwnPages(answer, baseUrl)(request);
    const text = 'Only RPCs are served here: of Solana at /rpc, of Base at /rpc/base.\n';
    return new Response(text, { status: 404 });
  };
  const server = await listenWithSockets({ handler, port, host }, { opened, clock, report });
  openAt({ baseUrl: server.url, chain });
  return {
    url: server.url,
    async close() {
      await server.close();
      await close();
    },
  };
}
