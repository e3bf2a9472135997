/** The placeholder address of the embedded service; no connection is ever made to it. */

import { type Said, t } from '../message/message.ts';

const EMBEDDED_HOST = 'embedded.scrip.localhost';
export const EMBEDDED_URL = `http://${EMBEDDED_HOST}`;

export function isEmbeddedUrl(url: string): boolean {
  return url === EMBEDDED_URL || url.startsWith(`${EMBEDDED_URL}/`);
}

/** Returns the part of an address to show to people; it holds no secret. */
export function hostLabel(url: string): Said {
  if (!URL.canParse(url)) return url;
  const { host, hostname } = new URL(url);
  return hostname === EMBEDDED_HOST ? t`the built-in sandbox` : host;
}

/**
 * Whether it is one of this machine's own names or addresses, where plain http is safe. `hostname` comes from
 * `URL`, which has already normalized forms such as 0x7f.1.
 */
export function isLoopbackHost(hostname: string): boolean {
  const name = hostname.replace(/^\[|\]$/g, '').toLowerCase();
  return (
    name === 'localhost' ||
    name.endsWith('.localhost') ||
    name === '::1' ||
    /^127(\.\d{1,3}){3}$/.test(name)
  );
}

/** As `isLoopbackHost`, of a whole address. */
export function isOnThisMachine(url: string): boolean {
  return isLoopbackHost(new URL(url).hostname);
}

/** Where a request comes from and goes to: the headers `Host`, `Origin`, and `Sec-Fetch-Site`. */
export interface Place {
  readonly host: string;
  /** Null when the client is not a page. */
  readonly origin: string | null;
}

export function placeOf({ headers, url }: Pick<Request, 'headers' | 'url'>): Place {
  const host = headers.get('Host') ?? new URL(url).host;
  const origin = headers.get('Origin');
  // A page with `Referrer-Policy: no-referrer` submits its forms with the origin `null`; only the browser can
  // set `Sec-Fetch-Site` (Fetch Metadata).
  const isOwnForm = origin === 'null' && headers.get('Sec-Fetch-Site') === 'same-origin';
  return { host, origin: isOwnForm ? `http://${host}` : origin };
}

/** Returns why a server at `own` refuses the request; undefined when it is allowed. */
export function placeProblem({ host, origin }: Place, own: URL): string | undefined {
  if (!isServed(host, own)) return 'This host name is not served here.';
  // Only pages send an origin (opaque ones send `null`). The port is ignored: any page of this machine is
  // allowed.
  if (origin === null || isOwnPage(origin, host)) return undefined;
  return 'Requests from this origin are not accepted.';
}

function isServed(host: string, own: URL): boolean {
  return host === own.host || isLoopback(host) || EVERY_ADDRESS.has(own.hostname);
}

/** A server bound to all addresses cannot know the names that reach it. */
const EVERY_ADDRESS: ReadonlySet<string> = new Set(['0.0.0.0', '[::]']);

function isOwnPage(origin: string, host: string): boolean {
  if (!URL.canParse(origin)) return false;
  const page = new URL(origin).host;
  return page === host || isLoopback(page);
}

function isLoopback(host: string): boolean {
  const url = `http://${host}`;
  // Reject what `URL` would read as a user name before the host.
  if (!/^[\w.:[\]-]+$/.test(host)) return false;
  return URL.canParse(url) && isLoopbackHost(new URL(url).hostname);
}
