/**
 * Marks answers as ready: their bytes stay valid until their source changes, so a server may send
 * them to later requests for the same URL without asking the service (`ready-answers.ts`). Other
 * code just uses the `Response`.
 */

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

export function markReady(response: Response, ready: Ready): Response {
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
