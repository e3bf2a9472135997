/** What reaches a merchant: the network's `fetch`, or the embedded service in its place. */
export type Fetch = (url: string, init?: FetchInit) => Promise<Reply>;

export interface FetchInit {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal?: AbortSignal;
  /** Money calls never follow: a redirect would hand the payment header to another origin. */
  readonly redirect?: 'manual' | 'error';
}

/** The part of a `Response` that is used here; the global `Response` is one. */
export interface Reply {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  readonly body: AsyncIterable<Uint8Array> | null;
  text(): Promise<string>;
}
