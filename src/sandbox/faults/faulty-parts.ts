/** Network faults in front of a server: delayed, refused, dropped or cut replies. */

import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Clock } from '../../domain/clock.ts';
import { ScripError } from '../../domain/message/errors.ts';
import { t } from '../../domain/message/message.ts';
import type { Supplier } from '../../service/delivery/supplier.ts';
import type { FaultOf, FaultPlan } from './fault-plan.ts';
import type { RequestInfo, StatusReply } from './fault-spec.ts';

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

/** Wraps a listener with the plan's faults, except `duplicate`, which needs the whole body. */
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
    clock
      .sleep(waitMs)
      .then(answer)
      .catch(() => response.destroy());
  };
}

function factsOf({ method = 'GET', url = '/', headers }: IncomingMessage): RequestInfo {
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
      holdBack(call, () => request.socket.destroy());
      return;
    case 'cut-reply':
      holdBack(call, (reply) => sendHalf(call, reply));
      return;
    case 'late-status':
      holdBack(call, () => answerStatus(response, fault));
      return;
  }
}

const BODY = JSON.stringify({
  error: 'injected_fault',
  message: 'This failure is simulated by --fault.',
});

function answerStatus(response: ServerResponse, fault: StatusReply): void {
  const { status, retryAfterSeconds } = fault;
  response.writeHead(status, {
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(BODY),
    Connection: 'close',
    ...(retryAfterSeconds === undefined ? {} : { 'Retry-After': String(retryAfterSeconds) }),
  });
  response.end(BODY);
}

function cutLater({ request, response, clock, listener }: Call, afterMs: number): void {
  const cut = (): void => {
    request.socket.destroy();
  };
  clock.sleep(afterMs).then(cut, cut);
  listener(request, response);
}

/** The service's reply: the arguments of its `writeHead`, and the body. */
interface HeldReply {
  readonly head: readonly unknown[];
  readonly body: Buffer;
}

/** Sends the head and half of the body, then closes the connection. */
function sendHalf({ request, response }: Call, { head, body }: HeldReply): void {
  Reflect.apply(response.writeHead, response, head);
  response.write(body.subarray(0, Math.floor(body.length / 2)), () => request.socket.destroy());
}

const HELD = ['writeHead', 'flushHeaders', 'write', 'end'] as const;

/**
 * Lets the service handle the request, holds its reply back, and calls `instead`. It replaces the
 * response's methods, since writes to the socket differ between engines.
 */
function holdBack(
  { request, response, listener }: Call,
  instead: (reply: HeldReply) => void,
): void {
  let head: readonly unknown[] = [200];
  const chunks: Buffer[] = [];
  response.writeHead = (...said: readonly unknown[]) => {
    head = said;
    return response;
  };
  response.flushHeaders = () => undefined;
  response.write = (...said: readonly unknown[]) => {
    keep(chunks, said);
    return true;
  };
  response.end = (...said: readonly unknown[]) => {
    keep(chunks, said);
    for (const name of HELD) Reflect.deleteProperty(response, name);
    instead({ head, body: Buffer.concat(chunks) });
    return response;
  };
  listener(request, response);
}

/** Keeps the chunk of a `write` or `end` call, in any of its overloads, and runs its callback. */
function keep(chunks: Buffer[], said: readonly unknown[]): void {
  const [chunk] = said;
  if (typeof chunk === 'string') chunks.push(Buffer.from(chunk));
  else if (chunk instanceof Uint8Array) chunks.push(Buffer.from(chunk));
  const done = said.at(-1);
  if (typeof done === 'function') queueMicrotask(() => done());
}

// Faults of the supplier (`--fault supplier=…`), in front of the sandbox's supplier.

/** How long a call waits for an answer that never comes. */
const TIMEOUT_MS = 5_000;

/** Calls to the supplier have no request. */
const CALL: RequestInfo = { method: '', path: '', isPaid: false };

export function faultySupplier(supplier: Supplier, plan: FaultPlan, clock: Clock): Supplier {
  return {
    check: async (request) => {
      if (plan.strike(['supplier=unreachable'], CALL)) throw trouble('is unreachable');
      return supplier.check(request);
    },
    fulfil: async (reference, request) => {
      const fault = plan.strike(FULFIL_FAULTS, CALL);
      switch (fault?.kind) {
        case 'supplier=timeout':
          await clock.sleep(TIMEOUT_MS);
          throw trouble(`did not answer within ${TIMEOUT_MS} ms`);
        case 'supplier=error':
          throw trouble('answered with an error');
        case 'supplier=unknown':
          await supplier.fulfil(reference, request);
          throw trouble('sold, and its answer was lost; ask again with the same reference');
        case 'supplier=refused':
          return { outcome: 'refused', reason: 'the supplier declined this purchase' };
        default:
          return supplier.fulfil(reference, request);
      }
    },
  };
}

const FULFIL_FAULTS = [
  'supplier=timeout',
  'supplier=error',
  'supplier=unknown',
  'supplier=refused',
] as const;

function trouble(what: string): ScripError {
  return new ScripError('MERCHANT_ERROR', t`The supplier ${what} (simulated by --fault)`);
}
