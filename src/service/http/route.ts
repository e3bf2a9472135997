/** Serves one endpoint: reads path, query and body through its input schema. */
import type { Context, Hono } from 'hono';
import { type Endpoint, pathFields } from '../../contract/endpoint.ts';
import { boundedText } from '../../contract/fetch.ts';
import { firstFault } from '../../contract/plain-issues.ts';
import { errorReply, isRefusal, type Refusal, refusalOf, refuse } from './replies.ts';

/** What the server knows of a caller; empty if the service is called inside a process. */
export interface Caller {
  /**
   * Address of the socket, or of the hop before the operator's proxies; for IPv6 its network. Other
   * claims in headers are not trusted.
   */
  readonly address?: string | undefined;
  /** `X-Forwarded-For` without the entries of the operator's proxies; by default the header itself. */
  readonly claims?: string | undefined;
}

export type Answer = Response | Refusal;
export type Handler<In> = (input: In, request: Request, caller: Caller) => Answer | Promise<Answer>;

/** What routing needs besides the endpoint. */
export interface RouteOptions {
  readonly bodyBytes: number;
  /** Formats a refusal for the surface; by default the checkout host's Error body. */
  readonly writeRefusal?: (refusal: Refusal) => Response;
  /** Told why the service refuses what it should take: callers learn no hosts and balances. */
  readonly report?: ((error: unknown) => void) | undefined;
}

/** Adds the route of an endpoint; bugs propagate to the app. */
export function serve<In>(
  app: Hono,
  row: Endpoint<In, unknown>,
  options: RouteOptions,
  handler: Handler<In>,
): void {
  app.on(row.method, routePath(row.path), (context) =>
    answer(async () => {
      const fields = await readFields(row, context.req.raw, context.req.param(), options);
      if (isRefusal(fields)) return fields;
      const parsed = row.input().safeParse(fields.fields);
      if (!parsed.success) return refuse('invalid_request', firstFault(row.input(), fields.fields));
      return handler(parsed.data, context.req.raw, callerOf(context));
    }, options),
  );
}

/** Returns what the server knows of the client. */
export function callerOf({ env }: Pick<Context, 'env'>): Caller {
  return env ?? {};
}

/** Runs a handler; converts a refusal, returned or thrown by the domain, to an Error body. */
export async function answer(
  work: () => Answer | Promise<Answer>,
  { writeRefusal = errorReply, report }: Omit<RouteOptions, 'bodyBytes'> = {},
): Promise<Response> {
  try {
    const result = await work();
    return isRefusal(result) ? writeRefusal(result) : result;
  } catch (error) {
    const refusal = refusalOf(error);
    if (!refusal) throw error;
    if (refusal.status >= 500) report?.(error);
    return writeRefusal(refusal);
  }
}

/** Converts `/v1/orders/{order_id}` to the router's form, `/v1/orders/:order_id`. */
function routePath(template: string): string {
  return template.replace(/\{(\w+)\}/g, ':$1');
}

interface BodyOptions extends Pick<RouteOptions, 'bodyBytes'> {
  /** Value of an empty body; if omitted, an empty body is refused. */
  readonly ifEmpty?: unknown;
}

/** Reads a JSON body. Ignores its Content-Type: curl's default is not JSON. */
export async function readJson(
  request: Request,
  { bodyBytes, ifEmpty }: BodyOptions,
): Promise<{ readonly value: unknown } | Refusal> {
  const text = await readText(request, bodyBytes);
  if (text === '' && ifEmpty !== undefined) return { value: ifEmpty };
  if (text === undefined) {
    return refuse('payload_too_large', `The body is larger than ${bodyBytes} bytes.`);
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return refuse('invalid_request', 'The body is not JSON.');
  }
  const problem = problemOf(value, MAX_DEPTH);
  return problem === undefined ? { value } : refuse('invalid_request', `The body ${problem}.`);
}

/** Deeper than any body of the interface; protects recursive code from stack overflow. */
const MAX_DEPTH = 32;

function problemOf(value: unknown, levels: number): string | undefined {
  if (typeof value === 'string') return isStorable(value) ? undefined : UNSTORABLE;
  if (typeof value !== 'object' || value === null) return undefined;
  if (levels === 0) return `is nested more than ${MAX_DEPTH} levels deep`;
  for (const [name, inner] of Object.entries(value)) {
    const problem = problemOf(name, 0) ?? problemOf(inner, levels - 1);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** Whether every engine can store the text as it is: PostgreSQL refuses NUL and half a surrogate pair. */
export function isStorable(text: string): boolean {
  return !/[\0\p{Surrogate}]/u.test(text);
}

const UNSTORABLE = 'holds NUL or half a surrogate pair';
const NUL_IN_URL = /%00/;

/** Refuses such text in any path or query; percent codes can be no half of a surrogate pair. */
export function urlProblem({ url }: Pick<Request, 'url'>): Refusal | undefined {
  return NUL_IN_URL.test(url) ? refuse('invalid_request', 'The URL holds NUL.') : undefined;
}

type Fields = { readonly fields: Readonly<Record<string, unknown>> };

async function readFields(
  row: Endpoint,
  request: Request,
  path: Readonly<Record<string, string>>,
  options: RouteOptions,
): Promise<Fields | Refusal> {
  const rest = row.method === 'GET' ? readQuery(request) : await readBody(request, options);
  if (isRefusal(rest)) return rest;
  const fromPath = pathFields(row.path).map((name) => [name, path[name]] as const);
  return { fields: { ...rest.fields, ...Object.fromEntries(fromPath) } };
}

/** Refuses repeated fields, since their meaning is ambiguous. */
function readQuery(request: Request): Fields | Refusal {
  const query = new URL(request.url).searchParams;
  const names = [...query.keys()];
  const repeated = names.find((name, index) => names.indexOf(name) !== index);
  if (repeated !== undefined) {
    return refuse('invalid_request', `${repeated.slice(0, 64)}: given more than once`);
  }
  return { fields: Object.fromEntries(query) };
}

async function readBody(request: Request, options: RouteOptions): Promise<Fields | Refusal> {
  const body = await readJson(request, options);
  if (isRefusal(body)) return body;
  const { value } = body;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return refuse('invalid_request', 'The body is not a JSON object.');
  }
  return { fields: { ...value } };
}

/** Returns the body as text; undefined if it is longer. */
export async function readText(request: Request, limit: number): Promise<string | undefined> {
  const length = request.headers.get('Content-Length');
  if (length !== null) {
    if (Number(length) > limit) return undefined;
    // The server stops reading at Content-Length, and `text()` costs a tenth of reading the stream.
    const text = await request.text();
    return Buffer.byteLength(text) > limit ? undefined : text;
  }
  return boundedText(request.body, limit);
}
