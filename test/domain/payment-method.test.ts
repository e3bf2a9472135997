import { expect, it } from 'vitest';
import { COINS } from '../../src/domain/money/coins.ts';
import { findPaymentMethod, paymentMethodLabel } from '../../src/domain/payment/payment-means.ts';

/** Interface: ProductResponse, payment_method. */
it.each([
  ['USDC-MATIC', 'Polygon (Matic)'],
  ['USDC-SOL', 'Solana'],
  ['USDC-ETH', 'Ethereum'],
  ['USDC-ARB', 'Arbitrum'],
  ['USDC-AVAX', 'Avalanche'],
  ['BTC', 'Mainnet'],
])('%s is on %s', (label, network) => {
  expect(findPaymentMethod(COINS, label)?.network.name).toBe(network);
  expect(findPaymentMethod(COINS, label.toLowerCase())?.network.name).toBe(network);
});

it('every coin on every network has a label of its own, which finds it', () => {
  const labels = COINS.flatMap((coin) =>
    coin.networks.map((network) => {
      const label = paymentMethodLabel(coin, network);
      expect(findPaymentMethod(COINS, label)).toEqual({ coin, network });
      return label;
    }),
  );
  expect(new Set(labels).size).toBe(labels.length);
});

it('a label of nothing finds nothing', () => {
  expect(findPaymentMethod(COINS, 'USDC-MOON')).toBeUndefined();
});
