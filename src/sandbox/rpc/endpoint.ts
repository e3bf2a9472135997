/** The JSON-RPC handler as an HTTP endpoint. */
import { placeOf, placeProblem } from '../../domain/own-place.ts';
import { readText } from '../../service/route.ts';
import type { Chain } from '../chain/chain.ts';
import { createRpcHandler, PARSE_FAILED } from './handler.ts';

/** Path of the RPC on every server of this package. */
export const RPC_PATH = '/rpc';

/** Nodes accept 50 KiB per call; this also fits batches of a hundred small calls. */
const MAX_BODY_BYTES = 256 * 1024;

/** Answers POST requests with JSON; like a node, it reports RPC errors with status 200. */
export function createRpcEndpoint(chain: Chain): (request: Request) => Promise<Response> {
  const handle = createRpcHandler(chain);
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
