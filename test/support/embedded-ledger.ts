import type { Home } from './cli.ts';
import { ledgerAt } from './ledger.ts';
import { serveSandbox } from './served-sandbox.ts';

/** Opens the embedded service of a home to the ledger, as a server over the same folder. */
export async function judge<T>(
  home: Home,
  look: (ledger: ReturnType<typeof ledgerAt>) => Promise<T>,
): Promise<T> {
  const served = await serveSandbox(home);
  try {
    return await look(ledgerAt(`${served.url}/rpc`));
  } finally {
    await served.stop();
  }
}
