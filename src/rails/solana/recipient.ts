/** Whether a transfer of USDC can reach an owner without opening an account for it. */
import { USDC_MINT } from '../../contract/x402.ts';
import { associatedTokenAddress } from './address.ts';
import type { SolanaRpc } from './rpc.ts';

/** @throws {ScripError} CHAIN_UNREACHABLE */
export async function canReceiveUsdc(
  rpc: Pick<SolanaRpc, 'tokenAccount'>,
  owner: string,
): Promise<boolean> {
  const account = await rpc.tokenAccount(associatedTokenAddress(owner, USDC_MINT));
  return account !== null && account.owner === owner && !account.isFrozen;
}
