/** A proxy as companies have it: it tunnels (CONNECT) to hosts that only it can reach, and denies all others. */
import { createServer, type IncomingMessage } from 'node:http';
import { createServer as createTlsProxy } from 'node:https';
import { connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { createServer as createTlsServer } from 'node:tls';
import { listenOn } from './at-end.ts';
import type { Certified } from './private-ca.ts';

/** In place of a tunnel: the connection ends, or the proxy answers by itself. */
export type Instead = 'cut' | { readonly status: number; readonly rest?: string };

export interface ProxyOptions {
  /** `host:port`, and the address of this machine that it leads to. */
  readonly leads?: Readonly<Record<string, string>>;
  /** `user:password`, without which it answers 407. */
  readonly credentials?: string;
  /** It is an https proxy. */
  readonly certified?: Certified;
  /** @param nth counts the tunnels that were asked for, from 1 */
  readonly instead?: (nth: number) => Instead | undefined;
}

export interface ConnectProxy {
  /** Without credentials. */
  readonly url: string;
  /** `host:port` of every tunnel that was asked for. */
  readonly asked: string[];
  /** The headers of the last one. */
  headers(): IncomingMessage['headers'];
}

export async function openConnectProxy(options: ProxyOptions): Promise<ConnectProxy> {
  const { leads = {}, credentials, certified, instead } = options;
  const asked: string[] = [];
  let last: IncomingMessage['headers'] = {};
  const wanted = credentials && `Basic ${Buffer.from(credentials).toString('base64')}`;
  const refuse = (socket: Duplex, status: number, rest = ''): void => {
    socket.end(`HTTP/1.1 ${status} No\r\ncontent-length: 0\r\n${rest}\r\n`);
  };
  const server = certified === undefined ? createServer() : createTlsProxy(certified);
  server.on('connect', ({ url = '', headers }: IncomingMessage, socket: Duplex) => {
    socket.on('error', () => undefined);
    asked.push(url);
    last = headers;
    if (wanted !== undefined && headers['proxy-authorization'] !== wanted) {
      return refuse(socket, 407, 'proxy-authenticate: Basic realm="company"\r\n');
    }
    const own = instead?.(asked.length);
    if (own === 'cut') return void socket.destroy();
    if (own !== undefined) return refuse(socket, own.status, own.rest);
    const lead = Object.hasOwn(leads, url) ? leads[url] : undefined;
    if (lead === undefined) return refuse(socket, 403);
    socket.write('HTTP/1.1 200 OK\r\n\r\n');
    joinTo(lead, socket);
  });
  // What is asked of it without a tunnel.
  server.on('request', ({ url = '' }, response) => {
    asked.push(url);
    response.writeHead(403).end();
  });
  const url = await listenOn(server);
  return { url: certified ? url.replace('http', 'https') : url, asked, headers: () => last };
}

/** Speaks TLS for a host, and plain http to what stands behind it. @returns its address on this machine */
export function openTlsFront(certified: Certified, behind: () => string): Promise<string> {
  return listenOn(createTlsServer(certified, (socket) => joinTo(behind(), socket)));
}

function joinTo(address: string, socket: Duplex): void {
  const { hostname, port } = new URL(address);
  const other: Socket = connect(Number(port), hostname);
  const end = (): void => {
    other.destroy();
    socket.destroy();
  };
  for (const one of [socket, other]) one.on('error', end).once('close', end);
  socket.pipe(other).pipe(socket);
}
