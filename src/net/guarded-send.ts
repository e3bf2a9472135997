/**
 * Posts to URLs that strangers supply (webhooks), and only to public internet addresses: checks the URL with
 * `webhookProblem`, checks every resolved address, and connects to a checked one. Uses no proxy, follows no
 * redirect, and returns nothing of the response but its status.
 */

import type { LookupAddress } from 'node:dns';
import type { ClientRequest, IncomingMessage, RequestOptions } from 'node:http';
import type { LookupFunction } from 'node:net';
import { isIpAddress, isPublicAddress } from '../domain/address/public-address.ts';
import {
  type SendWebhook,
  type WebhookPost,
  type WebhookRules,
  webhookProblem,
} from '../domain/address/webhook-address.ts';
import { errorCode, ScripError } from '../domain/message/errors.ts';
import { t, verbatim } from '../domain/message/message.ts';

export interface GuardedSendOptions extends WebhookRules {
  /** Time to connect, TLS included; default 10 s. */
  readonly connectTimeoutMs?: number;
  /** Time until the response is read; default 15 s. */
  readonly totalTimeoutMs?: number;
  /** Whether an address may be connected to; by default only public ones. */
  isAddressAllowed?(address: string): boolean;
  /** Resolves all addresses of a host name; default: the system's resolver. */
  resolve?(hostname: string): Promise<readonly LookupAddress[]>;
}

const CONNECT_TIMEOUT_MS = 10_000;
const TOTAL_TIMEOUT_MS = 15_000;
/** The rest of the response is read up to this size and discarded, so that the other side can finish. */
const MAX_ANSWER_BYTES = 64 * 1024;

export function createGuardedSend(options: GuardedSendOptions): SendWebhook {
  const lookup = guardedLookup(options);
  return async (posting) => {
    if (webhookProblem(posting.url, options) || isLiteralRefused(posting.url, options)) {
      return { failure: 'ADDRESS_REFUSED' };
    }
    try {
      return { status: await post(posting, lookup, options) };
    } catch (error) {
      return { failure: failureCode(error) };
    }
  };
}

/** An IP address in the URL is never looked up, so check it here. */
function isLiteralRefused(url: string, { isAddressAllowed }: GuardedSendOptions): boolean {
  const host = new URL(url).hostname.replace(/^\[|\]$/g, '');
  return isAddressAllowed !== undefined && isIpAddress(host) && !isAddressAllowed(host);
}

async function post(
  posting: WebhookPost,
  lookup: LookupFunction,
  options: GuardedSendOptions,
): Promise<number> {
  const url = new URL(posting.url);
  const { request } = await (url.protocol === 'https:'
    ? import('node:https')
    : import('node:http'));
  return new Promise((resolve, reject) => {
    const outgoing = request(url, requestOptions(posting, lookup));
    const stopTimers = watchTime(outgoing, options);
    outgoing.once('close', stopTimers);
    outgoing.on('error', reject);
    outgoing.once('response', (response) => {
      const done = (): void => resolve(response.statusCode ?? 0);
      discard(response, done);
    });
    outgoing.end(posting.body);
  });
}

/** Open a new connection for each request, so that it goes to the address that was checked. */
function requestOptions({ headers, body }: WebhookPost, lookup: LookupFunction): RequestOptions {
  const length = String(new TextEncoder().encode(body).length);
  const own = { 'content-length': length, connection: 'close' };
  const named = { 'user-agent': 'scrip-webhooks', ...headers, ...own };
  return { method: 'POST', headers: named, agent: false, lookup };
}

function watchTime(outgoing: ClientRequest, options: GuardedSendOptions): () => void {
  const stop = (what: string) => () =>
    outgoing.destroy(
      new ScripError('NETWORK_UNREACHABLE', verbatim(what), { details: { cause: what } }),
    );
  const connecting = setTimeout(
    stop('CONNECT_TIMEOUT'),
    options.connectTimeoutMs ?? CONNECT_TIMEOUT_MS,
  );
  const whole = setTimeout(stop('TIMEOUT'), options.totalTimeoutMs ?? TOTAL_TIMEOUT_MS);
  outgoing.once('socket', (socket) => {
    const event = 'encrypted' in socket ? 'secureConnect' : 'connect';
    socket.once(event, () => clearTimeout(connecting));
  });
  return () => {
    clearTimeout(connecting);
    clearTimeout(whole);
  };
}

/** The status counts even if the rest of the response is cut off, endless or too long. */
function discard(response: IncomingMessage, done: () => void): void {
  let count = 0;
  response.on('data', (chunk: Uint8Array) => {
    count += chunk.length;
    if (count > MAX_ANSWER_BYTES) response.destroy();
  });
  response.on('error', done);
  response.once('close', done);
}

/** Refuses a host name if any of its addresses is refused; otherwise connects to the first one. */
function guardedLookup({
  isPrivateAllowed,
  isAddressAllowed = isPrivateAllowed ? () => true : isPublicAddress,
  resolve = resolveAll,
}: GuardedSendOptions): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname).then(
      (addresses) => {
        const [first] = addresses;
        const isRefused = addresses.some(({ address }) => !isAddressAllowed(address));
        if (!first || isRefused) return callback(refused(hostname), '', 0);
        if (options.all) return callback(null, [...addresses]);
        return callback(null, first.address, first.family);
      },
      (cause: Error) => callback(cause, '', 0),
    );
  };
}

async function resolveAll(hostname: string): Promise<readonly LookupAddress[]> {
  const { lookup } = await import('node:dns/promises');
  return lookup(hostname, { all: true, verbatim: true });
}

function refused(hostname: string): ScripError {
  return new ScripError('NETWORK_UNREACHABLE', t`${hostname} is not an allowed destination`, {
    details: { cause: 'ADDRESS_REFUSED' },
  });
}

function failureCode(error: unknown): string {
  if (error instanceof ScripError) return String(error.details.cause);
  if (error instanceof AggregateError) return failureCode(error.errors[0]);
  return errorCode(error) ?? 'CONNECTION_LOST';
}
