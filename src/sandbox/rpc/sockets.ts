/** Websockets at the RPC's path, bounded in number, size and silence. */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type WebSocket from 'ws';
import type { Clock } from '../../domain/clock.ts';
import { giverOf } from '../../domain/fair-share.ts';
import { placeProblem } from '../../domain/own-place.ts';
import { networkOf } from '../../domain/public-address.ts';
import type { Chain } from '../chain/chain.ts';
import { createRounds } from './rounds.ts';
import { createSubscribers, type Subscriber } from './subscriber.ts';

const MAX_CONNECTIONS = 128;
/** Of one connection. */
const MAX_SUBSCRIPTIONS = 64;
/** How often a connection has to show that it is still there. */
const CHECK_EVERY_MS = 30_000;
/** What a reader may be behind before its connection is cut. */
const MAX_UNREAD_BYTES = 1024 * 1024;
/** Calls to subscribe are far shorter. */
const MAX_MESSAGE_BYTES = 16 * 1024;

export interface RpcSocketDeps {
  /** Where the service is reached, and its chain, as soon as they are known. */
  readonly opened: Promise<{ readonly baseUrl: string; readonly chain: Chain }>;
  readonly path: string;
  readonly clock: Clock;
  report?(error: unknown): void;
}

export interface RpcSockets {
  /** Takes the connection over, or gives false: the request is not for a websocket of the RPC. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): boolean;
  close(): void;
}

interface Connection {
  readonly socket: WebSocket;
  readonly subscriber: Subscriber;
  readonly address: string;
  /** Whether anything came since the last check, and a message. */
  isAlive: boolean;
  hasSpoken: boolean;
}

export function createRpcSockets(deps: RpcSocketDeps): RpcSockets {
  const { clock, path, report = () => undefined } = deps;
  const stopping = new AbortController();
  const connections = new Set<Connection>();
  /** Of connections that are about to be. */
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
    // Its code is loaded by the first who asks for a websocket.
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

  /** The address with most connections loses its oldest, one without subscriptions first. */
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
    // What is no websocket message ends its connection, and nothing else.
    socket.on('error', () => socket.terminate());
    socket.on('close', () => {
      connections.delete(connection);
      subscriber.leave();
    });
    keepChecking();
  }

  return {
    upgrade(request, socket, head) {
      if (!isFor(path, request)) return false;
      opening.add(socket);
      socket.on('error', () => socket.destroy());
      accept(request, socket, head)
        .catch((error: unknown) => {
          report(error);
          socket.destroy();
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

const NORMAL = 1000;
const GOING_AWAY = 1001;

function isFor(path: string, { method, url = '', headers }: IncomingMessage): boolean {
  const isWebsocket = headers.upgrade?.toLowerCase() === 'websocket';
  return isWebsocket && method === 'GET' && url.split('?')[0] === path;
}

/** Who is gone is cut off; who is there, and has neither subscriptions nor anything to say, is let go. */
function check(connection: Connection): void {
  const { socket, subscriber, isAlive, hasSpoken } = connection;
  if (!isAlive) socket.terminate();
  else if (!hasSpoken && !subscriber.hasSubscriptions()) socket.close(NORMAL);
  else socket.ping();
  Object.assign(connection, { isAlive: false, hasSpoken: false });
}

/** What is used of the library: its types differ from one release to the next in the rest. */
interface Library {
  readonly WebSocketServer: new (options: {
    readonly noServer: true;
    readonly clientTracking: false;
    readonly maxPayload: number;
  }) => HandshakeServer;
}

interface HandshakeServer {
  handleUpgrade(
    request: IncomingMessage,
    socket: Duplex,
    head: Buffer,
    done: (opened: WebSocket) => void,
  ): void;
}

async function openServer(): Promise<HandshakeServer> {
  const library: unknown = await import('ws');
  const { WebSocketServer } = library as Library;
  return new WebSocketServer({
    noServer: true,
    clientTracking: false,
    maxPayload: MAX_MESSAGE_BYTES,
  });
}

/** Undefined where the library has refused it. */
function handshake(
  server: HandshakeServer,
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

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
