/** Large replies, serialized once and revalidated by ETag. */
import { sha256Hex } from './digest.ts';
import { type Life, markReady, type Page } from './ready.ts';

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
