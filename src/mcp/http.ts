/**
 * MCP over Streamable HTTP as a function of requests: sessions as in MCP 2025-06-18, and single calls for
 * clients that open no session, answered in plain JSON if they accept it.
 */
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import {
  isInitializeRequest,
  isJSONRPCRequest,
  SUPPORTED_PROTOCOL_VERSIONS,
} from '@modelcontextprotocol/sdk/types.js';
import type { ToolBackend } from '../api/tool-backend.ts';
import { TOOL_MANIFEST_PATH, TOOL_SERVER_PATHS } from '../contract/tool-manifest.ts';
import type { Clock } from '../domain/clock.ts';
import { type Bucket, type RateLimit, takeToken } from '../domain/rate-limit.ts';
import { describeTools } from './describe-tools.ts';
import {
  accepts,
  EVENTS_TYPE,
  JSON_TYPE,
  type RuleOptions,
  readMessage,
  refusalOf,
  refuseRequest,
} from './http-rules.ts';
import { createToolServer, type ToolServerOptions } from './server.ts';
import { createSessions, type Sessions } from './sessions.ts';

export interface ToolEndpointOptions
  extends Omit<ToolServerOptions, 'backend' | 'ended' | 'clock'>,
    Omit<RuleOptions, 'bodyBytes'> {
  readonly clock: Clock;
  /** For the requests of one address. */
  readonly rate: RateLimit;
  /** Sessions open at once; default 1,000. */
  readonly maxSessions?: number | undefined;
  /** Must return a UUID that cannot be guessed. */
  newSessionId(): string;
  /** Returns who the request acts for; a session is only for its owner. */
  ownerOf(request: Request, address: string): string;
  /** Returns the backend that answers tool calls of this sender. */
  backendFor(request: Request, address: string): ToolBackend;
}

export interface ToolEndpoint {
  /** @param address of the client's socket; empty within one process */
  handle(request: Request, address: string): Promise<Response>;
  close(): Promise<void>;
}

const BODY_BYTES = 64 * 1024;
const PATHS: ReadonlySet<string> = new Set(TOOL_SERVER_PATHS);
const MAX_ADDRESSES = 10_000;
const SESSION_HEADER = 'Mcp-Session-Id';

export function createToolEndpoint(options: ToolEndpointOptions): ToolEndpoint {
  const sessions = createSessions(options.clock, options.maxSessions);
  const limit = createLimit(options);
  const rules = { ...options, bodyBytes: BODY_BYTES };
  const manifest = JSON.stringify(describeTools(options.tools));
  return {
    close: () => sessions.close(),
    async handle(request, address) {
      const limited = limit(address);
      if (limited) return limited;
      const { pathname } = new URL(request.url);
      if (pathname === TOOL_MANIFEST_PATH) return manifestReply(request, manifest);
      if (!PATHS.has(pathname)) return refuseRequest(404, 'Not found.');
      return (
        refusalOf(request, rules) ??
        versionRefusal(request) ??
        answer({ options, sessions, address, rules }, request)
      );
    },
  };
}

interface Parts {
  readonly options: ToolEndpointOptions;
  readonly sessions: Sessions;
  readonly address: string;
  readonly rules: RuleOptions;
}

async function answer(parts: Parts, request: Request): Promise<Response> {
  const { options, sessions, address } = parts;
  if (request.method !== 'POST') return ofSession(parts, request);
  const body = await readMessage(request, parts.rules);
  if (body instanceof Response) return body;
  const { message } = body;
  const takesEvents = accepts(request.headers, EVENTS_TYPE);
  if (request.headers.get(SESSION_HEADER) !== null) {
    return ofSession(parts, request, { message, takesEvents });
  }
  // Ours: a client without a session or event stream gets an answer too.
  if (!takesEvents || !isInitializeRequest(message)) return answerOnce(parts, request, message);
  if (!sessions.makeRoom(address)) {
    const headers = { 'Retry-After': '60' };
    return refuseRequest(503, 'Too many sessions are open; try again later.', { headers });
  }
  const owner = options.ownerOf(request, address);
  const transport: WebStandardStreamableHTTPServerTransport =
    new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: options.newSessionId,
      onsessioninitialized: (id) => sessions.add(id, { transport, owner, address }),
      onsessionclosed: (id) => sessions.remove(id),
    });
  await connect(parts, request, transport);
  return transport.handleRequest(asBoth(request), { parsedBody: message });
}

/**
 * Passes the request to its session. Status 400 without a session id, 404 if the session does not exist or
 * belongs to another caller.
 */
async function ofSession(
  parts: Parts,
  request: Request,
  posted?: { readonly message: unknown; readonly takesEvents: boolean },
): Promise<Response> {
  const { options, sessions, address } = parts;
  const id = request.headers.get(SESSION_HEADER);
  if (id === null) {
    return refuseRequest(400, `${SESSION_HEADER} is missing: initialize first.`);
  }
  const session = sessions.find(id, options.ownerOf(request, address));
  if (!session)
    return refuseRequest(404, 'This session does not exist; initialize again.', NO_SESSION);
  if (posted === undefined) return session.transport.handleRequest(request);
  // The session's transport answers calls only with an event stream.
  if (!posted.takesEvents && isJSONRPCRequest(posted.message)) {
    return answerOnce(parts, request, posted.message);
  }
  return session.transport.handleRequest(asBoth(request), { parsedBody: posted.message });
}

const NO_SESSION = { code: -32001 };

/** Answers one message without a session. */
async function answerOnce(parts: Parts, request: Request, message: unknown): Promise<Response> {
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  await connect(parts, request, transport);
  try {
    const reply = await transport.handleRequest(asBoth(request), { parsedBody: message });
    return accepts(request.headers, JSON_TYPE) ? reply : await asEvent(reply);
  } finally {
    await transport.close();
  }
}

/** The SDK's transport requires both types in Accept, even if it sends only one. */
function asBoth(request: Request): Request {
  const headers = new Headers(request.headers);
  headers.set('Accept', `${JSON_TYPE}, ${EVENTS_TYPE}`);
  return new Request(request.url, { method: 'POST', headers });
}

/** Wraps the reply as one event, for a client that accepts only events. */
async function asEvent(reply: Response): Promise<Response> {
  if (reply.status !== 200) return reply;
  const headers = { 'Content-Type': EVENTS_TYPE, 'Cache-Control': 'no-cache' };
  return new Response(`event: message\ndata: ${await reply.text()}\n\n`, { headers });
}

async function connect(
  { options, address }: Parts,
  request: Request,
  transport: WebStandardStreamableHTTPServerTransport,
): Promise<void> {
  const server = createToolServer({ ...options, backend: options.backendFor(request, address) });
  await server.connect(transport);
}

/** Without the header, assume 2025-03-26, the revision before the header existed. */
function versionRefusal({ headers }: Request): Response | undefined {
  const version = headers.get('MCP-Protocol-Version');
  if (version === null || SUPPORTED_PROTOCOL_VERSIONS.includes(version)) return undefined;
  const known = SUPPORTED_PROTOCOL_VERSIONS.join(', ');
  return refuseRequest(400, `Unsupported protocol version; supported: ${known}.`);
}

/** The manifest is public: any caller may read it, web pages included. */
function manifestReply({ method }: Request, manifest: string): Response {
  if (method !== 'GET' && method !== 'HEAD') {
    return refuseRequest(405, 'This path accepts only GET.', { headers: { Allow: 'GET, HEAD' } });
  }
  const headers = { 'Content-Type': 'application/json', 'Cache-Control': 'no-cache' };
  return new Response(method === 'HEAD' ? null : manifest, { headers });
}

/** Limits requests by address; calls within one process have no address and no limit. */
function createLimit({ clock, rate }: Pick<ToolEndpointOptions, 'clock' | 'rate'>) {
  const buckets = new Map<string, Bucket>();
  return (address: string): Response | undefined => {
    if (address === '') return undefined;
    const { isAllowed, bucket, retryAfterMs } = takeToken(buckets.get(address), rate, clock.now());
    buckets.delete(address);
    buckets.set(address, bucket);
    const [oldest] = buckets.keys();
    if (buckets.size > MAX_ADDRESSES && oldest !== undefined) buckets.delete(oldest);
    if (isAllowed) return undefined;
    const headers = { 'Retry-After': String(Math.ceil(retryAfterMs / 1_000)) };
    return refuseRequest(429, 'Too many requests; wait as long as Retry-After says.', { headers });
  };
}
