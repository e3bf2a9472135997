/** Labels of a coin on a network, such as `USDC-SOL` (interface: ProductResponse, payment_method). */
import type { Coin, CoinNetwork, Network } from './coin.ts';

export interface PaymentMethod {
  readonly coin: Coin;
  readonly network: CoinNetwork;
}

/** `USDC-MATIC`, `BTC-LN`; the coin alone where the network is its own: `BTC`, `ETH`, `SOL`. */
export function paymentMethodLabel(
  coin: Pick<Coin, 'name'>,
  network: Pick<Network, 'code'>,
): string {
  const { code } = network;
  return code === null || code === coin.name ? coin.name : `${coin.name}-${code}`;
}

/** The coin and network that a label stands for; letters count, their case does not. */
export function findPaymentMethod(
  coins: readonly Coin[],
  label: string,
): PaymentMethod | undefined {
  const wanted = label.toUpperCase();
  return coins
    .flatMap((coin) => coin.networks.map((network) => ({ coin, network })))
    .find(({ coin, network }) => paymentMethodLabel(coin, network) === wanted);
}
