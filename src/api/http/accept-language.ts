/** Sends the user's language to merchants (Accept-Language) and to no other host. */
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
