/** Labels of a coin on a network, such as `USDC-SOL` (interface: ProductResponse, payment_method). */
import type { Coin, CoinNetwork, Network } from './coin.ts';

export interface PaymentMethod {
  readonly coin: Coin;
  readonly network: CoinNetwork;
}

/** Returns the label: `USDC-MATIC`, `BTC-LN`; only the coin on its own network: `BTC`, `ETH`, `SOL`. */
export function paymentMethodLabel(
  coin: Pick<Coin, 'name'>,
  network: Pick<Network, 'code'>,
): string {
  const { code } = network;
  return code === null || code === coin.name ? coin.name : `${coin.name}-${code}`;
}

/** Finds the coin and network of a label, ignoring case. */
export function findPaymentMethod(
  coins: readonly Coin[],
  label: string,
): PaymentMethod | undefined {
  const wanted = label.toUpperCase();
  return coins
    .flatMap((coin) => coin.networks.map((network) => ({ coin, network })))
    .find(({ coin, network }) => paymentMethodLabel(coin, network) === wanted);
}
