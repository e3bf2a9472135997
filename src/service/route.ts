/** Serves one row of the wire: reads path, query and body through its input schema. */
import type { Context, Hono } from 'hono';
import { type Endpoint, pathFields } from '../contract/endpoint.ts';
import { firstFault } from '../contract/plain-issues.ts';
import { isRefusal, type Refusal, refusalOf, refuse } from './errors.ts';
import { errorReply } from './reply.ts';
import type { Caller } from './traffic.ts';

export type Answer = Response | Refusal;
export type Handler<In> = (input: In, request: Request, caller: Caller) => Answer | Promise<Answer>;

/** What routing needs beside the row. */
export interface RouteOptions {
  readonly bodyBytes: number;
  /** How the surface words a refusal; the checkout host's Error body when it is left out. */
  readonly writeRefusal?: (refusal: Refusal) => Response;
}

/** Adds the one route of a row; faults of ours pass on to the app. */
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
    }, options.writeRefusal),
  );
}

/** What the server knows of who sent a request. */
export function callerOf({ env }: Pick<Context, 'env'>): Caller {
  const caller: Caller | undefined = env;
  return caller ?? {};
}

/** Runs a handler; a refusal, returned or thrown by the domain, becomes an Error body. */
export async function answer(
  work: () => Answer | Promise<Answer>,
  writeRefusal: (refusal: Refusal) => Response = errorReply,
): Promise<Response> {
  try {
    const result = await work();
    return isRefusal(result) ? writeRefusal(result) : result;
  } catch (error) {
    const refusal = refusalOf(error);
    if (!refusal) throw error;
    return writeRefusal(refusal);
  }
}

/** `/v1/orders/{order_id}` as the router writes it: `/v1/orders/:order_id`. */
function routePath(template: string): string {
  return template.replace(/\{(\w+)\}/g, ':$1');
}

interface BodyOptions extends Pick<RouteOptions, 'bodyBytes'> {
  /** What an empty body stands for; it is refused when left out. */
  readonly ifEmpty?: unknown;
}

/** The JSON value of a body. Its Content-Type is not asked for: curl's default is another. */
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
  if (!isDeeper(value, MAX_DEPTH)) return { value };
  return refuse('invalid_request', `The body is nested more than ${MAX_DEPTH} levels deep.`);
}

/** Deeper than any body of the interface; code that walks a value must not run out of stack. */
const MAX_DEPTH = 32;

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1));
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

/** A field that stands twice has no one meaning, so it is refused. */
function readQuery(request: Request): Fields | Refusal {
  const query = new URL(request.url).searchParams;
  const names = [...query.keys()];
  const repeated = names.find((name, index) => names.indexOf(name) !== index);
  if (repeated !== undefined) {
    return refuse('invalid_request', `${repeated.slice(0, 64)}: stands more than once`);
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

/** Reads no more than the limit, even if Content-Length says less. */
async function readText(request: Request, limit: number): Promise<string | undefined> {
  const length = request.headers.get('Content-Length');
  if (length !== null) {
    if (Number(length) > limit) return undefined;
    // A server reads so much and no more. Without a stream it does so at a tenth of the cost.
    const text = await request.text();
    return Buffer.byteLength(text) > limit ? undefined : text;
  }
  if (request.body === null) return '';
  const decoder = new TextDecoder();
  let text = '';
  let size = 0;
  for await (const chunk of request.body) {
    size += chunk.byteLength;
    if (size > limit) return undefined;
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}
