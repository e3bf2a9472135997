/** Callers at addresses of their own, without another machine: Linux answers on all of 127.0.0.0/8. */
import { type IncomingHttpHeaders, request } from 'node:http';
import { connect, type Socket } from 'node:net';

export interface Answered {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

interface Sent {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** One request over a connection of its own. */
export function sendFrom(localAddress: string, url: string, sent: Sent = {}): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const { method = 'GET', headers = {}, body } = sent;
    const outgoing = request(url, { method, headers, localAddress, agent: false }, (reply) => {
      let text = '';
      reply.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
      reply.on('error', reject);
      reply.on('end', () =>
        resolve({ status: reply.statusCode ?? 0, headers: reply.headers, body: text }),
      );
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

/** Connections that say nothing, once they stand; those that the server ended are destroyed. */
export function holdIdle(
  localAddress: string,
  url: string,
  count: number,
): Promise<readonly Socket[]> {
  const { hostname, port } = new URL(url);
  return Promise.all(
    Array.from(
      { length: count },
      () =>
        new Promise<Socket>((resolve) => {
          const socket = connect({ host: hostname, port: Number(port), localAddress });
          socket.once('connect', () => resolve(socket));
          socket.on('error', () => resolve(socket));
          // Read, or the end of the connection is never seen.
          socket.resume();
        }),
    ),
  );
}
