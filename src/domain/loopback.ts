/** The placeholder address of the embedded service; no connection is ever made to it. */
import { type Said, t } from './message.ts';

const EMBEDDED_HOST = 'embedded.scrip.localhost';
export const EMBEDDED_URL = `http://${EMBEDDED_HOST}`;

export function isEmbeddedUrl(url: string): boolean {
  return url === EMBEDDED_URL || url.startsWith(`${EMBEDDED_URL}/`);
}

/** Returns the part of an address to show to people; it holds no secret. */
export function hostLabel(url: string): Said {
  if (!URL.canParse(url)) return url;
  const { host, hostname } = new URL(url);
  return hostname === EMBEDDED_HOST ? t`the built-in sandbox` : host;
}

/**
 * Whether it is one of this machine's own names or addresses, where plain http is safe. `hostname` comes from
 * `URL`, which has already normalized forms such as 0x7f.1.
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
