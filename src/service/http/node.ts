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
import { getRequestListener, RequestError } from '@hono/node-server';
import { lastHop } from '../../domain/address/forwarded-for.ts';
import { isLoopbackHost } from '../../domain/address/loopback.ts';
import { isInRanges, networkOf } from '../../domain/address/public-address.ts';
import { ScripError } from '../../domain/message/errors.ts';
import { t } from '../../domain/message/message.ts';
import type { FollowOrder, OpenStream } from '../partner/events/stream.ts';
import { type Connections, createConnections, type Room } from './connections.ts';
import { createReadyAnswers, type ReadyAnswers, readerOf } from './ready-answers.ts';
import { jsonReply } from './replies.ts';
import type { Caller } from './route.ts';

export interface ListenOptions {
  handler(request: Request, caller: Caller): Response | Promise<Response>;
  /** Writes streams directly to the socket: web `Response`s would take twice the memory. */
  readonly follow?: FollowOrder;
  /** Wraps what the service answers, streams included; of cached answers it only counts each. */
  readonly observed?: { around(listener: RequestListener): RequestListener; cached(): void };
  /** Wraps the whole listener, streams included. */
  readonly around?: ((listener: RequestListener) => RequestListener) | undefined;
  /** Takes over connections for another protocol; without it, every request is answered as HTTP. */
  readonly upgrade?: TakeUpgrade;
  /** 0 takes any free port. */
  readonly port: number;
  /** Address to bind, such as 127.0.0.1. */
  readonly host: string;
  readonly limits?: Partial<ConnectionLimits>;
  /** Addresses and networks of the operator's proxies, whose `X-Forwarded-For` is trusted. */
  readonly trustedProxies?: readonly string[] | undefined;
  /** Hears of every fault that was answered with 500. */
  report?(error: unknown): void;
}

/** Takes over a connection; if it returns false, the request is answered as if it offered no upgrade. */
export type TakeUpgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) => boolean;

/** Limits per connection, per address and in total. */
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
  /** Ends each connection after its next answer, so that its client opens the next one elsewhere. */
  drain(): void;
  /** Accepts no new connections, lets running requests finish, then resolves. */
  close(): Promise<void>;
}

/** Limits slow senders (docs/operate/limits.md). */
const CONNECTION_LIMITS: ConnectionLimits = {
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 30_000,
  checkEveryMs: 2_000,
  /** A thousand streams, and room for all other requests. */
  connections: 2048,
  perAddress: 256,
};
const MAX_HEADER_BYTES = 8 * 1024;

/** Starts listening. @throws {ScripError} INPUT_INVALID when the port is taken or may not be bound */
export async function listen(options: ListenOptions): Promise<Listening> {
  const { handler, follow, observed, upgrade, port, host } = options;
  const { around = (listener: RequestListener) => listener, report = () => undefined } = options;
  const limits = { ...CONNECTION_LIMITS, ...forHost(host), ...options.limits };
  const isProxy = (address: string) => isInRanges(address, options.trustedProxies ?? []);
  const ready = createReadyAnswers();
  const ask = getRequestListener(
    async (request, { incoming }) => {
      return ready.keep(incoming, await handler(request, callerOf(incoming, isProxy)));
    },
    { hostname: host, errorHandler: (error) => faultReply(error, report) },
  );
  const streams = follow && {
    follow,
    addressOf: (asked: IncomingMessage) => callerOf(asked, isProxy).address,
  };
  const asked = guarded(withStreams(ask, streams), report);
  const answer = around(withReady(observed?.around(asked) ?? asked, ready, observed?.cached));
  const held = createConnections<Duplex>(limits);
  const server = createServer(timeouts(limits), counted(guarded(answer, report), held));
  shareOut(server, held, isProxy);
  if (upgrade) takeUpgrades(server, held, (...offered) => upgradeOrEnd(upgrade, report, offered));
  await bind(server, port, host);
  const bound = boundPort(server, port);
  const name = host.includes(':') ? `[${host}]` : host;
  return {
    url: `http://${name}:${bound}`,
    port: bound,
    drain: () => drain(server),
    close: () => close(server),
  };
}

function callerOf(
  { headers, socket }: Pick<IncomingMessage, 'headers' | 'socket'>,
  isProxy: (address: string) => boolean,
): { readonly address: string; readonly claims: string } {
  // Node joins repeated headers of this name.
  const claims = String(headers['x-forwarded-for'] ?? '');
  const hop = lastHop(claims, socket.remoteAddress ?? '', isProxy);
  return { address: networkOf(hop.address), claims: hop.claims };
}

/** If only this machine can connect, all programs share one address. */
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

/** Closes surplus connections as soon as they arrive, so they take no places of other addresses. */
function shareOut(
  server: Server,
  held: Connections<Duplex>,
  isProxy: (address: string) => boolean,
): void {
  let ofProxies = 0;
  // A proxy carries connections of many callers, so each counts as its own address.
  const partyOf = (address: string): string => {
    if (!isProxy(address)) return networkOf(address);
    ofProxies += 1;
    return `${address} ${ofProxies}`;
  };
  server.on('connection', (socket: Socket) => {
    // `takeUpgrades` emits a socket again that is already counted.
    if (held.has(socket)) return;
    const { remoteAddress } = socket;
    // A socket that has already closed has no address.
    const closed =
      remoteAddress === undefined ? socket : held.enter(socket, partyOf(remoteAddress));
    closed?.destroy();
    if (closed !== socket) socket.once('close', () => held.leave(socket));
  });
}

/** Counts a connection as busy until its answer is sent; most lists are sent before this returns. */
function counted(answer: RequestListener, held: Connections<Duplex>): RequestListener {
  return (request, response) => {
    const { socket } = request;
    held.work(socket);
    answer(request, response);
    if (response.writableFinished) held.rest(socket);
    else response.once('close', () => held.rest(socket));
  };
}

/**
 * With an upgrade listener, node:http passes every request that offers an upgrade to it: curl and
 * Java offer HTTP/2 unasked, and may be answered without it (RFC 9110, 7.8). Such a request is
 * parsed again from its bytes, without the offer.
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

/** An error of the taker does not end the process. */
function upgradeOrEnd(
  take: TakeUpgrade,
  report: Report,
  [request, socket, head]: Parameters<TakeUpgrade>,
): boolean {
  try {
    return take(request, socket, head);
  } catch (error) {
    report(error);
    socket.on('error', () => socket.destroy());
    socket.end(
      'HTTP/1.1 500 Internal Server Error\r\nConnection: close\r\nContent-Length: 0\r\n\r\n',
    );
    return true;
  }
}

const OFFERS: ReadonlySet<string> = new Set(['connection', 'upgrade', 'http2-settings']);

/** Sends prepared answers before anything else looks at the request. */
function withReady(
  answer: RequestListener,
  ready: ReadyAnswers,
  cached: () => void = () => undefined,
): RequestListener {
  return (request, response) => {
    if (ready.answer(request, response)) cached();
    else answer(request, response);
  };
}

type Report = (error: unknown) => void;
/** What a listener returns may be the promise of its answer. */
type Answering = (request: IncomingMessage, response: ServerResponse) => unknown;

/** Answers what the listener throws, at once or later: nothing that a caller sends may end the process. */
function guarded(listener: Answering, report: Report): RequestListener {
  return (request, response) => {
    const fail = (error: unknown): void => {
      report(error);
      if (response.headersSent) response.destroy();
      else response.writeHead(500, { 'Content-Type': 'application/json' }).end(FAULT);
    };
    try {
      const answering = listener(request, response);
      if (answering instanceof Promise) answering.catch(fail);
    } catch (error) {
      fail(error);
    }
  };
}

const FAULT_BODY = {
  error: 'internal_error',
  message: 'The service failed; you can repeat the request.',
};
const FAULT = JSON.stringify(FAULT_BODY);

/** A request from which no `Request` can be made is the caller's fault; everything else is ours. */
function faultReply(error: unknown, report: Report): Response {
  if (error instanceof RequestError) return new Response(null, { status: 400 });
  report(error);
  return jsonReply(FAULT_BODY, 500);
}

interface Streams {
  readonly follow: FollowOrder;
  addressOf(request: IncomingMessage): string;
}

function withStreams(answer: Answering, streams: Streams | undefined): Answering {
  if (!streams) return answer;
  const { follow, addressOf } = streams;
  return (request, response) => {
    if (request.method !== 'GET') return answer(request, response);
    const { url = '' } = request;
    const opening = follow(
      url,
      () => readerOf(request),
      () => addressOf(request),
    );
    return opening?.then((opened) => start(opened, response)) ?? answer(request, response);
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

function bind(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause) => {
      const message = t`Cannot listen on ${host} port ${port}: ${whyNot(cause)}`;
      reject(new ScripError('INPUT_INVALID', message, { hint: t`Choose another --port.`, cause }));
    });
    server.listen(port, host, resolve);
  });
}

/** Explains the system's error code; its own message would repeat the address. */
function whyNot(cause: NodeJS.ErrnoException): string {
  const known: Readonly<Record<string, string>> = {
    EADDRINUSE: 'the port is in use',
    EACCES: 'this user may not use this port',
    EADDRNOTAVAIL: 'this machine has no such address',
    ENOTFOUND: 'this host is unknown',
  };
  return known[cause.code ?? ''] ?? cause.code ?? 'the system refused';
}

function boundPort(server: Server, asked: number): number {
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : asked;
}

/** As many connections as node:http lets the system queue. */
const MOST_QUEUED = 511;

/**
 * Takes connections that the system has accepted and this process has not: closing would reset
 * them. A turn of the event loop takes one.
 */
async function takeQueued(server: Server): Promise<void> {
  let isTaken = true;
  const note = () => {
    isTaken = true;
  };
  server.on('connection', note);
  for (let taken = 0; isTaken && taken < MOST_QUEUED; taken += 1) {
    isTaken = false;
    for (const _turn of [1, 2]) await new Promise((resolve) => setImmediate(resolve));
  }
  server.off('connection', note);
}

function drain(server: Server): void {
  // Runs before the answering listener, which may finish at once.
  server.prependListener('request', (_request, response) =>
    response.setHeader('Connection', 'close'),
  );
}

/** Closes idle connections at once, the others after their reply. */
async function close(server: Server): Promise<void> {
  drain(server);
  await takeQueued(server);
  await new Promise<void>((resolve, reject) => {
    server.close((error) => (error ? reject(error) : resolve()));
    server.closeIdleConnections();
  });
}
