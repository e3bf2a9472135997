/** The sandbox as the built program serves it, in the tests' own process: where the process is not what is tested. */

import { join } from 'node:path';
import { systemClock } from '../../src/net/clock.ts';
import { createHttpFetch } from '../../src/net/fetch.ts';
import { atEnd } from './at-end.ts';
import { FINAL_SOON, type Home, isExecutable } from './cli.ts';
import { IS_FULL } from './fuzz.ts';
import { random } from './random.ts';
import { type ServedSandbox, serveSandbox } from './served-sandbox.ts';

export interface ServedHere extends Pick<ServedSandbox, 'url' | 'flags'> {
  stop(): Promise<unknown>;
}

const WINDOW_MS = 15 * 60_000;

/**
 * Serves the default sandbox of a home until the end (`atEnd`). With SCRIP_FULL=1, and where the executable is
 * tested, by a process.
 * @param isFinalSoon as FINAL_SOON says it to a process
 */
export async function serveHere(home: Home, isFinalSoon = false): Promise<ServedHere> {
  if (IS_FULL || isExecutable) return serveSandbox(home);
  // Loaded where it is needed: it has a chain in it.
  const { serveSandbox: serve } = await import('../../src/run/sandbox-serving.ts');
  const { url, close } = await serve(
    {
      sandboxDir: join(home.dir, '.local', 'state', 'scrip', 'sandbox'),
      clock: systemClock,
      version: '0.0.0',
      network: createHttpFetch({}),
      failPoint: undefined,
      finalSlots: isFinalSoon ? Number(FINAL_SOON.SCRIP_FINAL_SLOTS) : undefined,
      random,
      report: () => undefined,
    },
    { port: 0, host: '127.0.0.1', paymentWindowMs: WINDOW_MS, faults: [], trustedProxies: [] },
  );
  let closing: Promise<unknown> | undefined;
  const stop = () => {
    closing ??= close();
    return closing;
  };
  atEnd(stop);
  return { url, flags: ['--checkout-url', url, '--rpc-url', `${url}/rpc`], stop };
}
