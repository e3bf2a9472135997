/** Reads `X-Forwarded-For`: a list of hops, to which each proxy appends its caller. */

import { isIpAddress } from './public-address.ts';

/** Returns the first entry that is an IP address; undefined if there is none, which is allowed. */
export function firstAddress(header: string): string | undefined {
  for (const entry of header.split(',')) {
    const address = addressIn(entry);
    if (address !== undefined) return address;
  }
  return undefined;
}

/**
 * Finds the caller as seen from our socket: the nearest hop that is not one of our own proxies. The entries to
 * its left are what the hop itself claims.
 * @param socket address of the connection
 */
export function lastHop(header: string, socket: string, isOurs: (address: string) => boolean) {
  const entries = header.split(',');
  let address = socket;
  while (isOurs(address)) {
    const before = addressIn(entries.at(-1) ?? '');
    if (before === undefined) break;
    entries.pop();
    address = before;
  }
  return { address, claims: entries.join(',') };
}

/**
 * Parses an entry, which may have brackets, a port and quotes (RFC 7239); undefined for `unknown` and
 * invented names.
 */
function addressIn(entry: string): string | undefined {
  const text = entry.trim().replace(/^"(.*)"$/, '$1');
  const plain =
    /^\[([^\]]*)\](?::\d*)?$/.exec(text)?.[1] ?? /^([\d.]+):\d*$/.exec(text)?.[1] ?? text;
  return isIpAddress(plain) ? plain : undefined;
}
