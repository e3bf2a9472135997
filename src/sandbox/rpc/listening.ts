/** A server whose RPC accepts WebSockets on its own port and on the next one. */

import { ScripError } from '../../domain/errors.ts';
import { t } from '../../domain/message.ts';
import { type Listening, type ListenOptions, listen } from '../../service/node.ts';
import { RPC_PATH } from './endpoint.ts';
import { createRpcSockets, type RpcSocketDeps } from './sockets.ts';

type SocketParts = Pick<RpcSocketDeps, 'opened' | 'clock'> & {
  readonly report?: ((error: unknown) => void) | undefined;
};

/** Starts the server. @throws {ScripError} INPUT_INVALID when the port is taken */
export async function listenWithSockets(
  options: ListenOptions,
  { opened, clock, report }: SocketParts,
): Promise<Pick<Listening, 'url' | 'drain' | 'close'>> {
  const { host, trustedProxies } = options;
  const sockets = createRpcSockets({
    opened,
    path: RPC_PATH,
    clock,
    ...(report ? { report } : {}),
  });
  const { upgrade } = sockets;
  const { server, next } = await listenOnTwo(
    { ...options, upgrade },
    { handler: websocketsOnly, upgrade, host, trustedProxies },
  );
  if (next instanceof ScripError) report?.(next);
  return {
    url: server.url,
    drain: server.drain,
    async close() {
      sockets.close();
      await server.close();
      if (!(next instanceof ScripError)) await next.close();
    },
  };
}

/** How often to try for two free ports when any port will do. */
const TRIES = 8;

/**
 * Listens on a port and on the next one: like a validator's clients, web3.js opens WebSockets one
 * port above the RPC. Without a free next port it serves only the first.
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

/** Returns an error instead of throwing: the RPC also works without this port. */
async function listenBeside(
  options: Omit<ListenOptions, 'port'>,
  port: number,
): Promise<Listening | ScripError> {
  try {
    if (port <= MAX_PORT) return await listen({ ...options, port });
  } catch (error) {
    if (!(error instanceof ScripError)) throw error;
  }
  const message = t`Port ${port} is in use, so web3.js cannot open its websockets there`;
  return new ScripError('INPUT_INVALID', message);
}

const MAX_PORT = 65_535;

function websocketsOnly(): Response {
  const message = 'Only WebSockets of the Solana RPC are served here.\n';
  return new Response(message, {
    status: 426,
    headers: { Connection: 'Upgrade', Upgrade: 'websocket' },
  });
}
