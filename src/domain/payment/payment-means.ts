/** Chooses the payment via, coin and network of an order from the merchant's list. */

import type { Coin, CoinNetwork, Network } from '../money/coin.ts';

/** A payment via of `GET /v3/payment_vias`, with only the fields that the choice needs. */
interface ListedVia {
  readonly name: string;
  readonly currencies: readonly ListedCoin[];
}

export interface ListedCoin {
  readonly name: string;
  readonly networks: readonly { readonly name: string }[];
}

/** What the buyer named; the start of a network's name is enough. */
interface WantedMeans {
  readonly via?: string | undefined;
  readonly coin: string;
  readonly network?: string | undefined;
}

/** In the merchant's spelling; names that the merchant does not list stay as typed. */
interface PaymentMeans {
  /** Undefined when the buyer named none and no listed via takes the coin. */
  readonly via: string | undefined;
  readonly coin: string;
  readonly network: string | undefined;
}

/**
 * Finds means of payment in the merchant's list, ignoring case.
 *
 * Without a via, it prefers the user-wallet via, in any spelling of its name (the interface shows none), and
 * otherwise takes the first via that lists the coin with a network. Without a network, it prefers the one
 * that the local wallet pays on.
 */
export function choosePaymentMeans(vias: readonly ListedVia[], wanted: WantedMeans): PaymentMeans {
  const found = vias.flatMap((via) =>
    via.currencies
      .filter(({ name }) => isSameName(name, wanted.coin))
      .map((coin) => ({ via, coin, network: findNetwork(coin, wanted.network) })),
  );
  const { via: named } = wanted;
  const listed = named && vias.find(({ name }) => isSameName(name, named));
  const ofVia = listed ? found.find(({ via }) => via === listed) : undefined;
  const able = found.filter(({ network }) => network !== undefined);
  const own = able.find(({ via }) => isOwnWallet(via.name)) ?? able[0];
  const chosen = named === undefined ? own : ofVia;
  const coin = chosen?.coin.name ?? found[0]?.coin.name ?? wanted.coin;
  return {
    via: named === undefined ? chosen?.via.name : listed ? listed.name : named,
    coin,
    network: chosen?.network ?? wanted.network,
  };
}

/** Returns the coins that the buyer's own wallet can pay with, each with its listed networks. */
export function ownWalletCoins<Coin extends ListedCoin>(
  vias: readonly { readonly name: string; readonly currencies: readonly Coin[] }[],
): readonly Coin[] {
  const withNetwork = (coins: readonly Coin[]) =>
    coins.filter(({ networks }) => networks.length > 0);
  const own = vias.find(({ name }) => isOwnWallet(name));
  const coins = withNetwork(own?.currencies ?? []);
  if (coins.length > 0) return coins;
  const byName = new Map<string, Coin>();
  for (const coin of withNetwork(vias.flatMap(({ currencies }) => currencies))) {
    const name = coin.name.toUpperCase();
    if (!byName.has(name)) byName.set(name, coin);
  }
  return [...byName.values()];
}

/** The network that the local wallet pays on, as the partner API names it (interface: PaymentNetwork). */
export const OWN_NETWORK = 'Solana';
export const DEFAULT_COIN = 'USDC';

export function isOwnNetwork(name: string | null | undefined): boolean {
  return typeof name === 'string' && isSameName(name, OWN_NETWORK);
}

/** Whether two names mean the same via, coin or network. */
export function isSameName(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

/** Accepts `user_wallet`, `USER_WALLET`, `UserWallet`: the interface names the kind, but not its spelling. */
function isOwnWallet(name: string): boolean {
  return name.toLowerCase().replace(/[^a-z]/g, '') === 'userwallet';
}

/** Finds a network by its name, or by the start of it if unambiguous: `polygon`. */
export function findNetwork(
  { networks }: ListedCoin,
  typed: string | undefined,
): string | undefined {
  const names = networks.map(({ name }) => name);
  if (typed === undefined) return names.find(isOwnNetwork) ?? names[0];
  const begun = names.filter((name) => name.toLowerCase().startsWith(typed.toLowerCase()));
  return (
    names.find((name) => isSameName(name, typed)) ?? (begun.length === 1 ? begun[0] : undefined)
  );
}

interface PaymentMethod {
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
