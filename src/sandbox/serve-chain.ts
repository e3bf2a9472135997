/** Serves the embedded chain as its own process: JSON-RPC and WebSockets, without a shop. */

import type { Listening } from '../service/node.ts';
import { checkVm } from './chain/vm.ts';
import { forOwnPages, RPC_PATH } from './rpc/endpoint.ts';
import { listenWithSockets } from './rpc/listening.ts';
import { type OwnChainOptions, openOwnChain } from './shop-chain.ts';

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
    if (new URL(request.url).pathname === RPC_PATH) return forOwnPages(answer, baseUrl)(request);
    return new Response('Only the Solana RPC is served here, at /rpc.\n', { status: 404 });
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
