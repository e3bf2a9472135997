/** A host in front of a served sandbox, which hears and answers as a test has it. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text as textIn } from 'node:stream/consumers';
import { decodeHeader, encodeHeader } from '../../src/contract/x402.ts';
import { listenOn } from './at-end.ts';

export interface FrontHost {
  readonly url: string;
  /** Flags that point a command at it, and at the chain behind it. */
  readonly flags: readonly string[];
  /** Method and address of every request so far. */
  readonly asked: string[];
  /** From now on. */
  behave(manners: Manners): void;
  close(): Promise<void>;
}

export interface Asked {
  readonly method: string;
  readonly url: string;
  /** The address without its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface FrontReply {
  readonly status: number;
  /** The parsed JSON, or the text of anything else. */
  readonly body: unknown;
  /** Those that are passed back, in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The connection ends in the middle of the body. */
  readonly isCut?: boolean;
}

/** In place of a reply: there is none. */
export const SILENCE = Symbol('silence');
/** In place of a reply: the connection is reset. */
export const RESET = Symbol('reset');
type Said = FrontReply | typeof SILENCE | typeof RESET;

export interface Manners {
  /** What is answered without the service. */
  readonly instead?: (asked: Asked) => Said | undefined;
  /** What is passed on in place of what came. */
  readonly hear?: (asked: Asked) => Partial<Pick<Asked, 'url' | 'headers' | 'body'>>;
  /** What is answered in place of the service's answer; of a stream, its headers alone. */
  readonly answer?: (asked: Asked, reply: FrontReply) => Said | Promise<Said>;
  /** What is sent in place of one event of a stream, as its lines stand without the empty one. */
  readonly event?: (asked: Asked, lines: string) => string;
}

export const json = (status: number, body: unknown): FrontReply => ({
  ...{ status, body },
  headers: { 'content-type': 'application/json' },
});

// biome-ignore lint/suspicious/noExplicitAny: bodies of many shapes, changed by tests.
export type Reshape = (path: string, body: any, method: string) => unknown;

/** Each JSON body is changed, those of a stream too; a text is sent as it is. */
export const reshaping = (reshape: Reshape): Manners => ({
  answer: ({ path, method }, reply) => ({ ...reply, body: reshape(path, reply.body, method) }),
  event: ({ path, method }, lines) =>
    lines.replace(/^data: (\{.*)$/m, (_, data) => {
      return `data: ${textOf(reshape(path, JSON.parse(data), method))}`;
    }),
});

/** @param path where the text stands: names of fields, without places in lists */
export type Rewrite = (path: string, text: string) => string;

/** Every text of every answer is written anew, that of the header of a 402 too. */
export function rewriting(rewrite: Rewrite): Manners {
  const bodies = reshaping((_path, body) =>
    typeof body === 'string' ? body : rewritten(body, rewrite),
  );
  const name = 'payment-required';
  return {
    ...bodies,
    answer: (_asked, { headers, ...reply }) => {
      const required = headers[name];
      const own = required && {
        [name]: encodeHeader(rewritten(decodeHeader(required), rewrite)),
      };
      const body = typeof reply.body === 'string' ? reply.body : rewritten(reply.body, rewrite);
      return { ...reply, body, headers: { ...headers, ...own } };
    },
  };
}

function rewritten(value: unknown, rewrite: Rewrite, path = ''): unknown {
  if (typeof value === 'string') return rewrite(path, value);
  if (Array.isArray(value)) return value.map((element) => rewritten(element, rewrite, path));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key,
      rewritten(inner, rewrite, path === '' ? key : `${path}.${key}`),
    ]),
  );
}

export interface RpcCall {
  readonly id: unknown;
  readonly method: string;
  readonly params?: readonly unknown[];
}

/** What a node of a chain says: the result that it has becomes another, or an error. */
export function retelling(
  tell: (call: RpcCall, result: unknown) => { readonly result?: unknown; readonly error?: unknown },
): { readonly answer: (asked: Asked, reply: FrontReply) => FrontReply } {
  return {
    answer: ({ body }, reply) => {
      const calls: readonly RpcCall[] = [JSON.parse(body)].flat();
      const told = [reply.body].flat().map((one) => {
        const { id, result, ...rest } = Object(one);
        const call = calls.find((made) => made.id === id);
        return call === undefined ? one : { ...rest, id, ...tell(call, result) };
      });
      return { ...reply, body: Array.isArray(reply.body) ? told : told[0] };
    },
  };
}

/** Takes no idempotency key: every name of one is taken away. */
export const KEYLESS: Manners = {
  instead: ({ path }) =>
    path.endsWith('/payment_lease') ? json(404, { error: 'not_found' }) : undefined,
  hear: ({ headers: { 'idempotency-key': _, ...headers } }) => ({
    headers: withoutNames(headers, 'payment-signature'),
  }),
  answer: (_asked, { status, body, headers }) => ({
    status,
    body: status === 402 ? withoutField(body) : body,
    headers: withoutNames(headers, 'payment-required'),
  }),
};

function withoutNames(headers: Readonly<Record<string, string>>, name: string) {
  const header = headers[name];
  if (header === undefined) return headers;
  return { ...headers, [name]: encodeHeader(withoutField(decodeHeader(header))) };
}

function withoutField(value: unknown): unknown {
  const { extensions: _, ...rest } = Object(value);
  return rest;
}

/** @param behind address of the sandbox, which may come back at another. It is closed at the end (`atEnd`). */
export async function openFrontHost(
  behind: string | (() => string),
  first: Manners = {},
): Promise<FrontHost> {
  const asked: string[] = [];
  const target = typeof behind === 'string' ? () => behind : behind;
  let manners = first;
  const server = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy());
  });
  server.keepAliveTimeout = 60_000;
  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = 'GET', url = '/' } = request;
    asked.push(`${method} ${url}`);
    const headers = headersOf(Object.entries(request.headers));
    const body = await textIn(request);
    const came = { method, url, path: url.replace(/\?.*$/, ''), headers, body };
    const { instead, hear, answer, event } = manners;
    const own = instead?.(came);
    if (own !== undefined) return say(response, own);
    const heard = { ...came, ...hear?.(came) };
    const reply = await fetch(target() + heard.url, {
      ...{ method, headers: heard.headers },
      ...(heard.body === '' ? {} : { body: heard.body }),
    });
    const isStream = /event-stream/.test(reply.headers.get('content-type') ?? '');
    const honest: FrontReply = {
      status: reply.status,
      body: isStream ? '' : parsed(await reply.text()),
      headers: headersOf([...reply.headers]),
    };
    const given = (await answer?.(came, honest)) ?? honest;
    if (typeof given === 'symbol' || !isStream) return say(response, given);
    response.writeHead(given.status, given.headers);
    for await (const lines of eventsOf(reply)) {
      response.write(`${event?.(came, lines) ?? lines}\n\n`);
    }
    response.end();
  }
  const url = await listenOn(server);
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return {
    ...{ url, asked, close },
    flags: ['--checkout-url', url, '--rpc-url', `${target()}/rpc`],
    behave: (next) => {
      manners = next;
    },
  };
}

function say(response: ServerResponse, reply: Said): void {
  if (reply === SILENCE) return;
  if (reply === RESET) return void response.socket?.resetAndDestroy();
  const text = textOf(reply.body);
  const { length } = Buffer.from(text);
  if (reply.isCut) response.setHeader('content-length', length);
  response.writeHead(reply.status, reply.headers);
  if (!reply.isCut) return void response.end(text);
  response.write(text.slice(0, text.length / 2), () => response.destroy());
}

async function* eventsOf(reply: Response): AsyncGenerator<string> {
  let rest = '';
  for await (const piece of reply.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const events = (rest + piece).split('\n\n');
    rest = events.pop() ?? '';
    yield* events;
  }
}

/** Of the connection, not of the message; a body is passed on unpacked. */
const UNPASSED =
  'connection content-encoding content-length host transfer-encoding keep-alive date'.split(' ');

function headersOf(entries: readonly (readonly [string, unknown])[]): Record<string, string> {
  const kept = entries.filter(([name, value]) => value !== undefined && !UNPASSED.includes(name));
  return Object.fromEntries(kept.map(([name, value]) => [name, String(value)]));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

const textOf = (body: unknown): string => (typeof body === 'string' ? body : JSON.stringify(body));
