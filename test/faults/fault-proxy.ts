/** The network between buyer and shop: a proxy that spoils the calls it is told to spoil. */
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export const NETWORK_MODES = [
  'pass',
  'reset before',
  'drop reply',
  'delay',
  '502 before',
  '502 after',
  'truncate',
  'duplicate',
] as const;
export type NetworkMode = (typeof NETWORK_MODES)[number];

export const PHASES = ['challenge', 'payment', 'order', 'rpc'] as const;
export type Phase = (typeof PHASES)[number];

export interface NetworkFault {
  readonly phase: Phase;
  /** `404 after` beside the usual ones: the merchant has forgotten what it took. */
  readonly mode: NetworkMode | '404 after';
  /** How many calls of the phase are spoilt. */
  readonly times: number;
}

/** More often than any run calls. */
export const ALWAYS = 1_000;

export interface FaultProxy {
  readonly url: string;
  /** More faults of the calls to come, in order; each stands until it is used up. */
  plan(faults: readonly NetworkFault[]): void;
  /** Forgets all faults. */
  clear(): void;
  /** Calls that were spoilt since the start. */
  readonly spoilt: () => number;
  close(): void;
}

interface Taken {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

const DELAY_MS = 200;

/** @param target address of the shop, asked for at every call: it comes back on the same port */
export async function openProxy(target: () => string): Promise<FaultProxy> {
  let left: { fault: NetworkFault; times: number }[] = [];
  let spoilt = 0;
  const modeOf = (phase: Phase): NetworkFault['mode'] => {
    const next = left.find(({ fault, times }) => fault.phase === phase && times > 0);
    if (next === undefined) return 'pass';
    next.times -= 1;
    if (next.fault.mode !== 'pass') spoilt += 1;
    return next.fault.mode;
  };
  const server = createServer((incoming, response) => {
    carry(incoming, response, modeOf(phaseOf(incoming)), target()).catch(() => {
      incoming.socket.resetAndDestroy();
    });
  });
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    plan: (faults) => {
      // What was not met yet still lies ahead; what would never end is over.
      left = [
        ...left.filter(({ times }) => times > 0 && times < ALWAYS / 2),
        ...faults.map((fault) => ({ fault, times: fault.times })),
      ];
    },
    clear: () => {
      left = [];
    },
    spoilt: () => spoilt,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

function phaseOf({ method, url = '', headers }: IncomingMessage): Phase {
  if (url.startsWith('/rpc')) return 'rpc';
  if (method === 'GET') return 'order';
  return headers['payment-signature'] === undefined ? 'challenge' : 'payment';
}

async function carry(
  incoming: IncomingMessage,
  response: ServerResponse,
  mode: NetworkFault['mode'],
  target: string,
): Promise<void> {
  const body = await readAll(incoming);
  const forward = (): Promise<Taken> => send(incoming, body, target);
  switch (mode) {
    case 'reset before':
      incoming.socket.resetAndDestroy();
      return;
    case '502 before':
      return refuse(response, 502);
    case 'delay':
      await new Promise((resolve) => setTimeout(resolve, DELAY_MS));
      return answer(response, await forward());
    case 'duplicate': {
      const [first] = await Promise.all([forward(), forward()]);
      return answer(response, first);
    }
    case 'drop reply':
      await forward();
      incoming.socket.resetAndDestroy();
      return;
    case '502 after':
    case '404 after':
      await forward();
      return refuse(response, mode === '502 after' ? 502 : 404);
    case 'truncate':
      return truncate(response, await forward());
    case 'pass':
      return answer(response, await forward());
  }
}

async function readAll(stream: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function send(incoming: IncomingMessage, body: Buffer, target: string): Promise<Taken> {
  return new Promise((resolve, reject) => {
    const { connection: _connection, ...headers } = incoming.headers;
    const outgoing = request(
      `${target}${incoming.url ?? '/'}`,
      { method: incoming.method, headers, agent: false },
      (reply) => {
        readAll(reply).then(
          (taken) =>
            resolve({ status: reply.statusCode ?? 502, headers: reply.headers, body: taken }),
          reject,
        );
      },
    );
    outgoing.once('error', reject);
    outgoing.end(body);
  });
}

function answer(response: ServerResponse, { status, headers, body }: Taken): void {
  const { connection: _c, 'transfer-encoding': _t, 'keep-alive': _k, ...kept } = headers;
  response.writeHead(status, { ...kept, 'content-length': body.length });
  response.end(body);
}

function refuse(response: ServerResponse, status: number): void {
  const body = status === 404 ? '{"error":"session_unknown"}' : '<html>bad gateway</html>';
  response.writeHead(status, { 'content-length': body.length });
  response.end(body);
}

function truncate(response: ServerResponse, { status, headers, body }: Taken): void {
  const { connection: _c, 'transfer-encoding': _t, 'keep-alive': _k, ...kept } = headers;
  response.writeHead(status, { ...kept, 'content-length': body.length });
  response.write(body.subarray(0, Math.floor(body.length / 2)), () => response.destroy());
}
