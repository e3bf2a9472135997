/** Where webhooks may be sent: checks an address by its text alone, before any name is resolved. */

import { joined, type Message, t } from '../message/message.ts';
import { isIpAddress, isPublicAddress } from './public-address.ts';

export interface WebhookRules {
  /** Also allows plain http, any port and private addresses: for tests on one machine. */
  readonly isPrivateAllowed: boolean;
  /** Ports of public endpoints; 443 and 8443 if omitted. */
  readonly ports?: readonly number[];
}

export interface WebhookPost {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * Posts to an address that a client named, and follows no redirect. Returns the response's status, or a code
 * that says why there was none; never text from the other side.
 */
export type SendWebhook = (
  post: WebhookPost,
) => Promise<{ readonly status: number } | { readonly failure: string }>;

const MAX_LENGTH = 2048;
const PORTS = [443, 8443] as const;
const HTTPS_PORT = 443;

/** Names of this machine or its network (RFC 6761, RFC 6762, RFC 8375 and common use). */
const LOCAL_NAMES = [
  'localhost',
  'local',
  'internal',
  'intranet',
  'private',
  'corp',
  'home',
  'lan',
  'arpa',
  'localdomain',
  'test',
  'invalid',
  'onion',
] as const;

/** Returns why webhooks may not go to an address, as the end of a sentence; undefined if they may. */
export function webhookProblem(address: string, rules: WebhookRules): Message | undefined {
  if (address.length > MAX_LENGTH) return t`longer than ${MAX_LENGTH} characters`;
  if (!URL.canParse(address)) return t`not an address`;
  const url = new URL(address);
  if (url.username !== '' || url.password !== '') return t`contains a user name or password`;
  if (rules.isPrivateAllowed) return /^https?:$/.test(url.protocol) ? undefined : t`not http(s)`;
  if (url.protocol !== 'https:') return t`not https`;
  const port = url.port === '' ? HTTPS_PORT : Number(url.port);
  const ports = rules.ports ?? PORTS;
  if (!ports.includes(port)) return t`on port ${port}, not ${joined(ports, t` or `)}`;
  return isPublicHost(url.hostname) ? undefined : t`not on the public internet`;
}

/** `hostname` comes from `URL`: lowercase, normalized IPv4, IPv6 in brackets. */
function isPublicHost(hostname: string): boolean {
  const name = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  if (isIpAddress(name)) return isPublicAddress(name);
  const labels = name.split('.');
  const [last] = labels.slice(-1);
  return labels.length > 1 && !LOCAL_NAMES.some((local) => local === last);
}
