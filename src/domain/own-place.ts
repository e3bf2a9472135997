/**
 * Who may reach what spends, settles or plays: programs, and pages of this machine or of the server
 * itself. Any other page could post a form to it, or have a name of its own resolve to this machine
 * (DNS rebinding).
 */
import { isLoopbackHost } from './loopback.ts';

/** What a request says of its place: the headers `Host` and `Origin`. */
export interface Place {
  readonly host: string;
  /** Null where no page asks. */
  readonly origin: string | null;
}

export function placeOf({ headers, url }: Pick<Request, 'headers' | 'url'>): Place {
  return { host: headers.get('Host') ?? new URL(url).host, origin: headers.get('Origin') };
}

/** Why a request to a server at `own` is refused for its place; undefined when it is not. */
export function placeProblem({ host, origin }: Place, own: URL): string | undefined {
  if (!isServed(host, own)) return 'This host name is not served here.';
  // A page can only be of an origin, `null` included, so that its port says nothing about its rights.
  if (origin === null || isOwnPage(origin, host)) return undefined;
  return 'Requests from this origin are not taken.';
}

function isServed(host: string, own: URL): boolean {
  return host === own.host || isLoopback(host) || EVERY_ADDRESS.has(own.hostname);
}

/** A server bound to these has names that it cannot know. */
const EVERY_ADDRESS: ReadonlySet<string> = new Set(['0.0.0.0', '[::]']);

function isOwnPage(origin: string, host: string): boolean {
  if (!URL.canParse(origin)) return false;
  const page = new URL(origin).host;
  return page === host || isLoopback(page);
}

function isLoopback(host: string): boolean {
  const url = `http://${host}`;
  // A user name before the host would be read as one.
  if (!/^[\w.:[\]-]+$/.test(host)) return false;
  return URL.canParse(url) && isLoopbackHost(new URL(url).hostname);
}
