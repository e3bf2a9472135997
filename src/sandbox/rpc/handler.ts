/** JSON-RPC 2.0 over the chain: single calls or batches, as Solana's nodes serve it. */

import { placeOf, placeProblem } from '../../domain/address/loopback.ts';
import { readText } from '../../service/http/route.ts';
import type { Chain } from '../chain/chain.ts';
import { accountMethods } from './accounts.ts';
import { blockMethods } from './blocks.ts';
import { faultOf, type Method, type Params, RPC_CODES, type RpcFault, record } from './protocol.ts';
import { faucetMethods, transactionMethods } from './transactions.ts';

const METHODS: ReadonlyMap<string, Method> = new Map<string, Method>(
  Object.entries({ ...accountMethods, ...blockMethods, ...transactionMethods, ...faucetMethods }),
);

/** Maximum number of calls in a batch. */
const MAX_BATCH = 100;

/** Answers a parsed body: a single call with its answer, a batch with a list. Never throws. */
export function createRpcHandler(chain: Chain): (body: unknown) => Promise<unknown> {
  return (body) =>
    answerBody(body, (name) => {
      const method = METHODS.get(name);
      return method && ((params) => method(chain, params));
    });
}

type MethodOf = (name: string) => ((params: Params) => Promise<unknown>) | undefined;

/** Answers a single call, or a batch, with the methods that they name. Never throws. */
export async function answerBody(body: unknown, methodOf: MethodOf): Promise<unknown> {
  if (!Array.isArray(body)) return answerCall(body, methodOf);
  if (body.length === 0 || body.length > MAX_BATCH) {
    return failed(null, { code: RPC_CODES.request, message: 'Invalid request: batch size' });
  }
  return Promise.all(body.map((call) => answerCall(call, methodOf)));
}

/** The answer to a body that is not JSON. */
export const PARSE_FAILED = failed(null, { code: RPC_CODES.parse, message: 'Parse error' });

/** Answers one call with the method it names. Never throws. */
export async function answerCall(body: unknown, methodOf: MethodOf): Promise<unknown> {
  const call = record(body);
  const id = idOf(call?.id);
  if (call?.jsonrpc !== '2.0' || typeof call.method !== 'string') {
    return failed(id, { code: RPC_CODES.request, message: 'Invalid request' });
  }
  const method = methodOf(call.method);
  if (!method) return failed(id, { code: RPC_CODES.method, message: 'Method not found' });
  const params: unknown = call.params ?? [];
  if (!Array.isArray(params)) {
    return failed(id, { code: RPC_CODES.params, message: 'Invalid params: expected a list' });
  }
  try {
    return { jsonrpc: '2.0', result: await method(params), id };
  } catch (error) {
    return failed(id, faultOf(error));
  }
}

function idOf(id: unknown): string | number | null {
  return typeof id === 'string' || typeof id === 'number' ? id : null;
}

function failed(id: string | number | null, error: RpcFault): unknown {
  return { jsonrpc: '2.0', error, id };
}

// The JSON-RPC handler as an HTTP endpoint.

/** Path of the Solana RPC on every server of this package. */
export const RPC_PATH = '/rpc';
/** Path of the RPC of Base beside it. */
export const BASE_RPC_PATH = '/rpc/base';

export function isRpcPath(path: string): boolean {
  return path === RPC_PATH || path === BASE_RPC_PATH;
}

/** Nodes accept 50 KiB per call; this also fits batches of a hundred small calls. */
const MAX_BODY_BYTES = 256 * 1024;

/** Answers POST requests with JSON; like a node, it reports RPC errors with status 200. */
export function createRpcEndpoint(chain: Chain): (request: Request) => Promise<Response> {
  return endpointOver(createRpcHandler(chain));
}

/** Serves a handler of JSON-RPC bodies by HTTP. */
export function endpointOver(
  handle: (body: unknown) => Promise<unknown>,
): (request: Request) => Promise<Response> {
  return async (request) => {
    if (request.method !== 'POST') {
      return new Response('Used HTTP Method is not allowed. POST is required\n', {
        status: 405,
        headers: { allow: 'POST' },
      });
    }
    const text = await readText(request, MAX_BODY_BYTES);
    if (text === undefined) return new Response('Payload too large\n', { status: 413 });
    return Response.json(await answerText(handle, text));
  };
}

/**
 * Limits an endpoint to programs and to web pages of this machine, which it allows to read the
 * answers (CORS).
 */
export function forOwnPages(
  answer: (request: Request) => Promise<Response>,
  baseUrl: string,
): (request: Request) => Promise<Response> {
  const own = new URL(baseUrl);
  return async (request) => {
    const place = placeOf(request);
    const problem = placeProblem(place, own);
    if (problem !== undefined) return new Response(`${problem}\n`, { status: 403 });
    if (place.origin === null) return answer(request);
    const isAsking = request.method === 'OPTIONS';
    const response = isAsking ? new Response(null, { status: 204 }) : await answer(request);
    for (const [name, value] of Object.entries(forPage(place.origin))) {
      response.headers.set(name, value);
    }
    return response;
  };
}

/** Standard clients send their name in the header Solana-Client. */
function forPage(origin: string): Readonly<Record<string, string>> {
  return {
    'Access-Control-Allow-Origin': origin,
    'Access-Control-Allow-Methods': 'POST',
    'Access-Control-Allow-Headers': 'Content-Type, Solana-Client',
    Vary: 'Origin',
  };
}

async function answerText(
  handle: (body: unknown) => Promise<unknown>,
  text: string,
): Promise<unknown> {
  try {
    const body: unknown = JSON.parse(text);
    return await handle(body);
  } catch {
    return PARSE_FAILED;
  }
}
