/**
 * Answers that are ready: their bytes hold until what they were made from changes, so that a server
 * may give them to the next request for the same address without asking the service (`ready-answers.ts`).
 * Everything else reads the `Response` that they come in.
 */

/** A body with the tag that it is revalidated by. */
export interface Page {
  readonly body: Uint8Array<ArrayBuffer>;
  readonly etag: string;
}

/** As far as an answer depends on the headers of its request. */
export interface HeaderReader {
  get(name: string): string | null;
}

/** How long an answer holds, and for whom. */
export interface Life {
  isCurrent(): boolean;
  /** Whether a request with these headers gets this answer; every request does when left out. */
  readonly admits?: (headers: HeaderReader) => boolean;
}

export interface Ready extends Life {
  /** Bytes with a tag, or a text that says another time in each answer. */
  readonly content: Page | (() => string);
}

const READY = new WeakMap<Response, Ready>();

export function markReady(response: Response, ready: Ready): Response {
  READY.set(response, ready);
  return response;
}

export function readyOf(response: Response): Ready | undefined {
  return READY.get(response);
}

/** Holds as long as all of these have the versions that they have now. */
export function whileSame(...of: readonly { readonly version: string }[]): Life['isCurrent'] {
  const made = of.map(({ version }) => version);
  return () => of.every(({ version }, index) => version === made[index]);
}

/** A small JSON text about a price: kept by no cache but the server's own. */
export function quoteReply(text: () => string, life: Life): Response {
  const headers = { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' };
  return markReady(new Response(text(), { headers }), { ...life, content: text });
}
