/**
 * The server's cache of prepared answers: by URL, as plain and compressed bytes, so a repeated
 * request needs neither the service nor a `Request`.
 */
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { brotliCompress, gzip, constants as zlib } from 'node:zlib';
import { createRecent } from '../../domain/recent.ts';
import { type HeaderReader, isKnown, type Page, type Ready, readyOf, tagOf } from './ready.ts';

type Asked = Pick<IncomingMessage, 'headers'> & {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
};

type Encoding = '' | 'br' | 'gzip';

interface Answer {
  readonly status: number;
  /** Names and values in turn, which node:http writes faster than an object's. */
  readonly headers: string[];
  readonly body?: Uint8Array | string;
}

type Headers = Readonly<Record<string, string | number>>;

interface Kept {
  readonly ready: Ready;
  readonly bytes: number;
  /** Returns the answer in an encoding that the client accepts: the content, or 304 if the client has it. */
  get(headers: IncomingHttpHeaders): Answer | Promise<Answer>;
}

/** Memory limit of the cache, counting shared bytes each time. */
const MOST_BYTES = 64 * 1024 * 1024;
/** Rough size of an answer besides its body. */
const OVERHEAD_BYTES = 2 * 1024;
/** Longer URLs are not cached: they are rarely requested twice. */
const LONGEST_TARGET = 512;
/** Compression saves little below this size (docs/inside/performance.md). */
const WORTH_COMPRESSING = 1024;

export function createReadyAnswers() {
  const kept = new Map<string, Kept>();
  let bytes = 0;

  function forget(target: string): void {
    bytes -= kept.get(target)?.bytes ?? 0;
    kept.delete(target);
  }

  function remember(target: string, one: Kept): void {
    forget(target);
    kept.set(target, one);
    bytes += one.bytes;
    for (const oldest of kept.keys()) {
      if (bytes <= MOST_BYTES) return;
      forget(oldest);
    }
  }

  return {
    /** Answers a request from the cache; false if the service must answer. */
    answer(request: Asked, response: ServerResponse) {
      if (request.method !== 'GET') return false;
      const { url = '', headers } = request;
      const one = kept.get(url);
      if (one === undefined) return false;
      if (!one.ready.isCurrent()) {
        forget(url);
        return false;
      }
      if (one.ready.admits?.(readerOf(request)) === false) return false;
      const found = one.get(headers);
      if (!(found instanceof Promise)) send(found, response);
      else found.then((answer) => send(answer, response)).catch(() => response.destroy());
      return true;
    },
    /** Caches the service's answer if it is marked as ready; returns the response to send. */
    keep(request: Asked, reply: Response) {
      const ready = readyOf(reply);
      const { url = '', headers } = request;
      // Don't cache answers that vary by more than encoding.
      const isKept = ready !== undefined && request.method === 'GET' && !reply.headers.has('Vary');
      if (!isKept || url.length > LONGEST_TARGET) return reply;
      const one = toKept(ready, reply);
      remember(url, one);
      const found = one.get(headers);
      return found instanceof Promise ? found.then(toResponse) : toResponse(found);
    },
  };
}

export type ReadyAnswers = ReturnType<typeof createReadyAnswers>;

function send({ status, headers, body }: Answer, response: ServerResponse): void {
  response.writeHead(status, headers);
  response.end(body);
}

function toResponse({ status, headers, body }: Answer): Response {
  const bytes = typeof body === 'object' ? Uint8Array.from(body) : body;
  const pairs = headers.flatMap((name, at) =>
    at % 2 === 0 ? [[name, headers[at + 1] ?? ''] as const] : [],
  );
  return new Response(bytes ?? null, { status, headers: Object.fromEntries(pairs) });
}

/** Reads the headers of a request of node:http as they came. */
export function readerOf({ headers }: Pick<Asked, 'headers'>): HeaderReader {
  return {
    get(name) {
      const value = headers[name.toLowerCase()];
      return value === undefined ? null : String(value);
    },
  };
}

function inTurn(headers: Headers): string[] {
  return Object.entries(headers).flatMap(([name, value]) => [name, String(value)]);
}

const JSON_TYPE = { 'content-type': 'application/json' };

function toKept(ready: Ready, reply: Response): Kept {
  const own = Object.fromEntries(
    [...reply.headers].filter(
      ([name]) => !['content-type', 'content-length', 'etag'].includes(name),
    ),
  );
  const { content } = ready;
  return typeof content === 'function'
    ? { ready, bytes: OVERHEAD_BYTES, get: textAnswers(content, own) }
    : {
        ready,
        bytes: OVERHEAD_BYTES + content.body.byteLength,
        get: pageAnswers(content, own),
      };
}

function textAnswers(text: () => string, own: Headers): Kept['get'] {
  // Timestamps have a fixed length, so these headers rarely change.
  let known: { readonly length: number; readonly headers: string[] } | undefined;
  return () => {
    const body = text();
    const length = Buffer.byteLength(body);
    if (known?.length !== length) {
      known = { length, headers: inTurn({ ...own, ...JSON_TYPE, 'content-length': length }) };
    }
    return { status: 200, headers: known.headers, body };
  };
}

function pageAnswers(page: Page, own: Headers): Kept['get'] {
  const isSmall = page.body.byteLength < WORTH_COMPRESSING;
  const common = isSmall ? own : { ...own, vary: 'Accept-Encoding' };
  const whole = new Map<Encoding, Answer>();
  const unchanged = new Map<Encoding, Answer>();

  function headersOf(encoding: Encoding): Headers {
    return { ...common, etag: tagOf(page.etag, encoding) };
  }

  function add(encoding: Encoding, body: Uint8Array): Answer {
    const length = { 'content-length': body.byteLength };
    const encoded = encoding === '' ? {} : { 'content-encoding': encoding };
    const headers = { ...headersOf(encoding), ...JSON_TYPE, ...encoded, ...length };
    const answer = { status: 200, headers: inTurn(headers), body };
    whole.set(encoding, answer);
    return answer;
  }

  for (const encoding of ['', 'br', 'gzip'] as const) {
    unchanged.set(encoding, { status: 304, headers: inTurn(headersOf(encoding)) });
  }
  const plain = add('', page.body);
  return ({ 'accept-encoding': accepted, 'if-none-match': held }) => {
    const encoding = isSmall ? '' : encodingFor(accepted);
    const known = isKnown(held, page.etag) ? unchanged : whole;
    const answer = known.get(encoding);
    if (answer !== undefined || encoding === '') return answer ?? plain;
    return compressed(page, encoding).then((body) => add(encoding, body));
  };
}

const COMPRESSED = new WeakMap<Page, Map<Encoding, Promise<Uint8Array>>>();

/** Compresses each page once, even if several URLs lead to it. */
function compressed(page: Page, encoding: 'br' | 'gzip'): Promise<Uint8Array> {
  const bodies = COMPRESSED.get(page) ?? new Map<Encoding, Promise<Uint8Array>>();
  COMPRESSED.set(page, bodies);
  const body = bodies.get(encoding) ?? COMPRESS[encoding](page.body);
  bodies.set(encoding, body);
  return body;
}

/** Above 5, Brotli takes ten times as long and saves another 5 %. */
const BROTLI = { params: { [zlib.BROTLI_PARAM_QUALITY]: 5 } };
const COMPRESS = {
  br: (body: Uint8Array): Promise<Uint8Array> => promisify(brotliCompress)(body, BROTLI),
  gzip: (body: Uint8Array): Promise<Uint8Array> => promisify(gzip)(body),
} as const;

/** Most clients send one of a few texts; anything longer is read each time. */
const ENCODINGS = createRecent<Encoding>(64);
const LONGEST_ACCEPTED = 128;

function encodingFor(accepted: string | string[] | undefined): Encoding {
  if (accepted === undefined) return '';
  const text = String(accepted);
  const known = ENCODINGS.get(text);
  if (known !== undefined) return known;
  const encoding = readEncoding(text);
  if (text.length <= LONGEST_ACCEPTED) ENCODINGS.set(text, encoding);
  return encoding;
}

/** Returns the encoding to use: Brotli before gzip, neither if the client gives it q=0. */
function readEncoding(accepted: string): Encoding {
  const names = accepted
    .split(',')
    .filter((name) => !/;\s*q=0(?:\.0*)?\s*$/.test(name))
    .map((name) => name.split(';', 1)[0]?.trim().toLowerCase());
  if (names.includes('br')) return 'br';
  return names.includes('gzip') ? 'gzip' : '';
}
