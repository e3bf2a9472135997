/**
 * Agents whose connections are complete before a request is written: through the proxy that the environment
 * names, and verified, also by more authorities than Node's own. So nothing of a request is ever sent twice here.
 */

import type { Agent, ClientRequestArgs } from 'node:http';
import type { Duplex } from 'node:stream';
import { isLoopbackHost } from '../domain/address/loopback.ts';
import { errorCode, ScripError } from '../domain/message/errors.ts';
import { t } from '../domain/message/message.ts';
import type { Network } from './authorities.ts';
import type { ProxyServer, Target } from './proxy.ts';

/**
 * Variables that name a proxy; the first that is set counts. HTTP_PROXY comes last: requests over plain http stay
 * on this machine, where no proxy is used.
 */
const PROXY_VARIABLES = [
  'https_proxy',
  'HTTPS_PROXY',
  'all_proxy',
  'ALL_PROXY',
  'http_proxy',
  'HTTP_PROXY',
];

/**
 * Addresses of both families are tried in turn (RFC 8305). After Node's own 250 ms, a host that is merely far away
 * would be given up.
 */
const EITHER_FAMILY = { autoSelectFamily: true, autoSelectFamilyAttemptTimeout: 1_000 } as const;

/** No authority that Node trusts vouches for the certificate. */
const UNKNOWN_AUTHORITY: ReadonlySet<string | undefined> = new Set([
  'CERT_UNTRUSTED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

interface AgentOptions {
  /** Whether a connection serves more than one request. */
  readonly keepAlive?: boolean;
  /** Whether it connects to a proxy itself. */
  readonly isProxy?: boolean;
}

/** Options of one request; aborting the signal ends its connection while that is being made. */
export type Asked = ClientRequestArgs & { readonly given?: AbortSignal | undefined };

export type Agents = ReturnType<typeof createAgents>;

export function createAgents(network: Network) {
  const { env } = network;
  const variable = PROXY_VARIABLES.find((name) => env[name]);
  /** Hosts that only the other authorities vouch for. */
  const vouchedFor = new Set<string>();
  let others: Promise<object> | undefined;

  /** @throws {ScripError} INPUT_INVALID for a variable that names no http proxy */
  async function proxyTo(target: Target): Promise<ProxyServer | undefined> {
    if (variable === undefined || isLoopbackHost(target.host)) return undefined;
    const { proxyFor } = await import('./proxy.ts');
    const exempt = env.no_proxy || env.NO_PROXY || '';
    return proxyFor(target, { variable, value: env[variable] ?? '', exempt });
  }

  /** @throws {ScripError} NETWORK_UNREACHABLE */
  async function tunnelTo(target: Target, given?: AbortSignal): Promise<Duplex | undefined> {
    const proxy = await proxyTo(target);
    if (proxy === undefined) return undefined;
    const { openTunnel } = await import('./proxy.ts');
    return openTunnel(proxy, target, {
      agent: await agentTo(proxy.url.protocol, { isProxy: true }),
      given,
    });
  }

  function otherStore(): Promise<object> {
    others ??= import('./authorities.ts').then(({ otherAuthorities }) => otherAuthorities(network));
    return others;
  }

  async function agentTo(protocol: string, options: AgentOptions = {}): Promise<Agent> {
    const { keepAlive = false, isProxy = false } = options;
    const isSecure = protocol === 'https:';
    const { Agent } = await (isSecure ? import('node:https') : import('node:http'));
    const agent = new Agent({ keepAlive, ...EITHER_FAMILY });
    if (!isSecure && variable === undefined) return agent;
    const connect = agent.createConnection.bind(agent);
    const attempt = async ({ given, ...at }: Asked): Promise<Duplex> => {
      const socket = isProxy ? undefined : await tunnelTo(targetOf(at), given);
      if (socket !== undefined && !isSecure) return socket;
      const begun = connect({ ...at, ...(socket && { socket }) });
      const event = isSecure ? 'secureConnect' : 'connect';
      return whole(begun, { host: targetOf(at).host, event, given });
    };
    const open = async (asked: Asked): Promise<Duplex> => {
      const { host } = targetOf(asked);
      let failure: unknown;
      for (const isOther of vouchedFor.has(host) ? [true, false] : [false, true]) {
        try {
          const socket = await attempt(isOther ? { ...asked, ...(await otherStore()) } : asked);
          if (isOther) vouchedFor.add(host);
          else vouchedFor.delete(host);
          return socket;
        } catch (cause) {
          if (!UNKNOWN_AUTHORITY.has(errorCode(cause))) throw cause;
          failure = cause;
        }
      }
      throw unvouched(host, failure);
    };
    agent.createConnection = (asked, done) => {
      open(asked).then(
        (socket) => done?.(null, socket),
        (cause) => done && Reflect.apply(done, undefined, [cause]),
      );
      return undefined;
    };
    return agent;
  }

  return {
    agentTo,
    /** @throws {ScripError} INPUT_INVALID for a variable that names no http proxy */
    proxyOf: (url: URL) => proxyTo(targetAt(url)),
    /** For a websocket; undefined where a plain connection to this machine will do. */
    async socketAgent(url: string): Promise<Agent | undefined> {
      const { protocol, hostname } = new URL(url);
      if (protocol === 'ws:' && isLoopbackHost(hostname)) return undefined;
      return agentTo(protocol.replace('ws', 'http'));
    },
    /**
     * Opens a connection to a host through its proxy, and closes it; undefined if no proxy is used for it.
     * @throws {ScripError} NETWORK_UNREACHABLE, INPUT_INVALID
     */
    async tryProxy(url: URL) {
      const proxy = await proxyTo(targetAt(url));
      (await tunnelTo(targetAt(url)))?.destroy();
      return proxy && { name: proxy.url.host, variable: proxy.variable };
    },
  };
}

function targetOf({ host, port }: ClientRequestArgs): Target {
  return { host: host ?? '', port: Number(port) };
}

function targetAt({ hostname, port }: URL): Target {
  return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || 443) };
}

function connectionLost(host: string): ScripError {
  const what = t`${host} could not be reached (${t`connection lost`})`;
  return new ScripError('NETWORK_UNREACHABLE', what, { details: { host } });
}

function unvouched(host: string, cause: unknown): ScripError {
  const code = errorCode(cause) ?? '';
  return new ScripError(
    'NETWORK_UNREACHABLE',
    t`${host} could not be reached: its certificate is of an unknown authority (${code})`,
    {
      cause,
      details: { host, cause: code },
      hint: t`If your company’s network signs it, name its CA file: set ca_file of the profile, or NODE_EXTRA_CA_CERTS.`,
    },
  );
}

interface Whole {
  readonly host: string;
  readonly event: 'connect' | 'secureConnect';
  readonly given: AbortSignal | undefined;
}

/** Resolves once the connection is made, and its certificate is verified. */
function whole(socket: Duplex | null | undefined, { host, event, given }: Whole): Promise<Duplex> {
  return new Promise((resolve, reject) => {
    const lost = () => given?.reason ?? connectionLost(host);
    if (!socket) return reject(lost());
    const stop = () => socket.destroy();
    const over = () => given?.removeEventListener('abort', stop);
    if (given?.aborted) stop();
    given?.addEventListener('abort', stop, { once: true });
    // It stays: until a request listens, an error must not end the process.
    socket.on('error', reject);
    socket.once('close', () => {
      over();
      reject(lost());
    });
    socket.once(event, () => {
      over();
      resolve(socket);
    });
  });
}
