/** What `X-Forwarded-For` says: a list of hops, of which each proxy adds the one that it was called by. */
import { isIpAddress } from './public-address.ts';

/** The first entry that is an address; undefined where there is none, which is allowed. */
export function firstAddress(header: string): string | undefined {
  for (const entry of header.split(',')) {
    const address = addressIn(entry);
    if (address !== undefined) return address;
  }
  return undefined;
}

export interface Hop {
  readonly address: string;
  /** The entries to the left of it, which are its own claims. */
  readonly claims: string;
}

/**
 * Who called, seen from our socket: behind proxies of our own, the last hop that they did not add.
 * @param socket address of the connection
 */
export function lastHop(header: string, socket: string, isOurs: (address: string) => boolean): Hop {
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

/** Proxies write brackets, ports and quotes (RFC 7239); `unknown` and made-up names are no address. */
function addressIn(entry: string): string | undefined {
  const text = entry.trim().replace(/^"(.*)"$/, '$1');
  const plain =
    /^\[([^\]]*)\](?::\d*)?$/.exec(text)?.[1] ?? /^([\d.]+):\d*$/.exec(text)?.[1] ?? text;
  return isIpAddress(plain) ? plain : undefined;
}
