/** Requests test money over JSON-RPC; only the chain of a served sandbox has this method. */

import { isLoopbackHost } from '../../domain/address/loopback.ts';
import { commandText } from '../../domain/message/command-text.ts';
import { ScripError } from '../../domain/message/errors.ts';
import { t } from '../../domain/message/message.ts';
import { createSolanaRpc, type RpcOptions } from './rpc.ts';

/**
 * Mints into a wallet; amounts in atomic units.
 * @throws {ScripError} INPUT_INVALID when the chain is not on this machine, CHAIN_UNREACHABLE
 */
export async function fundByFaucet(
  options: RpcOptions,
  owner: string,
  funds: { readonly usdcAtomic: bigint; readonly lamports: bigint },
): Promise<void> {
  const { hostname } = new URL(options.url);
  if (!isLoopbackHost(hostname)) {
    throw new ScripError('INPUT_INVALID', t`${hostname} is not a sandbox: its money is real`, {
      hint: commandText`Send USDC to ${owner} from an exchange or another wallet.`,
    });
  }
  const amounts = { usdc: String(funds.usdcAtomic), lamports: String(funds.lamports) };
  await createSolanaRpc(options).request('sandboxFaucet', [owner, amounts]);
}
