/** Whether a transfer of a token can reach an owner without opening an account for it. */
import { associatedTokenAddress } from './address.ts';
import type { SolanaRpc } from './rpc.ts';

/** @throws {ScripError} CHAIN_UNREACHABLE */
export async function canReceive(
  rpc: Pick<SolanaRpc, 'tokenAccount'>,
  owner: string,
  mint: string,
): Promise<boolean> {
  const account = await rpc.tokenAccount(associatedTokenAddress(owner, mint));
  return account !== null && account.owner === owner && !account.isFrozen;
}
