/** Serves a handler on a port, with the time and size limits that node:http leaves open. */

import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { getRequestListener } from '@hono/node-server';
import { ScripError } from '../domain/errors.ts';
import { lastHop } from '../domain/forwarded-for.ts';
import { isLoopbackHost } from '../domain/loopback.ts';
import { t } from '../domain/message.ts';
import { isInRanges, networkOf } from '../domain/public-address.ts';
import { type Connections, createConnections, type Room } from './connections.ts';
import type { FollowOrder, OpenStream } from './partner/stream.ts';
import { createReadyAnswers, type ReadyAnswers } from './ready-answers.ts';
import type { Caller } from './traffic.ts';

export interface ListenOptions {
  handler(request: Request, caller: Caller): Response | Promise<Response>;
  /** Streams written straight to the socket: a web `Response` for each would weigh twice as much. */
  readonly follow?: FollowOrder;
  /** Stands in front of everything, streams included. */
  readonly around?: ((listener: RequestListener) => RequestListener) | undefined;
  /** Takes connections over for another protocol; without it every request is answered as HTTP. */
  readonly upgrade?: TakeUpgrade;
  /** 0 takes any free port. */
  readonly port: number;
  /** Address to bind, such as 127.0.0.1. */
  readonly host: string;
  readonly limits?: Partial<ConnectionLimits>;
  /** Addresses and networks of the operator's own proxies, whose `X-Forwarded-For` is believed. */
  readonly trustedProxies?: readonly string[] | undefined;
}

/** Takes a connection over, or gives false: then its request is answered as if it asked for nothing else. */
export type TakeUpgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) => boolean;

/** What one connection, one address and all of them together may take up. */
export interface ConnectionLimits extends Room {
  /** From the first byte of a request to the end of its headers, and of its body. */
  readonly headersTimeoutMs: number;
  readonly requestTimeoutMs: number;
  /** How often connections are checked against these two. */
  readonly checkEveryMs: number;
}

export interface Listening {
  /** `http://host:port`, without a trailing slash. */
  readonly url: string;
  readonly port: number;
  /** Takes no new connection, lets running requests finish, then resolves. */
  close(): Promise<void>;
}

/** Slow senders hold a connection no longer than this (docs/operate/limits.md). */
const CONNECTION_LIMITS: ConnectionLimits = {
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 30_000,
  checkEveryMs: 2_000,
  /** A thousand streams, and room for everybody else. */
  connections: 2048,
  perAddress: 256,
};
const MAX_HEADER_BYTES = 8 * 1024;

/** @throws {ScripError} INPUT_INVALID when the port is taken or may not be bound */
export async function listen(options: ListenOptions): Promise<Listening> {
  const { handler, follow, upgrade, port, host, around = (listener) => listener } = options;
  const limits = { ...CONNECTION_LIMITS, ...forHost(host), ...options.limits };
  const isProxy = (address: string) => isInRanges(address, options.trustedProxies ?? []);
  const ready = createReadyAnswers();
  const ask = getRequestListener(
    async (request, { incoming }) => {
      const claims = request.headers.get('X-Forwarded-For') ?? '';
      const hop = lastHop(claims, incoming.socket.remoteAddress ?? '', isProxy);
      const caller = { address: networkOf(hop.address), claims: hop.claims };
      return ready.keep(incoming, await handler(request, caller));
    },
    { hostname: host },
  );
  const answer = around(withReady(withStreams(ask, follow), ready));
  const server = createServer(timeouts(limits), answer);
  const held = shareOut(server, limits, isProxy);
  if (upgrade) takeUpgrades(server, held, upgrade);
  await bind(server, port, host);
  const bound = boundPort(server, port);
  const name = host.includes(':') ? `[${host}]` : host;
  return { url: `http://${name}:${bound}`, port: bound, close: () => close(server) };
}

/** Where only this machine can connect, all its programs share one address. */
function forHost(host: string): Partial<ConnectionLimits> {
  return isLoopbackHost(host) ? { perAddress: CONNECTION_LIMITS.connections } : {};
}

function timeouts({ headersTimeoutMs, requestTimeoutMs, checkEveryMs }: ConnectionLimits) {
  return {
    headersTimeout: headersTimeoutMs,
    requestTimeout: requestTimeoutMs,
    connectionsCheckingInterval: checkEveryMs,
    maxHeaderSize: MAX_HEADER_BYTES,
  };
}

/** Closes what is too much as soon as it comes, so that no place is taken from other addresses. */
function shareOut(
  server: Server,
  limits: ConnectionLimits,
  isProxy: (address: string) => boolean,
): Connections<Duplex> {
  const held = createConnections<Duplex>(limits);
  let ofProxies = 0;
  // A proxy brings the connections of many callers: each stands for itself.
  const partyOf = (address: string): string => {
    if (!isProxy(address)) return networkOf(address);
    ofProxies += 1;
    return `${address} ${ofProxies}`;
  };
  server.on('connection', (socket: Socket) => {
    // One whose offer was passed over comes a second time.
    if (held.has(socket)) return;
    const { remoteAddress } = socket;
    // One that is gone already has no address any more.
    const closed =
      remoteAddress === undefined ? socket : held.enter(socket, partyOf(remoteAddress));
    closed?.destroy();
    if (closed !== socket) socket.once('close', () => held.leave(socket));
  });
  server.prependListener('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    held.work(socket);
    response.once('close', () => held.rest(socket));
  });
  return held;
}

/**
 * With a listener for upgrades, node:http hands over every request that offers any: curl and Java offer
 * HTTP/2 of their own accord, and may be answered without it (RFC 9110, 7.8). Such a request is read once more, from its bytes, without the offer.
 */
function takeUpgrades(server: Server, held: Connections<Duplex>, take: TakeUpgrade): void {
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    if (take(request, socket, head)) return held.work(socket);
    socket.unshift(Buffer.concat([headOf(request), head]));
    server.emit('connection', socket);
  });
}

function headOf({ method, url, httpVersion, rawHeaders }: IncomingMessage): Buffer {
  const lines = [`${method} ${url} HTTP/${httpVersion}`];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? '';
    if (!OFFERS.has(name.toLowerCase())) lines.push(`${name}: ${rawHeaders[at + 1]}`);
  }
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
}

const OFFERS: ReadonlySet<string> = new Set(['connection', 'upgrade', 'http2-settings']);

/** What is kept ready goes out before anything else is looked at. */
function withReady(answer: RequestListener, ready: ReadyAnswers): RequestListener {
  return (request, response) => {
    if (!ready.answer(request, response)) answer(request, response);
  };
}

function withStreams(answer: RequestListener, follow: FollowOrder | undefined): RequestListener {
  if (!follow) return answer;
  return (request, response) => {
    const opening =
      request.method === 'GET' ? follow(request.url ?? '', () => headersOf(request)) : undefined;
    if (!opening) return answer(request, response);
    opening.then((opened) => start(opened, response)).catch(() => response.destroy());
  };
}

async function start(opened: OpenStream | Response, response: ServerResponse): Promise<void> {
  if (opened instanceof Response) {
    response.writeHead(opened.status, Object.fromEntries(opened.headers));
    response.end(await opened.text());
    return;
  }
  response.writeHead(200, opened.headers);
  const attached = opened.attach({
    write: (text) => response.write(text),
    end: () => response.end(),
    cut: () => response.destroy(),
  });
  response.on('drain', attached.drained);
  response.once('close', attached.detach);
}

function headersOf({ headers }: IncomingMessage): Headers {
  const copied = new Headers();
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) copied.set(name, Array.isArray(value) ? value.join(', ') : value);
  }
  return copied;
}

function bind(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause) => {
      const message = t`Cannot listen on ${host} port ${port}: ${whyNot(cause)}`;
      reject(new ScripError('INPUT_INVALID', message, { hint: t`Name another --port.`, cause }));
    });
    server.listen(port, host, resolve);
  });
}

/** The system's code as a sentence; its own message would say the address a second time. */
function whyNot(cause: NodeJS.ErrnoException): string {
  const known: Readonly<Record<string, string>> = {
    EADDRINUSE: 'the port is in use',
    EACCES: 'this port is not for this user',
    EADDRNOTAVAIL: 'this machine has no such address',
    ENOTFOUND: 'this host is not known',
  };
  return known[cause.code ?? ''] ?? cause.code ?? 'the system refused';
}

function boundPort(server: Server, asked: number): number {
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : asked;
}

/** Connections that wait for another request end at once, the others with their reply. */
function close(server: Server): Promise<void> {
  return new Promise((resolve, reject) => {
    // Before the listener that answers, which may be done at once.
    server.prependListener('request', (_request, response) =>
      response.setHeader('Connection', 'close'),
    );
    server.close((error) => (error ? reject(error) : resolve()));
    server.closeIdleConnections();
  });
}
