/** The network between buyer and shop: a proxy that spoils the calls it is told to spoil. */
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { decodeHeader, encodeHeader, PAYMENT_REQUIRED_HEADER } from '../../src/contract/x402.ts';

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

/** How the last payment that was sent ended for who sent it. */
export type Seen = 'nothing' | 'cut' | number;

/** What a node says instead of the truth: `blank`, no history; `dead`, that and a chain far ahead. */
export type Lie = (seen: Seen) => 'dead' | 'blank' | undefined;

/** How the hosts behind it are, for one buyer. */
export interface Surroundings {
  /** The shop offers to keep names of payments, by which it would give an order again. */
  readonly keepsNames: boolean;
  readonly lie?: Lie | undefined;
}

export interface FaultProxy {
  readonly url: string;
  /**
   * More faults of the calls to come, in order; each stands until it is used up.
   * @param isSigned a payment was signed by an earlier run: every call of this one is about it. Else
   * those to the chain before the order is asked for are of the preview, and go through.
   */
  plan(faults: readonly NetworkFault[], isSigned: boolean): void;
  /** Forgets all faults, for another buyer. */
  clear(surroundings: Surroundings): void;
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
  let isUnderWay = false;
  let seen: Seen = 'nothing';
  let here: Surroundings = { keepsNames: true };
  const modeOf = (phase: Phase | undefined): NetworkFault['mode'] => {
    if (phase !== undefined && phase !== 'rpc') isUnderWay = true;
    if (!isUnderWay) return 'pass';
    const next = left.find(({ fault, times }) => fault.phase === phase && times > 0);
    if (next === undefined) return 'pass';
    next.times -= 1;
    if (next.fault.mode !== 'pass') spoilt += 1;
    return next.fault.mode;
  };
  const server = createServer((incoming, response) => {
    const phase = phaseOf(incoming);
    const carried = { incoming, response, mode: modeOf(phase), target: target() };
    if (phase === 'payment') {
      seen = 'cut';
      response.once('finish', () => {
        seen = response.statusCode;
      });
    }
    const told = (reply: Taken, body: Buffer): Taken => {
      if (phase === 'rpc') return retold(reply, body, here.lie?.(seen));
      return here.keepsNames ? reply : withoutNames(reply);
    };
    carry({ ...carried, told }).catch(() => {
      incoming.socket.resetAndDestroy();
    });
  });
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    plan: (faults, isSigned) => {
      isUnderWay = isSigned;
      // What was not met yet still lies ahead; what would never end is over.
      left = [
        ...left.filter(({ times }) => times > 0 && times < ALWAYS / 2),
        ...faults.map((fault) => ({ fault, times: fault.times })),
      ];
    },
    clear: (surroundings) => {
      left = [];
      seen = 'nothing';
      here = surroundings;
    },
    spoilt: () => spoilt,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** Undefined for calls that a purchase is prepared with: catalog and price. */
function phaseOf({ method, url = '', headers }: IncomingMessage): Phase | undefined {
  if (url.startsWith('/rpc')) return 'rpc';
  if (!url.startsWith('/v1/orders')) return undefined;
  if (method === 'GET') return 'order';
  return headers['payment-signature'] === undefined ? 'challenge' : 'payment';
}

interface Carried {
  readonly incoming: IncomingMessage;
  readonly response: ServerResponse;
  readonly mode: NetworkFault['mode'];
  readonly target: string;
  /** What is passed on of a reply to a request. */
  told(reply: Taken, request: Buffer): Taken;
}

async function carry({ incoming, response, mode, target, told }: Carried): Promise<void> {
  const body = await readAll(incoming);
  const forward = async (): Promise<Taken> => told(await send(incoming, body, target), body);
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

/** The shop as one that offers no extension: the buyer alone has to see that it pays once. */
function withoutNames(reply: Taken): Taken {
  const name = PAYMENT_REQUIRED_HEADER.toLowerCase();
  const header = reply.headers[name];
  if (typeof header !== 'string') return reply;
  const required = encodeHeader({ ...Object(decodeHeader(header)), extensions: undefined });
  return { ...reply, headers: { ...reply.headers, [name]: required } };
}

interface RpcCall {
  readonly id: unknown;
  readonly method?: string;
  readonly result?: unknown;
}

/** Blocks that nothing signed today is valid in. */
const FAR_AHEAD = 1_000_000;

/** What the node says, if it is to lie. */
function retold(reply: Taken, request: Buffer, lie: ReturnType<Lie>): Taken {
  const asked = parsed(request);
  const given = parsed(reply.body);
  if (lie === undefined || asked === undefined || given === undefined) return reply;
  const methods = new Map(asked.map(({ id, method }) => [id, method]));
  const answers = given.map((answered) => ({
    ...answered,
    ...lieAbout(methods.get(answered.id), answered.result, lie),
  }));
  const body = Buffer.from(JSON.stringify(answers.length === 1 ? answers[0] : answers));
  return { ...reply, body };
}

function lieAbout(
  method: string | undefined,
  result: unknown,
  lie: 'dead' | 'blank',
): Pick<RpcCall, 'result'> {
  if (method === 'getSignaturesForAddress') return { result: [] };
  if (method !== 'getEpochInfo' || lie === 'blank') return {};
  const { blockHeight, ...info } = Object(result);
  return { result: { ...info, blockHeight: blockHeight + FAR_AHEAD } };
}

/** Calls of JSON-RPC, one or many; undefined for what is none. */
function parsed(body: Buffer): readonly RpcCall[] | undefined {
  try {
    const calls: readonly RpcCall[] = [JSON.parse(body.toString())].flat();
    return calls.every((call) => typeof call === 'object' && call !== null) ? calls : undefined;
  } catch {
    return undefined;
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
