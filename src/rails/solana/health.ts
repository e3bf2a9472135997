/** Checks the configured nodes: reachable, on the right chain, with the right token. */

import { SOLANA_MAINNET, USDC_DECIMALS } from '../../contract/x402.ts';
import { expected } from '../../domain/attempt.ts';
import type { RailHealth } from '../rail.ts';
import { rpcCodeOf } from '../rpc-transport.ts';
import { healthOf, nodesOf } from '../witness.ts';
import { TOKEN_PROGRAM } from './address.ts';
import { isOfNetwork } from './fate.ts';
import type { SolanaRpc } from './rpc.ts';

export interface HealthOptions {
  readonly rpc: SolanaRpc;
  /** A second node, if configured. */
  readonly witness?: SolanaRpc | undefined;
  readonly network: string;
  readonly mint: string;
}

export function readHealth({ network, mint, ...nodes }: HealthOptions): Promise<RailHealth> {
  const look = async (node: SolanaRpc) => ({
    isNetwork: await isOfNetwork(node, network),
    hasAsset: await hasMint(node, mint),
    block: await node.blockHeight('finalized'),
  });
  return healthOf(nodesOf(nodes), look, chainTime);
}

/** Layout of a mint (SPL Token): 82 bytes, the decimals at 44, the initialized flag at 45. */
const MINT_BYTES = 82;
const DECIMALS_AT = 44;

async function hasMint(rpc: SolanaRpc, mint: string): Promise<boolean> {
  const account = await rpc.accountInfo(mint);
  return (
    account?.owner === TOKEN_PROGRAM &&
    account.data.length === MINT_BYTES &&
    account.data[DECIMALS_AT] === USDC_DECIMALS &&
    account.data[DECIMALS_AT + 1] === 1
  );
}

/** Returns the time of the newest finalized block in milliseconds; null if the node does not have it. */
export async function chainTime(rpc: SolanaRpc): Promise<number | null> {
  const seconds = await rpc
    .height('finalized')
    .then(({ slot }) => rpc.request('getBlockTime', [slot]))
    .catch(expected(() => null));
  return typeof seconds === 'number' ? seconds * 1_000 : null;
}

/**
 * Which chain the node serves. A sandbox's chain has the genesis hash of mainnet, where clients expect USDC, and
 * tells its own id; undefined where neither tells more than mainnet does.
 * @throws {ScripError} CHAIN_UNREACHABLE
 */
export async function chainIdAt(rpc: SolanaRpc): Promise<string | undefined> {
  if (!(await isOfNetwork(rpc, SOLANA_MAINNET))) return rpc.genesisHash();
  return rpc.request('sandboxChain', []).then(
    String,
    expected((error) => {
      // A node of mainnet refuses the method; one that is busy tells nothing.
      const code = rpcCodeOf(error);
      if (code === undefined || BUSY_CODES.includes(code)) throw error;
      return undefined;
    }),
  );
}

const BUSY_CODES = [429, -32_005, -32_429];
