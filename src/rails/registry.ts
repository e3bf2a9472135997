/** The supported networks; a rail's code loads on first use. */

import type { Fetch } from '../contract/fetch.ts';
import { BASE, BASE_SEPOLIA, SOLANA_MAINNET, USDC_MINT } from '../contract/usdc.ts';
import type { Clock } from '../domain/clock.ts';
import { ScripError } from '../domain/message/errors.ts';
import { t } from '../domain/message/message.ts';
import type { PayerRail } from './rail.ts';

export interface RailParts {
  /** The RPC of the network. */
  readonly url: string;
  /** A second node, which must agree before a payment counts as dead. */
  readonly witnessUrl?: string | undefined;
  /** Reaches the RPC over the network, or the embedded chain. */
  readonly fetch: Fetch;
  readonly clock: Clock;
}

type OpenRail = (network: string, parts: RailParts) => Promise<PayerRail>;

const openEvm: OpenRail = async (name, { url, witnessUrl, fetch, clock }) => {
  const [{ createEvmPayer }, { createEvmRpc }, { evmNetwork }] = await Promise.all([
    import('./evm/payer.ts'),
    import('./evm/rpc.ts'),
    import('./evm/networks.ts'),
  ]);
  const rpc = createEvmRpc({ url, fetch, clock });
  const witness =
    witnessUrl === undefined ? undefined : createEvmRpc({ url: witnessUrl, fetch, clock });
  const network = evmNetwork(name);
  return network === undefined ? unsupported(name) : createEvmPayer({ rpc, witness, network });
};

const PAYER_RAILS: Readonly<Record<string, OpenRail>> = {
  [SOLANA_MAINNET]: async (network, { url, witnessUrl, fetch, clock }) => {
    const [{ createSolanaPayer }, { createSolanaRpc }] = await Promise.all([
      import('./solana/payer.ts'),
      import('./solana/rpc.ts'),
    ]);
    const rpc = createSolanaRpc({ url, fetch, clock });
    const witness =
      witnessUrl === undefined ? undefined : createSolanaRpc({ url: witnessUrl, fetch, clock });
    return createSolanaPayer({ rpc, witness, network, mint: USDC_MINT });
  },
  [BASE]: openEvm,
  [BASE_SEPOLIA]: openEvm,
};

/**
 * Opens the payer rail of a network.
 * @throws {ScripError} REQUIREMENT_UNACCEPTABLE when there is no rail for it
 */
export async function openPayerRail(
  network: string,
  { url, ...parts }: Omit<RailParts, 'url'> & { readonly url: string | undefined },
): Promise<PayerRail> {
  const open = Object.hasOwn(PAYER_RAILS, network) ? PAYER_RAILS[network] : undefined;
  if (open === undefined || url === undefined) return unsupported(network);
  return open(network, { url, ...parts });
}

function unsupported(network: string): never {
  throw new ScripError(
    'REQUIREMENT_UNACCEPTABLE',
    t`The network ${network} is not supported; supported: ${Object.keys(PAYER_RAILS).join(', ')}`,
  );
}
