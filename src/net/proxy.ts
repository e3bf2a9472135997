/**
 * The proxy that the environment names for a host, and tunnels through it (CONNECT, RFC 9110 9.3.6). Loaded only
 * where a variable names one. Not `https-proxy-agent`: it hands a proxy's own answer on as the host's, and a 402
 * of a proxy must never be paid.
 */

import type { Agent } from 'node:http';
import { request } from 'node:https';
import type { Socket } from 'node:net';
import { isInRanges, isIpAddress, isIpRange } from '../domain/address/public-address.ts';
import { errorCode, ScripError } from '../domain/message/errors.ts';
import { t } from '../domain/message/message.ts';

export interface ProxyServer {
  /** Holds the credentials; only its `host` may be shown. */
  readonly url: URL;
  /** The variable that names it. */
  readonly variable: string;
}

/** A variable that names a proxy, and what NO_PROXY exempts from it. */
export interface Named {
  readonly variable: string;
  readonly value: string;
  readonly exempt: string;
}

/** Host and port; an IPv6 address without brackets. */
export interface Target {
  readonly host: string;
  readonly port: number;
}

/**
 * Returns the proxy for a host; undefined to connect directly.
 * @throws {ScripError} INPUT_INVALID if it is no http proxy; the value may hold a password
 */
export function proxyFor(
  target: Target,
  { variable, value, exempt }: Named,
): ProxyServer | undefined {
  if (isExempt(target, exempt)) return undefined;
  const address = value.includes('://') ? value : `http://${value}`;
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url !== undefined && /^https?:$/.test(url.protocol)) return { url, variable };
  throw new ScripError('INPUT_INVALID', t`${variable} does not name an http or https proxy`, {
    hint: t`Write it as http://<host>:<port>, or name hosts to connect to directly in NO_PROXY.`,
  });
}

/** As in curl and Go: a name stands for its subdomains too, and 10.0.0.0/8 for every address of that network. */
function isExempt({ host, port }: Target, exempt: string): boolean {
  const name = host.toLowerCase().replace(/\.$/, '');
  return exempt.split(/[\s,]+/).some((entry) => {
    if (entry === '' || entry === '*') return entry === '*';
    const [, bracketed, bare = bracketed, only] =
      /^(?:\[(.+)\]|([^:]+))(?::(\d+))?$/.exec(entry) ?? [];
    if (only !== undefined && Number(only) !== port) return false;
    const place = (bare ?? entry).toLowerCase();
    if (isIpAddress(name)) return isIpRange(place) && isInRanges(name, [place]);
    const domain = place.replace(/^\*?\./, '');
    return name === domain || name.endsWith(`.${domain}`);
  });
}

const TUNNEL_TIMEOUT_MS = 20_000;
const CREDENTIALS_ASKED = 407;

interface TunnelOptions {
  /** Connects to the proxy. */
  readonly agent: Agent;
  readonly given: AbortSignal | undefined;
}

/**
 * Opens a tunnel to the target. What the proxy answers in place of the host reaches no caller.
 * @throws {ScripError} NETWORK_UNREACHABLE naming the proxy, never its credentials
 */
export function openTunnel(
  proxy: ProxyServer,
  target: Target,
  { agent, given }: TunnelOptions,
): Promise<Socket> {
  const authority = `${target.host.includes(':') ? `[${target.host}]` : target.host}:${target.port}`;
  const { url } = proxy;
  const host = url.hostname.replace(/^\[|\]$/g, '');
  return new Promise((resolve, reject) => {
    const asking = request({
      agent,
      protocol: url.protocol,
      host,
      // Without it, the certificate of an https proxy would have to name the target.
      servername: isIpAddress(host) ? '' : host,
      port: url.port || (url.protocol === 'https:' ? 443 : 80),
      method: 'CONNECT',
      path: authority,
      headers: { host: authority, 'user-agent': 'scrip', ...credentials(url) },
    });
    const end = (cause: unknown): void => {
      over();
      asking.destroy();
      reject(away(proxy, cause));
    };
    const stop = (): void => end(given?.reason);
    const late = setTimeout(
      () => end(Object.assign(new Error(), { code: 'ETIMEDOUT' })),
      TUNNEL_TIMEOUT_MS,
    );
    const over = (): void => {
      clearTimeout(late);
      given?.removeEventListener('abort', stop);
    };
    given?.addEventListener('abort', stop, { once: true });
    asking.once('connect', ({ statusCode = 0 }, socket) => {
      over();
      if (statusCode >= 200 && statusCode < 300) return resolve(socket);
      socket.destroy();
      reject(refused(proxy, target, statusCode));
    });
    asking.on('error', end);
    if (given?.aborted) stop();
    else asking.end();
  });
}

/** As bytes: a password need not be UTF-8. */
function credentials({ username, password }: URL): Readonly<Record<string, string>> {
  if (username === '' && password === '') return {};
  const text = `${username}:${password}`.replace(/%([0-9a-f]{2})/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return {
    'proxy-authorization': ['Basic', Buffer.from(text, 'latin1').toString('base64')].join(' '),
  };
}

function refused({ url, variable }: ProxyServer, { host }: Target, status: number): ScripError {
  const name = url.host;
  const details = { host, proxy: name, status };
  if (status !== CREDENTIALS_ASKED) {
    return new ScripError(
      'NETWORK_UNREACHABLE',
      t`The proxy ${name} refused to connect to ${host} (${status})`,
      {
        details,
        hint: t`Ask who runs the proxy to allow this host, or name the host in NO_PROXY to connect directly.`,
      },
    );
  }
  const isKnown = url.username !== '' || url.password !== '';
  return new ScripError(
    'NETWORK_UNREACHABLE',
    t`The proxy ${name} asks for credentials (${status})`,
    {
      details,
      retryable: false,
      hint: isKnown
        ? t`It did not accept those in ${variable}: check them; special characters are written as %40.`
        : t`Write them in ${variable}: http://<user>:<password>@${name}`,
    },
  );
}

function away({ url, variable }: ProxyServer, cause: unknown): ScripError {
  const code = errorCode(cause) ?? t`connection lost`;
  return new ScripError(
    'NETWORK_UNREACHABLE',
    t`The proxy ${url.host} could not be reached (${code})`,
    {
      cause,
      details: { proxy: url.host, cause: String(code) },
      hint: t`Check ${variable}, or name hosts to connect to directly in NO_PROXY.`,
    },
  );
}
