/** Requests test money over JSON-RPC; only the chains of a sandbox have this method. */

import { isLoopbackHost } from '../domain/address/loopback.ts';
import { commandText } from '../domain/message/command-text.ts';
import { ScripError } from '../domain/message/errors.ts';
import { t } from '../domain/message/message.ts';
import { openTransport } from './rpc-transport.ts';

/**
 * Mints into a wallet; USDC in atomic units, the chain's own coin in 10^-9 of it.
 * @throws {ScripError} INPUT_INVALID when the chain is not on this machine, CHAIN_UNREACHABLE
 */
export async function fundByFaucet(
  options: Parameters<typeof openTransport>[0],
  owner: string,
  { usdcAtomic, lamports }: { readonly usdcAtomic: bigint; readonly lamports: bigint },
): Promise<void> {
  const { hostname } = new URL(options.url);
  if (!isLoopbackHost(hostname)) {
    throw new ScripError('INPUT_INVALID', t`${hostname} is not a sandbox: its money is real`, {
      hint: commandText`Send USDC to ${owner} from an exchange or another wallet.`,
    });
  }
  // Each chain reads the units of its own coin.
  const amounts = {
    usdc: String(usdcAtomic),
    lamports: String(lamports),
    wei: String(lamports * 1_000_000_000n),
  };
  await openTransport(options).request('sandboxFaucet', [owner, amounts]);
}
