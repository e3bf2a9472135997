/** Sends a request to a merchant: over the network, or to the embedded service. */
export type Fetch = (url: string, init?: FetchInit) => Promise<Reply>;

export interface FetchInit {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal?: AbortSignal;
  /** Payment calls never follow redirects: one would send the payment header to another origin. */
  readonly redirect?: 'manual' | 'error';
}

/** The part of a `Response` that is used here; the global `Response` satisfies it. */
export interface Reply {
  readonly status: number;
  readonly headers: {
    get(name: string): string | null;
    /** All of them, in lower case; only where a caller needs more than known names. */
    entries?(): Iterable<readonly [name: string, value: string]>;
  };
  readonly body: AsyncIterable<Uint8Array> | null;
  text(): Promise<string>;
}

/** Reads a body as text; undefined if it is longer: reading stops there. */
export async function boundedText(
  body: Reply['body'],
  mostBytes: number,
): Promise<string | undefined> {
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > mostBytes) return undefined;
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}
