/**
 * Marks answers as ready: their bytes stay valid until their source changes, so a server may send
 * them to later requests for the same URL without asking the service (`ready-answers.ts`). Other
 * code just uses the `Response`.
 */

import { sha256Hex } from '../digest.ts';

/** A body with its ETag. */
export interface Page {
  readonly body: Uint8Array<ArrayBuffer>;
  readonly etag: string;
}

/** Read access to a request's headers, on which an answer may depend. */
export interface HeaderReader {
  get(name: string): string | null;
}

/** How long an answer is valid, and for which requests. */
export interface Life {
  isCurrent(): boolean;
  /** Whether a request with these headers gets this answer; by default all do. */
  readonly admits?: (headers: HeaderReader) => boolean;
}

export interface Ready extends Life {
  /** Bytes with an ETag, or a text with a new time in each answer. */
  readonly content: Page | (() => string);
}

const READY = new WeakMap<Response, Ready>();

function markReady(response: Response, ready: Ready): Response {
  READY.set(response, ready);
  return response;
}

export function readyOf(response: Response): Ready | undefined {
  return READY.get(response);
}

/** Valid while all of these keep their current versions. */
export function whileSame(...of: readonly { readonly version: string }[]): Life['isCurrent'] {
  const made = of.map(({ version }) => version);
  return () => of.every(({ version }, index) => version === made[index]);
}

/** A small JSON text with a price; only the server's own cache keeps it. */
export function quoteReply(text: () => string, life: Life): Response {
  const headers = { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' };
  return markReady(new Response(text(), { headers }), { ...life, content: text });
}

// Large replies, serialized once and revalidated by ETag.

/** Returns the page of a key, rendering it if it is not cached; parallel callers share one rendering. */
export type Pages = (key: string, render: () => unknown) => Promise<Page>;

/** Caches the most recently used pages up to a limit, since callers choose the keys. */
export function createPages(limit: number): Pages {
  const kept = new Map<string, Promise<Page>>();
  return (key, render) => {
    const page = kept.get(key) ?? renderPage(render);
    kept.delete(key);
    kept.set(key, page);
    // Don't cache a failure: the next caller tries again.
    page.catch(() => kept.delete(key));
    const [oldest] = kept.keys();
    if (kept.size > limit && oldest !== undefined) kept.delete(oldest);
    return page;
  };
}

async function renderPage(render: () => unknown): Promise<Page> {
  const json = JSON.stringify(await render());
  const etag = `"${sha256Hex(json).slice(0, 32)}"`;
  return { body: new TextEncoder().encode(json), etag };
}

/** Answers 200 with the page, or 304 if the client has it. */
export function pageReply(page: Page, request: Pick<Request, 'headers'>, life: Life): Response {
  const { body, etag } = page;
  const headers = { ETag: etag, 'Cache-Control': 'no-cache' };
  const reply = isKnown(request.headers.get('If-None-Match'), etag)
    ? new Response(null, { status: 304, headers })
    : new Response(body, { headers: { ...headers, 'Content-Type': 'application/json' } });
  return markReady(reply, { ...life, content: page });
}

/** Whether the client has the content of a tag, in any encoding. */
export function isKnown(ifNoneMatch: string | null | undefined, etag: string): boolean {
  if (!ifNoneMatch) return false;
  if (ifNoneMatch === etag) return true;
  return ifNoneMatch.split(',').some((tag) => plainTag(tag) === etag);
}

/** A body in another encoding needs its own tag (RFC 9110, 8.8.3.3). */
export function tagOf(etag: string, encoding: string): string {
  return encoding === '' ? etag : etag.replace(/"$/, `-${encoding}"`);
}

function plainTag(tag: string): string {
  return tag
    .trim()
    .replace(/^W\//, '')
    .replace(/-(?:gzip|br)"$/, '"');
}
