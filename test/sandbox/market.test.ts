import { describe, expect, it } from 'vitest';
import { COINS } from '../../src/domain/money/coins.ts';
import { parseDecimal } from '../../src/domain/money/money.ts';
import { createSandboxMarket } from '../../src/sandbox/market.ts';

const market = createSandboxMarket();
const placements = COINS.flatMap((coin) => coin.networks.map((network) => ({ coin, network })));

describe("the sandbox's market", () => {
  it('has contract addresses in their checksummed form, each once', () => {
    const addresses = placements.flatMap(({ network }) =>
      network.chainId === null ? [] : (network.contract?.address ?? []),
    );
    expect(addresses.length).toBeGreaterThan(10);
    expect(new Set(addresses).size).toBe(addresses.length);
    for (const address of addresses) {
      // EIP-55: without capitals there is no checksum to check.
      expect(address).toMatch(/^0x(?=.*[A-F])(?=.*[a-f])[0-9a-fA-F]{40}$/);
    }
  });

  it('has the networks of the interface for USDC', () => {
    const usdc = market.coin('usdc');
    expect(usdc?.networks.map(({ name, chainId }) => [name, chainId])).toEqual([
      ['Solana', null],
      ['Base', 8453],
      ['Polygon (Matic)', 137],
      ['Arbitrum', 42161],
      ['Avalanche', 43114],
      ['Optimism', 10],
      ['Ethereum', 1],
    ]);
  });

  it('has amounts that every network of a coin can count, within 64 bits', () => {
    for (const { coin, network } of placements) {
      expect(network.decimals).toBeGreaterThanOrEqual(coin.decimals);
      expect(parseDecimal(network.threshold, coin.decimals)).toBeGreaterThan(0n);
      expect(network.contract?.decimals ?? network.decimals).toBe(network.decimals);
    }
  });

  it('has one coin and one network suspended, and no other', () => {
    const coins = COINS.filter((coin) => market.isSuspended(coin)).map(({ name }) => name);
    const networks = placements.filter(({ network }) => market.isSuspendedNetwork(network.name));
    expect(coins).toEqual(['DASH']);
    expect(new Set(networks.map(({ network }) => network.name))).toEqual(new Set(['Optimism']));
  });

  it('has a rate for every coin', () => {
    for (const coin of COINS) expect(market.picoUsdPer(coin)).toBeGreaterThan(0n);
  });

  it('finds a network by its exact name, on the coin alone', () => {
    const [usdc, bitcoin] = [market.coin('USDC')!, market.coin('BTC')!];
    expect(market.network(usdc, 'Solana')?.baseToken).toBe('SOL');
    expect(market.network(usdc, 'solana')).toBeUndefined();
    expect(market.network(bitcoin, 'Solana')).toBeUndefined();
  });

  it('lets Binance Pay choose the network', () => {
    expect(market.via('binance_pay')?.coins.every(({ networks }) => networks.length === 0)).toBe(
      true,
    );
    expect(market.via('user_wallet')?.coins).toBe(COINS);
    expect(market.via('carrier_pigeon')).toBeUndefined();
  });
});
