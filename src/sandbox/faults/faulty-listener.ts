/** Faults of the network in front of a server: late, refused, dropped, cut. */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Clock } from '../../domain/clock.ts';
import type { RequestFacts } from './endpoints.ts';
import type { FaultOf, FaultPlan } from './fault-plan.ts';
import type { StatusReply } from './fault-spec.ts';

type ReplyFault = FaultOf<
  'status' | 'late-status' | 'drop-request' | 'drop-reply' | 'cut-reply' | 'stream-cut'
>;

const REPLY_FAULTS = [
  'drop-request',
  'status',
  'late-status',
  'drop-reply',
  'cut-reply',
  'stream-cut',
] as const;

/** The listener with the plan's faults; `duplicate` is not among them, it needs the whole body. */
export function faultyListener(
  listener: RequestListener,
  plan: FaultPlan,
  clock: Clock,
): RequestListener {
  return (request, response) => {
    const facts = factsOf(request);
    const latency = plan.strike(['latency'], facts);
    const fault = plan.strike(REPLY_FAULTS, facts);
    const answer = (): void => apply(fault, { request, response, clock, listener });
    if (latency === undefined) {
      answer();
      return;
    }
    const { fromMs, toMs } = latency;
    const waitMs = Math.round(fromMs + plan.draw() * (toMs - fromMs));
    clock.sleep(waitMs).then(answer, () => response.destroy());
  };
}

function factsOf({ method = 'GET', url = '/', headers }: IncomingMessage): RequestFacts {
  const [path = '/'] = url.split('?');
  return { method, path, isPaid: headers['payment-signature'] !== undefined };
}

interface Call {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly clock: Clock;
  readonly listener: RequestListener;
}

function apply(fault: ReplyFault | undefined, call: Call): void {
  const { request, response, listener } = call;
  switch (fault?.kind) {
    case undefined:
      listener(request, response);
      return;
    case 'drop-request':
      request.socket.destroy();
      return;
    case 'status':
      answerStatus(response, fault);
      return;
    case 'stream-cut':
      cutLater(call, fault.afterMs);
      return;
    case 'drop-reply':
      holdBack(call, () => Buffer.alloc(0));
      return;
    case 'cut-reply':
      holdBack(call, firstHalf);
      return;
    case 'late-status':
      holdBack(call, () => rawReply(fault));
      return;
  }
}

const BODY = JSON.stringify({
  error: 'injected_fault',
  message: 'This failure was asked for with --fault.',
});

function answerStatus(response: ServerResponse, fault: StatusReply): void {
  response.writeHead(fault.status, Object.fromEntries(headersOf(fault)));
  response.end(BODY);
}

function headersOf({ retryAfterSeconds }: StatusReply): readonly (readonly [string, string])[] {
  return [
    ['Content-Type', 'application/json'],
    ['Content-Length', String(Buffer.byteLength(BODY))],
    ['Connection', 'close'],
    ...(retryAfterSeconds === undefined
      ? []
      : [['Retry-After', String(retryAfterSeconds)] as const]),
  ];
}

function rawReply(fault: StatusReply): Buffer {
  const lines = headersOf(fault).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(`HTTP/1.1 ${fault.status} Injected\r\n${lines.join('')}\r\n${BODY}`);
}

/** The head and half of the body. */
function firstHalf(reply: Buffer): Buffer {
  const bodyAt = reply.indexOf('\r\n\r\n') + 4;
  return reply.subarray(0, bodyAt + Math.floor((reply.length - bodyAt) / 2));
}

function cutLater({ request, response, clock, listener }: Call, afterMs: number): void {
  const cut = (): void => {
    request.socket.destroy();
  };
  clock.sleep(afterMs).then(cut, cut);
  listener(request, response);
}

/** Lets the service do its work, keeps its reply, and sends something else before hanging up. */
function holdBack(call: Call, instead: (reply: Buffer) => Buffer): void {
  const { request, response, listener } = call;
  const { socket } = request;
  const write = socket.write.bind(socket);
  const held: Buffer[] = [];
  socket.write = swallow((chunk) => held.push(chunk));
  // Before the server hangs up, where the service said that it would.
  response.prependOnceListener('finish', () => {
    const reply = instead(Buffer.concat(held));
    if (reply.length === 0) socket.destroy();
    else write(reply, () => socket.destroy());
  });
  listener(request, response);
}

/** In the place of a socket's `write`, in all its forms. */
function swallow(take: (chunk: Buffer) => void): Socket['write'] {
  return (
    chunk: Uint8Array | string,
    second?: BufferEncoding | ((error?: Error | null) => void),
    third?: (error?: Error | null) => void,
  ): boolean => {
    const encoding = typeof second === 'string' ? second : 'utf8';
    take(typeof chunk === 'string' ? Buffer.from(chunk, encoding) : Buffer.from(chunk));
    const done = typeof second === 'function' ? second : third;
    if (done) queueMicrotask(() => done());
    return true;
  };
}
