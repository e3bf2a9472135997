/** Checks of an HTTP request before its message is parsed, and the reading of that message. */
import { takesAgent } from '../contract/agent.ts';
import { placeOf, placeProblem } from '../domain/own-place.ts';
import { isSameText } from '../domain/same-text.ts';

export interface RuleOptions {
  /** The server's URL for clients, such as `http://127.0.0.1:4020`. */
  readonly baseUrl: string;
  /** The User-Agent that every request must have; default: any. */
  readonly userAgent?: string | undefined;
  /** The `Authorization` header that every request must have; default: none needed. */
  readonly authorization?: string | undefined;
  /** Maximum size of a request body. */
  readonly bodyBytes: number;
}

/** JSON-RPC 2.0's own codes, and the first one of its range for servers. */
export const PARSE_ERROR = -32700;
export const INVALID_REQUEST = -32600;
export const SERVER_ERROR = -32000;
const METHODS = 'GET, POST, DELETE';

export const JSON_TYPE = 'application/json';
export const EVENTS_TYPE = 'text/event-stream';

/** Returns a refusal as a JSON-RPC error, which MCP clients can read. */
export function refuseRequest(
  status: number,
  message: string,
  { code = SERVER_ERROR, headers = {} }: RefusalOptions = {},
): Response {
  const body = { jsonrpc: '2.0', error: { code, message }, id: null };
  return new Response(JSON.stringify(body), {
    status,
    headers: { 'Content-Type': 'application/json', 'Cache-Control': 'no-store', ...headers },
  });
}

interface RefusalOptions {
  readonly code?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * Returns the refusal of a request whose origin, method, sender or headers are not allowed; otherwise
 * undefined.
 */
export function refusalOf(request: Request, options: RuleOptions): Response | undefined {
  const { headers, method } = request;
  const own = new URL(options.baseUrl);
  const problem = placeProblem(placeOf(request), own);
  if (problem !== undefined) return refuseRequest(403, problem);
  if (!METHODS.split(', ').includes(method)) {
    return refuseRequest(405, `This path accepts only ${METHODS}.`, {
      headers: { Allow: METHODS },
    });
  }
  const { authorization } = options;
  if (
    authorization !== undefined &&
    !isSameText(headers.get('Authorization') ?? '', authorization)
  ) {
    const wanted = { 'WWW-Authenticate': 'Bearer' };
    return refuseRequest(401, 'The bearer token of this server is missing.', { headers: wanted });
  }
  if (!takesAgent(options.userAgent, headers.get('User-Agent'))) {
    return refuseRequest(403, `Send the header User-Agent: ${options.userAgent}`);
  }
  return method === 'POST' ? contentRefusal(headers) : undefined;
}

function contentRefusal(headers: Headers): Response | undefined {
  const type = (headers.get('Content-Type') ?? '').split(';')[0]?.trim().toLowerCase();
  if (type !== JSON_TYPE) {
    return refuseRequest(415, 'Send the header Content-Type: application/json');
  }
  if (!accepts(headers, JSON_TYPE) && !accepts(headers, EVENTS_TYPE)) {
    return refuseRequest(406, 'Accept application/json, and text/event-stream for a session.');
  }
  return undefined;
}

/** Whether the client accepts a response of this type; without an Accept header it accepts any. */
export function accepts(headers: Headers, type: string): boolean {
  const ranges = (headers.get('Accept') ?? '*/*')
    .split(',')
    .map((range) => range.split(';')[0]?.trim().toLowerCase());
  return ranges.some(
    (range) => range === type || range === '*/*' || range === `${type.split('/')[0]}/*`,
  );
}

/** Reads the one message of the body, or returns the refusal. */
export async function readMessage(
  request: Request,
  { bodyBytes }: Pick<RuleOptions, 'bodyBytes'>,
): Promise<{ readonly message: unknown } | Response> {
  const text = await readText(request, bodyBytes);
  if (text === undefined) {
    return refuseRequest(413, `The body is larger than ${bodyBytes} bytes.`);
  }
  let message: unknown;
  try {
    message = JSON.parse(text);
  } catch {
    return refuseRequest(400, 'The body is not JSON.', { code: PARSE_ERROR });
  }
  // MCP removed batches in 2025-06-18.
  if (typeof message === 'object' && message !== null && !Array.isArray(message)) {
    return { message };
  }
  return refuseRequest(400, 'The body must be one JSON-RPC message; batches are not supported.', {
    code: INVALID_REQUEST,
  });
}

/** Stops reading at the limit, even if Content-Length says less. */
async function readText(request: Request, limit: number): Promise<string | undefined> {
  if (Number(request.headers.get('Content-Length') ?? 0) > limit) return undefined;
  const decoder = new TextDecoder();
  let text = '';
  let size = 0;
  for await (const chunk of request.body ?? []) {
    size += chunk.byteLength;
    if (size > limit) return undefined;
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}
