/** Bulky replies, serialised once and revalidated by ETag. */
import { sha256Hex } from './digest.ts';

export interface Page {
  readonly body: Uint8Array<ArrayBuffer>;
  readonly etag: string;
}

/** The page of a key, rendered when it is not kept; of several callers at once the first renders. */
export type Pages = (key: string, render: () => unknown) => Promise<Page>;

/** Keeps the pages that were asked for last, at most as many as the limit: keys come from outside. */
export function createPages(limit: number): Pages {
  const kept = new Map<string, Promise<Page>>();
  return (key, render) => {
    const page = kept.get(key) ?? renderPage(render);
    kept.delete(key);
    kept.set(key, page);
    // A failure is not an answer: the next caller tries again.
    page.catch(() => kept.delete(key));
    const [oldest] = kept.keys();
    if (kept.size > limit && oldest !== undefined) kept.delete(oldest);
    return page;
  };
}

async function renderPage(render: () => unknown): Promise<Page> {
  const json = JSON.stringify(await render());
  const etag = `"${(await sha256Hex(json)).slice(0, 32)}"`;
  return { body: new TextEncoder().encode(json), etag };
}

/** 200 with the page, or 304 to a client that has it. */
export function pageReply({ body, etag }: Page, request: Request): Response {
  const headers = { ETag: etag, 'Cache-Control': 'no-cache' };
  const known = (request.headers.get('If-None-Match') ?? '').split(',');
  if (known.some((tag) => tag.trim().replace(/^W\//, '') === etag)) {
    return new Response(null, { status: 304, headers });
  }
  return new Response(body, { headers: { ...headers, 'Content-Type': 'application/json' } });
}
