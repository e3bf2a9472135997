/** A shop that is killed and comes back: same data, same port. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { Pace } from './fast-clock.ts';
import type { ShopOptions } from './shop-process.ts';

export interface Shop {
  readonly url: () => string;
  readonly dataDir: string;
  /** Names the point at which the running process dies next; null takes it back. */
  arm(point: string | null): Promise<void>;
  /** Points at which it died, in order. */
  readonly deaths: readonly string[];
  /** Resolves when it is up. */
  up(): Promise<void>;
  stop(): Promise<void>;
}

export async function openShop(program: string, dataDir: string, pace: Pace): Promise<Shop> {
  const deaths: string[] = [];
  let armed: string | null = null;
  let port = 0;
  let isStopping = false;
  let child: ChildProcess;
  let starting: Promise<void>;

  const start = async (): Promise<void> => {
    const options: ShopOptions = { dataDir, port, pace };
    const started = fork(program, [JSON.stringify(options)], {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    child = started;
    started.once('exit', (_code, signal) => {
      if (isStopping) return;
      if (signal === 'SIGKILL' && armed !== null) deaths.push(armed.replace(/:.*/, ''));
      armed = null;
      starting = start();
    });
    const [said] = (await once(started, 'message')) as [{ readonly url: string }];
    port = Number(new URL(said.url).port);
  };
  starting = start();
  await starting;

  return {
    url: () => `http://127.0.0.1:${port}`,
    dataDir,
    deaths,
    up: () => starting,
    async arm(point) {
      await starting;
      armed = point;
      const over = new AbortController();
      const heard = (event: string) => once(child, event, { signal: over.signal });
      const acknowledged = Promise.race([heard('message'), heard('exit')]);
      child.send({ arm: point }, () => undefined);
      await acknowledged;
      over.abort();
    },
    async stop() {
      isStopping = true;
      await starting.catch(() => undefined);
      child.kill('SIGKILL');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    },
  };
}
