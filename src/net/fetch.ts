/**
 * `Fetch` over node:http and node:https. Node 20's global `fetch` costs 150 ms at its first call, follows
 * redirects by default, and does not let us give a payment its own connection.
 */

import type { Agent, ClientRequest, IncomingMessage } from 'node:http';
import type { Transform } from 'node:stream';
import type { Fetch, FetchInit, Reply } from '../contract/fetch.ts';
import { isLoopbackHost } from '../domain/address/loopback.ts';
import { errorCode, ScripError } from '../domain/message/errors.ts';
import { type Said, t } from '../domain/message/message.ts';
import type { Agents, Asked } from './agents.ts';
import type { Network } from './authorities.ts';

interface HttpFetchOptions extends Partial<Network> {
  /** NODE_TLS_REJECT_UNAUTHORIZED=0 turned certificate checks off: POST requests over https are refused. */
  readonly isTlsUnverified?: boolean;
  /** Maximum size of one body, after decompression. */
  readonly maxBodyBytes?: number;
  /** Called when a request with a payment has been written completely. */
  readonly paymentSent?: (() => void) | undefined;
}

const DEFAULT_MAX_BODY_BYTES = 64 * 1024 * 1024;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/**
 * Creates a `Fetch` for the network. It follows no redirect, and allows plain http only to this machine.
 * @throws {ScripError} from the returned function: NETWORK_UNREACHABLE, REDIRECT_REFUSED, INPUT_INVALID
 * (address or header), MERCHANT_REPLY_INVALID (body too long or undecodable)
 */
export function createHttpFetch(options: HttpFetchOptions = {}): Fetch {
  const { env = {}, caFile } = options;
  let agents: Promise<Agents> | undefined;
  const secure = (): Promise<Agents> => {
    agents ??= import('./agents.ts').then(({ createAgents }) => createAgents({ env, caFile }));
    return agents;
  };
  const agentTo = async (protocol: string, keepAlive: boolean): Promise<Agent> => {
    if (protocol === 'https:') return (await secure()).agentTo(protocol, { keepAlive });
    const { Agent } = await import('node:http');
    return new Agent({ keepAlive });
  };
  const kept = new Map<string, Promise<Agent>>();
  const keptAgent = (protocol: string): Promise<Agent> => {
    const known = kept.get(protocol) ?? agentTo(protocol, true);
    kept.set(protocol, known);
    return known;
  };
  return async (address, init = {}) => {
    const url = checkAddress(address);
    const isSecure = url.protocol === 'https:';
    const isGuarded = init.method === 'POST' || isPayment(init);
    if (isGuarded && options.isTlsUnverified && isSecure) {
      throw new ScripError(
        'INPUT_INVALID',
        t`NODE_TLS_REJECT_UNAUTHORIZED=0 turns certificate checks off, so nothing was sent to ${url.host}`,
        {
          hint: t`Unset NODE_TLS_REJECT_UNAUTHORIZED; name a private authority with NODE_EXTRA_CA_CERTS.`,
        },
      );
    }
    const proxy = isSecure ? await (await secure()).proxyOf(url) : undefined;
    const host: Host = { url, proxy: proxy?.url.host };
    // A kept-alive connection may break during a request, so each payment gets a new one.
    const agent = await (isPayment(init) ? agentTo(url.protocol, false) : keptAgent(url.protocol));
    const response = await send(host, init, agent, options.paymentSent);
    const status = response.statusCode ?? 0;
    if (init.redirect === 'error' && REDIRECTS.has(status)) {
      response.destroy();
      throw redirectRefused(url, response);
    }
    return toReply(host, response, init.signal, options.maxBodyBytes ?? DEFAULT_MAX_BODY_BYTES);
  };
}

/** The host of a request, and the proxy to name beside it. */
interface Host {
  readonly url: URL;
  readonly proxy: string | undefined;
}

function checkAddress(address: string): URL {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url?.protocol === 'https:') return url;
  if (url?.protocol === 'http:' && isLoopbackHost(url.hostname)) return url;
  throw new ScripError('INPUT_INVALID', t`${address} is not an allowed address`, {
    hint: t`Use https; plain http is for this machine alone, such as http://127.0.0.1:4020.`,
  });
}

async function send(
  host: Host,
  init: FetchInit,
  agent: Agent,
  paymentSent: (() => void) | undefined,
): Promise<IncomingMessage> {
  const { url } = host;
  const { request } = await (url.protocol === 'https:'
    ? import('node:https')
    : import('node:http'));
  const { signal } = init;
  signal?.throwIfAborted();
  return new Promise((resolve, reject) => {
    let outgoing: ClientRequest;
    try {
      outgoing = request(url, requestOptions(url, init, agent));
    } catch (cause) {
      // Node rejects control characters in header values and paths before it sends anything.
      reject(
        new ScripError('INPUT_INVALID', t`The request to ${url.host} could not be written`, {
          cause,
        }),
      );
      return;
    }
    const abort = (): void => {
      outgoing.destroy();
      reject(signal?.reason);
    };
    signal?.addEventListener('abort', abort, { once: true });
    outgoing.once('response', (response) => {
      signal?.removeEventListener('abort', abort);
      resolve(response);
    });
    outgoing.on('error', (cause) => {
      signal?.removeEventListener('abort', abort);
      reject(unreachable(host, cause));
    });
    if (paymentSent && isPayment(init)) outgoing.once('finish', paymentSent);
    outgoing.end(init.body);
  });
}

function requestOptions(url: URL, init: FetchInit, agent: Agent): Asked {
  const headers: Record<string, string> = { 'user-agent': 'scrip' };
  // On loopback, compressing costs more time than copying the bytes.
  if (!isLoopbackHost(url.hostname)) headers['accept-encoding'] = 'gzip, deflate, br';
  for (const [name, value] of Object.entries(init.headers ?? {}))
    headers[name.toLowerCase()] = value;
  if (init.body !== undefined)
    headers['content-length'] = String(new TextEncoder().encode(init.body).length);
  return { method: init.method ?? 'GET', headers, agent, given: init.signal };
}

/** In either version of x402, or by MPP. */
function isPayment({ headers = {} }: FetchInit): boolean {
  const sent = Object.entries(headers).join('\n');
  return /^(payment-signature,|x-payment,|authorization,Payment )/im.test(sent);
}

function toReply(
  host: Host,
  response: IncomingMessage,
  signal: AbortSignal | undefined,
  maxBytes: number,
): Reply {
  const body = readBody(host, response, { maxBytes, signal });
  return {
    status: response.statusCode ?? 0,
    headers: {
      get: (name) => headerOf(response, name),
      entries: () =>
        Object.entries(response.headers).flatMap(([name, all]) =>
          [all ?? []].flat().map((one) => [name, one] as const),
        ),
    },
    body,
    async text() {
      const chunks: Uint8Array[] = [];
      for await (const chunk of body) chunks.push(chunk);
      return Buffer.concat(chunks).toString('utf8');
    },
  };
}

interface BodyOptions {
  /** Counted after decompression, so that a small compressed body cannot fill the memory. */
  readonly maxBytes: number;
  readonly signal: AbortSignal | undefined;
}

/**
 * Yields the decompressed body; leaving the loop early closes the connection.
 * @throws {ScripError} MERCHANT_REPLY_INVALID when it is too long or cannot be decompressed,
 * NETWORK_UNREACHABLE when the connection ends early
 */
async function* readBody(
  host: Host,
  response: IncomingMessage,
  { maxBytes, signal }: BodyOptions,
): AsyncIterable<Uint8Array> {
  const abort = (): void => {
    response.destroy();
  };
  signal?.addEventListener('abort', abort, { once: true });
  let count = 0;
  try {
    signal?.throwIfAborted();
    for await (const chunk of await decoded(host.url, response)) {
      count += chunk.length;
      if (count > maxBytes) {
        const what = t`The response of ${host.url.host} is longer than ${maxBytes} bytes`;
        throw new ScripError('MERCHANT_REPLY_INVALID', what, { details: { max_bytes: maxBytes } });
      }
      yield chunk;
    }
  } catch (cause) {
    throw signal?.aborted ? signal.reason : brokenOff(host, cause);
  } finally {
    signal?.removeEventListener('abort', abort);
    if (!response.complete) response.destroy();
  }
}

async function decoded(url: URL, response: IncomingMessage): Promise<AsyncIterable<Uint8Array>> {
  const encoding = response.headers['content-encoding']?.toLowerCase() ?? 'identity';
  if (encoding === 'identity' || encoding === '') return response;
  const decoder = await decoderFor(encoding);
  if (!decoder) {
    throw new ScripError(
      'MERCHANT_REPLY_INVALID',
      t`${url.host} compressed its response as "${encoding}", which was not requested`,
    );
  }
  response.once('error', (cause) => decoder.destroy(cause));
  return response.pipe(decoder);
}

async function decoderFor(encoding: string): Promise<Transform | undefined> {
  const zlib = await import('node:zlib');
  const decoders: Readonly<Record<string, () => Transform>> = {
    gzip: zlib.createGunzip,
    'x-gzip': zlib.createGunzip,
    deflate: zlib.createInflate,
    br: zlib.createBrotliDecompress,
  };
  return decoders[encoding]?.();
}

/** zlib errors have codes of their own; any other error comes from the connection. */
function brokenOff(host: Host, cause: unknown): ScripError {
  if (cause instanceof ScripError) return cause;
  if (!/^(Z_|ERR__?ZLIB|ERR_BROTLI|ERR__ERROR_)/.test(errorCode(cause) ?? '')) {
    return unreachable(host, cause);
  }
  const what = t`The response of ${host.url.host} could not be decompressed`;
  return new ScripError('MERCHANT_REPLY_INVALID', what, { cause });
}

function headerOf(response: IncomingMessage, name: string): string | null {
  const value = response.headers[name.toLowerCase()];
  return Array.isArray(value) ? value.join(', ') : (value ?? null);
}

function redirectRefused(url: URL, response: IncomingMessage): ScripError {
  const location = headerOf(response, 'location') ?? '';
  const target = URL.canParse(location, url.href) ? new URL(location, url).origin : 'nowhere';
  return new ScripError(
    'REDIRECT_REFUSED',
    t`${url.host} answers ${response.statusCode ?? 0} and points to ${target}`,
    { details: { host: url.host, target } },
  );
}

/** Names the host and the error code, such as ECONNREFUSED. Leaves out the path, which may hold an id. */
function unreachable({ url, proxy }: Host, cause: unknown): ScripError {
  if (cause instanceof ScripError) return cause;
  const code = causeCode(cause);
  const what =
    proxy === undefined
      ? t`${url.host} could not be reached (${code})`
      : t`${url.host} could not be reached through the proxy ${proxy} (${code})`;
  return new ScripError('NETWORK_UNREACHABLE', what, {
    cause,
    details: { host: url.host, cause: code, ...(proxy !== undefined && { proxy }) },
  });
}

function causeCode(cause: unknown): Said {
  if (cause instanceof AggregateError) return causeCode(cause.errors[0]);
  return errorCode(cause) ?? t`connection lost`;
}
