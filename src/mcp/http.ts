/**
 * MCP over Streamable HTTP as a function of requests: stateless calls of 2026-07-28, sessions as before it, and
 * single calls for clients that open no session, answered in plain JSON if they accept it.
 */

import {
  createMcpHandler,
  isInitializeRequest,
  isJSONRPCRequest,
  isLegacyRequest,
  type McpRequestContext,
  type Server,
  SUPPORTED_PROTOCOL_VERSIONS,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import type { ToolBackend } from '../api/tool-backend.ts';
import { takesAgent } from '../contract/agent.ts';
import { boundedText } from '../contract/fetch.ts';
import { TOOL_MANIFEST_PATH, TOOL_SERVER_PATHS } from '../contract/tool-manifest.ts';
import { placeOf, placeProblem } from '../domain/address/loopback.ts';
import { parseJson } from '../domain/attempt.ts';
import type { Clock } from '../domain/clock.ts';
import { ScripError } from '../domain/message/errors.ts';
import { verbatim } from '../domain/message/message.ts';
import { type Bucket, giverOf, type RateLimit, takeToken } from '../domain/rate-limit.ts';
import { createRecent } from '../domain/recent.ts';
import { isSameText } from '../domain/secret-word.ts';
import { describeTools } from './describe-tools.ts';
import { createToolServer, type ToolServerOptions } from './server.ts';

export interface ToolEndpointOptions
  extends Omit<ToolServerOptions, 'backend' | 'ended' | 'owner'> {
  readonly clock: Clock;
  /** The server's URL for clients, such as `http://127.0.0.1:4020`. */
  readonly baseUrl: string;
  /** The User-Agent that every request must have; default: any. */
  readonly userAgent?: string | undefined;
  /** The `Authorization` header that every request must have; default: none needed. */
  readonly authorization?: string | undefined;
  /** For the requests of one address. */
  readonly rate: RateLimit;
  /** Sessions open at once; default 1,000. */
  readonly maxSessions?: number | undefined;
  /** Must return a UUID that cannot be guessed. */
  newSessionId(): string;
  /** Returns who the request acts for; a session is only for its owner. */
  ownerOf(request: Request): string;
  /** Returns the backend that answers tool calls of this sender. */
  backendFor(request: Request, address: string): ToolBackend;
}

const BODY_BYTES = 64 * 1024;
const PATHS: ReadonlySet<string> = new Set(TOOL_SERVER_PATHS);
const MAX_ADDRESSES = 10_000;
const SESSION_HEADER = 'Mcp-Session-Id';

export function createToolEndpoint(options: ToolEndpointOptions) {
  const sessions = createSessions(options.clock, options.maxSessions);
  const stateless = createStateless(options);
  const limit = createLimit(options);
  const manifest = JSON.stringify(describeTools(options.tools));
  return {
    close: async () => {
      await Promise.all([sessions.close(), stateless.close()]);
    },
    /** @param address of the client's socket; empty within one process */
    async handle(request: Request, address: string): Promise<Response> {
      const limited = limit(address);
      if (limited) return limited;
      const { pathname } = new URL(request.url);
      if (pathname === TOOL_MANIFEST_PATH) return manifestReply(request, manifest);
      if (!PATHS.has(pathname)) return refuseRequest(404, 'Not found.');
      return (
        refusalOf(request, options) ?? answer({ options, sessions, stateless, address, request })
      );
    },
  };
}

export type ToolEndpoint = ReturnType<typeof createToolEndpoint>;

interface Asked {
  readonly options: ToolEndpointOptions;
  readonly sessions: ReturnType<typeof createSessions>;
  readonly stateless: ReturnType<typeof createStateless>;
  readonly address: string;
  readonly request: Request;
}

async function answer(asked: Asked): Promise<Response> {
  const { options, sessions, address, request } = asked;
  const posted = request.method === 'POST' ? await readMessage(request) : undefined;
  if (posted instanceof Response) return posted;
  if (posted !== undefined && !(await isLegacyRequest(request, posted.message))) {
    return asked.stateless.answer(request, { address, message: posted.message });
  }
  const refusal = versionRefusal(request.headers);
  if (refusal) return refusal;
  const takesEvents = accepts(request.headers, EVENTS_TYPE);
  const id = request.headers.get(SESSION_HEADER);
  if (posted === undefined || id !== null) {
    if (id === null) return refuseRequest(400, `${SESSION_HEADER} is missing: initialize first.`);
    // One of another caller does not exist for this one.
    const session = sessions.find(id, options.ownerOf(request));
    if (!session) {
      const code = -32001;
      return refuseRequest(404, 'This session does not exist; initialize again.', { code });
    }
    if (posted === undefined) return session.transport.handleRequest(request);
    // The session's transport answers calls only with an event stream.
    const isCall = isJSONRPCRequest(posted.message);
    if (takesEvents || !isCall) return hand(session.transport, request, posted);
    return answerOnce(asked, posted);
  }
  // Ours: a client without a session or event stream gets an answer too.
  if (!takesEvents || !isInitializeRequest(posted.message)) return answerOnce(asked, posted);
  if (!sessions.makeRoom(address)) {
    const headers = { 'Retry-After': '60' };
    return refuseRequest(503, 'Too many sessions are open; try again later.', { headers });
  }
  const owner = options.ownerOf(request);
  const transport = new WebStandardStreamableHTTPServerTransport({
    sessionIdGenerator: options.newSessionId,
    onsessioninitialized: (opened): void => sessions.add(opened, { transport, owner, address }),
    onsessionclosed: (closed) => sessions.remove(closed),
  });
  await connect(asked, transport);
  return hand(transport, request, posted);
}

type Transport = WebStandardStreamableHTTPServerTransport;

/** Answers one message without a session. */
async function answerOnce(asked: Asked, posted: Posted): Promise<Response> {
  const { request } = asked;
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  await connect(asked, transport);
  try {
    const reply = await hand(transport, request, posted);
    return accepts(request.headers, JSON_TYPE) ? reply : await asEvent(reply);
  } finally {
    await transport.close();
  }
}

/** The SDK's transport requires both types in Accept, even if it sends only one. */
function hand(transport: Transport, request: Request, { message }: Posted): Promise<Response> {
  const headers = new Headers(request.headers);
  headers.set('Accept', `${JSON_TYPE}, ${EVENTS_TYPE}`);
  const asBoth = new Request(request.url, { method: 'POST', headers });
  return transport.handleRequest(asBoth, { parsedBody: message });
}

/** Wraps the reply as one event, for a client that accepts only events. */
async function asEvent(reply: Response): Promise<Response> {
  if (reply.status !== 200) return reply;
  const headers = { 'Content-Type': EVENTS_TYPE, 'Cache-Control': 'no-cache' };
  return new Response(`event: message\ndata: ${await reply.text()}\n\n`, { headers });
}

async function connect({ options, address, request }: Asked, transport: Transport) {
  await serverFor(options, request, address).connect(transport);
}

function serverFor(options: ToolEndpointOptions, request: Request, address: string): Server {
  const owner = options.ownerOf(request);
  return createToolServer({ ...options, owner, backend: options.backendFor(request, address) });
}

// 2026-07-28: each request is complete in itself.

/** Ours: nothing that these servers list ever changes, so few streams may wait for news. */
const MAX_SUBSCRIPTIONS = 100;

function createStateless(options: ToolEndpointOptions) {
  const opening = new WeakMap<Request, () => Server>();
  const open = ({ requestInfo }: McpRequestContext): Server => {
    const server = requestInfo && opening.get(requestInfo)?.();
    if (!server) throw new ScripError('INTERNAL', verbatim('a server for no request'));
    return server;
  };
  const handler = createMcpHandler(open, { legacy: 'reject', maxSubscriptions: MAX_SUBSCRIPTIONS });
  return {
    close: handler.close,
    answer(request: Request, { address, message }: Posted & { readonly address: string }) {
      opening.set(request, () => serverFor(options, request, address));
      return handler.fetch(request, { parsedBody: message });
    },
  };
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
function createLimit({ clock, rate }: ToolEndpointOptions) {
  const buckets = createRecent<Bucket>(MAX_ADDRESSES);
  return (address: string): Response | undefined => {
    if (address === '') return undefined;
    const { isAllowed, bucket, retryAfterMs } = takeToken(buckets.get(address), rate, clock.now());
    buckets.set(address, bucket);
    if (isAllowed) return undefined;
    const headers = { 'Retry-After': String(Math.ceil(retryAfterMs / 1_000)) };
    return refuseRequest(429, 'Too many requests; wait as long as Retry-After says.', { headers });
  };
}

// Checks of an HTTP request before its message is parsed, and the reading of that message.

/** JSON-RPC 2.0's own codes, and the first one of its range for servers. */
const PARSE_ERROR = -32700;
const INVALID_REQUEST = -32600;
const SERVER_ERROR = -32000;
const METHODS = 'GET, POST, DELETE';

const JSON_TYPE = 'application/json';
const EVENTS_TYPE = 'text/event-stream';

/** Returns a refusal as a JSON-RPC error, which MCP clients can read. */
function refuseRequest(
  status: number,
  message: string,
  more: { readonly code?: number; readonly headers?: Readonly<Record<string, string>> } = {},
): Response {
  const { code = SERVER_ERROR, headers } = more;
  const body = { jsonrpc: '2.0', error: { code, message }, id: null };
  return new Response(JSON.stringify(body), {
    status,
    headers: { 'Content-Type': 'application/json', 'Cache-Control': 'no-store', ...headers },
  });
}

/**
 * Returns the refusal of a request whose origin, method, sender or headers are not allowed; otherwise
 * undefined.
 */
function refusalOf(request: Request, options: ToolEndpointOptions): Response | undefined {
  const { headers, method } = request;
  const { authorization, userAgent, baseUrl } = options;
  const problem = placeProblem(placeOf(request), new URL(baseUrl));
  if (problem !== undefined) return refuseRequest(403, problem);
  if (!METHODS.split(', ').includes(method)) {
    const allowed = { Allow: METHODS };
    return refuseRequest(405, `This path accepts only ${METHODS}.`, { headers: allowed });
  }
  const given = headers.get('Authorization') ?? '';
  if (authorization !== undefined && !isSameText(given, authorization)) {
    const wanted = { 'WWW-Authenticate': 'Bearer' };
    return refuseRequest(401, 'The bearer token of this server is missing.', { headers: wanted });
  }
  if (!takesAgent(userAgent, headers.get('User-Agent'))) {
    return refuseRequest(403, `Send the header User-Agent: ${userAgent}`);
  }
  return method === 'POST' ? contentRefusal(headers) : undefined;
}

function contentRefusal(headers: Headers): Response | undefined {
  const type = (headers.get('Content-Type') ?? '').split(';')[0]?.trim().toLowerCase();
  if (type !== JSON_TYPE) {
    return refuseRequest(415, 'Send the header Content-Type: application/json');
  }
  if (accepts(headers, JSON_TYPE) || accepts(headers, EVENTS_TYPE)) return undefined;
  return refuseRequest(406, 'Accept application/json, and text/event-stream for a session.');
}

/** Without the header, assume 2025-03-26, the revision before the header existed. */
function versionRefusal(headers: Headers): Response | undefined {
  const version = headers.get('MCP-Protocol-Version');
  if (version === null || SUPPORTED_PROTOCOL_VERSIONS.includes(version)) return undefined;
  const known = SUPPORTED_PROTOCOL_VERSIONS.join(', ');
  return refuseRequest(400, `Unsupported protocol version; supported: ${known}.`);
}

/** Whether the client accepts a response of this type; without an Accept header it accepts any. */
function accepts(headers: Headers, type: string): boolean {
  const ranges = (headers.get('Accept') ?? '*/*')
    .split(',')
    .map((range) => range.split(';')[0]?.trim().toLowerCase());
  return ranges.some(
    (range) => range === type || range === '*/*' || range === `${type.split('/')[0]}/*`,
  );
}

interface Posted {
  readonly message: unknown;
}

/** Reads the one message of the body, or returns the refusal. */
async function readMessage(request: Request): Promise<Posted | Response> {
  const isTooLong = Number(request.headers.get('Content-Length') ?? 0) > BODY_BYTES;
  const text = isTooLong ? undefined : await boundedText(request.body, BODY_BYTES);
  if (text === undefined) {
    return refuseRequest(413, `The body is larger than ${BODY_BYTES} bytes.`);
  }
  const message = parseJson(text);
  if (message === undefined) {
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

// Sessions of Streamable HTTP: `initialize` opens one, a header names it, DELETE or idle time ends it.

/** Ours: enough for the clients of one machine. */
const MAX_SESSIONS = 1_000;
const IDLE_MS = 10 * 60_000;

interface Session {
  readonly transport: Transport;
  /** The partner, with its secret, whose orders its tools make and read; no other caller may use the session. */
  readonly owner: string;
  /** Of the client's socket; empty within one process. */
  readonly address: string;
}

/** Creates an empty set of sessions. @param most sessions open at once; tests set fewer */
function createSessions(clock: Pick<Clock, 'now'>, most = MAX_SESSIONS) {
  // Ordered by last use: the most recently used session is last.
  const live = new Map<string, Session & { readonly usedAtMs: number }>();
  const use = (id: string, { transport, owner, address }: Session): void => {
    live.delete(id);
    live.set(id, { transport, owner, address, usedAtMs: clock.now() });
  };
  const end = (id: string, { transport }: Session): void => {
    live.delete(id);
    transport.close().catch(() => undefined);
  };
  const sweep = (): void => {
    for (const [id, session] of live) {
      if (session.usedAtMs + IDLE_MS > clock.now()) return;
      end(id, session);
    }
  };
  const giveUp = (newcomer: string): boolean => {
    const giver = giverOf(
      [...live.values()].map(({ address }) => address),
      newcomer,
    );
    const oldest = [...live].find(([, { address }]) => address === giver);
    if (oldest === undefined) return false;
    end(...oldest);
    return true;
  };
  return {
    /** Returns the owner's session with this id and marks it as used now. */
    find(id: string, owner: string): Session | undefined {
      sweep();
      const session = live.get(id);
      if (session?.owner !== owner) return undefined;
      use(id, session);
      return session;
    },
    /**
     * Whether this address may open a session now. If the maximum is reached, the address with the most
     * sessions loses the one it has not used for longest.
     */
    makeRoom(address: string): boolean {
      sweep();
      return live.size < most || giveUp(address);
    },
    add: use,
    remove: (id: string): void => {
      live.delete(id);
    },
    /** Ends all sessions. */
    async close(): Promise<void> {
      const all = [...live.values()];
      live.clear();
      await Promise.allSettled(all.map(({ transport }) => transport.close()));
    },
  };
}
