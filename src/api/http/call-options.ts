/** Adds to requests what a merchant is told with each: the language, and the partner's secret. */

import type { Fetch } from '../../contract/fetch.ts';

/** @param bases addresses of the merchant, without a trailing slash */
export function inLanguage(
  fetch: Fetch,
  { language, bases }: { readonly language: string; readonly bases: readonly string[] },
): Fetch {
  return (url, init) => {
    const isMerchant = bases.some((base) => url.startsWith(`${base}/`));
    if (!isMerchant) return fetch(url, init);
    return fetch(url, { ...init, headers: { 'accept-language': language, ...init?.headers } });
  };
}

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
