/** Carries one JSON-RPC call over HTTP and tries again where the node was busy or away. */
import type { Fetch, Reply } from '../../contract/fetch.ts';
import type { Clock } from '../../domain/clock.ts';
import { ScripError } from '../../domain/errors.ts';
import { hostLabel } from '../../domain/loopback.ts';
import { field } from './json.ts';

const DEFAULT_TIMEOUT_MS = 10_000;
/** Every method here may be repeated: reads change nothing, and the same bytes land once at most. */
const RETRY_DELAYS_MS = [200, 800];
const BUSY_STATUSES = new Set([429, 502, 503, 504]);

interface TransportOptions {
  readonly url: string;
  readonly fetch: Fetch;
  readonly clock: Clock;
  readonly timeoutMs?: number;
}

/** @throws {ScripError} from the call: CHAIN_UNREACHABLE alone */
export function openTransport(
  options: TransportOptions,
): (method: string, params: readonly unknown[]) => Promise<unknown> {
  return async (method, params) => {
    // The host alone: addresses of RPC providers carry keys.
    const call = { method, rpc: `The RPC at ${hostLabel(options.url)}` };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    for (const delayMs of RETRY_DELAYS_MS) {
      const reply = await attempt(options, body).catch(() => undefined);
      if (reply && !BUSY_STATUSES.has(reply.status)) return readReply(call, reply);
      await options.clock.sleep(delayMs);
    }
    return readReply(call, await attempt(options, body).catch((cause) => away(call, cause)));
  };
}

/** The node's own error code, when it answered with one: `-32601` is a method it does not serve. */
export function rpcCodeOf(error: unknown): number | undefined {
  if (!(error instanceof ScripError)) return undefined;
  const { rpcCode } = error.details;
  return typeof rpcCode === 'number' ? rpcCode : undefined;
}

interface Call {
  readonly method: string;
  /** The node as messages name it. */
  readonly rpc: string;
}

interface HttpAnswer {
  readonly status: number;
  readonly text: string;
}

async function attempt(options: TransportOptions, body: string): Promise<HttpAnswer> {
  const reply: Reply = await options.fetch(options.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
    redirect: 'error',
    // The network's time and not the program's: a clock that is moved by hand must not end a call.
    signal: AbortSignal.timeout(options.timeoutMs ?? DEFAULT_TIMEOUT_MS),
  });
  return { status: reply.status, text: await reply.text() };
}

function readReply(call: Call, answer: HttpAnswer): unknown {
  const { method, rpc } = call;
  const reply = parseReply(call, answer);
  const error = field(reply, 'error');
  if (error !== undefined && error !== null) {
    throw new ScripError('CHAIN_UNREACHABLE', `${rpc} refused ${method}: ${messageOf(error)}`, {
      details: { method, rpcCode: field(error, 'code'), rpcData: field(error, 'data') },
    });
  }
  if (field(reply, 'result') === undefined) {
    throw new ScripError(
      'CHAIN_UNREACHABLE',
      `${rpc} answered ${method} with status ${answer.status} and no result`,
    );
  }
  return field(reply, 'result');
}

function parseReply({ method, rpc }: Call, { status, text }: HttpAnswer): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new ScripError(
      'CHAIN_UNREACHABLE',
      `${rpc} answered ${method} with status ${status} and no JSON`,
      { cause },
    );
  }
}

function messageOf(error: unknown): string {
  const message = field(error, 'message');
  return typeof message === 'string' ? message.slice(0, 300) : 'no reason given';
}

function away({ method, rpc }: Call, cause: unknown): never {
  throw new ScripError('CHAIN_UNREACHABLE', `${rpc} did not answer ${method}`, { cause });
}
