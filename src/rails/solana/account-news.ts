/** Keeps a websocket of a node open, as long as there are accounts to be told of. */
import type { Clock } from '../../domain/clock.ts';
import { ScripError } from '../../domain/errors.ts';
import { hostLabel } from '../../domain/loopback.ts';
import { t } from '../../domain/message.ts';
import {
  type AccountSocket,
  type AccountSocketOptions,
  openAccountSocket,
} from './account-socket.ts';

export interface AccountNewsOptions extends Omit<AccountSocketOptions, 'signal'> {
  readonly clock: Pick<Clock, 'sleep'>;
  report(error: unknown): void;
}

export interface AccountNews {
  /** Replaces the accounts to be told of, the most important ones first. */
  watch(accounts: readonly string[]): void;
  /** Number of accounts that the node reports now. */
  subscribed(): number;
  /** Resolves when the connection is closed. */
  close(): Promise<void>;
}

/** Nodes close what is silent; the shortest time known is a minute. */
const CHECK_EVERY_MS = 30_000;
const FIRST_DELAY_MS = 1_000;
const LONGEST_DELAY_MS = 60_000;
/** A node may close a connection at any time; only one that cannot be opened again is reported. */
const REPORTED_FAILURE = 2;

export function createAccountNews(options: AccountNewsOptions): AccountNews {
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
    watch(accounts) {
      wanted = accounts;
      socket?.watch(accounts);
      running ??= accounts.length === 0 ? undefined : run();
    },
    subscribed: () => socket?.subscribed() ?? 0,
    async close() {
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
