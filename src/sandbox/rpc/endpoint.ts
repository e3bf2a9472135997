/** The JSON-RPC handler as an HTTP endpoint. */
import { placeOf, placeProblem } from '../../domain/own-place.ts';
import type { Chain } from '../chain/chain.ts';
import { createRpcHandler, PARSE_FAILED } from './handler.ts';

/** Path of the RPC at every server of ours. */
export const RPC_PATH = '/rpc';

/** Nodes take 50 KiB a call; batches of a hundred small ones fit as well. */
const MAX_BODY_BYTES = 256 * 1024;

/** Answers a POST with JSON; errors of the protocol are answers with status 200, as nodes give them. */
export function createRpcEndpoint(chain: Chain): (request: Request) => Promise<Response> {
  const handle = createRpcHandler(chain);
  return async (request) => {
    if (request.method !== 'POST') {
      return new Response('Used HTTP Method is not allowed. POST is required\n', {
        status: 405,
        headers: { allow: 'POST' },
      });
    }
    const text = await readText(request);
    if (text === undefined) return new Response('Payload too large\n', { status: 413 });
    return Response.json(await answerText(handle, text));
  };
}

/** The endpoint for programs, and for pages of this machine, which may read its answers. */
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

/** The standard clients name themselves in a header of their own. */
function forPage(origin: string): Readonly<Record<string, string>> {
  return {
    'Access-Control-Allow-Origin': origin,
    'Access-Control-Allow-Methods': 'POST',
    'Access-Control-Allow-Headers': 'Content-Type, Solana-Client',
    Vary: 'Origin',
  };
}

/** The body, or undefined as soon as it is longer than allowed. */
async function readText(request: Request): Promise<string | undefined> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of request.body ?? []) {
    length += chunk.length;
    if (length > MAX_BODY_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
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
