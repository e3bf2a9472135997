/** WebSockets at the RPC's path, with limits on their number, message size and idle time. */

import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { WebSocket, WebSocketServer } from 'ws';
import { placeProblem } from '../../domain/address/loopback.ts';
import { networkOf } from '../../domain/address/public-address.ts';
import { once } from '../../domain/attempt.ts';
import type { Clock } from '../../domain/clock.ts';
import { ScripError } from '../../domain/message/errors.ts';
import { t } from '../../domain/message/message.ts';
import { giverOf } from '../../domain/rate-limit.ts';
import { type Listening, type ListenOptions, listen } from '../../service/http/node.ts';
import type { Chain } from '../chain/chain.ts';
import { RPC_PATH } from './handler.ts';
import { createRounds, createSubscribers, type Subscriber } from './subscriptions.ts';

const MAX_CONNECTIONS = 128;
/** Per connection. */
const MAX_SUBSCRIPTIONS = 64;
/** Interval of pings; a connection that does not answer by the next one is closed. */
const CHECK_EVERY_MS = 30_000;
/** Unsent data after which a slow reader's connection is closed. */
const MAX_UNREAD_BYTES = 1024 * 1024;
/** Subscribe calls are far shorter. */
const MAX_MESSAGE_BYTES = 16 * 1024;

interface RpcSocketDeps {
  /** The service's address and chain, once they are known. */
  readonly opened: Promise<{ readonly baseUrl: string; readonly chain: Chain }>;
  readonly path: string;
  readonly clock: Clock;
  report?(error: unknown): void;
}

interface Connection {
  readonly socket: WebSocket;
  readonly subscriber: Subscriber;
  readonly address: string;
  /** Whether a pong or message, and whether a message, arrived since the last check. */
  isAlive: boolean;
  hasSpoken: boolean;
}

export function createRpcSockets(deps: RpcSocketDeps) {
  const { clock, path, report = () => undefined } = deps;
  const stopping = new AbortController();
  const connections = new Set<Connection>();
  /** Connections during their handshake. */
  const opening = new Set<Duplex>();
  const keepChecking = createRounds({
    clock,
    everyMs: CHECK_EVERY_MS,
    stopped: stopping.signal,
    isNeeded: () => connections.size > 0,
    round: () => connections.forEach(check),
    report,
  });
  const ready = once(async () => {
    // Loads the WebSocket library on first use.
    const [server, { baseUrl, chain }] = await Promise.all([openServer(), deps.opened]);
    const join = createSubscribers({
      chain,
      clock,
      stopped: stopping.signal,
      mostEach: MAX_SUBSCRIPTIONS,
      report,
    });
    return { server, join, own: new URL(baseUrl) };
  });

  async function accept(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const { server, join, own } = await ready();
    const { host = '', origin = null } = request.headers;
    if (placeProblem({ host, origin }, own)) return refuse(socket, '403 Forbidden');
    const address = networkOf(request.socket.remoteAddress ?? '');
    const isFull = connections.size + opening.size > MAX_CONNECTIONS;
    if (stopping.signal.aborted || (isFull && !giveUp(address))) {
      return refuse(socket, '503 Service Unavailable');
    }
    const opened = await handshake(server, request, socket, head);
    opening.delete(socket);
    if (opened) hold({ socket: opened, address }, join);
  }

  /** Closes the oldest connection of the address that has most, preferring one without subscriptions. */
  function giveUp(newcomer: string): boolean {
    const giver = giverOf(
      [...connections].map(({ address }) => address),
      newcomer,
    );
    const own = [...connections].filter(({ address }) => address === giver);
    const given = own.find(({ subscriber }) => !subscriber.hasSubscriptions()) ?? own[0];
    if (given === undefined) return false;
    connections.delete(given);
    given.socket.terminate();
    return true;
  }

  function hold(
    { socket, address }: Pick<Connection, 'socket' | 'address'>,
    join: (send: (text: string) => void) => Subscriber,
  ): void {
    const subscriber = join((text) => {
      socket.send(text);
      if (socket.bufferedAmount > MAX_UNREAD_BYTES) socket.terminate();
    });
    const connection = { socket, subscriber, address, isAlive: true, hasSpoken: true };
    connections.add(connection);
    socket.on('message', (data) => {
      Object.assign(connection, { isAlive: true, hasSpoken: true });
      subscriber.receive(String(data)).catch(report);
    });
    socket.on('pong', () => Object.assign(connection, { isAlive: true }));
    // An invalid WebSocket message closes its own connection only.
    socket.on('error', () => socket.terminate());
    socket.on('close', () => {
      connections.delete(connection);
      subscriber.leave();
    });
    keepChecking();
  }

  return {
    /** Takes over the connection; returns false if the request is not a WebSocket of the RPC. */
    upgrade(request: IncomingMessage, socket: Duplex, head: Buffer) {
      if (!isFor(path, request)) return false;
      opening.add(socket);
      socket.on('error', () => socket.destroy());
      accept(request, socket, head)
        .catch((error: unknown) => {
          report(error);
          if (opening.has(socket)) refuse(socket, '500 Internal Server Error');
          else socket.destroy();
        })
        .finally(() => opening.delete(socket));
      return true;
    },
    close() {
      stopping.abort();
      for (const { socket } of connections) {
        socket.close(GOING_AWAY);
        socket.terminate();
      }
    },
  };
}

export type RpcSockets = ReturnType<typeof createRpcSockets>;

const NORMAL = 1000;
const GOING_AWAY = 1001;

function isFor(path: string, { method, url = '', headers }: IncomingMessage): boolean {
  const isWebsocket = headers.upgrade?.toLowerCase() === 'websocket';
  return isWebsocket && method === 'GET' && url.split('?')[0] === path;
}

/** Terminates dead connections; closes live ones that have no subscriptions and sent no message. */
function check(connection: Connection): void {
  const { socket, subscriber, isAlive, hasSpoken } = connection;
  if (!isAlive) socket.terminate();
  else if (!hasSpoken && !subscriber.hasSubscriptions()) socket.close(NORMAL);
  else socket.ping();
  Object.assign(connection, { isAlive: false, hasSpoken: false });
}

async function openServer(): Promise<WebSocketServer> {
  const library = await import('ws');
  return new library.WebSocketServer({
    noServer: true,
    clientTracking: false,
    maxPayload: MAX_MESSAGE_BYTES,
  });
}

/** Returns undefined if the library refused the handshake. */
function handshake(
  server: WebSocketServer,
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
): Promise<WebSocket | undefined> {
  return new Promise((resolve) => {
    for (const event of ['finish', 'close']) socket.once(event, () => resolve(undefined));
    server.handleUpgrade(request, socket, head, resolve);
  });
}

function refuse(socket: Duplex, status: string): void {
  socket.once('finish', () => socket.destroy());
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}

// A server whose RPC accepts WebSockets on its own port and on the next one.

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
