/** Addresses of the sandbox's partner orders, derived from its secret. */
import { SOLANA_MAINNET } from '../../contract/x402.ts';
import type { CoinNetwork } from '../../domain/coin.ts';
import { addressFromSeed } from '../../rails/solana/ed25519.ts';
import type { WalletSource } from '../../service/partner/partner-options.ts';
import type { NextAddress } from '../payment-addresses.ts';
import type { Draw } from '../secrets.ts';
import { fakeAddress } from './addresses.ts';

/** Coins of the embedded chain, where payments are real transfers. */
const ON_CHAIN = ['USDC', 'SOL'];

/** Whether the order is paid on the embedded chain; other payments are simulated. */
export function isOnChain(coin: string, network: Pick<CoinNetwork, 'caip2'> | undefined): boolean {
  return network?.caip2 === SOLANA_MAINNET && ON_CHAIN.includes(coin);
}

/** On Solana, an address whose key derives from this folder's secret; elsewhere, an address without a key. */
export function createSandboxWallets(nextAddress: NextAddress, draw: Draw): WalletSource {
  return {
    allocate: async ({ orderId, coin, network }) => {
      const seed = draw(`order ${orderId}`);
      if (!isOnChain(coin, network)) return fakeAddress(network.scheme, seed);
      return coin === 'USDC' ? nextAddress() : addressFromSeed(seed);
    },
  };
}
