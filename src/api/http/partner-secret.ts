/** Sends a partner's secret with requests to its partner API, and with no other request. */
import type { Fetch } from '../../contract/fetch.ts';

interface Secret {
  /** Address of the partner API, without a trailing slash. */
  readonly apiUrl: string;
  /** Returns the secret; undefined if there is none. Asked before each request. */
  read(): string | undefined | Promise<string | undefined>;
}

export function withPartnerSecret(fetch: Fetch, { apiUrl, read }: Secret): Fetch {
  return async (url, init) => {
    // The checkout host may have the same address; its requests name no partner.
    const isOfPartner = init?.headers?.['x-cr-application'] !== undefined;
    if (!isOfPartner || !url.startsWith(`${apiUrl}/`)) return fetch(url, init);
    const secret = await read();
    if (secret === undefined) return fetch(url, init);
    return fetch(url, { ...init, headers: { ...init.headers, authorization: `Bearer ${secret}` } });
  };
}
