/** Keeps a websocket of a node open, as long as there are accounts to be told of. */

import type { Agent } from 'node:http';
import type WebSocket from 'ws';
import { hostLabel } from '../../domain/address/loopback.ts';
import { parseJson } from '../../domain/attempt.ts';
import type { Clock } from '../../domain/clock.ts';
import { ScripError } from '../../domain/message/errors.ts';
import { t } from '../../domain/message/message.ts';
import { field } from '../rpc-transport.ts';

export interface AccountNewsOptions extends Omit<AccountSocketOptions, 'signal'> {
  readonly clock: Pick<Clock, 'sleep'>;
  report(error: unknown): void;
}

export type AccountNews = ReturnType<typeof createAccountNews>;

/** Nodes close what is silent; the shortest time known is a minute. */
const CHECK_EVERY_MS = 30_000;
const FIRST_DELAY_MS = 1_000;
const LONGEST_DELAY_MS = 60_000;
/** A node may close a connection at any time; only one that cannot be opened again is reported. */
const REPORTED_FAILURE = 2;

export function createAccountNews(options: AccountNewsOptions) {
  const { url, clock, report } = options;
  const stopping = new AbortController();
  let wanted: readonly string[] = [];
  let socket: AccountSocket | undefined;
  let running: Promise<void> | undefined;

  /** Resolves to whether the connection lasted, and reported accounts. */
  async function live(): Promise<boolean> {
    const opened = await openAccountSocket({ ...options, signal: stopping.signal });
    socket = opened;
    opened.watch(wanted);
    const over = new AbortController();
    const checks = checkUntil(over.signal, opened);
    await opened.closed;
    socket = undefined;
    over.abort();
    return checks;
  }

  async function checkUntil(signal: AbortSignal, opened: AccountSocket): Promise<boolean> {
    for (let hasReported = false; ; ) {
      await clock.sleep(CHECK_EVERY_MS, signal).catch(() => undefined);
      if (signal.aborted) return hasReported;
      hasReported = opened.subscribed() > 0;
      if (wanted.length === 0) opened.close();
      else opened.check();
    }
  }

  async function run(): Promise<void> {
    for (let failures = 0; wanted.length > 0 && !stopping.signal.aborted; ) {
      let cause: unknown;
      const hasReported = await live().catch((error: unknown) => {
        cause = error;
        return false;
      });
      failures = hasReported ? 0 : failures + 1;
      if (failures === REPORTED_FAILURE) report(away(url, cause));
      const delayMs = Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** failures);
      await clock.sleep(delayMs, stopping.signal).catch(() => undefined);
    }
    running = undefined;
  }

  return {
    /** Replaces the accounts to be told of, the most important ones first. */
    watch(accounts: readonly string[]): void {
      wanted = accounts;
      socket?.watch(accounts);
      running ??= accounts.length === 0 ? undefined : run();
    },
    /** Number of accounts that the node reports now. */
    subscribed: (): number => socket?.subscribed() ?? 0,
    /** Resolves when the connection is closed. */
    async close(): Promise<void> {
      stopping.abort();
      await running;
    },
  };
}

function away(url: string, cause: unknown): ScripError {
  return new ScripError(
    'CHAIN_UNREACHABLE',
    t`The websocket at ${hostLabel(url)} reports no accounts; payments are found by polling alone`,
    { cause },
  );
}

interface AccountSocketOptions {
  readonly url: string;
  /** Makes its connection where one of the system's own does not do. @throws {ScripError} */
  readonly agent?: ((url: string) => Promise<Agent | undefined>) | undefined;
  /** Closes the connection, also while it is being opened. */
  readonly signal: AbortSignal;
  onChange(account: string): void;
}

type AccountSocket = Awaited<ReturnType<typeof openAccountSocket>>;

const HANDSHAKE_MS = 10_000;
/** A token account takes less than 1 kB. */
const MAX_MESSAGE_BYTES = 16 * 1024;

/** The websocket address of an RPC, as web3.js derives it: the same, but one port above a named one. */
export function websocketUrlOf(rpcUrl: string): string {
  const url = new URL(rpcUrl.replace(/^http/, 'ws'));
  if (url.port !== '') url.port = String(Number(url.port) + 1);
  return url.href;
}

/** @throws {ScripError} CHAIN_UNREACHABLE */
export async function openAccountSocket(options: AccountSocketOptions) {
  const socket = await connect(options);
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  const send = (call: object) => socket.send(JSON.stringify({ jsonrpc: '2.0', ...call }));
  const subscriptions = createSubscriptions(send, options.onChange);
  let isAlive = false;
  socket.on('pong', () => {
    isAlive = true;
  });
  socket.on('message', (data) => {
    isAlive = true;
    subscriptions.take(String(data));
  });
  // A message that is too large or no text closes the connection.
  socket.on('error', () => socket.terminate());
  return {
    watch: subscriptions.watch,
    subscribed: subscriptions.held,
    agreed: subscriptions.agreed,
    closed,
    /** Closes the connection unless the node answered since the last check. */
    check() {
      if (!isAlive || subscriptions.isOverdue()) return socket.terminate();
      isAlive = false;
      socket.ping();
    },
    close: (): void => socket.terminate(),
  };
}

function createSubscriptions(send: (call: object) => void, onChange: (account: string) => void) {
  /** Accounts by the id of the call that asks for them, and by their subscription. */
  const asked = new Map<number, string>();
  const held = new Map<number, string>();
  let lastId = 0;
  let overdueId = 0;
  let room = Number.POSITIVE_INFINITY;
  let agree = (): void => undefined;
  const agreed = new Promise<void>((resolve) => {
    agree = resolve;
  });

  function ask(method: string, params: readonly unknown[]): number {
    lastId += 1;
    send({ id: lastId, method, params });
    return lastId;
  }

  function takeReply(account: string, subscription: unknown): void {
    if (typeof subscription === 'number') {
      held.set(subscription, account);
      room = Math.max(room, held.size);
      agree();
    } else {
      // The next list gives up the last of these for the first that is missing.
      room = Math.max(1, held.size);
    }
  }

  return {
    /** Resolves at the first account that the node agreed to report. */
    agreed,
    /** Number of accounts that the node agreed to report. */
    held: () => held.size,
    /** Subscribes to these accounts and to no others; if the node refuses so many, to the first of them. */
    watch(accounts: readonly string[]): void {
      const wanted = new Set(accounts.slice(0, room));
      for (const [subscription, account] of held) {
        if (wanted.delete(account)) continue;
        held.delete(subscription);
        ask('accountUnsubscribe', [subscription]);
      }
      for (const account of asked.values()) wanted.delete(account);
      for (const account of wanted) {
        const config = { commitment: 'confirmed', encoding: 'base64' };
        asked.set(ask('accountSubscribe', [account, config]), account);
      }
    },
    take(text: string): void {
      const message = parseJson(text);
      const id = field(message, 'id');
      const account = typeof id === 'number' ? asked.get(id) : undefined;
      if (typeof id === 'number' && account !== undefined) {
        asked.delete(id);
        takeReply(account, field(message, 'result'));
        return;
      }
      const subscription = field(field(message, 'params'), 'subscription');
      const changed = typeof subscription === 'number' ? held.get(subscription) : undefined;
      if (changed !== undefined) onChange(changed);
    },
    /** Whether a call is unanswered that was sent before this was last asked. */
    isOverdue(): boolean {
      const isOverdue = [...asked.keys()].some((id) => id <= overdueId);
      overdueId = lastId;
      return isOverdue;
    },
  };
}

/** The part of the library used here; its other types differ between releases. */
interface Library {
  readonly WebSocket: new (
    url: string,
    options: {
      readonly handshakeTimeout: number;
      readonly maxPayload: number;
      readonly perMessageDeflate: false;
      readonly agent: Agent | undefined;
    },
  ) => WebSocket;
}

async function connect({
  url,
  agent,
  signal,
}: Omit<AccountSocketOptions, 'onChange'>): Promise<WebSocket> {
  const library: unknown = await import('ws');
  const { WebSocket: Socket } = library as Library;
  const socket = new Socket(url, {
    handshakeTimeout: HANDSHAKE_MS,
    maxPayload: MAX_MESSAGE_BYTES,
    perMessageDeflate: false,
    agent: await agent?.(url),
  });
  const stop = () => socket.terminate();
  signal.addEventListener('abort', stop, { once: true });
  socket.once('close', () => signal.removeEventListener('abort', stop));
  return new Promise((resolve, reject) => {
    socket.once('open', () => resolve(socket));
    socket.on('error', (cause) => {
      // Show only the host: addresses of RPC providers contain keys.
      const message = t`The websocket at ${hostLabel(url)} cannot be opened`;
      reject(new ScripError('CHAIN_UNREACHABLE', message, { cause }));
    });
    if (signal.aborted) stop();
  });
}
