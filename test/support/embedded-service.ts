/** The embedded service of a home, opened in this process beside those of the command line. */

import { join } from 'node:path';
import { EMBEDDED_URL } from '../../src/domain/address/loopback.ts';
import { systemClock } from '../../src/net/clock.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import type { Home } from './cli.ts';
import { type Ledger, ledgerAt } from './ledger.ts';
import { random } from './random.ts';

export async function withEmbedded<T>(
  home: Home,
  use: (sandbox: Sandbox) => Promise<T>,
): Promise<T> {
  // Loaded where it is needed: it has a chain in it.
  const { openSandbox } = await import('../../src/sandbox/sandbox.ts');
  const sandbox = await openSandbox({
    dataDir: join(home.dir, '.local', 'state', 'scrip', 'sandbox'),
    baseUrl: EMBEDDED_URL,
    clock: systemClock,
    random,
  });
  try {
    return await use(sandbox);
  } finally {
    await sandbox.close();
  }
}

/** Opens its chain to the ledger. */
export function judge<T>(home: Home, look: (ledger: Ledger) => Promise<T>): Promise<T> {
  return withEmbedded(home, (sandbox) => look(ledgerAt(`${EMBEDDED_URL}/rpc`, sandbox.fetch)));
}
