/**
 * Replaces the global `Request`, `Response` and `Headers`. Node's own load a whole HTTP client: about 60 ms
 * before the first response of a service in this process.
 */

/**
 * Replaces the global classes with small ones that support only what our service, its framework and our
 * client use. Not for a process that serves the network.
 */
export function installWebShim(scope: object): void {
  const light = { Headers: ShimHeaders, Request: ShimRequest, Response: ShimResponse };
  for (const [name, value] of Object.entries(light)) {
    Object.defineProperty(scope, name, { value, configurable: true, writable: true });
  }
}

// A small `Headers` class: the part of the web standard that a service and its clients in one process use.

type HeadersFrom =
  | Iterable<readonly [string, string]>
  | Readonly<Record<string, string>>
  | undefined;

/** Characters of a header name (RFC 9110, token). */
const NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
/** Characters that do not fit in one byte. */
const WIDE = /[\u0100-\uffff]/;
const EDGES = /^[\t\n\r ]+|[\t\n\r ]+$/g;
const FORBIDDEN = ['\0', '\r', '\n'];
const COOKIE = 'set-cookie';

/** Throws `TypeError` for invalid names and values, as the standard class does. */
export class ShimHeaders {
  readonly #values = new Map<string, readonly string[]>();

  constructor(from?: HeadersFrom) {
    for (const [name, value] of pairsOf(from)) this.append(name, value);
  }

  get(name: string): string | null {
    return this.#values.get(keyOf(name))?.join(', ') ?? null;
  }

  getSetCookie(): string[] {
    return [...(this.#values.get(COOKIE) ?? [])];
  }

  has(name: string): boolean {
    return this.#values.has(keyOf(name));
  }

  set(name: string, value: string): void {
    const key = keyOf(name);
    this.#values.set(key, [checked(key, value)]);
  }

  append(name: string, value: string): void {
    const key = keyOf(name);
    const text = checked(key, value);
    this.#values.set(key, [...(this.#values.get(key) ?? []), text]);
  }

  delete(name: string): void {
    this.#values.delete(keyOf(name));
  }

  forEach(visit: (value: string, name: string, headers: this) => void): void {
    for (const [name, value] of this) visit(value, name, this);
  }

  *entries(): Generator<[string, string]> {
    for (const key of [...this.#values.keys()].sort()) {
      const values = this.#values.get(key) ?? [];
      // Several cookies cannot be joined into one value.
      if (key === COOKIE) for (const value of values) yield [key, value];
      else yield [key, values.join(', ')];
    }
  }

  *keys(): Generator<string> {
    for (const [name] of this) yield name;
  }

  *values(): Generator<string> {
    for (const [, value] of this) yield value;
  }

  [Symbol.iterator](): Generator<[string, string]> {
    return this.entries();
  }
}

function pairsOf(from: HeadersFrom): Iterable<readonly [string, string]> {
  if (from === undefined) return [];
  return Symbol.iterator in from ? from : Object.entries(from);
}

function keyOf(name: string): string {
  if (NAME.test(name)) return name.toLowerCase();
  throw new TypeError(`"${name}" is no name of a header`);
}

/** The error leaves the value out: it may be a secret. */
function checked(key: string, value: unknown): string {
  const text = String(value);
  const trimmed = text.replace(EDGES, '');
  if (WIDE.test(text) || FORBIDDEN.some((letter) => trimmed.includes(letter))) {
    throw new TypeError(`header "${key}" cannot have this value`);
  }
  return trimmed;
}

// Small `Request` and `Response` classes: the part of the web standard that a service and its clients in one process use.

/** Text, bytes, or a stream of bytes such as a `ReadableStream`. */
type BodyFrom =
  | string
  | ArrayBuffer
  | ArrayBufferView
  | AsyncIterable<Uint8Array>
  | ShimBody
  | null
  | undefined;

/** Statuses without a body. */
const EMPTY: ReadonlySet<number> = new Set([101, 204, 205, 304]);

/** A body that is in memory as a whole. */
class ShimBody {
  readonly bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    if (this.bytes.length > 0) yield this.bytes;
  }

  /** For the listener of `scrip mcp --http`, whose shop is in the same process. */
  getReader(): ReadableStreamDefaultReader<Uint8Array> {
    return new ReadableStream<Uint8Array>({
      start: (stream) => {
        if (this.bytes.length > 0) stream.enqueue(this.bytes);
        stream.close();
      },
    }).getReader();
  }
}

function bodyOf(from: BodyFrom): ShimBody | AsyncIterable<Uint8Array> | null {
  if (from === null || from === undefined) return null;
  if (typeof from === 'string') return new ShimBody(new TextEncoder().encode(from));
  if (from instanceof ArrayBuffer) return new ShimBody(new Uint8Array(from));
  if (!ArrayBuffer.isView(from)) return from;
  return new ShimBody(new Uint8Array(from.buffer, from.byteOffset, from.byteLength));
}

/** The common part of a request and a response. */
class ShimMessage {
  readonly headers: ShimHeaders;
  readonly body: ShimBody | AsyncIterable<Uint8Array> | null;
  #isUsed = false;

  constructor(body: BodyFrom, headers: HeadersFrom) {
    this.body = bodyOf(body);
    this.headers = new ShimHeaders(headers);
    if (typeof body === 'string' && !this.headers.has('content-type')) {
      this.headers.set('content-type', 'text/plain;charset=UTF-8');
    }
  }

  get bodyUsed(): boolean {
    return this.#isUsed;
  }

  async text(): Promise<string> {
    return new TextDecoder().decode(await this.#bytes());
  }

  async json(): Promise<unknown> {
    return JSON.parse(await this.text());
  }

  async arrayBuffer(): Promise<ArrayBuffer> {
    return Uint8Array.from(await this.#bytes()).buffer;
  }

  async #bytes(): Promise<Uint8Array> {
    if (this.body === null) return new Uint8Array();
    if (this.#isUsed) throw new TypeError('the body was read already');
    this.#isUsed = true;
    if (this.body instanceof ShimBody) return this.body.bytes;
    const chunks: Uint8Array[] = [];
    for await (const chunk of this.body) chunks.push(chunk);
    return Buffer.concat(chunks);
  }
}

interface RequestInit {
  readonly method?: string;
  readonly headers?: HeadersFrom;
  readonly body?: BodyFrom;
  readonly signal?: AbortSignal;
}

/** Methods that the standard writes in capitals; others stay as given. */
const DEFAULT_METHODS = /^(delete|get|head|options|post|put)$/i;

export class ShimRequest extends ShimMessage {
  readonly url: string;
  readonly method: string;
  readonly signal: AbortSignal;

  constructor(url: string | URL, init: RequestInit = {}) {
    super(init.body, init.headers);
    const { method = 'GET' } = init;
    this.method = DEFAULT_METHODS.test(method) ? method.toUpperCase() : method;
    if (this.body !== null && (this.method === 'GET' || this.method === 'HEAD')) {
      throw new TypeError(`${this.method} has no body`);
    }
    this.url = new URL(url).href;
    this.signal = init.signal ?? new AbortController().signal;
  }
}

interface ResponseInit {
  readonly status?: number | undefined;
  readonly headers?: HeadersFrom;
}

export class ShimResponse extends ShimMessage {
  readonly status: number;

  constructor(body?: BodyFrom, init: ResponseInit = {}) {
    const { status = 200, headers } = init;
    if (!(status >= 200 && status <= 599)) throw new RangeError(`${status} is no status`);
    if (EMPTY.has(status) && body !== null && body !== undefined) {
      throw new TypeError(`an answer of status ${status} has no body`);
    }
    super(body, headers);
    this.status = status;
  }

  get ok(): boolean {
    return this.status < 300;
  }

  static json(value: unknown, init: ResponseInit = {}): ShimResponse {
    const response = new ShimResponse(JSON.stringify(value), init);
    if (!new ShimHeaders(init.headers).has('content-type')) {
      response.headers.set('content-type', 'application/json');
    }
    return response;
  }
}
