/** Where the embedded service answers; no connection is ever made to it. */
import { type Said, t } from './message.ts';

const EMBEDDED_HOST = 'embedded.scrip.localhost';
export const EMBEDDED_URL = `http://${EMBEDDED_HOST}`;

/** Whether an address is the embedded service's. */
export function isEmbeddedUrl(url: string): boolean {
  return url === EMBEDDED_URL || url.startsWith(`${EMBEDDED_URL}/`);
}

/** A host as people are told of it: the part of an address that may be shown, for it has no secret. */
export function hostLabel(url: string): Said {
  if (!URL.canParse(url)) return url;
  const { host, hostname } = new URL(url);
  return hostname === EMBEDDED_HOST ? t`the built-in sandbox` : host;
}

/**
 * This machine's own names and addresses: where plain http is no risk, and where a sandbox may live.
 * `hostname` is as `URL` gives it, so that 0x7f.1 and its like have been folded already.
 */
export function isLoopbackHost(hostname: string): boolean {
  const name = hostname.replace(/^\[|\]$/g, '').toLowerCase();
  return (
    name === 'localhost' ||
    name.endsWith('.localhost') ||
    name === '::1' ||
    /^127(\.\d{1,3}){3}$/.test(name)
  );
}
